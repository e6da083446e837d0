//! Help for a JSON path that names no field or an unsuitable field: the likely intended path, or a
//! list of suitable paths.

use std::cmp::Reverse;

use genclient_schema::json_path::JsonPathStep;
use genclient_syntax::{Help, suggest};

use crate::model::Schema;

pub(super) const METADATA_FIELDS: &[&str] = &[
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Maps of strings in `metadata`.
pub(super) const METADATA_MAPS: [&str; 2] = ["annotations", "labels"];

/// A field, with the names on the way from the root to the field.
struct FieldPath<'a> {
    names: Vec<&'a str>,
    field: &'a Schema,
}

/// Returns the help for a path that names no field: the likely intended path, or else a list of the
/// paths of all fields that `fits` accepts.
pub(super) fn similar_path_help(
    schema: &Schema,
    (path, steps): (&str, &[JsonPathStep]),
    fits: impl Fn(&Schema) -> bool + Copy,
) -> Help {
    let meant = match plain_names(steps) {
        Some(names) => find_similar_path(schema, &names, fits),
        None => correct_name_in_path(schema, path, steps),
    };
    match meant {
        Some(meant) => did_you_mean(path, &meant),
        None => list_paths_help(schema, steps, fits).into(),
    }
}

/// Help with a path. The user writes it in a string literal, where `"` and `\` are escaped.
fn did_you_mean(path: &str, meant: &str) -> Help {
    Help::did_you_mean(path, meant.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the help for a column whose path names no field.
pub(super) fn column_help(schema: &Schema, path: &str, steps: &[JsonPathStep]) -> Help {
    let names = plain_names(steps);
    match names
        .and_then(|names| join_map_key(schema, &names).or_else(|| add_list_steps(schema, &names)))
    {
        Some(meant) => did_you_mean(path, &meant),
        None => similar_path_help(schema, (path, steps), |_| true),
    }
}

/// Returns help that lists the paths of all fields that `fits` accepts. The paths that share the
/// most leading names with `steps` come first.
pub(super) fn list_paths_help(
    schema: &Schema,
    steps: &[JsonPathStep],
    fits: impl Fn(&Schema) -> bool,
) -> String {
    let mut all = paths_of_fields(schema);
    all.retain(|path| path.names.len() > 1 && fits(path.field));
    all.sort_by_key(|path| Reverse(count_common_names(&path.names, steps)));
    let fitting: Vec<_> = all.iter().map(|path| dotted_path(&path.names)).collect();
    match fitting.as_slice() {
        [] => match schema.properties.keys().collect::<Vec<_>>()[..] {
            [parent] => format!("add the field to the type of `{parent}`"),
            _ => "add the field to the type of `spec` or `status`".to_owned(),
        },
        fitting => suggest::available(fitting),
    }
}

/// Counts the leading names that both paths have in common.
fn count_common_names(names: &[&str], steps: &[JsonPathStep]) -> usize {
    let is_same = |(name, step): &(&&str, &JsonPathStep)| match step {
        JsonPathStep::Name(other) => other == **name,
        JsonPathStep::Each | JsonPathStep::Filter(_) | JsonPathStep::Deep => false,
    };
    names.iter().zip(steps).take_while(is_same).count()
}

/// Returns the path with a similar name in place of each wrong name. If this path leads to no field
/// that `fits` accepts, returns the shortest path to such a field with the same last name.
fn find_similar_path(
    schema: &Schema,
    names: &[&str],
    fits: impl Fn(&Schema) -> bool,
) -> Option<String> {
    if let ["metadata", name] = names {
        let field = suggest::closest(name, METADATA_FIELDS.iter().copied())?;
        return Some(dotted_path(&["metadata", field]));
    }
    let all = paths_of_fields(schema);
    let fitting = || all.iter().filter(|path| fits(path.field));
    correct_names(schema, names)
        .and_then(|names| fitting().find(|path| path.names == names))
        .or_else(|| fitting().find(|path| path.names.last() == names.last()))
        .map(|path| dotted_path(&path.names))
}

/// Replaces every name that is not a field by the most similar field of the same object. `None` if
/// the object has no similar field.
fn correct_names<'a>(mut schema: &'a Schema, names: &[&'a str]) -> Option<Vec<&'a str>> {
    let mut path = Vec::new();
    for name in names {
        let known = || schema.properties.keys().map(String::as_str);
        let is_known = schema.properties.contains_key(*name);
        let name = if is_known {
            name
        } else {
            suggest::closest(name, known())?
        };
        path.push(name);
        schema = schema.properties.get(name)?;
    }
    Some(path)
}

/// In a path with brackets, replaces the first name that is not a field by a similar one. Returns
/// `None` if this is impossible, for example because the wrong name occurs twice in the path.
fn correct_name_in_path(mut schema: &Schema, path: &str, steps: &[JsonPathStep]) -> Option<String> {
    for step in steps {
        let next = match step {
            JsonPathStep::Name(name) => schema.properties.get(name),
            JsonPathStep::Each | JsonPathStep::Filter(_) => schema.items.as_ref(),
            JsonPathStep::Deep => None,
        };
        match (step, next.or(schema.additional_properties.as_ref())) {
            (_, Some(next)) => schema = next,
            (JsonPathStep::Name(name), None) => {
                let known = schema.properties.keys().map(String::as_str);
                let meant = suggest::closest(name, known)?;
                let [name, meant] = [name.as_str(), meant].map(|name| format!(".{name}"));
                let is_once = path.matches(&name).count() == 1;
                return is_once.then(|| path.replacen(&name, &meant, 1));
            }
            _ => return None,
        }
    }
    None
}

/// Returns the path with the names below a map of scalars as one key, whose dots are escaped:
/// `.metadata.labels.example\.com/tier`.
fn join_map_key(mut schema: &Schema, names: &[&str]) -> Option<String> {
    let joined = |count: usize| {
        let (parents, key) = names.split_at(count);
        (key.len() > 1).then(|| format!("{}.{}", dotted_path(parents), key.join("\\.")))
    };
    if let ["metadata", map, ..] = names {
        return joined(2).filter(|_| METADATA_MAPS.contains(map));
    }
    for (at, name) in names.iter().enumerate() {
        schema = schema.properties.get(*name)?;
        let values = schema.additional_properties.as_ref();
        if values.is_some_and(|values| values.properties.is_empty() && values.type_.is_some()) {
            return joined(at + 1);
        }
    }
    None
}

/// Returns the path with `[*]` behind each list: `.spec.lines[*].sku`.
fn add_list_steps(mut schema: &Schema, names: &[&str]) -> Option<String> {
    let mut path = String::new();
    for name in names {
        while let Some(items) = &schema.items {
            path.push_str("[*]");
            schema = items;
        }
        schema = schema.properties.get(*name)?;
        path.push_str(&dotted_path(&[name]));
    }
    Some(path)
}

/// Returns all fields whose paths need no brackets, those with the shortest paths first.
fn paths_of_fields(schema: &Schema) -> Vec<FieldPath<'_>> {
    let mut all: Vec<FieldPath<'_>> = Vec::new();
    let root = FieldPath {
        names: Vec::new(),
        field: schema,
    };
    let mut level = vec![root];
    while !level.is_empty() {
        let next = level.iter().flat_map(paths_below).collect();
        all.extend(level);
        level = next;
    }
    all
}

fn paths_below<'a>(path: &FieldPath<'a>) -> impl Iterator<Item = FieldPath<'a>> {
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let fields = path.field.properties.iter();
    fields
        .filter(move |(name, _)| plain(name))
        .map(|(name, field)| FieldPath {
            names: path.names.iter().copied().chain([name.as_str()]).collect(),
            field,
        })
}

fn plain_names(steps: &[JsonPathStep]) -> Option<Vec<&str>> {
    let names = steps.iter().map(|step| match step {
        JsonPathStep::Name(name) => Some(name.as_str()),
        JsonPathStep::Each | JsonPathStep::Filter(_) | JsonPathStep::Deep => None,
    });
    names.collect()
}

fn dotted_path(names: &[&str]) -> String {
    names.iter().map(|name| format!(".{name}")).collect()
}
