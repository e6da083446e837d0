//! Changes of a workspace, and which of them its generator notices.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{Inputs, observe};
use crate::file_set::FileSet;
use crate::model::Artefact;

const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"shop\", \"shared\", \"more/*\"]\n",
    ),
    (
        "shop/Cargo.toml",
        "[package]
name = \"shop\"
edition = \"2024\"
[package.metadata.genclient]
boilerplate = \"license.txt\"
[dependencies]
genclient = \"1\"
serde = \"1\"
shared = { path = \"../shared\" }
",
    ),
    ("shop/license.txt", "// Copyright of the shop.\n"),
    (
        "shop/src/lib.rs",
        "pub mod apis;\npub mod client;\npub mod other;\n",
    ),
    ("shop/src/other.rs", ""),
    (
        "shop/src/apis/mod.rs",
        "pub mod v1;\n#[path = \"../../sizes.rs\"]\npub mod sizes;\n",
    ),
    (
        "shop/src/apis/v1.rs",
        "use genclient::prelude::*;
#[genclient]
#[group = \"shop.example.com\"]
#[version = \"v1\"]
pub struct Order { pub metadata: ObjectMeta, pub spec: OrderSpec }
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct OrderSpec { pub size: super::sizes::Size, pub item: shared::Item, pub count: i32 }
",
    ),
    (
        "shop/sizes.rs",
        "use genclient::prelude::*;
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Size { Small, Large }
",
    ),
    (
        "shared/Cargo.toml",
        "[package]\nname = \"shared\"\nedition = \"2024\"\n",
    ),
    (
        "shared/src/lib.rs",
        "pub mod unused;\npub use item::Item;\nmod item;\n",
    ),
    ("shared/src/unused.rs", ""),
    (
        "shared/src/item.rs",
        "use genclient::prelude::*;
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Item { pub name: String }
",
    ),
];

/// A workspace with generated files, after a run that has read it.
struct Workspace {
    folder: tempfile::TempDir,
    inputs: Inputs,
    output: FileSet,
}

impl Workspace {
    /// All files are older than the granularity of modification times.
    fn new() -> Self {
        let workspace = Self::written();
        for (file, _) in FILES {
            workspace.set_age(file, Duration::from_secs(60));
        }
        workspace.observed()
    }

    /// A workspace without generated files.
    fn written() -> Self {
        let workspace = Self {
            folder: tempfile::tempdir().unwrap(),
            inputs: Inputs::default(),
            output: FileSet::default(),
        };
        for (file, text) in FILES {
            workspace.write(file, text);
        }
        workspace
    }

    /// Runs the generator, and writes its files.
    fn observed(mut self) -> Self {
        let manifest = self.path("shop/Cargo.toml");
        let (output, inputs) = observe(|| {
            let packages = ["shop".to_owned()];
            let project = crate::discover(Some(&manifest), &packages)?.remove(0);
            let generated = crate::generate_partial(&project, &Artefact::ALL.into())?;
            generated.files.write()?;
            Ok::<_, crate::Diagnostics>(generated.files)
        });
        self.output = output.unwrap_or_default();
        self.inputs = inputs;
        self
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{from:?} is not in:\n{text}");
        self.write(file, &text.replace(from, to));
    }

    fn set_age(&self, file: &str, age: Duration) {
        let opened = File::options().write(true).open(self.path(file)).unwrap();
        opened.set_modified(SystemTime::now() - age).unwrap();
    }

    /// The changed paths, relative to the workspace.
    fn changes(&mut self) -> Vec<String> {
        let changed = self.inputs.changes(&self.output);
        let below = |path: &PathBuf| path.strip_prefix(self.folder.path()).unwrap().to_owned();
        changed
            .iter()
            .map(|path| below(path).display().to_string())
            .collect()
    }
}

type Change = (&'static str, fn(&Workspace), &'static [&'static str]);

const CHANGES: &[Change] = &[
    (
        "a type",
        |it| it.edit("shop/src/apis/v1.rs", "i32", "i64"),
        &["shop/src/apis/v1.rs"],
    ),
    (
        "two files",
        |it| {
            it.write("shop/src/other.rs", "struct A;");
            it.write("shop/src/lib.rs", "pub mod apis;\n");
        },
        &["shop/src/lib.rs", "shop/src/other.rs"],
    ),
    (
        "a file that `#[path]` names",
        |it| it.edit("shop/sizes.rs", "Small", "Tiny"),
        &["shop/sizes.rs"],
    ),
    (
        "a new file",
        |it| it.write("shop/src/apis/v2.rs", ""),
        &["shop/src/apis/v2.rs"],
    ),
    (
        "a removed file",
        |it| fs::remove_file(it.path("shop/src/apis/v1.rs")).unwrap(),
        &["shop/src/apis/v1.rs"],
    ),
    (
        "a file that becomes a folder",
        |it| {
            fs::create_dir(it.path("shop/src/apis/v1")).unwrap();
            let file = it.path("shop/src/apis/v1.rs");
            fs::rename(file, it.path("shop/src/apis/v1/mod.rs")).unwrap();
        },
        &["shop/src/apis/v1/mod.rs", "shop/src/apis/v1.rs"],
    ),
    (
        "a module folder with another name",
        |it| fs::rename(it.path("shop/src/apis"), it.path("shop/src/types")).unwrap(),
        &[
            "shop/src/apis",
            "shop/src/apis/mod.rs",
            "shop/src/apis/v1.rs",
            "shop/src/types/mod.rs",
            "shop/src/types/v1.rs",
        ],
    ),
    (
        "the settings",
        |it| it.edit("shop/Cargo.toml", "license.txt", "other.txt"),
        &["shop/Cargo.toml"],
    ),
    (
        "the text above generated files",
        |it| it.edit("shop/license.txt", "shop", "store"),
        &["shop/license.txt"],
    ),
    (
        "the workspace",
        |it| it.edit("Cargo.toml", "more/*", "others/*"),
        &["Cargo.toml"],
    ),
    (
        "a new member of the workspace",
        |it| it.write("more/one/Cargo.toml", "[package]\nname = \"one\"\n"),
        &["more/one/Cargo.toml"],
    ),
    (
        "versions of dependencies",
        |it| it.write("Cargo.lock", "version = 4\n"),
        &["Cargo.lock"],
    ),
    (
        "the manifest of a dependency",
        |it| it.edit("shared/Cargo.toml", "2024", "2021"),
        &["shared/Cargo.toml"],
    ),
    (
        "a type of a dependency",
        |it| it.edit("shared/src/item.rs", "name", "title"),
        &["shared/src/item.rs"],
    ),
    (
        "a file of a dependency that no type leads to",
        |it| it.write("shared/src/unused.rs", "struct A;"),
        &[],
    ),
    (
        "an edited file of the output",
        |it| it.write("shop/src/client/mod.rs", ""),
        &[],
    ),
    (
        "a removed folder of the output",
        |it| fs::remove_dir_all(it.path("shop/src/client/listers")).unwrap(),
        &[],
    ),
    (
        "a new file in the output",
        |it| it.write("shop/src/client/listers/old.rs", ""),
        &[],
    ),
    (
        "a modification time",
        |it| it.set_age("shop/src/apis/v1.rs", Duration::ZERO),
        &[],
    ),
    (
        "the same text",
        |it| it.edit("shop/src/apis/v1.rs", "i32", "i32"),
        &[],
    ),
    (
        "a lock file of an editor",
        |it| it.write("shop/src/apis/.#v1.rs", ""),
        &[],
    ),
    (
        "a file that is no source",
        |it| it.write("shop/src/apis/notes.md", ""),
        &[],
    ),
];

#[test]
fn changes_of_inputs_are_noticed_once() {
    for (name, change, expected) in CHANGES {
        let mut workspace = Workspace::new();
        assert_eq!(workspace.changes(), [""; 0], "before {name}");
        change(&workspace);
        assert_eq!(workspace.changes(), *expected, "{name}");
        assert_eq!(workspace.changes(), [""; 0], "after {name}");
    }
}

#[test]
fn a_second_edit_within_the_granularity_of_modification_times_is_noticed() {
    let mut workspace = Workspace::written().observed();
    let file = workspace.path("shop/src/apis/v1.rs");
    let before = file.metadata().unwrap();
    workspace.edit("shop/src/apis/v1.rs", "i32", "i64");
    let opened = File::options().write(true).open(&file).unwrap();
    opened.set_modified(before.modified().unwrap()).unwrap();
    assert_eq!(file.metadata().unwrap().len(), before.len());
    assert_eq!(workspace.changes(), ["shop/src/apis/v1.rs"]);
    assert_eq!(workspace.changes(), [""; 0]);
}

#[test]
fn inputs_of_a_run_with_errors_are_observed() {
    for (file, broken) in [
        ("shop/Cargo.toml", "[package"),
        ("shop/src/apis/v1.rs", "struct"),
        ("shop/src/apis/mod.rs", "pub mod v2;"),
    ] {
        let written = Workspace::written();
        written.write(file, broken);
        let mut workspace = written.observed();
        assert_eq!(workspace.output, FileSet::default(), "{file}");
        workspace.write(file, "");
        assert_eq!(workspace.changes(), [file]);
    }
    let written = Workspace::written();
    written.write("shop/src/apis/mod.rs", "pub mod v2;");
    let mut workspace = written.observed();
    workspace.write("shop/src/apis/v2.rs", "");
    assert_eq!(workspace.changes(), ["shop/src/apis/v2.rs"]);
}

#[test]
fn files_that_could_not_be_written_are_inputs() {
    let mut workspace = Workspace::new();
    let file = "shop/config/crd/shop.example.com_orders.yaml";
    let text = fs::read_to_string(workspace.path(file)).unwrap();
    workspace.write(file, "of the user\n");
    let output = std::mem::take(&mut workspace.output);
    // Files that the run has written.
    workspace.changes();
    workspace.inputs.add_output(&output);
    assert_eq!(workspace.changes(), [""; 0]);
    workspace.write(file, &text);
    assert_eq!(workspace.changes(), [file]);
}

#[test]
fn accesses_outside_of_an_observed_run_are_not_recorded() {
    let workspace = Workspace::new();
    let ((), mut inputs) = observe(|| ());
    let _ = super::read_text_file(&workspace.path("shop/src/lib.rs"));
    workspace.write("shop/src/lib.rs", "");
    assert!(inputs.changes(&FileSet::default()).is_empty());
}
