//! Extraction from random objects: an apply of an extracted configuration changes nothing.
//!
//! `hack/oracle/apply -extract` prints objects after writes of several managers, and what client-go
//! extracts; a sample is in `random.jsonl`. `EXTRACT_CASES` names a file with other cases.
//! genclient-merge, whose results equal those of Kubernetes' own field manager, decides whether an
//! apply changes an object.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use genclient::applyconfiguration::{Applicable, ApplyConfiguration, ExtractError, extract};
use genclient::kube::Resource;
use genclient::kube::core::{DynamicObject, NamespaceResourceScope};
use genclient::prelude::*;
use genclient_apimachinery::fieldpath::values_equal;
use genclient_merge::ssa::{self, FieldManager, ResourceFieldManagers, Types, Writer};
use genclient_schema::Schema;
use serde_json::{Map, Value, json};

thread_local! {
    /// The kind of all objects: `apiVersion`, `kind`, and the schema if it is a custom resource.
    static KIND: RefCell<(String, String, Value)> = RefCell::default();
}

/// An object of that kind.
#[derive(Clone, Debug, Deserialize)]
struct Widget {
    metadata: ObjectMeta,
}

impl Resource for Widget {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        KIND.with_borrow(|(_, kind, _)| Cow::Owned(kind.clone()))
    }

    fn group((): &()) -> Cow<'_, str> {
        unimplemented!()
    }

    fn version((): &()) -> Cow<'_, str> {
        unimplemented!()
    }

    fn api_version((): &()) -> Cow<'_, str> {
        KIND.with_borrow(|(version, ..)| Cow::Owned(version.clone()))
    }

    fn plural((): &()) -> Cow<'_, str> {
        unimplemented!()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Configuration that can state anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WidgetApply {
    metadata: ObjectMeta,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl Applicable for WidgetApply {
    type Object = Widget;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl ApplyConfiguration for WidgetApply {
    /// Also true of structs without defaults: nobody owns an empty set or map list in them.
    fn is_granular(path: &[&str]) -> bool {
        KIND.with_borrow(|(_, _, schema)| {
            let mut schema = schema;
            for name in path {
                while schema["type"] == "array" {
                    schema = &schema["items"];
                }
                let property = &schema["properties"][name];
                schema = match property {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                };
            }
            schema["type"] == "object" && schema["x-kubernetes-map-type"] != "atomic"
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    seed: i64,
    /// Name of the definition of a built-in kind.
    #[serde(default)]
    definition: String,
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    versions: Option<Vec<Version>>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Version {
    schema: Value,
    status: bool,
}

#[derive(Deserialize)]
struct Step {
    #[serde(default)]
    object: Value,
    #[serde(default)]
    extracted: Vec<Extracted>,
}

/// What client-go extracts for one manager.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extracted {
    manager: String,
    #[serde(default)]
    subresource: String,
    api_version: String,
    fields: Value,
    #[serde(default)]
    error: String,
}

/// Field managers of the kind of a case.
enum Managers {
    /// Of a definition with the version `v1`.
    Custom(ResourceFieldManagers, Value),
    Builtin(FieldManager),
}

impl Managers {
    fn of(case: &Case) -> Self {
        if let Some([version]) = case.versions.as_deref() {
            let schema = Schema::deserialize(&version.schema).unwrap();
            let described = ssa::Version {
                name: "v1",
                schema: Some(&schema),
                status: version.status,
                replicas: None,
            };
            let managers = ResourceFieldManagers::new("probe.dev", "Widget", &[described], None);
            return Self::Custom(managers, version.schema.clone());
        }
        let mut types = Types::new();
        let definition = types.published_type(&case.definition);
        let versions = vec![(case.api_version.clone(), definition)];
        let (version, kind) = (&*case.api_version, &*case.kind);
        Self::Builtin(FieldManager::new(version, kind, Arc::new(types), versions))
    }

    /// Returns the field manager of the objects or of their status, and the schema.
    fn find(&self, subresource: &str) -> (FieldManager, Value) {
        match self {
            Self::Custom(managers, schema) => {
                let manager = match subresource {
                    "status" => managers.status_of("v1"),
                    _ => managers.objects("v1"),
                };
                (manager.unwrap().clone(), schema.clone())
            }
            Self::Builtin(manager) => (manager.clone().at_subresource(subresource), Value::Null),
        }
    }
}

#[test]
fn apply_of_an_extracted_configuration_changes_nothing() {
    let given = std::env::var("EXTRACT_CASES").map(|path| std::fs::read_to_string(path).unwrap());
    let lines = given.unwrap_or_else(|_| include_str!("random.jsonl").to_owned());
    let (mut unchanged, mut failures) = (0, Vec::new());
    for line in lines.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let managers = Managers::of(&case);
        for (at, step) in case.steps.iter().enumerate() {
            for extracted in &step.extracted {
                match check(&step.object, extracted, &managers) {
                    Ok(Outcome::Unchanged) => unchanged += 1,
                    Ok(Outcome::Null) => {}
                    Err(failure) => {
                        let (seed, manager) = (case.seed, &extracted.manager);
                        failures.push(format!("seed {seed}, step {at}, {manager}: {failure}"));
                    }
                }
            }
        }
    }
    let first: Vec<_> = failures.iter().take(5).cloned().collect();
    let failed = failures.len();
    assert!(failed == 0, "{failed} failures\n{}", first.join("\n\n"));
    assert!(unchanged > 100, "{unchanged}");
}

/// What an extraction is good for.
enum Outcome {
    /// The apply of the configuration changes nothing.
    Unchanged,
    /// The manager owns a null, which an apply cannot state.
    Null,
}

/// Extracts the fields of a manager, applies them again, and compares them with client-go's.
fn check(object: &Value, extracted: &Extracted, managers: &Managers) -> Result<Outcome, String> {
    let Extracted {
        manager,
        subresource,
        api_version,
        fields,
        error,
    } = extracted;
    let (kind, schema) = managers.find(subresource);
    let name = object["kind"].as_str().unwrap().to_owned();
    KIND.set((api_version.clone(), name, schema));
    let dynamic: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let config = match extract::<WidgetApply>(&dynamic, manager, subresource) {
        Ok(config) => serde_json::to_value(config).unwrap(),
        Err(ExtractError::Inexpressible { .. }) if has_null(&without_managers(object)) => {
            return Ok(Outcome::Null);
        }
        Err(error) => return Err(format!("{error}\nclient-go: {fields}\nobject: {object}")),
    };
    let writer = Writer {
        manager,
        now: "2100-01-01T00:00:00Z",
    };
    let applied = ssa::apply(&kind, Some(object), &config, writer, false);
    let changed = applied.map_err(|error| format!("{error}\n{config}\nobject: {object}"))?;
    if changed.is_some_and(|changed| !values_equal(&changed, object)) {
        return Err(format!("changed by {config}\nobject: {object}"));
    }
    // Of objects with equal items, client-go extracts nothing.
    if !error.is_empty() || agree(&without_identity(&config), &without_identity(fields)) {
        Ok(Outcome::Unchanged)
    } else {
        Err(format!("{config}\nclient-go: {fields}\nobject: {object}"))
    }
}

/// Returns the object without its managed fields.
fn without_managers(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("managedFields");
    object
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Returns the fields without type meta and name, of which client-go extracts less.
fn without_identity(fields: &Value) -> Value {
    let mut fields = fields.clone();
    let members = fields.as_object_mut().unwrap();
    members.retain(|name, _| name != "apiVersion" && name != "kind");
    let metadata = members.entry("metadata").or_insert_with(|| json!({}));
    let metadata = metadata.as_object_mut().unwrap();
    metadata.retain(|name, _| name != "name" && name != "namespace");
    fields
}

/// Returns whether both extract the same. Where a manager has applied an empty struct or list,
/// client-go extracts null or fields of others.
fn agree(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) if !ours.is_empty() => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .all(|(name, ours)| theirs.get(name).is_some_and(|theirs| agree(ours, theirs)))
        }
        (Value::Array(ours), Value::Array(theirs)) if !ours.is_empty() => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| agree(ours, theirs))
        }
        (Value::Object(_), Value::Object(_) | Value::Null) => true,
        (Value::Array(ours), Value::Null) => ours.is_empty(),
        _ => values_equal(ours, theirs),
    }
}
