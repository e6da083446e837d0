//! Timestamps of managed field entries in writes that change nothing else.

use serde_json::Value;

/// Restores the times of the managed fields if a write changes nothing else, so that it is a no-op.
///
/// Source: apiserver, pkg/endpoints/handlers/fieldmanager/equality.go.
pub fn keep_unchanged_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (entries(old), entries(new)) else {
        return;
    };
    let same_entries = before.len() == after.len() && {
        let mut pairs = before.iter().zip(after);
        pairs.all(|(before, after)| timeless(before).eq(timeless(after)))
    };
    if !same_entries || !same_otherwise(old, new) {
        return;
    }
    let entries = Value::Array(before.clone());
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

fn entries(object: &Value) -> Option<&Vec<Value>> {
    let entries = object.get("metadata")?.get("managedFields")?.as_array()?;
    Some(entries).filter(|entries| !entries.is_empty())
}

fn timeless(entry: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = entry.as_object().into_iter().flatten();
    members.filter(|(name, _)| *name != "time")
}

fn same_otherwise(old: &Value, new: &Value) -> bool {
    fn members<'a>(
        value: &'a Value,
        but: &'static str,
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let members = value.as_object().into_iter().flatten();
        members.filter(move |(name, _)| *name != but)
    }
    let (before, after) = (old.get("metadata"), new.get("metadata"));
    let (before, after) = (
        before.unwrap_or(&Value::Null),
        after.unwrap_or(&Value::Null),
    );
    members(old, "metadata").eq(members(new, "metadata"))
        && members(before, "managedFields").eq(members(after, "managedFields"))
}
