//! [`Written`]: a project written by the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A project written by the program.
pub struct Written {
    pub folder: PathBuf,
}

impl Written {
    /// Runs commands after `genclient` in a folder; the first one is `init`.
    pub fn new(folder: &Path, commands: &[String]) -> Self {
        let written = Self {
            folder: folder.to_owned(),
        };
        let checkout = Path::new("../..").canonicalize().unwrap();
        let mut source = format!(" --genclient-path {}", checkout.display());
        for command in commands {
            let command = format!("{command}{source}");
            let output = written.type_in(&command);
            let said = String::from_utf8_lossy(&output.stderr);
            // The projects are members of a workspace, so they have no CI workflow of their own.
            let said = said.replace("by hand, in the CI of the workspace", "");
            let is_whole = output.status.success() && !said.contains("by hand");
            assert!(is_whole, "{commands:?}: {command}\n{said}");
            source.clear();
        }
        written
    }

    /// Runs a command after `genclient`.
    pub fn type_in(&self, command: &str) -> Output {
        let mut command = self.command(command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().unwrap()
    }

    /// The command, with its output discarded.
    pub fn command(&self, command: &str) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
        program
            .args(command.split_whitespace())
            .current_dir(&self.folder)
            .env("PATH", crate::toolchain())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        program
    }

    /// The files by path below the folder, with their texts.
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.folder.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let below = path
                        .strip_prefix(&self.folder)
                        .unwrap()
                        .display()
                        .to_string();
                    files.insert(below, fs::read_to_string(&path).unwrap());
                }
            }
        }
        files
    }

    /// Asserts that rustfmt accepts all Rust files.
    pub fn assert_formatted(&self) {
        let tests = fs::read_dir(self.folder.join("tests")).unwrap();
        let tests = tests.map(|entry| entry.unwrap().path());
        let output = Command::new("rustfmt")
            .args(["--edition", "2024", "--check", "src/main.rs", "pkg/lib.rs"])
            .args(tests.filter(|path| path.extension().is_some()))
            .current_dir(&self.folder)
            .env("PATH", crate::toolchain())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}
