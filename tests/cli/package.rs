//! A package in a temporary folder, and runs of the program in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// A folder with a package or a workspace.
pub struct Package {
    folder: TempDir,
}

/// The output and exit status of a run.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the output contains every text.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Self {
        let all = format!("{}\n{}", self.stdout, self.stderr);
        for text in texts {
            assert!(all.contains(text), "{text:?} is not in:\n{all}");
        }
        self
    }
}

/// The dependencies of generated clients.
pub const DEPENDENCIES: &str =
    "[dependencies]\ngenclient = \"0.1\"\nserde = { version = \"1\", features = [\"derive\"] }\n";

/// A module with one kind, whose spec has the field `field`.
pub fn kind(group: &str, kind: &str, field: &str) -> String {
    format!(
        "pub mod v1 {{
    use genclient::prelude::*;

    #[genclient]
    #[group = \"{group}\"]
    pub struct {kind} {{
        pub metadata: ObjectMeta,
        pub spec: {kind}Spec,
    }}

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct {kind}Spec {{
        pub {field}: String,
    }}
}}
"
    )
}

impl Package {
    /// A package with one kind: `Task` of `tasks.example.com/v1`.
    pub fn new() -> Self {
        let package = Self::empty();
        package.write(
            "Cargo.toml",
            format!(
                "[package]\nname = \"tasks\"\n\n[lib]\npath = \"pkg/lib.rs\"\n\n{DEPENDENCIES}"
            ),
        );
        package.write("pkg/lib.rs", "pub mod apis;\npub mod client;\n");
        package.write(
            "pkg/apis/mod.rs",
            kind("tasks.example.com", "Task", "image"),
        );
        package
    }

    /// The same package after `update`.
    pub fn generated() -> Self {
        let package = Self::new();
        package.run(&["update"]).expect(0);
        package
    }

    pub fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// Sets the modification time of a file to an hour ago.
    pub fn set_old_modification_time(&self, file: &str) {
        let file = fs::File::options().write(true).open(self.path(file));
        let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
        file.unwrap().set_modified(an_hour_ago).unwrap();
    }

    pub fn exists(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    /// Replaces a text in a file, which must contain it.
    #[track_caller]
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from:?} is not in:\n{text}");
        self.write(file, text.replace(from, to));
    }

    /// Every file with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.folder.path(), &mut files);
        files
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_in("", arguments)
    }

    pub fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
        command.args(arguments).current_dir(self.path(folder));
        Self::finish(command)
    }

    /// Runs the program with an environment variable.
    pub fn run_with(&self, variable: &str, value: &str, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
        command.args(arguments).current_dir(self.path(""));
        command.env(variable, value);
        Self::finish(command)
    }

    /// Runs the program with stdin from a file.
    pub fn run_from(&self, input: &str, arguments: &[&str]) -> Run {
        let input = self.path(input);
        let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
        command.args(arguments).current_dir(self.path(""));
        command.stdin(fs::File::open(input).unwrap());
        Self::output(command)
    }

    /// Runs the program with stdout to a file.
    pub fn run_into(&self, file: &Path, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"));
        command.args(arguments).current_dir(self.path(""));
        command.stdout(fs::File::options().write(true).open(file).unwrap());
        Self::finish(command)
    }

    pub fn finish(mut command: Command) -> Run {
        command.stdin(Stdio::null());
        Self::output(command)
    }

    fn output(mut command: Command) -> Run {
        let output = command.output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts `update` and terminates it by a signal after a delay. Returns true if it did not
    /// finish.
    ///
    /// The signal is not SIGINT, which tests in the background of a shell inherit as ignored.
    pub fn interrupt_update(&self, after: Duration) -> bool {
        let mut run = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(["-q", "update"])
            .current_dir(self.path(""))
            .spawn()
            .unwrap();
        thread::sleep(after);
        let pid = run.id().to_string();
        // Fails if the process has exited.
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        run.wait().unwrap().code().is_none()
    }

    /// Asserts that `update` and `verify` both fail, print `texts` and change nothing.
    #[track_caller]
    pub fn refuses(&self, texts: &[&str]) {
        let before = self.files();
        self.run(&["update"]).expect(2).says(texts);
        assert_eq!(self.files(), before);
        self.run(&["verify"]).expect(2).says(texts);
        assert_eq!(self.files(), before);
    }
}

fn collect(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let content = fs::read(&path).unwrap();
            files.insert(path, content);
        }
    }
}
