//! Custom resource definitions as data to compare, and the parser for YAML texts that contain them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use genclient_apimachinery::unstructured::{flatten_list, list_or_empty, str_or_empty};
use genclient_schema::yaml::{ReadError, documents};
use serde_json::{Value, json};

use super::schema::{self, Node};

/// A YAML text: a file, stdin, or generated output.
#[derive(Debug, PartialEq)]
pub struct Text {
    /// The package that the text belongs to.
    pub package: Option<String>,
    /// The name as shown in messages: a path, `REV:path`, `stdin`.
    pub label: String,
    /// The text itself.
    pub text: String,
}

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
    fn from_document(document: &Value, source: &Arc<Text>) -> Option<Self> {
        let spec = &document["spec"];
        let names = &spec["names"];
        let kind = str_or_empty(&names["kind"]).to_owned();
        let or = |value: &Value, other: String| value.as_str().map_or(other, str::to_owned);
        let plural = str_or_empty(&names["plural"]).to_owned();
        let group = str_or_empty(&spec["group"]).to_owned();
        let versions: Vec<_> = read_versions(spec);
        if versions.is_empty() {
            return None;
        }
        Some(Self {
            name: or(&document["metadata"]["name"], format!("{plural}.{group}")),
            list_kind: or(&names["listKind"], format!("{kind}List")),
            singular: or(&names["singular"], kind.to_lowercase()),
            short_names: string_set(&names["shortNames"]),
            categories: string_set(&names["categories"]),
            scope: str_or_empty(&spec["scope"]).to_owned(),
            webhook: read_webhook(&spec["conversion"]),
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

fn read_versions(spec: &Value) -> Vec<DefinitionVersion> {
    let mut versions: Vec<_> = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(read_version)
        .collect();
    // The API server refuses a second version of the same name. Here the first one counts.
    let mut names = BTreeSet::new();
    versions.retain(|version| names.insert(version.name.clone()));
    // `storage` of a single version has only one valid value, so a file may leave it out.
    if let [only] = versions.as_mut_slice() {
        only.storage = true;
    }
    // Definitions of `v1beta1` may have been stored with this field, which turns pruning off.
    if spec["preserveUnknownFields"] == Value::Bool(true) {
        for version in &mut versions {
            version.schema.keeps_unknown = true;
        }
    }
    versions
}

fn read_version(version: &Value) -> DefinitionVersion {
    let subresources = &version["subresources"];
    let fields = list_or_empty(&version["selectableFields"]).iter();
    DefinitionVersion {
        name: str_or_empty(&version["name"]).to_owned(),
        served: version["served"] != Value::Bool(false),
        storage: version["storage"] == Value::Bool(true),
        deprecated: version["deprecated"] == Value::Bool(true),
        status: subresources["status"].is_object(),
        scale: subresources
            .get("scale")
            .filter(|scale| scale.is_object())
            .cloned(),
        selectable_fields: fields
            .map(|field| str_or_empty(&field["jsonPath"]).to_owned())
            .collect(),
        schema: schema::root(&version["schema"]["openAPIV3Schema"]),
    }
}

fn read_webhook(conversion: &Value) -> Option<Value> {
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

fn string_set(value: &Value) -> BTreeSet<String> {
    let texts = list_or_empty(value).iter();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Reads the definitions in all texts, sorted by name.
///
/// # Errors
///
/// A text is not YAML, or a definition occurs twice or has an API version other than
/// `apiextensions.k8s.io/v1`. All texts with errors are reported.
pub fn parse_all(texts: Vec<Text>) -> Result<Vec<Definition>, Vec<ReadError>> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut errors = Vec::new();
    for text in texts.into_iter().map(Arc::new) {
        let definitions = match parse_text(&text) {
            Ok(definitions) => definitions,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for definition in definitions {
            match found.get(&definition.name) {
                Some(first) => errors.push(duplicate_definition(first, &definition)),
                None => {
                    found.insert(definition.name.clone(), definition);
                }
            }
        }
    }
    if errors.is_empty() {
        Ok(found.into_values().collect())
    } else {
        Err(errors)
    }
}

fn duplicate_definition(first: &Definition, second: &Definition) -> ReadError {
    ReadError {
        message: format!(
            "duplicate CRD {}: in {} and in {}",
            first.name, first.text.label, second.text.label
        ),
        help: "name a folder or file with one definition of each CRD".to_owned(),
    }
}

fn parse_text(text: &Arc<Text>) -> Result<Vec<Definition>, ReadError> {
    let documents: Vec<Value> = documents(&text.text, &text.label)?;
    let mut definitions = Vec::new();
    for document in documents.into_iter().flat_map(flatten_list) {
        definitions.extend(parse_document(&document, text)?);
    }
    Ok(definitions)
}

/// Returns the definition in a document, or `None` if it has another object.
fn parse_document(document: &Value, text: &Arc<Text>) -> Result<Option<Definition>, ReadError> {
    if document["kind"] != "CustomResourceDefinition" {
        return Ok(None);
    }
    match document["apiVersion"].as_str() {
        Some("apiextensions.k8s.io/v1") | None => Ok(Definition::from_document(document, text)),
        Some(version) => Err(unsupported_version(text, version)),
    }
}

fn unsupported_version(text: &Text, version: &str) -> ReadError {
    ReadError {
        message: format!(
            "{} has a CustomResourceDefinition of the unsupported version `{version}`",
            text.label
        ),
        help: "convert it to `apiVersion: apiextensions.k8s.io/v1`".to_owned(),
    }
}
