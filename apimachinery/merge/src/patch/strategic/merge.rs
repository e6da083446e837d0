//! Merging of objects and lists of objects, by the patch strategies of their fields.

use serde_json::Value;

use super::directives::{
    BAD_DELETE_FROM, BAD_RETAIN_KEYS, BAD_SET_ORDER, DELETE_FROM, DIRECTIVE, Object, RETAIN_KEYS,
    SET_ORDER, remove_directives, unknown_directive_error,
};
use super::lists::{
    ItemType, MergedList, apply_item_directives, common_item_type, get_list, merge_scalars,
};
use super::meta::{LookupPatchMeta, PatchMeta};
use super::order::{LiveList, missing_merge_key_error, order_merged_items, validate_patch_order};
use crate::patch::PatchError;

/// Merges objects (`mergeMap`). The recursion is bounded, since the decoders of request bodies
/// limit the nesting.
pub(super) fn merge_objects<T: LookupPatchMeta>(
    mut original: Object,
    mut patch: Object,
    type_: T,
) -> Result<Object, PatchError> {
    if let Some(directive) = patch.remove(DIRECTIVE) {
        return apply_directive(&directive, patch);
    }
    apply_retain_keys(&mut original, &mut patch)?;
    apply_set_element_order(&mut original, &mut patch, type_)?;
    for (key, value) in patch {
        let (key, deletes) = match key.strip_prefix(DELETE_FROM) {
            None => (key, false),
            Some(rest) => match rest.strip_prefix('/') {
                Some(key) => (key.to_owned(), true),
                None => return Err(PatchError::bad_request(BAD_DELETE_FROM)),
            },
        };
        merge_member(&mut original, key, value, deletes, type_)?;
    }
    Ok(original)
}

/// Applies the `$patch` of an object. With `replace`, the result is the rest of the patch; with
/// `delete`, an empty object.
fn apply_directive(directive: &Value, patch: Object) -> Result<Object, PatchError> {
    match directive.as_str() {
        Some("replace") => Ok(patch),
        Some("delete") => Ok(Object::new()),
        _ => Err(unknown_directive_error(directive, patch)),
    }
}

/// Merges one member of the patch into an object (the loop of `mergeMap`). With `deletes`, the
/// member is a `$deleteFromPrimitiveList`.
fn merge_member<T: LookupPatchMeta>(
    original: &mut Object,
    key: String,
    value: Value,
    deletes: bool,
    type_: T,
) -> Result<(), PatchError> {
    if value.is_null() {
        original.remove(&key);
        return Ok(());
    }
    let merged = match (original.get_mut(&key), value) {
        (Some(Value::Object(members)), Value::Object(patch)) => {
            let field = type_.struct_field(&key)?;
            if field.strategy == "replace" {
                Value::Object(patch)
            } else {
                let members = std::mem::take(members);
                Value::Object(merge_objects(members, patch, field.type_)?)
            }
        }
        (Some(Value::Array(items)), Value::Array(patch)) => {
            let field = type_.list_field(&key)?;
            if deletes || field.strategy == "merge" {
                let items = std::mem::take(items);
                Value::Array(merge_lists(items, patch, &field, deletes)?.merged)
            } else {
                Value::Array(patch)
            }
        }
        (Some(found), value) if has_same_go_type(found, &value) => {
            set_or_remove(original, key, value);
            return Ok(());
        }
        // There is nothing to delete from.
        (_, _) if deletes => return Ok(()),
        (_, mut value) => {
            discard_nulls(&mut value);
            set_or_remove(original, key, value);
            return Ok(());
        }
    };
    original.insert(key, merged);
    Ok(())
}

/// Sets a member, or removes it if the value itself is an object with `$patch`.
fn set_or_remove(original: &mut Object, key: String, value: Value) {
    match remove_directives(value) {
        Some(value) => original.insert(key, value),
        None => original.remove(&key),
    };
}

/// Returns whether Go decodes both values as the same type.
fn has_same_go_type(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.is_i64() == b.is_i64(),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Removes null members from a value that the patch adds (`discardNullValuesFromPatch`).
fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// Removes the members of the live object that `$retainKeys` does not list
/// (`applyRetainKeysDirective`).
fn apply_retain_keys(original: &mut Object, patch: &mut Object) -> Result<(), PatchError> {
    let bad = || PatchError::bad_request(BAD_RETAIN_KEYS);
    let Some(retained) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let Value::Array(retained) = retained else {
        return Err(bad());
    };
    let is_retained = |key: &str| retained.iter().any(|one| one.as_str() == Some(key));
    // Every member that the patch sets must be in the list, since it would be removed otherwise.
    for (key, value) in &*patch {
        let directive = key.starts_with(DELETE_FROM) || key.starts_with(SET_ORDER);
        if !value.is_null() && !directive && !is_retained(key) {
            return Err(bad());
        }
    }
    original.retain(|key, _| is_retained(key));
    Ok(())
}

/// Merges two lists (`mergeSlice`). With `deletes`, subtracts the scalars in `patch` instead.
fn merge_lists<T: LookupPatchMeta>(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: &PatchMeta<T>,
    deletes: bool,
) -> Result<MergedList, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(MergedList {
            merged: Vec::new(),
            original,
        });
    }
    let objects = common_item_type(&[&original, &patch])? == ItemType::Object;
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
    let live = LiveList::new(original);
    if field.merge_key.is_empty() {
        let name = field.type_.kind_name();
        let message = format!("cannot merge lists without merge key for {name}");
        return Err(PatchError::internal(message));
    }
    merge_object_lists(live, patch, field)
}

/// Merges lists of objects by merge key (`mergeSliceWithoutSpecialElements`).
fn merge_object_lists<T: LookupPatchMeta>(
    mut live: LiveList,
    patch: Vec<Value>,
    field: &PatchMeta<T>,
) -> Result<MergedList, PatchError> {
    let (patch, replaces) = apply_item_directives(&mut live, patch, field.merge_key)?;
    if replaces {
        let original = live.into_backing(&[]);
        let (merged, patch) = (patch, Vec::new());
        let order = merged.clone();
        let merged = order_merged_items(merged, &patch, &order, field.merge_key, true)?;
        return Ok(MergedList { merged, original });
    }
    let order = live.items().to_vec();
    let mut merged = order.clone();
    for item in &patch {
        merge_item(&mut merged, item, field)?;
    }
    // Go merges items in place, so the original list contains the merged items too.
    let order: Vec<Value> = merged.iter().take(order.len()).cloned().collect();
    let original = live.into_backing(&merged);
    let merged = order_merged_items(merged, &patch, &order, field.merge_key, true)?;
    Ok(MergedList { merged, original })
}

/// Merges an item of the patch into the live item with the same merge key, or appends it.
fn merge_item<T: LookupPatchMeta>(
    merged: &mut Vec<Value>,
    item: &Value,
    field: &PatchMeta<T>,
) -> Result<(), PatchError> {
    let Some(name) = item.get(field.merge_key).cloned() else {
        return Err(missing_merge_key_error(item, field.merge_key));
    };
    let found = merged
        .iter_mut()
        .find(|one| one.get(field.merge_key) == Some(&name));
    match (found, item) {
        (Some(place), Value::Object(patch)) => {
            let original = place.as_object().cloned().unwrap_or_default();
            *place = Value::Object(merge_objects(original, patch.clone(), field.type_)?);
        }
        _ => merged.push(item.clone()),
    }
    Ok(())
}

/// Merges and orders the lists that have a `$setElementOrder`. Removes these lists and the
/// directives from the patch (`mergePatchIntoOriginal`).
fn apply_set_element_order<T: LookupPatchMeta>(
    original: &mut Object,
    patch: &mut Object,
    type_: T,
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
            return Err(PatchError::bad_type("[]interface {}", &order));
        };
        let key = directive
            .strip_prefix(SET_ORDER)
            .and_then(|rest| rest.strip_prefix('/'))
            .ok_or_else(|| PatchError::bad_request(BAD_SET_ORDER))?;
        order_list(original, patch, key, &order, type_)?;
    }
    Ok(())
}

/// Merges the list `key` and orders its items by `order`. The list is then removed from the patch,
/// so that it is not merged a second time.
fn order_list<T: LookupPatchMeta>(
    original: &mut Object,
    patch: &mut Object,
    key: &str,
    order: &[Value],
    type_: T,
) -> Result<(), PatchError> {
    let live = get_list(original, key)?;
    let patched = get_list(patch, key)?;
    let field = type_.list_field(key)?;
    validate_patch_order(
        patched.as_deref().unwrap_or_default(),
        order,
        field.merge_key,
    )?;
    let before = (
        live.clone().unwrap_or_default(),
        patched.clone().unwrap_or_default(),
    );
    let (merged, server_order) = match (live, patched) {
        (None, None) => return Ok(()),
        (Some(live), None) => (live.clone(), live),
        (None, Some(patched)) => {
            let kept = patched.into_iter().filter_map(remove_directives);
            (kept.collect(), Vec::new())
        }
        (Some(live), Some(patched)) if field.strategy == "merge" => {
            let merged = merge_lists(live, patched, &field, false)?;
            (merged.merged, merged.original)
        }
        (Some(live), Some(patched)) => (patched, live),
    };
    let objects = common_item_type(&[&before.0, &before.1])? == ItemType::Object;
    let ordered = order_merged_items(merged, order, &server_order, field.merge_key, objects)?;
    original.insert(key.to_owned(), Value::Array(ordered));
    patch.remove(key);
    Ok(())
}
