//! What is understood does not depend on how many threads look at it: `shares.txt` has packages, and into how many shares they go.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codegen::stages::{Cut, Share, in_shares, whole};
use codegen::{Artefact, Project};

const MANIFEST: &str = "[package]\nname = \"demo\"\n\n[lib]\npath = \"pkg/lib.rs\"\n";

/// As many shares as there can be.
const FINEST: Cut = Cut {
    most: 16,
    least_bytes: 1,
};

struct Case<'a> {
    name: &'a str,
    looks: &'a str,
    files: BTreeMap<&'a str, String>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((file, content)) = line.split_once(" | ") {
            let files = &mut cases.last_mut().unwrap().files;
            let file = files.entry(file.trim()).or_default();
            file.push_str(&written(content));
        } else if let Some((name, looks)) = line.split_once(": ") {
            cases.push(Case {
                name,
                looks,
                files: BTreeMap::new(),
            });
        }
    }
    cases
}

fn written(line: &str) -> String {
    let words: Vec<_> = line.splitn(4, ' ').collect();
    let ["kind", name, group, field] = words[..] else {
        return format!("{line}\n");
    };
    format!(
        "use genclient::prelude::*;\n\
         /// A {name}.\n\
         #[genclient]\n\
         #[group = \"{group}\"]\n\
         #[version = \"v1\"]\n\
         pub struct {name} {{ pub metadata: ObjectMeta, pub spec: {name}Spec }}\n\
         /// Its spec.\n\
         #[derive(Serialize, Deserialize, CrdSchema)]\n\
         pub struct {name}Spec {{ pub {field} }}\n"
    )
}

fn project(files: &BTreeMap<&str, String>, folder: &Path) -> Project {
    let settings = files.get("Cargo.toml").map_or("", String::as_str);
    let manifest = folder.join("Cargo.toml");
    fs::create_dir_all(folder.join("pkg/apis")).unwrap();
    fs::write(&manifest, format!("{MANIFEST}{settings}")).unwrap();
    fs::write(folder.join("pkg/lib.rs"), "pub mod apis;\n").unwrap();
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".rs")) {
        let file = folder.join("pkg/apis").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    codegen::discover(Some(&manifest), &[]).unwrap().remove(0)
}

#[test]
fn shares_know_what_one_thread_knows() {
    let cases = cases(include_str!("shares.txt"));
    assert!(cases.len() > 20);
    for Case { name, looks, files } in cases {
        let folder = tempfile::tempdir().unwrap();
        let project = project(&files, folder.path());
        let artefacts = Artefact::ALL.into();
        let shares = Share::of(&project, FINEST);
        let whole = whole(&project, &artefacts);
        let together = in_shares(&shares, &project, &artefacts);
        let found = match (&together, shares.len()) {
            (_, 1) => "one".to_owned(),
            (Some(_), count) => format!("shares {count}"),
            (None, count) => format!("whole {count}"),
        };
        assert_eq!(found, looks, "{name}: {whole:?}");
        if let Some(together) = together {
            assert_eq!(Ok(together), whole, "{name}");
        }
    }
}
