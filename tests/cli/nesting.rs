//! Excessive nesting: it must cause an error, neither a crash nor an endless run.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// The depth of nesting.
const LEVELS: usize = 10_000;

/// A name, the text before the nesting, and the repeated opening and closing text.
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

#[test]
fn deeply_nested_sources_are_errors() {
    let package = Package::new();
    for (name, before, open, close) in NESTS {
        let nest = format!("{before}{}u8{}", open.repeat(LEVELS), close.repeat(LEVELS));
        package.update(name, &kind(&nest), &[0, 2]);
    }
}

/// Types that each use the next one twice. Expanded, they would have 2^1000 parts, which no run
/// could finish.
#[test]
fn types_that_grow_exponentially_are_errors() {
    const TYPES: usize = 1000;
    let mut types = "pub a: L0".to_owned();
    for level in 0..TYPES {
        let next = level + 1;
        types += &format!(
            " }}\n#[derive(CrdSchema)]\npub struct L{level} {{ pub a: L{next}, pub b: L{next}"
        );
    }
    types += &format!(" }}\n#[derive(CrdSchema)]\npub struct L{TYPES} {{ pub a: u8");
    let said = Package::new().update("doubled", &kind(&types), &[2]);
    assert!(said.contains("more than etcd can store"), "{said}");
}

/// A kind whose spec has these fields.
fn kind(fields: &str) -> String {
    format!(
        "pub mod v1 {{\nuse genclient::prelude::*;\n#[genclient]\n#[group = \"a.example.com\"]\npub struct Kind {{ pub metadata: ObjectMeta, pub spec: Spec }}\n\
         #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]\npub struct Spec {{\n{fields}\n}}\n}}\n"
    )
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
            "[package]\nname = \"deep\"\n\n[lib]\npath = \"pkg/lib.rs\"\n\n[dependencies]\ngenclient = \"0.1\"\nserde = \"1\"\n",
        );
        package.write("pkg/lib.rs", "pub mod apis;\n");
        package
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.path().join(file), text).unwrap();
    }

    /// The output of the program for these types. It must exit by itself, with one of the codes.
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
