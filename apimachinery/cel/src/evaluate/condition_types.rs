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
pub(super) fn variables() -> (Type, Objects) {
    let mut objects = vec![Object::default()];
    let request = request(&mut objects);
    let namespace = namespace(&mut objects);
    objects[0] = object(vec![
        ("object", Type::Dyn),
        ("oldObject", Type::Dyn),
        ("request", request),
        ("namespaceObject", namespace),
        ("authorizer", Type::Named("Authorizer")),
        (REQUEST_RESOURCE, Type::Named("ResourceCheck")),
    ]);
    (Type::Object(0), objects)
}

fn request(objects: &mut Objects) -> Type {
    let kind = texts(&["group", "version", "kind"]);
    let kind = added(objects, kind);
    let resource = texts(&["group", "version", "resource"]);
    let resource = added(objects, resource);
    let extra = Type::map(Type::Text, Type::list(Type::Text));
    let mut user = texts(&["username", "uid"]);
    user.extend([("groups", Type::list(Type::Text)), ("extra", extra)]);
    let user = added(objects, user);
    let mut request = texts(&[
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
    added(objects, request)
}

fn namespace(objects: &mut Objects) -> Type {
    let spec = added(objects, vec![("finalizers", Type::list(Type::Text))]);
    let mut condition = texts(&["status", "type", "message", "reason"]);
    condition.push(("lastTransitionTime", Type::Timestamp));
    let condition = added(objects, condition);
    let conditions = ("conditions", Type::list(condition));
    let status = added(objects, vec![conditions, ("phase", Type::Text)]);
    let mut metadata = texts(&[
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
    let metadata = added(objects, metadata);
    let members = vec![("metadata", metadata), ("spec", spec), ("status", status)];
    added(objects, members)
}

fn texts(names: &[&'static str]) -> Vec<(&'static str, Type)> {
    names.iter().map(|name| (*name, Type::Text)).collect()
}

fn added(objects: &mut Objects, members: Vec<(&'static str, Type)>) -> Type {
    objects.push(object(members));
    Type::Object(objects.len() - 1)
}

fn object(members: Vec<(&'static str, Type)>) -> Object {
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
