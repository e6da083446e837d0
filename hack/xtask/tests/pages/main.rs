//! Pages of `docs/` and docs of the macros that are generated from tables in the program. `cargo
//! xtask bless` rewrites them.

mod attributes;
mod changes;
mod macros;

use std::path::Path;

#[test]
fn reference_pages_are_up_to_date() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let macros = std::fs::read_to_string(root.join("macros/src/lib.rs"))?;
    for (path, expected) in [
        ("docs/attributes.md", attributes::render_page()),
        ("docs/diff.md", changes::render_page()),
        ("macros/src/lib.rs", macros::render_source(&macros)),
    ] {
        let file = root.join(path);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &expected)?;
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        let difference = similar::TextDiff::from_lines(&found, &expected)
            .unified_diff()
            .to_string();
        assert!(
            difference.is_empty(),
            "{path}: run cargo xtask bless\n{difference}"
        );
    }
    Ok(())
}
