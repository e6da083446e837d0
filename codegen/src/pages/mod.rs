//! The pages of `docs/` that are written from tables of the program, so that neither can be without the other.

mod attributes;
mod changes;

/// Each page with its path from the repository's root.
pub fn pages() -> [(&'static str, String); 2] {
    [
        ("docs/attributes.md", attributes::page()),
        ("docs/diff.md", changes::page()),
    ]
}
