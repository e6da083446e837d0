//! Two JSON values, place by place.

use serde_json::{Map, Value};

/// A place where two values differ.
pub struct Difference {
    /// JSON pointer.
    pub path: String,
    /// What controller-gen has there, as JSON; a dash if it has nothing.
    pub theirs: String,
    /// What is generated here.
    pub ours: String,
}

impl Difference {
    /// The row of the table that would explain it.
    pub fn row(&self, fixture: &str) -> String {
        let cells = [fixture, &self.path, &self.theirs, &self.ours];
        let cells = cells.map(|cell| format!("`{}`", cell.replace('|', r"\|")));
        format!("| {} | ? |", cells.join(" | "))
    }
}

/// Every place where the values differ, as deep as both have a value.
pub fn differences(theirs: &Value, ours: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(theirs), Some(ours), &mut found);
    found
}

fn compare(path: &str, theirs: Option<&Value>, ours: Option<&Value>, found: &mut Vec<Difference>) {
    match (theirs, ours) {
        (Some(theirs), Some(ours)) if equal(theirs, ours) => {}
        (Some(Value::Object(theirs)), Some(Value::Object(ours))) => {
            members(path, theirs, ours, found);
        }
        // No list of required members is an empty one.
        (Some(Value::Object(theirs)), None) if path.ends_with("/required") => {
            members(path, theirs, &Map::new(), found);
        }
        (None, Some(Value::Object(ours))) if path.ends_with("/required") => {
            members(path, &Map::new(), ours, found);
        }
        _ => found.push(Difference {
            path: path.to_owned(),
            theirs: json(theirs),
            ours: json(ours),
        }),
    }
}

fn members(
    path: &str,
    theirs: &Map<String, Value>,
    ours: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let only_ours = ours.keys().filter(|name| !theirs.contains_key(*name));
    for name in theirs.keys().chain(only_ours) {
        let path = format!("{path}/{name}");
        compare(&path, theirs.get(name), ours.get(name), found);
    }
}

/// True for equal values; `2` and `2.0` are one number.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

fn json(value: Option<&Value>) -> String {
    value.map_or_else(|| "-".to_owned(), Value::to_string)
}
