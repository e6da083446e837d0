//! A custom resource definition as data to compare.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::schema::{self, Node};
use super::text::Text;

/// A custom resource definition, read from untrusted YAML.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name: `gputasks.falldio.com`.
    pub name: String,
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short_names: BTreeSet<String>,
    pub(super) categories: BTreeSet<String>,
    pub(super) scope: String,
    /// The conversion webhook; `None` if conversion only changes `apiVersion`.
    pub(super) webhook: Option<Value>,
    pub(super) versions: Vec<DefinitionVersion>,
    pub(super) text: Arc<Text>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefinitionVersion {
    pub(super) name: String,
    pub(super) served: bool,
    pub(super) storage: bool,
    pub(super) deprecated: bool,
    pub(super) status: bool,
    pub(super) scale: Option<Value>,
    pub(super) selectable_fields: BTreeSet<String>,
    pub(super) schema: Node,
}

impl Definition {
    /// Reads a definition from `document`. Returns `None` if the document has no versions, as in a
    /// patch of a definition.
    pub(super) fn of(document: &Value, source: &Arc<Text>) -> Option<Self> {
        let spec = &document["spec"];
        let names = &spec["names"];
        let kind = text(&names["kind"]);
        let or = |value: &Value, other: String| value.as_str().map_or(other, str::to_owned);
        let plural = text(&names["plural"]);
        let group = text(&spec["group"]);
        let versions: Vec<_> = versions(spec);
        if versions.is_empty() {
            return None;
        }
        Some(Self {
            name: or(&document["metadata"]["name"], format!("{plural}.{group}")),
            list_kind: or(&names["listKind"], format!("{kind}List")),
            singular: or(&names["singular"], kind.to_lowercase()),
            short_names: texts(&names["shortNames"]),
            categories: texts(&names["categories"]),
            scope: text(&spec["scope"]),
            webhook: webhook(&spec["conversion"]),
            group,
            kind,
            plural,
            versions,
            text: Arc::clone(source),
        })
    }

    pub(super) fn version(&self, name: &str) -> Option<&DefinitionVersion> {
        self.versions.iter().find(|version| version.name == name)
    }

    pub(super) fn storage(&self) -> Option<&DefinitionVersion> {
        self.versions.iter().find(|version| version.storage)
    }
}

fn versions(spec: &Value) -> Vec<DefinitionVersion> {
    let mut versions: Vec<_> = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(version)
        .collect();
    let mut names = BTreeSet::new();
    versions.retain(|version| names.insert(version.name.clone()));
    if let [only] = versions.as_mut_slice() {
        only.storage = true;
    }
    if spec["preserveUnknownFields"] == Value::Bool(true) {
        for version in &mut versions {
            version.schema.keeps_unknown = true;
        }
    }
    versions
}

fn version(version: &Value) -> DefinitionVersion {
    let subresources = &version["subresources"];
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    DefinitionVersion {
        name: text(&version["name"]),
        served: version["served"] != Value::Bool(false),
        storage: version["storage"] == Value::Bool(true),
        deprecated: version["deprecated"] == Value::Bool(true),
        status: subresources["status"].is_object(),
        scale: subresources
            .get("scale")
            .filter(|scale| scale.is_object())
            .cloned(),
        selectable_fields: fields.map(|field| text(&field["jsonPath"])).collect(),
        schema: schema::root(&version["schema"]["openAPIV3Schema"]),
    }
}

fn webhook(conversion: &Value) -> Option<Value> {
    if conversion["strategy"] != "Webhook" {
        return None;
    }
    let mut webhook = conversion["webhook"].clone();
    if let Some(client) = webhook
        .get_mut("clientConfig")
        .and_then(Value::as_object_mut)
    {
        // Certificates are not compared, because they are injected when a definition is installed,
        // and are rotated.
        client.remove("caBundle");
        if let Some(service) = client.get_mut("service").and_then(Value::as_object_mut) {
            // Without a path, the API server calls `/`. Without a port, it sets 443
            // (`SetDefaults_ServiceReference` of apiextensions-apiserver).
            service.entry("path").or_insert_with(|| "/".into());
            service.entry("port").or_insert_with(|| 443.into());
        }
    }
    Some(if webhook.is_null() {
        json!({})
    } else {
        webhook
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> BTreeSet<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}
