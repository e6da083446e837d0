//! Pages of `docs/` that are generated from tables in the program.

mod attributes;
mod changes;

/// Each page, with its path from the repository root.
pub fn pages() -> [(&'static str, String); 2] {
    [
        ("docs/attributes.md", attributes::page()),
        ("docs/diff.md", changes::page()),
    ]
}
