//! Benchmarks of `update` and `verify` for 1 to 1000 kinds, stage by stage.
//!
//! Run them with `cargo bench -p genclient-codegen`.
//!
//! Each stage receives the output of the previous one. The operating system caches the sources, as
//! after an edit.

#![expect(clippy::unwrap_used, reason = "what is measured is known to be right")]

use std::collections::BTreeSet;
use std::fs;

use divan::Bencher;
use divan::counter::ItemsCount;
use genclient_codegen::stages::{Sources, emit, load, resolve};
use genclient_codegen::{Artefact, FileSet, Model, Project, Sink};
use tempfile::TempDir;

const SIZES: [usize; 4] = [1, 10, 100, 1000];
const MANIFEST: &str = "[package]\nname = \"apiset\"\n\n[lib]\npath = \"pkg/lib.rs\"\n\n\
                        [dependencies]\ngenclient = \"0.1\"\nserde = \"1\"\n";

fn main() {
    divan::main();
}

/// A package on disk, with its settings and the artefacts to generate.
struct Package {
    /// Deletes the folder when dropped.
    _folder: TempDir,
    project: Project,
    artefacts: BTreeSet<Artefact>,
}

impl Package {
    /// Returns a package that also generates apply configurations.
    fn with_apply_configurations(kinds: usize) -> Self {
        let package = Self::new(kinds);
        let project = Project {
            apply_configurations: true,
            ..package.project.clone()
        };
        Self { project, ..package }
    }

    fn new(kinds: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let files = apiset::Spelling::Genclient.files(&apiset::groups(kinds));
        apiset::write(&files, folder.path()).unwrap();
        fs::write(&manifest, MANIFEST).unwrap();
        fs::write(folder.path().join("pkg/lib.rs"), "pub mod apis;\n").unwrap();
        let project = genclient_codegen::discover(Some(&manifest), &[])
            .unwrap()
            .remove(0);
        Self {
            _folder: folder,
            project,
            artefacts: Artefact::ALL.into(),
        }
    }

    fn load(&self) -> Sources {
        let mut sink = Sink::new();
        let sources = load(&self.project, &mut sink);
        sink.finish(sources).unwrap()
    }

    fn resolve(&self, sources: &Sources) -> Model {
        let mut sink = Sink::new();
        let resolved = resolve(sources, &self.project, &self.artefacts, &mut sink);
        sink.finish(resolved.model).unwrap()
    }

    fn emit(&self, model: &Model) -> FileSet {
        emit(model, &self.project, &self.artefacts)
    }

    fn generate(&self) -> FileSet {
        genclient_codegen::generate(&self.project, &self.artefacts)
            .unwrap()
            .files
    }

    fn forget(&self) {
        let _ = fs::remove_dir_all(&self.project.client.dir);
        let _ = fs::remove_dir_all(&self.project.config);
    }
}

/// Runs all stages and writes every file, since none exists.
#[divan::bench(args = SIZES)]
fn update(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    bencher
        .counter(ItemsCount::new(kinds))
        .with_inputs(|| package.forget())
        .bench_local_values(|()| package.generate().write());
}

/// Does what `update` does, with apply configurations.
#[divan::bench(args = SIZES)]
fn update_apply(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::with_apply_configurations(kinds);
    bencher
        .counter(ItemsCount::new(kinds))
        .with_inputs(|| package.forget())
        .bench_local_values(|()| package.generate().write());
}

/// Runs all stages and compares with files that are up to date.
#[divan::bench(args = SIZES)]
fn verify(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    package.generate().write().unwrap();
    bencher
        .counter(ItemsCount::new(kinds))
        .bench_local(|| package.generate().verify().map(|drift| drift.len()));
}

/// Parses the sources.
#[divan::bench(name = "stage_1_load", args = SIZES)]
fn stage_load(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    bencher
        .counter(ItemsCount::new(kinds))
        .bench_local(|| package.load());
}

/// Resolves the parsed sources to the model.
#[divan::bench(name = "stage_2_resolve", args = SIZES)]
fn stage_resolve(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    let sources = package.load();
    bencher
        .counter(ItemsCount::new(kinds))
        .bench_local(|| package.resolve(&sources));
}

/// Renders the model as files in memory.
#[divan::bench(name = "stage_3_emit", args = SIZES)]
fn stage_emit(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    let model = package.resolve(&package.load());
    bencher
        .counter(ItemsCount::new(kinds))
        .bench_local(|| package.emit(&model));
}

/// Compares files in memory with equal files on disk.
#[divan::bench(name = "stage_4_compare", args = SIZES)]
fn stage_compare(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    let files = package.generate();
    files.write().unwrap();
    bencher
        .counter(ItemsCount::new(kinds))
        .bench_local(|| files.verify());
}

/// Writes files from memory to disk, where none exists.
#[divan::bench(name = "stage_5_write", args = SIZES)]
fn stage_write(bencher: Bencher<'_, '_>, kinds: usize) {
    let package = Package::new(kinds);
    let files = package.generate();
    bencher
        .counter(ItemsCount::new(kinds))
        .with_inputs(|| package.forget())
        .bench_local_values(|()| files.write());
}
