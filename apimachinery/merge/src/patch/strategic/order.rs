//! Order of the items in a merged list. Items of the patch keep the order of the patch. All other
//! items keep the order of the live list. The two groups are then interleaved.

use genclient_apimachinery::go::printed;
use serde_json::Value;

use super::directives::{DIRECTIVE, SET_ORDER};
use crate::patch::PatchError;

/// Items of a live list. `cells` is the backing array of Go's slice. A deletion moves later items
/// forward, but does not clear the last cell. For example, the deletion of `a` from `[a, b, c]`
/// leaves the cells `[b, c, c]`, of which the first two are the list.
pub(super) struct LiveList {
    cells: Vec<Value>,
    length: usize,
}

impl LiveList {
    pub(super) fn new(items: Vec<Value>) -> Self {
        Self {
            length: items.len(),
            cells: items,
        }
    }

    pub(super) fn items(&self) -> &[Value] {
        &self.cells[..self.length]
    }

    /// Deletes all items whose merge key `key` has the value `name` (`deleteMatchingEntries`).
    pub(super) fn delete(&mut self, key: &str, name: &Value) -> Result<(), PatchError> {
        while let Some(at) = self
            .items()
            .iter()
            .position(|item| item.get(key) == Some(name))
        {
            self.cells[at..self.length].rotate_left(1);
            if self.length >= 2 && at < self.length - 1 {
                self.cells[self.length - 1] = self.cells[self.length - 2].clone();
            }
            self.length -= 1;
        }
        Ok(())
    }

    /// Returns the backing array of Go's original slice, in which the merged items have overwritten
    /// the first cells.
    pub(super) fn into_backing(mut self, merged: &[Value]) -> Vec<Value> {
        for (cell, item) in self.cells.iter_mut().zip(merged) {
            *cell = item.clone();
        }
        self.cells
    }
}

/// Returns the index of the first item that has the merge key of `item` or, in a list of scalars,
/// equals `item`.
fn position_of(items: &[Value], item: &Value, key: &str, objects: bool) -> Option<usize> {
    let value = |item: &'_ Value| -> Value {
        if objects {
            item.get(key).cloned().unwrap_or(Value::Null)
        } else {
            item.clone()
        }
    };
    let wanted = value(item);
    items.iter().position(|item| value(item) == wanted)
}

/// Orders merged items (`normalizeElementOrder`). Items in `patch_order` follow that order, and all
/// other items follow `live_order`. The two groups are then interleaved.
pub(super) fn order_merged_items(
    merged: Vec<Value>,
    patch_order: &[Value],
    live_order: &[Value],
    key: &str,
    objects: bool,
) -> Result<Vec<Value>, PatchError> {
    let (mut patched, mut rest) = (Vec::new(), Vec::new());
    for item in merged {
        if is_in_patch_order(patch_order, &item, key)? {
            patched.push(item);
        } else {
            rest.push(item);
        }
    }
    let patched = sort_by_position(patched, patch_order, key, objects)?;
    let rest = sort_by_position(rest, live_order, key, objects)?;
    Ok(interleave(rest, patched, live_order, key, objects))
}

/// Returns whether `items` has an item with the merge key of `item` or, if `key` is empty, contains
/// `item` (`partitionMapsByPresentInList`, `partitionPrimitivesByPresentInList`).
fn is_in_patch_order(items: &[Value], item: &Value, key: &str) -> Result<bool, PatchError> {
    if key.is_empty() {
        return Ok(items.contains(item));
    }
    require_merge_keys(std::slice::from_ref(item), key)?;
    for (at, other) in items.iter().enumerate() {
        if !other.is_object() {
            return Err(PatchError::internal(format!(
                "value for key {at} is not a map"
            )));
        }
        if other.get(key) == item.get(key) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sorts items by position in `order` (`normalizeSliceOrder`), those with `$patch: delete` last.
fn sort_by_position(
    items: Vec<Value>,
    order: &[Value],
    key: &str,
    objects: bool,
) -> Result<Vec<Value>, PatchError> {
    let (mut items, deleted) = if objects {
        require_merge_keys(&items, key)?;
        require_merge_keys(order, key)?;
        let is_kept = |item: &Value| item.get(DIRECTIVE) != Some(&Value::from("delete"));
        items.into_iter().partition(is_kept)
    } else {
        (items, Vec::new())
    };
    // Insertion sort, which Go's stable sort uses for up to 20 items. If one of two items is not in
    // `order`, each is less than the other, so the result depends on the algorithm.
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 {
            let first = position_of(order, &items[at], key, objects);
            let second = position_of(order, &items[at - 1], key, objects);
            let less = first
                .zip(second)
                .is_none_or(|(first, second)| first < second);
            if !less {
                break;
            }
            items.swap(at, at - 1);
            at -= 1;
        }
    }
    items.extend(deleted);
    Ok(items)
}

/// Checks that every item is an object with the merge key (`validateMergeKeyInLists`).
pub(super) fn require_merge_keys(items: &[Value], key: &str) -> Result<(), PatchError> {
    for item in items {
        let Value::Object(members) = item else {
            return Err(PatchError::bad_type("map[string]interface {}", item));
        };
        if !members.contains_key(key) {
            return Err(missing_merge_key_error(item, key));
        }
    }
    Ok(())
}

/// Interleaves two lists (`mergeSortedSlice`). Each step compares the first remaining items of
/// `left` and `right`. If both are in the live list, and the item of `left` comes first there, the
/// item of `left` is taken. Otherwise, the item of `right` is taken.
fn interleave(
    left: Vec<Value>,
    right: Vec<Value>,
    live: &[Value],
    key: &str,
    objects: bool,
) -> Vec<Value> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    let mut right = right.into_iter().peekable();
    while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
        let places = position_of(live, l, key, objects).zip(position_of(live, r, key, objects));
        let next = if places.is_some_and(|(l, r)| l < r) {
            left.next()
        } else {
            right.next()
        };
        out.extend(next);
    }
    out.extend(left);
    out.extend(right);
    out
}

/// Checks that the items of a patch are in the order of its `$setElementOrder`
/// (`validatePatchWithSetOrderList`).
pub(super) fn validate_patch_order(
    patch: &[Value],
    order: &[Value],
    key: &str,
) -> Result<(), PatchError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let is_deleted = |item: &&Value| item.get(DIRECTIVE) == Some(&Value::from("delete"));
    let mut items: Vec<&Value> = patch.iter().collect();
    if !key.is_empty() {
        if let Some(item) = patch.iter().find(|item| !item.is_object()) {
            return Err(PatchError::bad_type("map[string]interface {}", item));
        }
        items.retain(|item| !is_deleted(item));
    }
    let (mut at, mut place) = (0, 0);
    while at < items.len() && place < order.len() {
        if items[at].get(DIRECTIVE).is_some() {
            at += 1;
            continue;
        }
        if has_same_key(items[at], &order[place], key)? {
            at += 1;
        }
        place += 1;
    }
    if at < items.len() && place >= order.len() {
        let patch = printed(&Value::Array(patch.to_vec()));
        let order = printed(&Value::Array(order.to_vec()));
        return Err(PatchError::internal(format!(
            "The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n"
        )));
    }
    Ok(())
}

/// Returns whether two items have the same merge key or, in a list of scalars, are equal.
fn has_same_key(left: &Value, right: &Value, key: &str) -> Result<bool, PatchError> {
    if key.is_empty() {
        return Ok(left == right);
    }
    for side in [left, right] {
        if !side.is_object() {
            return Err(PatchError::bad_type("map[string]interface {}", side));
        }
    }
    let missing = [left, right]
        .into_iter()
        .find(|side| side.get(key).is_none());
    match missing {
        Some(side) => Err(missing_merge_key_error(side, key)),
        None => Ok(left.get(key) == right.get(key)),
    }
}

pub(super) fn missing_merge_key_error(item: &Value, key: &str) -> PatchError {
    PatchError::internal(format!(
        "map: {} does not contain declared merge key: {key}",
        printed(item)
    ))
}
