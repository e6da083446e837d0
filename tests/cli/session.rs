//! A shell in a temporary folder, for transcripts: the output of each command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The script of a stand-in: it records its call, and checks that the files it is given exist. The
/// API server writes its kubeconfig, and kubectl prints deletions of CRDs and namespaces.
const STUB_SCRIPT: &str = r#"#!/bin/sh
echo "$(basename "$0") $*" >> "$(dirname "$0")/calls"
case " $* " in
*" delete "*) awk '
    /^kind: / { kind = $2 }
    /^  name: / && kind == "Namespace" { print "namespace \"" $2 "\" deleted" }
    /^  name: / && kind == "CustomResourceDefinition" {
        print "customresourcedefinition.apiextensions.k8s.io \"" $2 "\" deleted"
    }' ;;
*) cat > /dev/null ;;
esac
while [ $# -gt 0 ]; do
    [ "$(basename "$0") $1" = "genclient-apiserver --kubeconfig" ] && cp "$KUBECONFIG" "$2"
    case "$1" in -f | -k) [ "$2" = - ] || [ -e "$2" ] || { echo "no file $2"; exit 1; } ;; esac
    [ "$1" = -f ] && [ -e "$2/kustomization.yaml" ] && { echo 'no matches for "Kustomization"'; exit 1; }
    shift
done
"#;

/// A shell that keeps its working folder between commands.
pub struct Session {
    _folder: TempDir,
    root: PathBuf,
    working: PathBuf,
}

impl Session {
    /// A shell with the program in its search path, in a folder that is empty except for `bin`.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let working = root.clone();
        fs::create_dir(root.join("bin")).unwrap();
        crate::cli::program(&root.join("bin"));
        let kubeconfig = "current-context: a\ncontexts: [{ name: a }]\n";
        fs::write(root.join("bin/kubeconfig"), kubeconfig).unwrap();
        Self {
            _folder: folder,
            root,
            working,
        }
    }

    /// A new shell with a copy of all files.
    pub fn copy(&self) -> Self {
        let mut copy = Self::new();
        let (from, to) = (format!("{}/.", self.root.display()), &copy.root);
        let status = Command::new("cp").arg("-a").arg(from).arg(to).status();
        assert!(status.unwrap().success());
        copy.working = copy
            .root
            .join(self.working.strip_prefix(&self.root).unwrap());
        copy
    }

    /// Replaces a program by a stand-in.
    pub fn add_stub(&self, program: &str) {
        self.script(program, STUB_SCRIPT);
    }

    /// Replaces a program by a script.
    pub fn script(&self, program: &str, script: &str) {
        let file = self.root.join("bin").join(program);
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The calls of stand-ins since the last query.
    pub fn calls(&self) -> String {
        let file = self.root.join("bin/calls");
        let calls = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(file);
        self.without_root(&calls)
    }

    /// The working folder.
    pub fn folder(&self) -> &Path {
        &self.working
    }

    /// The folder in which the session began.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The output of a command, with its exit status if that is not 0.
    pub fn printed(&mut self, command: &str) -> String {
        let programs = self.root.join("bin");
        let path = format!("{}:{}", programs.display(), crate::toolchain().display());
        let left = programs.join("left");
        let script = format!(
            "exec 2>&1 </dev/null\n{command}\ncode=$?\npwd > '{}'\nexit $code",
            left.display()
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(&self.working)
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env("KUBECONFIG", programs.join("kubeconfig"))
            .env_remove("CARGO")
            .output()
            .unwrap();
        self.working = fs::read_to_string(left).unwrap().trim_end().into();
        let mut text = String::from_utf8(output.stdout).unwrap();
        if !output.status.success() {
            text.push_str(&format!("exit status {}\n", output.status.code().unwrap()));
        }
        self.without_root(&text)
    }

    fn without_root(&self, text: &str) -> String {
        text.replace(&self.root.display().to_string(), "[root]")
    }

    /// Checks the formatting of each file on its own: otherwise rustfmt would follow `mod` items.
    pub fn assert_formatted(&self) {
        let check = "find . -name '*.rs' -not -name 'by_hand.rs' | while read -r file; do \
                     rustfmt --edition 2024 --check < \"$file\" || echo \"$file\"; done";
        let mut command = Command::new("bash");
        command.args(["-c", check]).current_dir(&self.working);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert_eq!(text, "");
    }
}
