//! `differences.md`: the table of differences, and that of the fixtures which are refused.

use std::collections::BTreeSet;
use std::fs;

use libtest_mimic::Failed;

use super::compare::Difference;

pub const FILE: &str = "controller-gen/differences.md";

/// The rows below these headers.
const DIFFERENCES: [&str; 5] = ["fixture", "path", "controller-gen", "ours", "reason"];
const REFUSED: [&str; 4] = ["fixture", "controller-gen", "ours", "reason"];

pub struct Table {
    rows: Vec<Row>,
    /// The fixtures that controller-gen refuses, in order.
    pub refused: Vec<String>,
}

/// Where and how the two differ; each is a pattern in which `*` stands for any text.
struct Row {
    line: String,
    fixture: String,
    path: String,
    theirs: String,
    ours: String,
}

impl Table {
    pub fn read() -> Result<Self, Failed> {
        let mut table = Self {
            rows: Vec::new(),
            refused: Vec::new(),
        };
        let mut header = Vec::new();
        for line in fs::read_to_string(FILE)?.lines() {
            let Some(cells) = cells(line) else {
                header.clear();
                continue;
            };
            if header.is_empty() {
                header = cells;
            } else if !line.starts_with("|--") {
                table.add(line, &header, cells)?;
            }
        }
        Ok(table)
    }

    fn add(&mut self, line: &str, header: &[String], cells: Vec<String>) -> Result<(), Failed> {
        if cells.iter().any(String::is_empty) || cells.len() != header.len() {
            return Err(format!("{FILE}: an empty cell: {line}").into());
        }
        if header == REFUSED {
            self.refused.push(cells[0].clone());
        } else if header == DIFFERENCES {
            let [fixture, path, theirs, ours, _reason] =
                <[String; 5]>::try_from(cells).expect("as many as the header has");
            self.rows.push(Row {
                line: line.to_owned(),
                fixture,
                path,
                theirs,
                ours,
            });
        }
        Ok(())
    }

    /// The first row that explains a difference.
    pub fn row(&self, fixture: &str, difference: &Difference) -> Option<usize> {
        self.rows.iter().position(|row| {
            matches(&row.fixture, fixture)
                && matches(&row.path, &difference.path)
                && matches(&row.theirs, &difference.theirs)
                && matches(&row.ours, &difference.ours)
        })
    }

    /// The rows that are not among the used ones.
    pub fn lines_without(&self, used: &BTreeSet<usize>) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(index, _)| !used.contains(index))
            .map(|(_, row)| row.line.as_str())
    }
}

/// The cells of a line of a table, without the marks around code.
fn cells(line: &str) -> Option<Vec<String>> {
    const BAR: &str = "\u{0}";
    let line = line.strip_prefix('|')?.strip_suffix('|')?;
    let line = line.replace(r"\|", BAR);
    let cells = line.split('|').map(|cell| {
        let cell = cell.trim().replace(BAR, "|");
        let code = cell
            .strip_prefix('`')
            .and_then(|cell| cell.strip_suffix('`'));
        code.filter(|code| !code.contains('`'))
            .unwrap_or(&cell)
            .to_owned()
    });
    Some(cells.collect())
}

/// Whether the text has the form of the pattern.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let ends = (0..=text.len()).filter(|&end| text.is_char_boundary(end));
    ends.rev().any(|end| matches(rest, &text[end..]))
}
