//! Admission plug-in OwnerReferencesPermissionEnforcement (plugin/pkg/admission/gc): users who
//! change the owner references of an existing object need the right to delete the object. To set
//! `blockOwnerDeletion`, even in a create, they need the right to update the owner's finalizers.

use serde_json::Value;

use super::authorizer;
use crate::metadata;
use crate::rbac::Attributes;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Checks the owner references that a create or update writes. `old` is `None` for a create.
///
/// # Errors
///
/// 403 if the user lacks a permission, or if the kind of an owner with `blockOwnerDeletion` is
/// unknown. While the plug-in is disabled, there are no errors.
pub(crate) fn check_owners(
    server: &ServerState,
    request: &ObjectRequest,
    object: &Value,
    old: Option<&Value>,
) -> Result<(), StatusError> {
    let target = &request.target;
    // `isWhiteListed`: the strategy of the status already ignores changes of owner references.
    let is_pod_status = target.resource() == "pods/status" && target.group.is_empty();
    if !server.authorization.enforces_owners || is_pod_status {
        return Ok(());
    }
    let owners = owners_of(object);
    let before = old.map(owners_of).unwrap_or_default();
    if owners == before {
        return Ok(());
    }
    let forbidden = |reason: String| {
        let name = name_for_message(request, object);
        StatusError::forbidden(&target.group, &target.plural, &name, &reason)
    };
    if old.is_some() {
        let delete = Attributes::for_object("delete", target);
        let decision = authorizer::decide_and_record(server, &request.user, &delete);
        if !decision.is_allowed {
            let what = "cannot set an ownerRef on a resource you can't delete";
            return Err(forbidden(format!("{what}: {}, <nil>", decision.reason)));
        }
    }
    let is_new = |owner: &&Value| is_blocking(owner) && !was_blocking(before, owner);
    let blocking: Vec<_> = owners.iter().filter(is_new).collect();
    // The permission for all finalizers spares the lookup of each owner's kind
    // (`finalizeAnythingRecord`).
    let mut any = Attributes::for_resource("update", "*", "*", "*");
    "finalizers".clone_into(&mut any.subresource);
    if blocking.is_empty() || authorizer::decide_and_record(server, &request.user, &any).is_allowed
    {
        return Ok(());
    }
    for owner in blocking {
        check_owner_finalizers(server, request, owner).map_err(forbidden)?;
    }
    Ok(())
}

/// Checks that the user may update the finalizers of an owner. The error is the reason for a 403.
fn check_owner_finalizers(
    server: &ServerState,
    request: &ObjectRequest,
    owner: &Value,
) -> Result<(), String> {
    let text = |field: &str| owner[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kinds = server.kinds.of_kind(group, version, kind);
    if kinds.is_empty() {
        return Err(format!(
            "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for \
             APIVersion {api_version} Kind {kind}: no matches for kind \"{kind}\" in version \
             \"{api_version}\""
        ));
    }
    for (plural, is_namespaced) in kinds {
        let mut update = Attributes::for_resource("update", group, &plural, text("name"));
        "finalizers".clone_into(&mut update.subresource);
        if is_namespaced {
            update.namespace.clone_from(&request.target.namespace);
        }
        let decision = authorizer::decide_and_record(server, &request.user, &update);
        if !decision.is_allowed {
            return Err(format!(
                "cannot set blockOwnerDeletion if an ownerReference refers to a resource you \
                 can't set finalizers on: {}, <nil>",
                decision.reason
            ));
        }
    }
    Ok(())
}

fn owners_of(object: &Value) -> &[Value] {
    let owners = object["metadata"]["ownerReferences"].as_array();
    owners.map(Vec::as_slice).unwrap_or_default()
}

fn is_blocking(owner: &Value) -> bool {
    owner["blockOwnerDeletion"] == true
}

/// Returns whether the old object had a blocking reference to the owner. If it had several
/// references to the owner, the last one counts, as in Go's map by uid (`indexByUID`).
fn was_blocking(before: &[Value], owner: &Value) -> bool {
    let mut before = before.iter().rev();
    before
        .find(|old| old["uid"] == owner["uid"])
        .is_some_and(is_blocking)
}

/// Returns the name of the object for a rejection. For a create, only the body has it.
fn name_for_message(request: &ObjectRequest, object: &Value) -> String {
    let names = [
        &*request.target.name,
        metadata::str_field(object, "name"),
        metadata::str_field(object, "generateName"),
    ];
    let name = names.into_iter().find(|name| !name.is_empty());
    name.unwrap_or("Unknown").to_owned()
}
