//! OpenAPI schemas of built-in kinds and of discovery, with all schemas that they refer to.

use std::collections::BTreeMap;

use genclient_builtins::types::GoType;
use genclient_schema::kubernetes;
use serde_json::{Map, Value, json};

use crate::discovery::ServedGroupVersion;

pub(super) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
pub(super) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(super) const API_GROUP: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup";
pub(super) const API_GROUP_LIST: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList";
pub(super) const API_VERSIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions";
const API_RESOURCE_LIST: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList";
const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
/// The schema of `Status` that kube-apiserver publishes.
const STATUS_SCHEMA: &str = include_str!("../../data/status.json");
const WATCH_EVENT: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";
pub(super) const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// Prefixes of schema names. The rest of a name becomes a Go type: `apps.v1.Deployment` becomes
/// `apps/v1.Deployment`.
const PREFIXES: &[&str] = &[
    "io.k8s.api.",
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.kube-aggregator.pkg.apis.",
];

/// Returns the name of a built-in kind's schema.
pub(super) fn schema_name(group: &str, version: &str, kind: &str) -> Option<String> {
    let type_ = GoType::of_kind(group, version, kind)?;
    let below = type_.name().replacen('/', ".", 1);
    let names = PREFIXES.iter().map(|prefix| format!("{prefix}{below}"));
    names.into_iter().find(|name| kubernetes::contains(name))
}

/// Returns the Go type that a schema describes.
fn go_type(name: &str) -> Option<GoType> {
    let mut below = PREFIXES.iter().filter_map(|it| name.strip_prefix(it));
    GoType::named(&below.next()?.replacen('.', "/", 1))
}

/// Returns the schemas of the kinds in a group version and all schemas that they refer to, by name.
pub(super) fn builtin_schemas(version: &ServedGroupVersion) -> Value {
    let mut schemas = Schemas::default();
    for resource in &version.resources {
        let (group, number) = (&*version.group, &*version.version);
        schemas.add_kind(group, number, &resource.kind);
        if resource.verbs.iter().any(|verb| verb == "list") {
            schemas.add_list(group, number, &resource.kind);
        }
        for sub in &resource.subresources {
            match &*sub.version {
                "" => schemas.add_kind(group, number, &sub.kind),
                found => schemas.add_kind(&sub.group, found, &sub.kind),
            }
        }
    }
    let takes = |verb: &str| {
        let mut resources = version.resources.iter();
        resources.any(|resource| resource.verbs.iter().any(|it| it == verb))
    };
    schemas.add(API_RESOURCE_LIST);
    for (verb, name) in [
        ("patch", PATCH),
        ("delete", DELETE_OPTIONS),
        ("delete", STATUS),
        ("watch", WATCH_EVENT),
    ] {
        if !takes(verb) {
            continue;
        }
        match name {
            STATUS => schemas.add_status(),
            name => schemas.add(name),
        }
    }
    schemas.finish()
}

/// Returns a schema of a discovery document and all schemas that it refers to, by name.
pub(super) fn discovery_schemas(name: &str) -> Value {
    let mut schemas = Schemas::default();
    schemas.add(name);
    schemas.finish()
}

/// Builder of a set of schemas. `finish` adds all schemas that they refer to.
#[derive(Default)]
pub(super) struct Schemas {
    found: BTreeMap<String, Value>,
    /// Names of schemas that are to be added.
    open: Vec<String>,
}

impl Schemas {
    pub(super) fn add(&mut self, name: &str) {
        self.open.push(name.to_owned());
    }

    pub(super) fn add_scale(&mut self) {
        self.add(SCALE);
        self.add_open();
        self.add_group_version_kind(SCALE, "autoscaling", "v1", "Scale");
    }

    /// Adds the schema of `Status`, which `kubernetes::published` does not have.
    fn add_status(&mut self) {
        let status = serde_json::from_str(STATUS_SCHEMA).unwrap_or_default();
        let status = self.resolve_references(status, 0);
        self.insert(STATUS.to_owned(), status);
        self.add_group_version_kind(STATUS, "", "v1", "Status");
    }

    pub(super) fn insert(&mut self, name: String, schema: Value) {
        self.found.insert(name, schema);
    }

    pub(super) fn finish(mut self) -> Value {
        self.add_open();
        Value::Object(self.found.into_iter().collect())
    }

    fn add_kind(&mut self, group: &str, version: &str, kind: &str) {
        if let Some(name) = schema_name(group, version, kind) {
            self.add(&name);
            self.add_open();
            self.add_group_version_kind(&name, group, version, kind);
        }
    }

    fn add_list(&mut self, group: &str, version: &str, kind: &str) {
        if let Some(item) = schema_name(group, version, kind) {
            let list = format!("{kind}List");
            self.insert(
                format!("{item}List"),
                list_schema(&item, group, version, &list),
            );
            self.add(LIST_META);
        }
    }

    /// Adds `x-kubernetes-group-version-kind` to a schema.
    fn add_group_version_kind(&mut self, name: &str, group: &str, version: &str, kind: &str) {
        if let Some(schema) = self.found.get_mut(name) {
            let kind = json!({ "group": group, "version": version, "kind": kind });
            schema["x-kubernetes-group-version-kind"] = json!([kind]);
        }
    }

    /// Adds the schemas in `open`, and all that they refer to.
    fn add_open(&mut self) {
        while let Some(name) = self.open.pop() {
            if self.found.contains_key(&name) {
                continue;
            }
            let text = kubernetes::published(&name).unwrap_or("{}");
            let published = serde_json::from_str(text).unwrap_or_default();
            let mut schema = self.resolve_references(published, 0);
            add_merge_keys(&name, &mut schema);
            self.found.insert(name, schema);
        }
    }

    /// Returns a published schema with its references in the form of OpenAPI v3. The referenced
    /// schemas are added to `open`.
    fn resolve_references(&mut self, schema: Value, depth: usize) -> Value {
        let Value::Object(members) = schema else {
            return schema;
        };
        if depth > 20 {
            return json!({});
        }
        let mut out = Map::new();
        for (key, value) in members {
            let value = match (&*key, value) {
                ("properties", Value::Object(properties)) => {
                    let resolved = properties.into_iter().map(|(name, property)| {
                        (name, self.resolve_references(property, depth + 1))
                    });
                    Value::Object(resolved.collect())
                }
                ("items" | "additionalProperties", value) => {
                    self.resolve_references(value, depth + 1)
                }
                ("$ref", Value::String(name)) => {
                    let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
                    self.open.push(name);
                    out.insert("allOf".to_owned(), json!([reference]));
                    continue;
                }
                (_, value) => value,
            };
            out.insert(key, value);
        }
        Value::Object(out)
    }
}

/// Returns the schema of a field that every object has: `apiVersion`, `kind` or `metadata`.
pub(super) fn object_property(field: &str) -> Value {
    let text = kubernetes::published("io.k8s.api.core.v1.ConfigMap").unwrap_or("{}");
    let published: Value = serde_json::from_str(text).unwrap_or_default();
    Schemas::default().resolve_references(published["properties"][field].clone(), 0)
}

/// Returns the schema of a list; `item` is the name of its items' schema.
pub(super) fn list_schema(item: &str, group: &str, version: &str, kind: &str) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    json!({
        "description": format!("{kind} is a list of {}.", kind.trim_end_matches("List")),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": object_property("apiVersion"),
            "kind": object_property("kind"),
            "metadata": { "allOf": [reference(LIST_META)] },
            "items": { "type": "array", "items": reference(item) },
        },
        "x-kubernetes-group-version-kind": [
            { "group": group, "version": version, "kind": kind },
        ],
    })
}

/// Adds `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key` to the fields of a schema.
fn add_merge_keys(name: &str, schema: &mut Value) {
    let fields = go_type(name).map_or(&[][..], GoType::fields);
    let properties = schema.get_mut("properties");
    let Some(properties) = properties.and_then(Value::as_object_mut) else {
        return;
    };
    for field in fields {
        let Some(property) = properties.get_mut(field.name) else {
            continue;
        };
        let marks = [
            ("x-kubernetes-patch-strategy", field.strategies),
            ("x-kubernetes-patch-merge-key", field.merge_key),
        ];
        for (key, text) in marks {
            if !text.is_empty() {
                property[key] = text.into();
            }
        }
    }
}
