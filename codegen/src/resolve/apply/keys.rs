//! Keys of list items: parameters of the constructors of their apply configurations.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{ApplyDraft, configs_in};
use crate::model::{
    ApplyContent, ApplyField, ApplyForm, ApplyKey, ApplyPlace, ApplyStruct, ApplyValue,
};
use crate::project::Project;
use crate::resolve::schema::Rename;

/// JSON names of the keys that items need, by the path of their configuration.
type Wanted = BTreeMap<String, BTreeSet<String>>;

/// Adds the keys to the constructors. A key of a flattened struct is a parameter of its constructor
/// and of those of the structs that contain it.
pub(super) fn add_keys(drafts: &mut [ApplyDraft], wanted: Wanted, project: &Project) {
    let paths: BTreeMap<_, _> = drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| (draft.path.type_name(project).path, at))
        .collect();
    let wanted = pass_down(drafts, wanted, &paths);
    let mut keys = BTreeMap::new();
    for path in paths.keys() {
        collect_keys(path, drafts, &wanted, &paths, &mut keys);
    }
    for (path, keys) in keys {
        let Some(at) = paths.get(&path) else { continue };
        match &mut drafts[*at].config.form {
            ApplyForm::Struct(body) => body.keys = keys,
            // The constructor of a kind names the object. Members with keys are then optional.
            ApplyForm::Kind(_, body) => {
                for key in keys {
                    let field = body
                        .fields
                        .iter_mut()
                        .find(|field| Some(&field.name) == key.within.as_ref());
                    if let Some(field) = field {
                        field.place = ApplyPlace::FlattenedOption;
                    }
                }
            }
            ApplyForm::Union(_) => {}
        }
    }
}

/// Adds the keys of items to the flattened structs and the variants that may contain them.
fn pass_down(drafts: &[ApplyDraft], mut wanted: Wanted, paths: &BTreeMap<String, usize>) -> Wanted {
    let mut open: Vec<_> = wanted.keys().cloned().collect();
    while let Some(path) = open.pop() {
        let Some(at) = paths.get(&path) else { continue };
        let keys = wanted.get(&path).cloned().unwrap_or_default();
        for inner in parts(&drafts[*at].config.form) {
            let known = wanted.entry(inner.clone()).or_default();
            let before = known.len();
            known.extend(keys.iter().cloned());
            if known.len() > before {
                open.push(inner);
            }
        }
    }
    wanted
}

/// Returns the configurations whose members are members of this one.
fn parts(form: &ApplyForm) -> Vec<String> {
    match form {
        ApplyForm::Kind(..) => Vec::new(),
        ApplyForm::Struct(body) => {
            let flattened = body.fields.iter().filter(|field| is_flattened(field));
            let configs = flattened.flat_map(|field| configs_in(&field.value));
            configs.map(|name| name.path.clone()).collect()
        }
        ApplyForm::Union(union) if union.tag.is_some() && union.content.is_none() => {
            let values = union
                .variants
                .iter()
                .filter_map(|variant| match &variant.content {
                    ApplyContent::Value(value) => Some(value),
                    ApplyContent::Unit | ApplyContent::Empty => None,
                });
            let configs = values.flat_map(configs_in);
            configs.map(|name| name.path.clone()).collect()
        }
        ApplyForm::Union(_) => Vec::new(),
    }
}

fn is_flattened(field: &ApplyField) -> bool {
    matches!(
        field.place,
        ApplyPlace::Flattened | ApplyPlace::FlattenedOption
    )
}

/// Returns the parameters of a constructor, in the order of the fields.
fn collect_keys(
    path: &str,
    drafts: &[ApplyDraft],
    wanted: &Wanted,
    paths: &BTreeMap<String, usize>,
    found: &mut BTreeMap<String, Vec<ApplyKey>>,
) -> Vec<ApplyKey> {
    if let Some(keys) = found.get(path) {
        return keys.clone();
    }
    let form = paths.get(path).map(|at| &drafts[*at].config.form);
    let Some(ApplyForm::Struct(body) | ApplyForm::Kind(_, body)) = form else {
        return Vec::new();
    };
    let nothing = BTreeSet::new();
    let wanted_here = wanted.get(path).unwrap_or(&nothing);
    let mut keys: Vec<ApplyKey> = Vec::new();
    for field in &body.fields {
        match (field.place, &field.value) {
            (ApplyPlace::Member, value) if wanted_here.contains(&json_name(field, body)) => {
                keys.push(ApplyKey {
                    name: field.name.clone(),
                    field: field.name.clone(),
                    value: value.clone(),
                    within: None,
                });
            }
            (ApplyPlace::Flattened, ApplyValue::Config(inner)) => {
                let inner = collect_keys(&inner.path, drafts, wanted, paths, found);
                keys.extend(inner.into_iter().map(|key| ApplyKey {
                    within: Some(field.name.clone()),
                    ..key
                }));
            }
            (ApplyPlace::FlattenedOption, value) if has_tag(value, wanted_here, drafts, paths) => {
                keys.push(ApplyKey {
                    name: field.name.clone(),
                    field: field.name.clone(),
                    value: value.clone(),
                    within: None,
                });
            }
            _ => {}
        }
    }
    name_apart(&mut keys);
    found.insert(path.to_owned(), keys.clone());
    keys
}

/// Returns whether the tag of a union is a key. The union itself is then the parameter.
fn has_tag(
    value: &ApplyValue,
    wanted: &BTreeSet<String>,
    drafts: &[ApplyDraft],
    paths: &BTreeMap<String, usize>,
) -> bool {
    configs_in(value).any(|name| {
        let form = paths.get(&name.path).map(|at| &drafts[*at].config.form);
        match form {
            Some(ApplyForm::Union(union)) => {
                union.tag.as_ref().is_some_and(|tag| wanted.contains(tag))
            }
            _ => false,
        }
    })
}

/// Gives parameters different names: two fields with the same identifier may be flattened into one
/// struct.
fn name_apart(keys: &mut [ApplyKey]) {
    let mut taken = BTreeSet::new();
    for key in keys {
        while !taken.insert(key.name.clone()) {
            key.name.push('_');
        }
    }
}

fn json_name(field: &ApplyField, body: &ApplyStruct) -> String {
    let by_rule = || {
        let rule = body.rename_all.as_deref().and_then(Rename::parse);
        rule.unwrap_or_default().field(&field.name)
    };
    field.rename.clone().unwrap_or_else(by_rule)
}
