//! `docs/controller-gen.md`: which attribute stands for which marker.

use std::fs;

use genclient_syntax::table::TABLE;
use libtest_mimic::Failed;

const PAGE: &str = "../docs/controller-gen.md";

/// Generated from [`TABLE`].
const ATTRIBUTES: &str = "../docs/attributes.md";

/// Every marker that controller-gen reads for a CRD.
const MARKERS: &str = include_str!("../markers.txt");

/// Every marker has a row in the tables of attributes or on the page, and a row on the page names
/// the attribute that replaces its marker.
pub fn has_every_marker() -> Result<(), Failed> {
    let (page, attributes) = (fs::read_to_string(PAGE)?, fs::read_to_string(ATTRIBUTES)?);
    let rows = |code: &str, text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        let found = rows.filter(|row| row.contains(code));
        found.map(str::to_owned).collect()
    };
    let mut missing = Vec::new();
    for marker in MARKERS.lines() {
        let code = format!("`+{marker}`");
        if rows(&code, &page).is_empty() && rows(&code, &attributes).is_empty() {
            missing.push(code);
        }
    }
    for entry in TABLE.iter() {
        let Some(marker) = entry.go_marker.filter(|marker| is_of_crds(marker)) else {
            continue;
        };
        let (marker, name) = (format!("`+{marker}`"), entry.name);
        let rows = rows(&marker, &page);
        if !rows.is_empty() && !rows.iter().any(|row| row.contains(name)) {
            missing.push(format!("{marker} with {name}"));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("{PAGE} has no row for\n{}", missing.join("\n")).into())
}

/// Markers of client-gen are another tool's.
fn is_of_crds(marker: &str) -> bool {
    !marker.starts_with("genclient")
}
