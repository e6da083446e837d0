//! Lists of a strategic merge patch: merged by key, as sets of scalars, or in a given order.

use serde_json::Value;

use super::lookup::{Merged, kind_name, list_field};
use super::order::{Live, in_order};
use super::{BAD_SET_ORDER, DIRECTIVE, PatchError, SET_ORDER};
use super::{bad_directive, merge_objects, without_directives};
use crate::types::{GoType, Object, printed};

/// A merged list.
pub(super) struct MergedList {
    pub(super) merged: Vec<Value>,
    /// What the original list holds afterwards in Go, where both share their memory.
    pub(super) original: Vec<Value>,
}

/// `mergeSlice`
pub(super) fn merge_lists(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: &Merged,
    deletes: bool,
) -> Result<MergedList, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(MergedList {
            merged: Vec::new(),
            original,
        });
    }
    let objects = item_type(&[&original, &patch])? == ItemType::Object;
    if !objects && deletes {
        let kept = original.iter().filter(|item| !patch.contains(item));
        return Ok(MergedList {
            merged: kept.cloned().collect(),
            original,
        });
    }
    if !objects {
        return merge_scalars(original, &patch);
    }
    let live = Live::new(original);
    if field.key.is_empty() {
        let name = kind_name(field.type_);
        let message = format!("cannot merge lists without merge key for {name}");
        return Err(PatchError::internal(message));
    }
    merge_objects_of(live, patch, field)
}

fn merge_objects_of(
    mut live: Live,
    patch: Vec<Value>,
    field: &Merged,
) -> Result<MergedList, PatchError> {
    let (mut patch, replaces) = without_special(&mut live, patch, field.key)?;
    if replaces {
        let original = live.into_backing(&[]);
        let (merged, patch) = (patch, Vec::new());
        let order = merged.clone();
        let merged = in_order(merged, &patch, &order, field.key, true)?;
        return Ok(MergedList { merged, original });
    }
    let order = live.items().to_vec();
    let mut merged = order.clone();
    for item in &mut patch {
        merge_item(&mut merged, item, field)?;
    }
    // The items that were merged are those of the original list, too.
    let order: Vec<Value> = merged.iter().take(order.len()).cloned().collect();
    let original = live.into_backing(&merged);
    let merged = in_order(merged, &patch, &order, field.key, true)?;
    Ok(MergedList { merged, original })
}

/// `mergeSliceWithSpecialElements`: deletes what `$patch: delete` names, and says whether some
/// item has `$patch: replace`.
fn without_special(
    live: &mut Live,
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
                    return Err(no_merge_key(&item, key));
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
                return Err(bad_directive(directive, members));
            }
        }
    }
    Ok((plain, replaces))
}

/// Merges an item into that of the same key, or appends it.
///
/// A merge takes directives off the item of the patch, in Go as here.
fn merge_item(merged: &mut Vec<Value>, item: &mut Value, field: &Merged) -> Result<(), PatchError> {
    let Some(name) = item.get(field.key).cloned() else {
        return Err(no_merge_key(item, field.key));
    };
    let found = merged
        .iter_mut()
        .find(|one| one.get(field.key) == Some(&name));
    match (found, &*item) {
        (Some(place), Value::Object(patch)) => {
            let original = place.as_object().cloned().unwrap_or_default();
            *place = Value::Object(merge_objects(original, patch.clone(), field.type_)?);
        }
        _ => merged.push(item.clone()),
    }
    Ok(())
}

pub(super) fn no_merge_key(item: &Value, key: &str) -> PatchError {
    PatchError::internal(format!(
        "map: {} does not contain declared merge key: {key}",
        printed(item)
    ))
}

/// Merges scalars as a set. Go appends to the original list in place if that has room, which a
/// list that was read item by item has up to the next power of two; then the order that decides
/// afterwards is that of the result.
fn merge_scalars(original: Vec<Value>, patch: &[Value]) -> Result<MergedList, PatchError> {
    let length = original.len();
    let mut both: Vec<Value> = original.iter().chain(patch).cloned().collect();
    let in_place = length > 0 && both.len() <= length.next_power_of_two();
    let distinct = deduplicate(&mut both);
    let original = if in_place {
        both[..length].to_vec()
    } else {
        original
    };
    both.truncate(distinct);
    let merged = in_order(both, patch, &original, "", false)?;
    Ok(MergedList { merged, original })
}

/// `deduplicateScalars`: the last item takes the place of a duplicate. Returns how many are left.
fn deduplicate(items: &mut [Value]) -> usize {
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

#[derive(Clone, Copy, PartialEq)]
pub(super) enum ItemType {
    Object,
    Scalar(u8),
}

/// `sliceElementType`: the type of all items, which has to be one.
pub(super) fn item_type(lists: &[&Vec<Value>]) -> Result<ItemType, PatchError> {
    let mut found = None;
    for item in lists.iter().copied().flatten() {
        let type_ = match item {
            Value::Array(_) if found.is_none() => return Err(list_of_lists()),
            Value::Object(_) => ItemType::Object,
            Value::String(_) => ItemType::Scalar(0),
            Value::Bool(_) => ItemType::Scalar(1),
            Value::Number(number) if number.is_i64() => ItemType::Scalar(2),
            Value::Number(_) => ItemType::Scalar(3),
            Value::Null => ItemType::Scalar(4),
            Value::Array(_) => ItemType::Scalar(5),
        };
        if found.is_some_and(|found| found != type_) {
            let lists = lists
                .iter()
                .map(|list| printed(&Value::Array(list.to_vec())));
            let lists: Vec<_> = lists.collect();
            return Err(PatchError::internal(format!(
                "list element types are not identical: [{}]",
                lists.join(" ")
            )));
        }
        found = Some(type_);
    }
    found.ok_or_else(|| PatchError::internal("no elements in any of the given slices"))
}

fn list_of_lists() -> PatchError {
    // `ErrNoListOfLists`
    PatchError::unprocessable()
}

/// `mergePatchIntoOriginal`: merges the lists that have a `$setElementOrder`, and takes both out
/// of the patch.
pub(super) fn set_element_order(
    original: &mut Object,
    patch: &mut Object,
    type_: GoType,
) -> Result<(), PatchError> {
    let keys: Vec<String> = patch
        .keys()
        .filter(|key| key.starts_with(SET_ORDER))
        .cloned()
        .collect();
    for directive in keys {
        let Some(order) = patch.remove(&directive) else {
            continue;
        };
        let Value::Array(order) = order else {
            return Err(bad_argument(&order));
        };
        let key = directive
            .strip_prefix(SET_ORDER)
            .and_then(|rest| rest.strip_prefix('/'));
        let key = key.ok_or_else(|| PatchError::bad_request(BAD_SET_ORDER))?;
        order_list(original, patch, key, &order, type_)?;
    }
    Ok(())
}

/// `ErrBadArgType` for something that should be a list.
fn bad_argument(found: &Value) -> PatchError {
    let found = match found {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Object(_) => "map[string]interface {}",
        Value::Array(_) => "[]interface {}",
    };
    let message = format!("expected a []interface {{}}, but received a {found}");
    PatchError::internal(message)
}

fn list(members: &Object, key: &str) -> Result<Option<Vec<Value>>, PatchError> {
    match members.get(key) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(other) => Err(bad_argument(other)),
    }
}

fn order_list(
    original: &mut Object,
    patch: &mut Object,
    key: &str,
    order: &[Value],
    type_: GoType,
) -> Result<(), PatchError> {
    let live = list(original, key)?;
    let patched = list(patch, key)?;
    let field = list_field(type_, key)?;
    super::order::validate(patched.as_deref().unwrap_or_default(), order, field.key)?;
    let before = (
        live.clone().unwrap_or_default(),
        patched.clone().unwrap_or_default(),
    );
    let (merged, server_order) = match (live, patched) {
        (None, None) => return Ok(()),
        (Some(live), None) => (live.clone(), live),
        (None, Some(patched)) => {
            let kept = patched.into_iter().filter_map(without_directives);
            (kept.collect(), Vec::new())
        }
        (Some(live), Some(patched)) if field.strategy == "merge" => {
            let merged = merge_lists(live, patched, &field, false)?;
            (merged.merged, merged.original)
        }
        (Some(live), Some(patched)) => (patched, live),
    };
    let objects = item_type(&[&before.0, &before.1])? == ItemType::Object;
    let ordered = in_order(merged, order, &server_order, field.key, objects)?;
    original.insert(key.to_owned(), Value::Array(ordered));
    patch.remove(key);
    Ok(())
}
