//! Nesting that no person writes: an error, not the end of the process, and not a run without end.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// How deep.
const LEVELS: usize = 10_000;

/// What stands before and after something, again and again.
const NESTS: &[(&str, &str, &str, &str)] = &[
    ("parentheses", "pub a: ", "(", ")"),
    ("generics", "pub a: ", "Option<", ">"),
    ("slices", "pub a: ", "[", "]"),
    ("references", "pub a: ", "&", ""),
    ("pointers", "pub a: ", "*const ", ""),
    ("functions", "pub a: ", "Box<dyn Fn(", ")>"),
    ("items", "#[crd(", "items(", ")"),
    ("lists", "#[crd(default = ", "[", "]"),
    ("objects", "#[crd(default = ", "{ \"a\": ", "}"),
    ("signs", "#[crd(minimum = ", "-", ""),
    ("modules", "} ", "mod a {", "}"),
    ("blocks", "} fn f() ", "{", "}"),
    ("imports", "} use ", "a::{", "}"),
    ("negations", "} const A: bool = ", "!", ""),
    ("closures", "} const A: u8 = ", "|| ", ""),
    ("comments", "", "/*", "*/"),
    ("tokens", "} m! ", "(", ")"),
];

/// Runs the program itself: a stack that overflows takes the process with it.
pub fn check() {
    let package = Package::new();
    for (name, before, open, close) in NESTS {
        let nest = format!("{before}{}u8{}", open.repeat(LEVELS), close.repeat(LEVELS));
        package.update(name, &super::odd::kind(&nest), &[0, 2]);
    }
}

/// Types that each use the next one twice: written out, they would be 2^1000 parts, which no run gets to the end of.
pub fn check_doubled() {
    const TYPES: usize = 1000;
    let mut types = "pub a: L0".to_owned();
    for level in 0..TYPES {
        let next = level + 1;
        types += &format!(
            " }}\n#[derive(CrdSchema)]\npub struct L{level} {{ pub a: L{next}, pub b: L{next}"
        );
    }
    types += &format!(" }}\n#[derive(CrdSchema)]\npub struct L{TYPES} {{ pub a: u8");
    let said = Package::new().update("doubled", &super::odd::kind(&types), &[2]);
    assert!(said.contains("more than etcd stores"), "{said}");
}

struct Package {
    folder: TempDir,
}

impl Package {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pkg")).unwrap();
        let package = Self { folder };
        package.write(
            "Cargo.toml",
            "[package]\nname = \"deep\"\n\n[lib]\npath = \"pkg/lib.rs\"\n",
        );
        package.write("pkg/lib.rs", "pub mod apis;\n");
        package
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.path().join(file), text).unwrap();
    }

    /// What the program says of these types; it ends by itself, with one of the codes.
    #[track_caller]
    fn update(&self, name: &str, types: &str, codes: &[i32]) -> String {
        self.write("pkg/apis.rs", types);
        let run = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(["update", "--dry-run", "--manifest-path"])
            .arg(self.folder.path().join("Cargo.toml"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        let ended = run.status.code().is_some_and(|code| codes.contains(&code));
        assert!(ended, "{name}: {}: {said}", run.status);
        assert!(!said.contains("panicked"), "{name}: {said}");
        said
    }
}
