//! OpenAPI paths of a group version, with the operations on its resources.

use serde_json::{Map, Value, json};

use super::{custom, schemas};
use crate::discovery::{ServedGroupVersion, ServedResource};

const LIST_PARAMETERS: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];
const WRITE_PARAMETERS: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];
const PATCH_PARAMETERS: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "force"];
const DELETE_PARAMETERS: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "orphanDependents",
    "propagationPolicy",
];

const DELETE_COLLECTION_PARAMETERS: &[&str] = &[
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
];
/// Subresources that kube-apiserver proxies to kubelets. They are not served.
const CONNECT_SUBRESOURCES: &[&str] = &["attach", "exec", "log", "portforward", "proxy"];

const MERGE_PATCHES: &[&str] = &[
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
];
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
const BODY_MEDIA_TYPES: &[&str] = &["application/json", "application/yaml"];

/// Kind whose objects the operations of a path read or write.
struct PathSubject<'a> {
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    /// Name of the objects' schema. If it is empty, the document admits any object.
    schema: String,
    is_custom: bool,
}

/// Returns all OpenAPI paths of a group version.
pub(super) fn openapi_paths(version: &ServedGroupVersion, is_custom: bool) -> Value {
    let mut paths = Map::new();
    for resource in &version.resources {
        add_resource_paths(&mut paths, version, resource, is_custom);
    }
    Value::Object(paths)
}

fn add_resource_paths(
    paths: &mut Map<String, Value>,
    version: &ServedGroupVersion,
    resource: &ServedResource,
    is_custom: bool,
) {
    let root = version_path(version);
    let plural = &resource.plural;
    let subject = path_subject(&version.group, &version.version, &resource.kind, is_custom);
    let has = |verb: &str| resource.verbs.iter().any(|it| it == verb);
    let collection = if resource.namespaced {
        format!("/{root}/namespaces/{{namespace}}/{plural}")
    } else {
        format!("/{root}/{plural}")
    };
    if resource.namespaced && has("list") {
        let all = subject.path_item("", &[("list", "get", "list")]);
        paths.insert(format!("/{root}/{plural}"), all);
    }
    let operations = [
        ("list", "get", "list"),
        ("create", "post", "post"),
        ("deletecollection", "delete", "deletecollection"),
    ];
    let operations: Vec<_> = operations.into_iter().filter(|it| has(it.0)).collect();
    if !operations.is_empty() {
        let item = subject.path_item(&collection, &operations);
        paths.insert(collection.clone(), item);
    }
    let operations = object_operations(&resource.verbs);
    let object = format!("{collection}/{{name}}");
    if !operations.is_empty() {
        paths.insert(object.clone(), subject.path_item(&object, &operations));
    }
    let served = resource
        .subresources
        .iter()
        .filter(|sub| !CONNECT_SUBRESOURCES.contains(&&*sub.name));
    for sub in served {
        let group = match &*sub.version {
            "" => (&*version.group, &*version.version),
            found => (&*sub.group, found),
        };
        let mut subject = path_subject(group.0, group.1, &sub.kind, is_custom);
        if is_custom && sub.kind == "Scale" {
            // As in kube-apiserver's documents, the operations name the kind that is scaled, not
            // `Scale`.
            subject = PathSubject {
                group: &version.group,
                version: &version.version,
                kind: &resource.kind,
                schema: schemas::SCALE.to_owned(),
                is_custom,
            };
        }
        let path = format!("{object}/{}", sub.name);
        let mut operations = object_operations(&sub.verbs);
        if sub.verbs.iter().any(|verb| verb == "create") {
            operations.push(("create", "post", "post"));
        }
        let item = subject.path_item(&path, &operations);
        paths.insert(path, item);
    }
}

/// Returns the operations on a single object, without those whose verb is missing in `verbs`. Each
/// operation is a verb, an HTTP method and an `x-kubernetes-action`.
fn object_operations(verbs: &[String]) -> Vec<(&'static str, &'static str, &'static str)> {
    let operations = [
        ("get", "get", "get"),
        ("update", "put", "put"),
        ("delete", "delete", "delete"),
        ("patch", "patch", "patch"),
    ];
    let has = |verb: &str| verbs.iter().any(|it| it == verb);
    operations.into_iter().filter(|it| has(it.0)).collect()
}

fn path_subject<'a>(
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    is_custom: bool,
) -> PathSubject<'a> {
    let schema = if is_custom {
        custom::schema_name(group, version, kind)
    } else {
        schemas::schema_name(group, version, kind).unwrap_or_default()
    };
    PathSubject {
        group,
        version,
        kind,
        schema,
        is_custom,
    }
}

impl PathSubject<'_> {
    /// Returns the OpenAPI item of a path: the operations by HTTP method, and the path parameters.
    fn path_item(&self, path: &str, operations: &[(&str, &str, &str)]) -> Value {
        let mut item = Map::new();
        for (_, method, action) in operations {
            item.insert((*method).to_owned(), self.operation(action));
        }
        let mut parameters = Vec::new();
        for name in ["name", "namespace"] {
            if path.contains(&format!("{{{name}}}")) {
                let schema = json!({ "type": "string", "uniqueItems": true });
                let parameter =
                    json!({ "name": name, "in": "path", "required": true, "schema": schema });
                parameters.push(parameter);
            }
        }
        item.insert("parameters".to_owned(), parameters.into());
        Value::Object(item)
    }

    fn operation(&self, action: &str) -> Value {
        let (parameters, code) = match action {
            "list" => (LIST_PARAMETERS, "200"),
            "deletecollection" if self.is_custom => (LIST_PARAMETERS, "200"),
            "deletecollection" => (DELETE_COLLECTION_PARAMETERS, "200"),
            "post" => (WRITE_PARAMETERS, "201"),
            "put" => (WRITE_PARAMETERS, "200"),
            "patch" => (PATCH_PARAMETERS, "200"),
            "delete" => (DELETE_PARAMETERS, "200"),
            _ => (&[][..], "200"),
        };
        let mut operation = json!({
            "parameters": parameters.iter().copied().map(query_parameter).collect::<Vec<_>>(),
            "responses": { code: self.response(action) },
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {
                "group": self.group, "version": self.version, "kind": self.kind,
            },
        });
        let own = schema_reference(&self.schema);
        let body = match action {
            "post" | "put" => media_contents(BODY_MEDIA_TYPES, &own),
            "patch" => {
                let strategic = (!self.is_custom).then_some(STRATEGIC_MERGE_PATCH);
                let types: Vec<_> = MERGE_PATCHES.iter().copied().chain(strategic).collect();
                media_contents(&types, &schema_reference(schemas::PATCH))
            }
            "delete" => {
                media_contents(BODY_MEDIA_TYPES, &schema_reference(schemas::DELETE_OPTIONS))
            }
            "deletecollection" if !self.is_custom => {
                media_contents(BODY_MEDIA_TYPES, &schema_reference(schemas::DELETE_OPTIONS))
            }
            _ => return operation,
        };
        operation["requestBody"] =
            json!({ "content": body, "required": !action.starts_with("delete") });
        operation
    }

    fn response(&self, action: &str) -> Value {
        let schema = match action {
            "list" => schema_reference(&format!("{}List", self.schema)),
            "delete" | "deletecollection" => return json!({ "description": "OK" }),
            _ => schema_reference(&self.schema),
        };
        json!({ "description": "OK", "content": media_contents(&["application/json"], &schema) })
    }
}

fn query_parameter(name: &str) -> Value {
    let type_ = match name {
        "limit" | "timeoutSeconds" | "gracePeriodSeconds" => "integer",
        "allowWatchBookmarks" | "sendInitialEvents" | "watch" | "force" | "orphanDependents" => {
            "boolean"
        }
        _ => "string",
    };
    json!({ "name": name, "in": "query", "schema": { "type": type_, "uniqueItems": true } })
}

fn media_contents(media_types: &[&str], schema: &Value) -> Value {
    let of_type = |media_type: &&str| ((*media_type).to_owned(), json!({ "schema": schema }));
    Value::Object(media_types.iter().map(of_type).collect())
}

fn schema_reference(name: &str) -> Value {
    match name {
        "" => json!({ "type": "object" }),
        name => json!({ "$ref": format!("#/components/schemas/{name}") }),
    }
}

/// Returns the path of a group version: `api/v1` or `apis/GROUP/VERSION`.
pub(super) fn version_path(version: &ServedGroupVersion) -> String {
    match &*version.group {
        "" => format!("api/{}", version.version),
        group => format!("apis/{group}/{}", version.version),
    }
}
