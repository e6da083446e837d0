//! Normalized answers: uids, versions and times are numbered by their first appearance.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// A comparable answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) media_type: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) body: Value,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.media_type)?;
        for warning in &self.warnings {
            write!(f, "\n    warning: {warning}")?;
        }
        write!(f, "\n    {}", self.body)
    }
}

/// Numbers of the values that a server chose itself.
#[derive(Default)]
pub(crate) struct Names {
    uids: BTreeMap<String, usize>,
    versions: BTreeMap<String, usize>,
    /// Newest version of an object in an answer so far.
    newest: u64,
}

impl Names {
    /// Replaces uids, versions and times in an answer. A cache may answer with an older version.
    pub(crate) fn normal(&mut self, mut answer: Answer, is_cached: bool) -> Answer {
        let is_list = answer.body.get("items").is_some();
        if is_list {
            // Other writers advance the version of a list, but never below the newest one so far.
            let text = answer.body["metadata"]["resourceVersion"]
                .as_str()
                .unwrap_or_default();
            let version: u64 = text.parse().unwrap_or_default();
            let is_fresh = is_cached || version >= self.newest;
            answer.body["metadata"]["resourceVersion"] = is_fresh.into();
            if answer.body["metadata"]["continue"]
                .as_str()
                .is_some_and(|it| !it.is_empty())
            {
                answer.body["metadata"]["continue"] = "token".into();
            }
        }
        self.visit(&mut answer.body, "");
        sort_sentences(&mut answer.body);
        answer.warnings.sort();
        answer
    }

    fn visit(&mut self, value: &mut Value, field: &str) {
        match value {
            Value::Object(members) => {
                members.retain(|_, member| !member.is_null() || field != "metadata");
                if let Some(Value::Array(entries)) = members.get_mut("managedFields") {
                    // Entries of different seconds are ordered by their times.
                    entries.sort_by_key(|entry| {
                        ["manager", "operation", "subresource", "apiVersion"]
                            .map(|it| entry[it].to_string())
                    });
                }
                for (name, member) in members {
                    self.visit(member, name);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.visit(item, "")),
            Value::String(text) => match field {
                "uid" => *text = format!("uid {}", number(&mut self.uids, text)),
                "resourceVersion" => {
                    self.newest = self.newest.max(text.parse().unwrap_or_default());
                    *text = format!("version {}", number(&mut self.versions, text));
                }
                "creationTimestamp" | "deletionTimestamp" | "time" => "time".clone_into(text),
                "message" => {
                    cut_patch(text);
                    for (uid, number) in &self.uids {
                        *text = text.replace(uid, &format!("uid {number}"));
                    }
                    for (version, number) in self.versions.iter().rev() {
                        *text =
                            text.replace(&format!("({version})"), &format!("(version {number})"));
                    }
                    cut_unseen_version(text);
                }
                _ => {}
            },
            _ => {}
        }
    }
}

fn number(numbers: &mut BTreeMap<String, usize>, text: &str) -> usize {
    let next = numbers.len();
    *numbers.entry(text.to_owned()).or_insert(next)
}

/// Normalizes the version of an object that has changed since its last answer, as when a collection
/// is deleted.
fn cut_unseen_version(text: &mut String) {
    const RECORD: &str = "does not match the ResourceVersion in record (";
    if let Some((head, rest)) = text.split_once(RECORD)
        && rest.starts_with(|first: char| first.is_ascii_digit())
        && let Some((_, rest)) = rest.split_once(')')
    {
        *text = format!("{head}{RECORD}version){rest}");
    }
}

/// Normalizes a message that quotes a patched object, which has times and the order of Go's fields.
fn cut_patch(text: &mut String) {
    // Go iterates over a map in random order, and stops at the first unknown field.
    if let Some((head, _)) = text.split_once("): ")
        && text.contains("field not declared in schema")
    {
        *text = format!("{head}): field not declared in schema");
    }
    if let Some((head, errors)) = text.split_once("errors:\n  ") {
        let mut errors: Vec<_> = errors.split("\n  ").collect();
        errors.sort_unstable();
        *text = format!("{head}errors: {}", errors.join(", "));
    }
    // If several members have wrong types, the reported one depends on the order of the text.
    for wrong in ["json: cannot unmarshal ", "illegal base64 "] {
        if let Some((head, _)) = text.split_once(wrong) {
            *text = format!("{head}a wrong type");
        }
    }
    // After decoding, Go distinguishes an empty map from a missing one.
    *text = text.replace("Invalid value: {}:", "Invalid value: null:");
    // Go's rendering of the difference of two Pods.
    if let Some(at) = text.find("\n@@ ") {
        text.truncate(at);
        if text.contains("is invalid: [") {
            text.push(']');
        }
    }
    for begin in ["Invalid value: \"{", "Invalid value: \"map["] {
        if let Some((head, tail)) = text.split_once(begin)
            && let Some((_, tail)) = tail.rsplit_once("\": ")
        {
            *text = format!("{head}{begin}...\": {tail}");
        }
    }
}

/// Sorts the errors in one object, whose order is random on the real server.
fn sort_sentences(body: &mut Value) {
    if let Some(causes) = body
        .pointer_mut("/details/causes")
        .and_then(Value::as_array_mut)
    {
        causes.sort_by_key(ToString::to_string);
    }
    let Some(message) = body["message"].as_str() else {
        return;
    };
    if let Some((head, list)) = message.split_once(": [")
        && let Some(list) = list.strip_suffix(']')
    {
        let mut sentences: Vec<_> = list.split(", ").collect();
        sentences.sort_unstable();
        body["message"] = format!("{head}: [{}]", sentences.join(", ")).into();
    }
}
