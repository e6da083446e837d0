//! Nesting that no person writes: an error, not the end of the process.

use std::fs;
use std::process::Command;

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
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
    fs::create_dir(folder.path().join("pkg")).unwrap();
    write(
        "Cargo.toml",
        "[package]\nname = \"deep\"\n\n[lib]\npath = \"pkg/lib.rs\"\n",
    );
    write("pkg/lib.rs", "pub mod apis;\n");
    for (name, before, open, close) in NESTS {
        let nest = format!("{before}{}u8{}", open.repeat(LEVELS), close.repeat(LEVELS));
        write("pkg/apis.rs", &super::odd::kind(&nest));
        let run = Command::new(env!("CARGO_BIN_EXE_genclient-under-test"))
            .args(["update", "--dry-run", "--manifest-path"])
            .arg(folder.path().join("Cargo.toml"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        let ended = matches!(run.status.code(), Some(0 | 2));
        assert!(ended, "{name}: {}: {said}", run.status);
        assert!(!said.contains("panicked"), "{name}: {said}");
    }
}
