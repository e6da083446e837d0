//! Timestamps of managed field entries.

use serde_json::Value;

/// Time by which entries without a time are sorted.
pub(super) const NEVER: &str = "1970-01-01T00:00:00Z";

/// If a write changes only the times of managed field entries, restores the old times in `new`, so
/// that the write changes nothing.
///
/// Source: apiserver, pkg/endpoints/handlers/fieldmanager/equality.go.
pub fn keep_unchanged_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (nonempty_entries(old), nonempty_entries(new)) else {
        return;
    };
    let same_entries = before.len() == after.len() && {
        let mut pairs = before.iter().zip(after);
        pairs.all(|(before, after)| without_time(before).eq(without_time(after)))
    };
    if !same_entries || !equal_except_managed_fields(old, new) {
        return;
    }
    let entries = Value::Array(before.clone());
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

fn nonempty_entries(object: &Value) -> Option<&Vec<Value>> {
    let entries = object.get("metadata")?.get("managedFields")?.as_array()?;
    Some(entries).filter(|entries| !entries.is_empty())
}

fn without_time(entry: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = entry.as_object().into_iter().flatten();
    members.filter(|(name, _)| *name != "time")
}

/// Returns whether two objects are equal apart from their managed fields.
fn equal_except_managed_fields(old: &Value, new: &Value) -> bool {
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
