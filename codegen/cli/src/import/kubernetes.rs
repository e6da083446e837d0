//! Recognition of Kubernetes' own types by the shape of their schemas.

use std::collections::HashMap;
use std::sync::LazyLock;

use genclient_codegen::Schema;
use genclient_schema::kubernetes::{self as published, Release};

/// Paths of Kubernetes types with distinctive schemas, by the schema's JSON without descriptions.
static DISTINCTIVE_TYPES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut types: HashMap<String, Vec<String>> = HashMap::new();
    for name in published::names().filter(|name| is_embedded(name)) {
        if let Some(Ok(schema)) = published::schema(name, Release::default())
            && is_distinctive(&schema)
        {
            types
                .entry(schema_shape(&schema))
                .or_default()
                .push(rust_path(name));
        }
    }
    types
});

/// True for a type of `api` or `apimachinery` that other types may contain: any type but a list.
fn is_embedded(name: &str) -> bool {
    let below = ["io.k8s.api.", "io.k8s.apimachinery.pkg."];
    below.iter().any(|prefix| name.starts_with(prefix)) && !name.ends_with("List")
}

/// True if the schema is so distinctive that an equal schema is hardly a coincidence. False for a
/// whole object such as a `Pod`: an import never gives a field the type of a whole object.
fn is_distinctive(schema: &Schema) -> bool {
    let has = |name: &str| schema.properties.contains_key(name);
    if has("apiVersion") && has("kind") && has("metadata") {
        return false;
    }
    schema.properties.len() > 2
        || schema.map_type.is_some()
        || schema.int_or_string
        || schema
            .properties
            .values()
            .any(|property| !property.properties.is_empty())
}

/// The path of the Kubernetes type with this schema; descriptions are not compared. Of several such
/// types, one whose name contains the field's name, or is contained in it, takes precedence, and
/// then one of `core/v1` or `meta/v1`.
pub(super) fn find_by_shape(schema: &Schema, field: &str) -> Option<&'static str> {
    let found = DISTINCTIVE_TYPES.get(&schema_shape(schema))?;
    let name = |path: &str| path.rsplit("::").next().unwrap_or_default().to_lowercase();
    let field = field.to_lowercase();
    let likeness = |path: &str| {
        let type_ = name(path);
        let is_core = path.contains("::core::v1::") || path.contains("::meta::v1::");
        let is_like = type_.contains(&field) || field.contains(&type_);
        (is_like, is_core)
    };
    let mut best: Option<&'static str> = None;
    // Of equally similar types, the first one counts, so that every run gives the same type.
    for path in found {
        if best.is_none_or(|best| likeness(path) > likeness(best)) {
            best = Some(path);
        }
    }
    best
}

/// The schema of the type at a path.
pub(super) fn type_schema(path: &str) -> Option<std::sync::Arc<Schema>> {
    let name = published::names().find(|name| self::rust_path(name) == path)?;
    published::schema(name, Release::default())?.ok()
}

/// The path of a Kubernetes type that has all properties of the schema. The schema may lack up to
/// half of the type's properties, because it may come from an older release of Kubernetes.
pub(super) fn find_containing(schema: &Schema, field: &str) -> Option<&'static str> {
    if schema.properties.len() < 2 {
        return None;
    }
    let mut best: Option<(bool, usize, &'static str)> = None;
    for path in DISTINCTIVE_TYPES.values().flatten() {
        let Some(theirs) = self::type_schema(path) else {
            continue;
        };
        let (has, all) = (schema.properties.len(), theirs.properties.len());
        let is_most = has * 2 >= all && (has > 2 || has == all);
        if !is_most || !can_represent(schema, &theirs) {
            continue;
        }
        let name = path.rsplit("::").next().unwrap_or_default().to_lowercase();
        let found = (
            name.contains(&field.to_lowercase()),
            usize::MAX - all,
            path.as_str(),
        );
        if best.is_none_or(|best| {
            (found.0, found.1) > (best.0, best.1)
                || (found.0, found.1) == (best.0, best.1) && found.2 < best.2
        }) {
            best = Some(found);
        }
    }
    best.map(|(_, _, path)| path)
}

/// True if the type with the schema `theirs` can represent every object of the schema `ours`.
fn can_represent(ours: &Schema, theirs: &Schema) -> bool {
    if theirs.type_.is_none() {
        return ours.int_or_string == theirs.int_or_string;
    }
    let mut pairs = ours
        .properties
        .iter()
        .map(|(name, ours)| (ours, theirs.properties.get(name)));
    let inner =
        |ours: &Option<std::sync::Arc<Schema>>, theirs: &Option<std::sync::Arc<Schema>>| match (
            ours, theirs,
        ) {
            (Some(ours), Some(theirs)) => can_represent(ours, theirs),
            (None, None) => true,
            _ => false,
        };
    ours.type_ == theirs.type_
        && !ours.nullable
        && !ours.preserve_unknown_fields
        && theirs.required.is_subset(&ours.required)
        && pairs.all(|(ours, theirs)| theirs.is_some_and(|theirs| can_represent(ours, theirs)))
        && inner(&ours.items, &theirs.items)
        && inner(&ours.additional_properties, &theirs.additional_properties)
}

fn schema_shape(schema: &Schema) -> String {
    let mut bare = schema.clone();
    remove_descriptions(&mut bare);
    serde_json::to_string(&bare).unwrap_or_default()
}

/// Removes the descriptions from a schema.
fn remove_descriptions(schema: &mut Schema) {
    schema.description = None;
    for nested in schema.nested_mut() {
        remove_descriptions(nested);
    }
}

/// `k8s_openapi::api::core::v1::PodSpec` for `io.k8s.api.core.v1.PodSpec`.
fn rust_path(name: &str) -> String {
    let below = name.strip_prefix("io.k8s.").unwrap_or(name);
    format!(
        "k8s_openapi::{}",
        below.replace('-', "_").replace('.', "::")
    )
}
