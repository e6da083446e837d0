//! `docs/controller-gen.md`: which attribute stands for which marker.

use std::fs;

use genclient_syntax::table::TABLE;
use libtest_mimic::Failed;

const PAGE: &str = "../docs/controller-gen.md";

/// Every marker that controller-gen reads for a CRD.
const MARKERS: &str = include_str!("../markers.txt");

/// Every marker has a row, and every attribute that replaces one stands in the row of its marker.
pub fn has_every_marker() -> Result<(), Failed> {
    let page = fs::read_to_string(PAGE)?;
    let rows = || page.lines().filter(|line| line.starts_with('|'));
    let mut missing = Vec::new();
    for marker in MARKERS.lines() {
        let code = format!("`+{marker}`");
        if !rows().any(|row| row.contains(&code)) {
            missing.push(code);
        }
    }
    for entry in TABLE.iter() {
        let Some(marker) = entry.go_marker.filter(|marker| is_of_crds(marker)) else {
            continue;
        };
        let (marker, name) = (format!("`+{marker}`"), entry.name);
        let explains = |row: &&str| row.contains(&marker) && row.contains(name);
        if rows().find(explains).is_none() {
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
