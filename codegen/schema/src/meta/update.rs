//! Validation of updates to `metadata` (`ValidateObjectMetaAccessorUpdate`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::validation::{go_list, labels_and_annotations, managed_fields};
use super::{Metadata, owners, time};
use crate::cause::Cause;
use crate::go::json;

/// Returns the errors in an update of metadata. `path` is that of the metadata.
pub fn validate_update(new: Metadata<'_>, old: Metadata<'_>, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    if old.time("deletionTimestamp").is_some() {
        no_new_finalizers(new, old, path, &mut causes);
    }
    if new.text("resourceVersion").is_empty() {
        let field = format!("{path}.resourceVersion");
        let detail = "must be specified for an update";
        causes.push(Cause::invalid(field, &"".into(), detail));
    }
    let generation = |metadata: Metadata<'_>| metadata.integer("generation").unwrap_or_default();
    if generation(new) < generation(old) {
        let field = format!("{path}.generation");
        let generation = generation(new).into();
        causes.push(Cause::invalid(
            field,
            &generation,
            "must not be decremented",
        ));
    }
    let mut immutable = |name: &str, same: bool, value: String| {
        if !same {
            let field = format!("{path}.{name}");
            causes.push(Cause::invalid_text(field, &value, "field is immutable"));
        }
    };
    for name in ["name", "namespace"] {
        let value = new.text(name);
        immutable(name, value == old.text(name), crate::go::quoted(value));
    }
    let uid = new.text("uid");
    immutable("uid", uid == old.text("uid"), json(&uid.into()));
    for name in ["creationTimestamp", "deletionTimestamp"] {
        let value = new.time(name);
        let printed = value.map_or(Value::Null, |value| time::format(value).into());
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

/// `ValidateNoNewFinalizers`
fn no_new_finalizers(new: Metadata<'_>, old: Metadata<'_>, path: &str, causes: &mut Vec<Cause>) {
    let known: BTreeSet<_> = old.finalizers().collect();
    let added: BTreeSet<_> = new.finalizers().filter(|it| !known.contains(it)).collect();
    if !added.is_empty() {
        let added: Vec<_> = added.into_iter().collect();
        causes.push(Cause::forbidden(
            format!("{path}.finalizers"),
            &format!(
                "no new finalizers can be added if the object is being deleted, found new \
                 finalizers {}",
                go_list(&added)
            ),
        ));
    }
}
