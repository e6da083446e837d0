//! Validation of `metadata` (`ValidateObjectMetaAccessor`) and of updates to it
//! (`ValidateObjectMetaAccessorUpdate`), and warnings about finalizers (`generateWarningsFromObj`).

use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::go::{is_printable, json, quoted};
use genclient_apimachinery::meta::format_time;
use genclient_apimachinery::validation::{NameRule, label, label_key, label_value};
use serde_json::Value;

use super::{Metadata, owners};

/// Maximum total size of annotations, in bytes.
const ANNOTATIONS: usize = 256 * 1024;

/// Returns the errors in the metadata of an object. If `namespaced` is set, a namespace is
/// required; otherwise a namespace is forbidden. `rule` applies to the name and to `generateName`.
/// `path` is the path of the metadata.
pub fn validate(
    metadata: Metadata<'_>,
    namespaced: bool,
    rule: NameRule,
    path: &str,
) -> field::ErrorList {
    let mut causes = Vec::new();
    let name = metadata.text("name");
    let prefix = metadata.text("generateName");
    let mut report = |field: &str, value: &str, errors: Vec<String>| {
        let of_field = errors
            .iter()
            .map(|error| field::Error::invalid(format!("{path}.{field}"), &value.into(), error));
        causes.extend(of_field);
    };
    if !prefix.is_empty() {
        report("generateName", prefix, rule.prefix_errors(prefix));
    }
    if !name.is_empty() {
        report("name", name, rule.errors(name));
    }
    let namespace = metadata.text("namespace");
    if namespaced && !namespace.is_empty() {
        report("namespace", namespace, label(namespace));
    }
    if name.is_empty() {
        let field = format!("{path}.name");
        causes.push(field::Error::required(
            field,
            "name or generateName is required",
        ));
    }
    if namespaced == namespace.is_empty() {
        let field = format!("{path}.namespace");
        causes.push(if namespaced {
            field::Error::required(field, "")
        } else {
            field::Error::forbidden(field, "not allowed on this type")
        });
    }
    if let Some(generation) = metadata.integer("generation").filter(|it| *it < 0) {
        let field = format!("{path}.generation");
        let detail = "must be greater than or equal to 0";
        causes.push(field::Error::invalid(field, &generation.into(), detail));
    }
    labels_and_annotations(metadata, path, &mut causes);
    owners::validate(metadata, path, &mut causes);
    finalizers(metadata, path, &mut causes);
    managed_fields(metadata, path, &mut causes);
    causes
}

fn labels_and_annotations(metadata: Metadata<'_>, path: &str, causes: &mut field::ErrorList) {
    let labels = format!("{path}.labels");
    for (key, value) in metadata.texts("labels") {
        let of_key = label_key(key).into_iter().map(|error| (key, error));
        let of_value = label_value(value).into_iter().map(|error| (value, error));
        let wrong = of_key.chain(of_value);
        causes.extend(
            wrong.map(|(text, error)| field::Error::invalid(&*labels, &text.into(), &error)),
        );
    }
    let annotations = format!("{path}.annotations");
    let mut size = 0;
    for (key, value) in metadata.texts("annotations") {
        size += key.len() + value.len();
        let wrong = label_key(&key.to_lowercase()).into_iter();
        causes.extend(wrong.map(|error| field::Error::invalid(&*annotations, &key.into(), &error)));
    }
    if size > ANNOTATIONS {
        causes.push(field::Error::too_long(annotations, ANNOTATIONS as u64));
    }
}

fn finalizers(metadata: Metadata<'_>, path: &str, causes: &mut field::ErrorList) {
    let field = format!("{path}.finalizers");
    for finalizer in metadata.finalizers() {
        let wrong = label_key(finalizer).into_iter();
        causes.extend(wrong.map(|error| field::Error::invalid(&*field, &finalizer.into(), &error)));
    }
    let has = |name| metadata.finalizers().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let finalizers = metadata.get("finalizers").unwrap_or(&Value::Null);
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        causes.push(field::Error::invalid(field, finalizers, detail));
    }
}

/// Checks operation, fields type, manager and subresource of each entry of `managedFields`
/// (`ValidateManagedFields`).
fn managed_fields(metadata: Metadata<'_>, path: &str, causes: &mut field::ErrorList) {
    for (at, entry) in metadata.list("managedFields").iter().enumerate() {
        let path = format!("{path}.managedFields[{at}]");
        let text = |field: &str| {
            let value = entry.get(field).and_then(Value::as_str);
            value.unwrap_or_default()
        };
        let operation = text("operation");
        if !["Apply", "Update"].contains(&operation) {
            let field = format!("{path}.operation");
            let printed = json(&operation.into());
            let detail = "must be `Apply` or `Update`";
            causes.push(field::Error::invalid_text(field, &printed, detail));
        }
        let type_ = text("fieldsType");
        if !["", "FieldsV1"].contains(&type_) {
            let field = format!("{path}.fieldsType");
            causes.push(field::Error::invalid(
                field,
                &type_.into(),
                "must be `FieldsV1`",
            ));
        }
        causes.extend(validate_manager(
            text("manager"),
            &format!("{path}.manager"),
        ));
        if text("subresource").len() > 256 {
            causes.push(field::Error::too_long(format!("{path}.subresource"), 256));
        }
    }
}

/// Returns the errors in the name of a field manager (`ValidateFieldManager`). `path` is the path
/// of the field with the name.
pub fn validate_manager(manager: &str, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    if manager.len() > 128 {
        causes.push(field::Error::too_long(path, 128));
    }
    for (at, letter) in manager.char_indices() {
        if !is_printable(letter) {
            let code = u32::from(letter);
            let detail = format!("invalid character U+{code:04X} (at position {at})");
            causes.push(field::Error::invalid(path, &manager.into(), &detail));
        }
    }
    causes
}

/// Formats a list of strings as Go's `%#v` does: `[]string{"a", "b"}`.
fn go_list(texts: &[&str]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    format!("[]string{{{}}}", texts.join(", "))
}

/// Returns the errors in an update of metadata. `path` is the path of the metadata.
pub fn validate_update(new: Metadata<'_>, old: Metadata<'_>, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    if old.time("deletionTimestamp").is_some() {
        no_new_finalizers(new, old, path, &mut causes);
    }
    if new.text("resourceVersion").is_empty() {
        let field = format!("{path}.resourceVersion");
        let detail = "must be specified for an update";
        causes.push(field::Error::invalid(field, &"".into(), detail));
    }
    let generation = |metadata: Metadata<'_>| metadata.integer("generation").unwrap_or_default();
    if generation(new) < generation(old) {
        let field = format!("{path}.generation");
        let generation = generation(new).into();
        causes.push(field::Error::invalid(
            field,
            &generation,
            "must not be decremented",
        ));
    }
    let mut immutable = |name: &str, same: bool, value: String| {
        if !same {
            let field = format!("{path}.{name}");
            causes.push(field::Error::invalid_text(
                field,
                &value,
                "field is immutable",
            ));
        }
    };
    for name in ["name", "namespace"] {
        let value = new.text(name);
        immutable(name, value == old.text(name), quoted(value));
    }
    let uid = new.text("uid");
    immutable("uid", uid == old.text("uid"), json(&uid.into()));
    for name in ["creationTimestamp", "deletionTimestamp"] {
        let value = new.time(name);
        let printed = value.map_or(Value::Null, |value| format_time(value).into());
        immutable(name, value == old.time(name), json(&printed));
    }
    let grace = new.integer("deletionGracePeriodSeconds");
    let same = grace == old.integer("deletionGracePeriodSeconds");
    immutable("deletionGracePeriodSeconds", same, json(&grace.into()));
    labels_and_annotations(new, path, &mut causes);
    owners::validate(new, path, &mut causes);
    managed_fields(new, path, &mut causes);
    causes
}

/// Reports finalizers that were added to an object that is being deleted
/// (`ValidateNoNewFinalizers`).
fn no_new_finalizers(
    new: Metadata<'_>,
    old: Metadata<'_>,
    path: &str,
    causes: &mut field::ErrorList,
) {
    let known: BTreeSet<_> = old.finalizers().collect();
    let added: BTreeSet<_> = new.finalizers().filter(|it| !known.contains(it)).collect();
    if !added.is_empty() {
        let added: Vec<_> = added.into_iter().collect();
        causes.push(field::Error::forbidden(
            format!("{path}.finalizers"),
            &format!(
                "no new finalizers can be added if the object is being deleted, found new \
                 finalizers {}",
                go_list(&added)
            ),
        ));
    }
}

/// Returns the API server's warnings about finalizers that the old object does not have.
pub fn finalizer_warnings(new: Metadata<'_>, old: Option<Metadata<'_>>) -> Vec<String> {
    let known: BTreeSet<_> = old.into_iter().flat_map(Metadata::finalizers).collect();
    let added: BTreeSet<_> = new.finalizers().filter(|it| !known.contains(it)).collect();
    added.into_iter().flat_map(of_finalizer).collect()
}

fn of_finalizer(finalizer: &str) -> Vec<String> {
    let mut messages = label_key(finalizer);
    let is_standard = ["orphan", "foregroundDeletion", "kubernetes"].contains(&finalizer);
    if !finalizer.contains('/') && !is_standard {
        let path = if finalizer.contains('.') {
            " including a path (/)"
        } else {
            ""
        };
        messages.push(format!(
            "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with \
             other finalizer writers"
        ));
    }
    let warning = |message| format!("metadata.finalizers: {}: {message}", quoted(finalizer));
    messages.into_iter().map(warning).collect()
}
