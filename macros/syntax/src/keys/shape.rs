//! Diagnostics for keys that do not fit the Rust type.

use super::form::WrittenKey;
use crate::arguments::RawKey;
use crate::table::{self, Attribute, Key, Within};
use crate::{Help, Problem, Shape, Target};

/// The error for a key that a type of this shape cannot have. `has` returns whether another key is
/// present.
pub(super) fn misfit_problem(
    raw: &RawKey,
    entry: &Attribute,
    shape: &Shape,
    has: impl Fn(Key) -> bool,
) -> Problem {
    let message = format!(
        "`{}` applies to {}, but the type is {}",
        entry.name,
        entry.applies,
        shape.describe()
    );
    let help = if entry.key() == Key::EMBEDDED_METADATA {
        "move it to a field of type `ObjectMeta`".into()
    } else {
        suggest_remedy(raw, entry, shape, has)
    };
    Problem::new(raw.span, message).with_help(help)
}

/// Returns the help: a key that fits the shape, or where the constraint likely belongs.
fn suggest_remedy(
    raw: &RawKey,
    entry: &Attribute,
    shape: &Shape,
    has: impl Fn(Key) -> bool,
) -> Help {
    let write_instead = |key: Key| {
        let help = Help::write_key(format_usage(raw, key));
        // The edit would write a key a second time.
        if has(key) {
            help.to_string().into()
        } else {
            help
        }
    };
    if let Some(twin) = twin_key(entry.key(), shape) {
        return write_instead(twin);
    }
    let size = size_key(entry.key(), shape);
    match (fit_inside(raw, entry, shape), size) {
        (Some((around, whole, inner)), size) => {
            let inside = if has(around) {
                format!("write `{inner}` inside `{around}(..)`")
            } else {
                format!("write `{around}({inner})` for the {around} of the {whole}")
            };
            match size {
                Some(size) => {
                    let size = format_usage(raw, size);
                    format!("{inside}, or `{size}` for the {whole}").into()
                }
                None => inside.into(),
            }
        }
        (None, Some(size)) => write_instead(size),
        (None, None) => "remove it, or change the type".into(),
    }
}

/// Returns how to write a constraint that fits the items or values. For `min_length = 1` on
/// `Vec<String>`, returns the key `items`, the word `list`, and `min_length = 1`.
fn fit_inside(
    raw: &RawKey,
    entry: &Attribute,
    shape: &Shape,
) -> Option<(Key, &'static str, String)> {
    let (around, target, inner, whole) = match shape {
        Shape::List(item) => (Key::ITEMS, Target::Items, item, "list"),
        Shape::Map(value) => (Key::VALUES, Target::Values, value, "map"),
        _ => return None,
    };
    if entry.targets.contains(&target) && entry.applies.admits(inner) {
        return Some((around, whole, WrittenKey::new(entry, raw).usage()));
    }
    let (nested, _, usage) = fit_inside(raw, entry, inner)?;
    Some((around, whole, format!("{nested}({usage})")))
}

/// Formats `key` with the value of `raw`.
fn format_usage(raw: &RawKey, key: Key) -> String {
    let raw = raw.renamed(key);
    match table::entry(Within::Crd, key.as_str()) {
        Some(entry) => WrittenKey::new(entry, &raw).usage(),
        None => raw.to_string(),
    }
}

/// Returns the key that does for this shape what `key` does for another: `struct_type` instead of
/// `map_type` on a struct.
fn twin_key(key: Key, shape: &Shape) -> Option<Key> {
    match (key, shape) {
        (Key::MAP_TYPE, Shape::Struct) => Some(Key::STRUCT_TYPE),
        (Key::STRUCT_TYPE, Shape::Map(_)) => Some(Key::MAP_TYPE),
        (Key::VALUES, Shape::List(_)) => Some(Key::ITEMS),
        (Key::ITEMS, Shape::Map(_)) => Some(Key::VALUES),
        _ => None,
    }
}

/// If `key` bounds a size, returns the key with the same bound for this shape: `min_length` instead
/// of `min_items` on a string.
fn size_key(key: Key, shape: &Shape) -> Option<Key> {
    let [least, greatest] = size_keys(shape)?;
    match key {
        Key::MIN_LENGTH | Key::MIN_ITEMS | Key::MIN_PROPERTIES => Some(least),
        Key::MAX_LENGTH | Key::MAX_ITEMS | Key::MAX_PROPERTIES => Some(greatest),
        _ => None,
    }
}

/// Returns the keys that bound the size of a value of this shape.
pub(super) fn size_keys(shape: &Shape) -> Option<[Key; 2]> {
    match shape {
        Shape::String => Some([Key::MIN_LENGTH, Key::MAX_LENGTH]),
        Shape::List(_) => Some([Key::MIN_ITEMS, Key::MAX_ITEMS]),
        Shape::Map(_) | Shape::Struct => Some([Key::MIN_PROPERTIES, Key::MAX_PROPERTIES]),
        _ => None,
    }
}
