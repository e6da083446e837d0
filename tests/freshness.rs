//! What is checked in is what `genclient update` would write: the examples' clients and CRDs, and those of the e2e tests;
//! and what the tables of the program say: the reference pages, which `hack/bless.sh` rewrites.

use std::path::Path;

use codegen::Artefact;

#[test]
fn generated_code_is_up_to_date() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let projects =
        codegen::discover(Some(&workspace), &[]).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let names: Vec<_> = projects
        .iter()
        .map(|project| project.name.as_str())
        .collect();
    for expected in ["demo-api", "fixture", "gputask", "scaling"] {
        assert!(
            names.contains(&expected),
            "{expected} is not found: {names:?}"
        );
    }
    for project in &projects {
        let generated = codegen::generate(project, &Artefact::ALL.into())
            .unwrap_or_else(|wrong| panic!("{}: {wrong:?}", project.name));
        let drift = generated.files.verify();
        let drift = drift.unwrap_or_else(|wrong| panic!("{}: {wrong:?}", project.name));
        let stale: Vec<_> = drift.iter().map(|drift| &drift.path).collect();
        assert!(
            stale.is_empty(),
            "{}: run `cargo run -p codegen -- update`: {stale:#?}",
            project.name
        );
    }
}

#[test]
fn reference_pages_are_up_to_date() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (path, expected) in codegen::pages() {
        let file = root.join(path);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &expected)?;
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        let difference = similar::TextDiff::from_lines(&found, &expected);
        let difference = difference.unified_diff().to_string();
        assert!(
            difference.is_empty(),
            "{path}: run hack/bless.sh\n{difference}"
        );
    }
    Ok(())
}
