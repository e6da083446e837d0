//! Mutants: values with one change.

use serde_json::Value;

/// Maximum length of a value as text: a longer one has too many mutants.
const MAX_LENGTH: usize = 2000;

/// Returns mutants of a value, each with one member removed or replaced.
pub fn of(value: &Value) -> Vec<Value> {
    let mut mutants = Vec::new();
    if value.to_string().len() > MAX_LENGTH {
        return mutants;
    }
    for pointer in pointers(value) {
        mutants.extend(without(value, &pointer));
        for other in OTHERS {
            let other: Value = serde_json::from_str(other).expect("JSON");
            let mut mutant = value.clone();
            if let Some(place) = mutant.pointer_mut(&pointer)
                && *place != other
            {
                *place = other;
                mutants.push(mutant);
            }
        }
    }
    mutants
}

/// Returns `number` of the mutants, spread evenly.
pub fn some(mutants: Vec<Value>, number: usize) -> impl Iterator<Item = Value> {
    let step = mutants.len().div_ceil(number).max(1);
    mutants.into_iter().step_by(step)
}

const OTHERS: &[&str] = &[
    "null",
    "true",
    "1",
    "-1",
    "3.5",
    "5000000000",
    "\"\"",
    "\"Zz\"",
    "[]",
    "{}",
];

fn pointers(value: &Value) -> Vec<String> {
    let mut pointers = vec![String::new()];
    let inner: Vec<_> = match value {
        Value::Object(members) => members
            .iter()
            .take(8)
            .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .take(2)
            .enumerate()
            .map(|(at, item)| (at.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (step, value) in inner {
        pointers.extend(
            self::pointers(value)
                .into_iter()
                .map(|below| format!("/{step}{below}")),
        );
    }
    pointers
}

fn without(value: &Value, pointer: &str) -> Option<Value> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    let mut mutant = value.clone();
    mutant.pointer_mut(parent)?.as_object_mut()?.remove(&name)?;
    Some(mutant)
}

/// Returns whether the error is one that no schema can prevent: `x-kubernetes-int-or-string` admits
/// every integer.
pub fn is_admitted_everywhere(error: &serde_json::Error) -> bool {
    error.to_string().contains("expected a 32-bit integer")
}
