//! Runs of single inputs through the whole pipeline, on a thread that is abandoned after a timeout.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use genclient_codegen::{Artefact, ClientModule, FileSet, Project};
use serde_json::Value;
use tempfile::TempDir;

/// Inputs of these sizes need less than a hundredth of it, even under load.
const PATIENCE: Duration = Duration::from_secs(20);

/// The result for an input: whether files were generated, or a defect of the generator.
type Outcome = Result<bool, String>;

pub struct Runner {
    name: &'static str,
    folder: TempDir,
    inputs: Sender<PathBuf>,
    outcomes: Receiver<Outcome>,
}

impl Runner {
    pub fn start(name: &'static str) -> Self {
        let (inputs, to_do) = channel::<PathBuf>();
        let (done, outcomes) = channel();
        thread::spawn(move || {
            for folder in to_do {
                let outcome = catch_unwind(AssertUnwindSafe(|| generate(&folder)))
                    .unwrap_or_else(|_| Err("it panics: see above".into()));
                if done.send(outcome).is_err() {
                    return;
                }
            }
        });
        Self {
            name,
            folder: tempfile::tempdir().unwrap(),
            inputs,
            outcomes,
        }
    }

    /// Runs one input. Returns true if files were generated.
    #[track_caller]
    pub fn check(&mut self, number: u64, source: &[u8]) -> bool {
        fs::write(self.folder.path().join("apis.rs"), source).unwrap();
        self.inputs.send(self.folder.path().to_owned()).unwrap();
        let outcome = self.outcomes.recv_timeout(PATIENCE);
        match outcome.unwrap_or_else(|_| Err(format!("it takes more than {PATIENCE:?}"))) {
            Ok(generated) => generated,
            Err(wrong) => {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR"))
                    .join(format!("fuzz-{}-{number}.rs", self.name));
                fs::write(&kept, source).unwrap();
                panic!(
                    "{} number {number}, kept in {}: {wrong}",
                    self.name,
                    kept.display()
                );
            }
        }
    }
}

/// Generates in memory, and checks everything that would be printed or written.
fn generate(folder: &Path) -> Outcome {
    match genclient_codegen::generate(&project(folder), &Artefact::ALL.into()) {
        Ok(generated) => {
            said(&generated.warnings)?;
            readable(&generated.files)?;
            Ok(true)
        }
        Err(errors) if errors.is_empty() => Err("it fails and does not say why".into()),
        Err(errors) => said(&errors).map(|()| false),
    }
}

/// Checks that messages can be rendered in every format, and that each error has a help.
fn said(findings: &genclient_codegen::Diagnostics) -> Result<(), String> {
    let _ = (
        findings.to_human(),
        findings.to_json_lines(),
        findings.to_string(),
    );
    match findings.iter().find(|finding| finding.message.is_empty()) {
        Some(finding) => Err(format!("a message without words: {finding:?}")),
        None => Ok(()),
    }
}

/// Checks that YAML can be parsed, and that each document has a name.
fn readable(files: &FileSet) -> Result<(), String> {
    let is_yaml = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    };
    for (path, text) in files.iter().filter(|(path, _)| is_yaml(path)) {
        let (_, documents) = text.split_once("---\n").ok_or("no document")?;
        for document in documents.split("\n---\n") {
            let read: Value = serde_saphyr::from_str(document)
                .map_err(|error| format!("{}: {error}\n{text}", path.display()))?;
            if read["metadata"]["name"].as_str().is_none() {
                return Err(format!("{} has no name:\n{text}", path.display()));
            }
        }
    }
    Ok(())
}

fn project(folder: &Path) -> Project {
    Project {
        name: "fuzz".into(),
        working_dir: PathBuf::new(),
        dir: folder.to_owned(),
        apis: folder.join("apis"),
        crate_root: folder.join("lib.rs"),
        types: "crate::apis".into(),
        client: ClientModule {
            dir: folder.join("client"),
            root_file: "mod.rs".into(),
            path: "crate::client".into(),
            package: folder.to_owned(),
            in_program: false,
        },
        edition: "2024".to_owned(),
        library: "compiled".into(),
        config: folder.join("config"),
        ..Project::default()
    }
}
