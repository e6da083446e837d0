//! Lists in strategic merge patches: items with `$patch`, and lists of scalars, which merge as
//! sets.

use genclient_apimachinery::go::printed;
use serde_json::Value;

use super::directives::{DIRECTIVE, Object, unknown_directive_error};
use super::order::{LiveList, missing_merge_key_error, order_merged_items};
use crate::patch::PatchError;

/// Result of merging two lists.
pub(super) struct MergedList {
    pub(super) merged: Vec<Value>,
    /// Original list after the merge, from which `$setElementOrder` takes the order of the items
    /// that it does not name. Some items may have changed, since Go's merge writes into the backing
    /// array of the original list.
    pub(super) original: Vec<Value>,
}

/// Deletes each live item for which the patch has an item with `$patch: delete`. Returns the items
/// of the patch without `$patch`, and whether the patch has an item with `$patch: replace`
/// (`mergeSliceWithSpecialElements`).
pub(super) fn apply_item_directives(
    live: &mut LiveList,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, bool), PatchError> {
    let (mut plain, mut replaces) = (Vec::new(), false);
    for item in patch {
        let Some(directive) = item.get(DIRECTIVE) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let Some(name) = item.get(key) else {
                    return Err(missing_merge_key_error(&item, key));
                };
                live.delete(key, name)?;
            }
            Some("replace") => replaces = true,
            Some("merge") => {
                let message = "merging lists cannot yet be specified in the patch";
                return Err(PatchError::internal(message));
            }
            _ => {
                let members = item.as_object().cloned().unwrap_or_default();
                return Err(unknown_directive_error(directive, members));
            }
        }
    }
    Ok((plain, replaces))
}

/// Merges lists of scalars as sets.
///
/// If the patch fits into the free capacity of the original list's backing array, Go appends the
/// patch there. The removal of duplicates then also changes the original list. The capacity is the
/// list's length, rounded up to a power of two: Go's decoder appends the items one by one, and
/// `append` doubles the capacity. Above 512 items, Go's capacity grows more slowly.
pub(super) fn merge_scalars(
    original: Vec<Value>,
    patch: &[Value],
) -> Result<MergedList, PatchError> {
    let length = original.len();
    let mut both: Vec<Value> = original.iter().chain(patch).cloned().collect();
    let in_place = length > 0 && both.len() <= length.next_power_of_two();
    let distinct = deduplicate_scalars(&mut both);
    let original = if in_place {
        both[..length].to_vec()
    } else {
        original
    };
    both.truncate(distinct);
    let merged = order_merged_items(both, patch, &original, "", false)?;
    Ok(MergedList { merged, original })
}

/// Removes duplicates (`deduplicateScalars`). The last item takes the place of each removed item.
/// Returns the number of remaining items, which are at the start of `items`.
fn deduplicate_scalars(items: &mut [Value]) -> usize {
    let mut length = items.len();
    let mut at = 0;
    while at + 1 < length {
        let mut other = at + 1;
        while other < length {
            if items[at] == items[other] {
                length -= 1;
                items[other] = items[length].clone();
            } else {
                other += 1;
            }
        }
        at += 1;
    }
    length
}

/// Go type of a list item. The number in `Other` only distinguishes the types.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ItemType {
    Object,
    Other(u8),
}

/// Returns the type that all items of the lists have (`sliceElementType`).
pub(super) fn common_item_type(lists: &[&Vec<Value>]) -> Result<ItemType, PatchError> {
    let mut found = None;
    for item in lists.iter().copied().flatten() {
        let type_ = match item {
            Value::Array(_) if found.is_none() => return Err(list_of_lists_error()),
            Value::Object(_) => ItemType::Object,
            Value::String(_) => ItemType::Other(0),
            Value::Bool(_) => ItemType::Other(1),
            Value::Number(number) if number.is_i64() => ItemType::Other(2),
            Value::Number(_) => ItemType::Other(3),
            Value::Null => ItemType::Other(4),
            Value::Array(_) => ItemType::Other(5),
        };
        if found.is_some_and(|found| found != type_) {
            let lists: Vec<_> = lists
                .iter()
                .map(|list| printed(&Value::Array(list.to_vec())))
                .collect();
            return Err(PatchError::internal(format!(
                "list element types are not identical: [{}]",
                lists.join(" ")
            )));
        }
        found = Some(type_);
    }
    found.ok_or_else(|| PatchError::internal("no elements in any of the given slices"))
}

fn list_of_lists_error() -> PatchError {
    // The error is `ErrNoListOfLists` in Go.
    PatchError::unprocessable()
}

pub(super) fn get_list(members: &Object, key: &str) -> Result<Option<Vec<Value>>, PatchError> {
    match members.get(key) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(other) => Err(PatchError::bad_type("[]interface {}", other)),
    }
}
