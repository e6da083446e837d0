//! Owner references: validation and deduplication.

use std::collections::HashSet;

use genclient_apimachinery::field;
use genclient_apimachinery::go::json;
use genclient_apimachinery::unstructured::str_field;
use serde_json::Value;

use super::Metadata;

/// Stage of a request in which duplicate owner references are found. The stage decides the text of
/// the warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateOwners {
    /// Before admission, on create and update but not on patch.
    Sent,
    /// After admission, on create, update and patch.
    Admitted,
}

/// Removes duplicate owner references and returns the API server's warning if there are any
/// (`dedupOwnerReferencesAndAddWarning`).
pub fn remove_duplicate_owners(object: &mut Value, when: DuplicateOwners) -> Option<String> {
    let owners = object
        .get_mut("metadata")?
        .get_mut("ownerReferences")?
        .as_array_mut()?;
    let (mut kept, mut known) = (Vec::new(), HashSet::new());
    let mut uids = Vec::new();
    for owner in owners.drain(..) {
        if known.insert(owner.clone()) {
            kept.push(owner);
        } else {
            uids.push(str_field(&owner, "uid").to_owned());
        }
    }
    *owners = kept;
    let when = match when {
        DuplicateOwners::Sent => "",
        DuplicateOwners::Admitted => " after mutating admission happens",
    };
    (!uids.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner \
             references in 1.20+, and may reject such requests as early as 1.24; please fix your \
             requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        )
    })
}

/// Checks the fields of owner references, and that at most one reference has `controller: true`
/// (`ValidateOwnerReferences`).
pub(super) fn validate(metadata: Metadata<'_>, path: &str, causes: &mut field::ErrorList) {
    let owners = metadata.list("ownerReferences");
    let path = format!("{path}.ownerReferences");
    let mut controller: Option<String> = None;
    for owner in owners {
        reference(owner, &path, causes);
        if owner.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let name = format!("{}/{}", str_field(owner, "kind"), str_field(owner, "name"));
        let Some(first) = &controller else {
            controller = Some(name);
            continue;
        };
        let owners: Vec<_> = owners.iter().map(printed).collect();
        causes.push(field::Error::invalid_text(
            path.as_str(),
            &format!("[{}]", owners.join(",")),
            &format!(
                "Only one reference can have Controller set to true. Found \"true\" in references \
                 for {first} and {name}"
            ),
        ));
    }
}

fn reference(owner: &Value, path: &str, causes: &mut field::ErrorList) {
    let version = match str_field(owner, "apiVersion")
        .split('/')
        .collect::<Vec<_>>()[..]
    {
        [version] => ("", version),
        [group, version] => (group, version),
        _ => ("", ""),
    };
    if version.1.is_empty() {
        let api_version = str_field(owner, "apiVersion");
        let field = format!("{path}.apiVersion");
        causes.push(field::Error::invalid(
            field,
            &api_version.into(),
            "version must not be empty",
        ));
    }
    for name in ["kind", "name", "uid"] {
        if str_field(owner, name).is_empty() {
            let field = format!("{path}.{name}");
            causes.push(field::Error::invalid(
                field,
                &"".into(),
                "must not be empty",
            ));
        }
    }
    if version == ("", "v1") && str_field(owner, "kind") == "Event" {
        causes.push(field::Error::invalid_text(
            path,
            &printed(owner),
            "/v1, Kind=Event is disallowed from being an owner",
        ));
    }
}

/// Formats a reference with the fields in the order of Go's struct.
fn printed(owner: &Value) -> String {
    let texts = ["apiVersion", "kind", "name", "uid"].into_iter();
    let texts = texts.map(|name| format!("\"{name}\":{}", json(&str_field(owner, name).into())));
    let flags = ["controller", "blockOwnerDeletion"].into_iter();
    let flags = flags.filter_map(|name| Some(format!("\"{name}\":{}", owner.get(name)?)));
    format!("{{{}}}", texts.chain(flags).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_equal_references_are_duplicates() {
        let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u" });
        let mut other = owner.clone();
        other["controller"] = true.into();
        let owners = json!([owner, other, owner]);
        let mut object = json!({ "metadata": { "ownerReferences": owners } });
        let warning = remove_duplicate_owners(&mut object, DuplicateOwners::Sent);
        assert!(warning.is_some_and(|it| it.ends_with("duplicate UID(s) observed: u")));
        assert_eq!(object["metadata"]["ownerReferences"], json!([owner, other]));
        assert_eq!(
            remove_duplicate_owners(&mut object, DuplicateOwners::Admitted),
            None
        );
    }
}
