//! Differences between two schemas, and the table of intended ones.

use std::fmt;

use serde_json::{Map, Value};

/// A keyword that differs between two schemas at one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// `plain.name`, `lists.texts[]`, `maps.texts{}`
    pub path: String,
    pub keyword: String,
    pub theirs: String,
    pub ours: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "| {} | {} | {} | {} |",
            self.path, self.keyword, self.theirs, self.ours
        )
    }
}

/// Compares two schemas without their descriptions.
pub fn between(path: &str, theirs: &Value, ours: &Value, out: &mut Vec<Difference>) {
    let none = Map::new();
    let (a, b) = (
        theirs.as_object().unwrap_or(&none),
        ours.as_object().unwrap_or(&none),
    );
    let mut keywords: Vec<_> = a.keys().chain(b.keys()).collect();
    keywords.sort();
    keywords.dedup();
    for keyword in keywords {
        let (theirs, ours) = (a.get(keyword), b.get(keyword));
        match (keyword.as_str(), theirs, ours) {
            ("description", ..) => {}
            (_, Some(theirs), Some(ours)) if same(theirs, ours) => {}
            ("properties", Some(Value::Object(theirs)), Some(Value::Object(ours))) => {
                properties(path, theirs, ours, out);
            }
            ("items", Some(theirs), Some(ours)) => between(&format!("{path}[]"), theirs, ours, out),
            ("additionalProperties", Some(theirs), Some(ours)) => {
                between(&format!("{path}{{}}"), theirs, ours, out)
            }
            ("required", Some(Value::Array(theirs)), Some(Value::Array(ours)))
                if same_set(theirs, ours) => {}
            _ => out.push(Difference {
                path: path.to_owned(),
                keyword: keyword.clone(),
                theirs: shown(theirs),
                ours: shown(ours),
            }),
        }
    }
}

fn properties(
    path: &str,
    theirs: &Map<String, Value>,
    ours: &Map<String, Value>,
    out: &mut Vec<Difference>,
) {
    let mut names: Vec<_> = theirs.keys().chain(ours.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        match (theirs.get(name), ours.get(name)) {
            (Some(theirs), Some(ours)) => between(&path, theirs, ours, out),
            (theirs, ours) => out.push(Difference {
                path,
                keyword: "property".to_owned(),
                theirs: theirs.map_or("none", |_| "there").to_owned(),
                ours: ours.map_or("none", |_| "there").to_owned(),
            }),
        }
    }
}

/// Compares numbers by value: `10.0` equals `10`.
fn same(a: &Value, b: &Value) -> bool {
    a == b || a.is_number() && a.as_f64() == b.as_f64()
}

fn same_set(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().all(|value| b.contains(value))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or("none".to_owned(), |value| {
        value.to_string().replace('|', "\\|")
    })
}

/// A row of the table: a difference and its reason. `*` matches any text.
struct Row {
    pattern: [String; 4],
    used: bool,
}

/// Checks that the table lists every difference and no other.
pub fn check(table: &str, found: &[Difference]) -> Result<(), String> {
    let mut rows = rows(table);
    let mut unlisted = Vec::new();
    for difference in found {
        let cells = [
            &difference.path,
            &difference.keyword,
            &difference.theirs,
            &difference.ours,
        ];
        let mut listed = false;
        for row in &mut rows {
            if row
                .pattern
                .iter()
                .zip(cells)
                .all(|(pattern, cell)| matches(pattern, cell))
            {
                (listed, row.used) = (true, true);
            }
        }
        if !listed {
            unlisted.push(difference.to_string());
        }
    }
    let stale = rows
        .iter()
        .filter(|row| !row.used)
        .map(|row| format!("no longer there: | {} |", row.pattern.join(" | ")));
    let mut mistakes = unlisted;
    mistakes.extend(stale);
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(mistakes.join("\n"))
    }
}

fn rows(table: &str) -> Vec<Row> {
    let lines = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| path"));
    let cells = lines.map(|line| {
        let line = line.replace("\\|", "\u{0}");
        let cells = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "\\|"));
        cells.collect::<Vec<_>>()
    });
    cells
        .map(|cells| {
            let pattern = [0, 1, 2, 3].map(|at| {
                cells
                    .get(at)
                    .expect("five cells")
                    .trim_matches('`')
                    .to_owned()
            });
            assert!(
                cells.get(4).is_some_and(|reason| !reason.is_empty()),
                "no reason: {cells:?}"
            );
            Row {
                pattern,
                used: false,
            }
        })
        .collect()
}

/// Matches text against a pattern, in which `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    (0..=text.len())
        .filter(|at| text.is_char_boundary(*at))
        .any(|at| matches(rest, &text[at..]))
}
