//! Types of the variables in match conditions.
//!
//! Follows `BuildRequestType` and `BuildNamespaceType` in
//! k8s.io/apiserver/pkg/admission/plugin/cel, compile.go.

use crate::Type;
use crate::declare::{Field, Object, Objects, simple};

/// The variable `authorizer.requestResource`: one name that contains a dot.
pub(super) const REQUEST_RESOURCE: &str = "authorizer.requestResource";

/// Returns an object type with a member for each variable, and the list of all object types. The
/// list begins with the returned type.
pub(super) fn declare_variables() -> (Type, Objects) {
    let mut objects = vec![Object::default()];
    let request = declare_request(&mut objects);
    let namespace = declare_namespace(&mut objects);
    objects[0] = object_of(vec![
        ("object", Type::Dyn),
        ("oldObject", Type::Dyn),
        ("request", request),
        ("namespaceObject", namespace),
        ("authorizer", Type::Named("Authorizer")),
        (REQUEST_RESOURCE, Type::Named("ResourceCheck")),
    ]);
    (Type::Object(0), objects)
}

/// Declares the type of `request` (`BuildRequestType`).
fn declare_request(objects: &mut Objects) -> Type {
    let kind = text_members(&["group", "version", "kind"]);
    let kind = add_object(objects, kind);
    let resource = text_members(&["group", "version", "resource"]);
    let resource = add_object(objects, resource);
    let extra = Type::map(Type::Text, Type::list(Type::Text));
    let mut user = text_members(&["username", "uid"]);
    user.extend([("groups", Type::list(Type::Text)), ("extra", extra)]);
    let user = add_object(objects, user);
    let mut request = text_members(&[
        "subResource",
        "requestSubResource",
        "name",
        "namespace",
        "operation",
    ]);
    request.extend([
        ("kind", kind.clone()),
        ("resource", resource.clone()),
        ("requestKind", kind),
        ("requestResource", resource),
        ("userInfo", user),
        ("dryRun", Type::Bool),
        ("options", Type::Dyn),
    ]);
    add_object(objects, request)
}

/// Declares the type of `namespaceObject` (`BuildNamespaceType`).
fn declare_namespace(objects: &mut Objects) -> Type {
    let spec = add_object(objects, vec![("finalizers", Type::list(Type::Text))]);
    let mut condition = text_members(&["status", "type", "message", "reason"]);
    condition.push(("lastTransitionTime", Type::Timestamp));
    let condition = add_object(objects, condition);
    let conditions = ("conditions", Type::list(condition));
    let status = add_object(objects, vec![conditions, ("phase", Type::Text)]);
    let mut metadata = text_members(&[
        "name",
        "generateName",
        "namespace",
        "UID",
        "resourceVersion",
    ]);
    let labels = Type::map(Type::Text, Type::Text);
    metadata.extend([
        ("labels", labels.clone()),
        ("annotations", labels),
        ("creationTimestamp", Type::Timestamp),
        ("deletionGracePeriodSeconds", Type::Int),
        ("deletionTimestamp", Type::Timestamp),
        ("generation", Type::Int),
        ("finalizers", Type::list(Type::Text)),
    ]);
    let metadata = add_object(objects, metadata);
    let members = vec![("metadata", metadata), ("spec", spec), ("status", status)];
    add_object(objects, members)
}

fn text_members(names: &[&'static str]) -> Vec<(&'static str, Type)> {
    names.iter().map(|name| (*name, Type::Text)).collect()
}

fn add_object(objects: &mut Objects, members: Vec<(&'static str, Type)>) -> Type {
    objects.push(object_of(members));
    Type::Object(objects.len() - 1)
}

/// Declares an object that has all of its fields.
fn object_of(members: Vec<(&'static str, Type)>) -> Object {
    let members = members.into_iter();
    let fields = members.map(|(name, type_)| {
        let field = Field {
            declared: simple(type_, 0, 0, name.to_owned()),
            present: true,
        };
        (name.to_owned(), field)
    });
    Object {
        fields: fields.collect(),
        ..Object::default()
    }
}
