//! The struct of a kind: its attributes and fields.

use genclient_codegen::{JsonType, PrinterColumn, Schema};
use genclient_syntax::names as syntax_names;
use serde_json::json;

use super::attribute::KeyArgument;
use super::constraints::{self, Shape};
use super::definition::{ConversionWebhook, ImportedCrd, ImportedVersion};
use super::docs;
use super::losses::{self, Note, note};
use super::types::{Field, ModuleTypes, TypePlace};

/// A kind in one version, as a struct.
#[derive(Debug)]
pub(super) struct ImportedKind {
    pub(super) name: String,
    /// The kind, if the struct has another name.
    pub(super) kind: Option<String>,
    pub(super) group: String,
    /// The version, if the module does not determine it.
    pub(super) version: Option<String>,
    pub(super) description: Option<String>,
    /// Keys of `#[genclient(…)]`.
    pub(super) client: Vec<KeyArgument>,
    /// Keys of `#[crd(…)]`.
    pub(super) crd: Vec<KeyArgument>,
    pub(super) fields: Vec<Field>,
    /// True if the kind preserves unknown fields.
    pub(super) open: bool,
}

/// Fields of every object.
const OF_ALL: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Builds the struct of one version of a definition.
pub(super) fn kind(
    definition: &ImportedCrd,
    version: &ImportedVersion,
    client_only: bool,
    types: &mut ModuleTypes,
    notes: &mut Vec<Note>,
) -> ImportedKind {
    let requires_metadata = version.schema.required.contains("metadata");
    let is_stated = requires_unknown(&version.schema);
    let schema = own_fields(version, is_stated, notes);
    let place = TypePlace {
        path: version.name.clone(),
        words: vec![definition.kind.clone()],
        field: definition.kind.clone(),
    };
    losses::notes_in_docs(&schema, &version.name, notes);
    // A stated schema loses nothing.
    for (name, property) in schema.properties.iter().filter(|_| !is_stated) {
        losses::find(property, &format!("{}.{name}", version.name), name, notes);
    }
    let mut fields = vec![metadata(requires_metadata)];
    fields.extend(types.fields(&schema, &place));
    let mut client = Vec::new();
    if client_only {
        client.push(KeyArgument::Flag("skip_crd"));
    }
    let has_status = schema.properties.contains_key("status");
    if has_status && !version.status {
        client.push(KeyArgument::Flag("no_status"));
    }
    let mut crd = names(definition);
    if !client_only {
        if version.status && !has_status {
            crd.push(KeyArgument::Flag("status"));
        }
        crd.extend(of_version(definition, version));
        crd.extend(if is_stated {
            stated_root(version)
        } else {
            of_root(&schema, &version.name, notes)
        });
    }
    let is_version = syntax_names::is_version(&version.name);
    let name = struct_name(&definition.kind);
    ImportedKind {
        kind: (name != definition.kind).then(|| definition.kind.clone()),
        name,
        group: definition.group.clone(),
        version: (!is_version).then(|| version.name.clone()),
        description: docs::kept(schema.description.as_deref()),
        client,
        crd,
        fields,
        open: schema.preserve_unknown_fields,
    }
}

/// True if the object preserves unknown fields and requires one of them. No field of a struct
/// expresses that, so the import states the whole schema.
fn requires_unknown(schema: &Schema) -> bool {
    let is_known =
        |name: &String| schema.properties.contains_key(name) || OF_ALL.contains(&name.as_str());
    schema.preserve_unknown_fields && !schema.required.iter().all(is_known)
}

/// Returns the schema of a kind without the fields of every object, and without `required` that has
/// no effect or none that a type expresses. `is_stated` says whether an attribute states the schema
/// of the whole object, so that its other constraints are kept.
fn own_fields(version: &ImportedVersion, is_stated: bool, notes: &mut Vec<Note>) -> Schema {
    let mut schema = version.schema.clone();
    if !is_stated {
        note_of_common_fields(&schema, &version.name, notes);
    }
    schema
        .properties
        .retain(|name, _| !OF_ALL.contains(&name.as_str()));
    schema
        .required
        .retain(|name| !OF_ALL.contains(&name.as_str()));
    if version.status && schema.required.remove("status") {
        let text = "`required`: the API server drops the status of a new object, and would then refuse the object; dropped";
        note(notes, &format!("{}.status", version.name), text.to_owned());
    }
    let properties = &schema.properties;
    schema.required.retain(|name| {
        let is_declared = properties.contains_key(name);
        if !is_declared && !is_stated {
            let text = format!("`required: {name}`: the object declares no such field; dropped");
            note(notes, &version.name, text);
        }
        is_declared
    });
    schema
}

/// The kind, or `{kind}Object` if the kind is a name that types must not have.
fn struct_name(kind: &str) -> String {
    if super::types::RESERVED.contains(&kind) {
        format!("{kind}Object")
    } else {
        kind.to_owned()
    }
}

/// Notes the loss of constraints on `apiVersion`, `kind` and `metadata`.
fn note_of_common_fields(schema: &Schema, version: &str, notes: &mut Vec<Note>) {
    for name in ["apiVersion", "kind"] {
        if schema.required.contains(name) {
            let text =
                format!("`required: {name}`: the API server requires it in any case; dropped");
            note(notes, version, text);
        }
        let Some(property) = schema.properties.get(name) else {
            continue;
        };
        let bare = Schema {
            description: property.description.clone(),
            ..Schema::typed(JsonType::String)
        };
        if **property != bare {
            let text = format!(
                "constraints of `{name}`: write a validation rule on the kind instead; dropped"
            );
            note(notes, &format!("{version}.{name}"), text);
        }
    }
    if let Some(metadata) = schema.properties.get("metadata") {
        let bare = Schema {
            description: metadata.description.clone(),
            ..Schema::typed(JsonType::Object)
        };
        if **metadata != bare {
            let text = "constraints of `metadata`: write a validation rule on the kind instead, such as `self.metadata.name.size() <= 63`; dropped";
            note(notes, &format!("{version}.metadata"), text.to_owned());
        }
    }
}

fn metadata(required: bool) -> Field {
    let path = "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta";
    Field {
        name: "metadata".to_owned(),
        description: Some("Standard object metadata.".to_owned()),
        type_: super::types::RustType::Path(path.to_owned()),
        optional: false,
        arguments: if required {
            vec![KeyArgument::Flag("required")]
        } else {
            Vec::new()
        },
    }
}

/// Arguments for the names and the scope, which are equal in all versions of a kind.
fn names(definition: &ImportedCrd) -> Vec<KeyArgument> {
    let mut found = Vec::new();
    let lower = definition.kind.to_lowercase();
    if definition.plural != syntax_names::pluralize(&lower) {
        found.push(KeyArgument::text("plural", &definition.plural));
    }
    if definition.singular != lower {
        found.push(KeyArgument::text("singular", &definition.singular));
    }
    if !definition.is_namespaced {
        found.push(KeyArgument::text("scope", "Cluster"));
    }
    found
}

fn of_version(definition: &ImportedCrd, version: &ImportedVersion) -> Vec<KeyArgument> {
    let mut found = Vec::new();
    if version.storage {
        if definition.versions.len() > 1 {
            found.push(KeyArgument::Flag("storage"));
        }
        found.extend(of_definition(definition));
    }
    if !version.served {
        found.push(KeyArgument::Flag("unserved"));
    }
    match &version.deprecation_warning {
        Some(warning) if version.deprecated => found.push(KeyArgument::text("deprecated", warning)),
        _ if version.deprecated => found.push(KeyArgument::Flag("deprecated")),
        _ => {}
    }
    if let Some(scale) = &version.scale {
        let mut paths = vec![
            KeyArgument::text("spec_replicas_path", &scale.spec_replicas_path),
            KeyArgument::text("status_replicas_path", &scale.status_replicas_path),
        ];
        let selector = scale.label_selector_path.as_ref();
        paths.extend(selector.map(|path| KeyArgument::text("label_selector_path", path)));
        found.push(KeyArgument::List("scale", paths));
    }
    found.extend(version.columns.iter().map(column));
    let fields = version.selectable_fields.iter();
    found.extend(fields.map(|path| KeyArgument::text("selectable_field", path)));
    found
}

/// Arguments that apply to the whole definition. Only the type of the storage version gets them.
fn of_definition(definition: &ImportedCrd) -> Vec<KeyArgument> {
    let mut found = Vec::new();
    if !definition.short_names.is_empty() {
        found.push(KeyArgument::Value(
            "short_names",
            json!(definition.short_names),
        ));
    }
    if !definition.categories.is_empty() {
        found.push(KeyArgument::Value(
            "categories",
            json!(definition.categories),
        ));
    }
    for (name, texts) in [
        ("annotation", &definition.annotations),
        ("label", &definition.labels),
    ] {
        let texts = texts.iter();
        found.extend(texts.map(|(key, value)| KeyArgument::Pair(name, key.clone(), value.clone())));
    }
    if let Some(webhook) = &definition.conversion {
        found.push(conversion(webhook));
    }
    found
}

fn conversion(webhook: &ConversionWebhook) -> KeyArgument {
    let mut found = Vec::new();
    for (name, text) in [
        ("service", &webhook.service),
        ("path", &webhook.path),
        ("url", &webhook.url),
    ] {
        let is_default = name == "path" && text.as_deref() == Some("/convert");
        let text = text.as_ref().filter(|_| !is_default);
        found.extend(text.map(|text| KeyArgument::text(name, text)));
    }
    if let Some(port) = webhook.port {
        found.push(KeyArgument::Value("port", port.into()));
    }
    if webhook.review_versions != ["v1"] {
        found.push(KeyArgument::Value(
            "review_versions",
            json!(webhook.review_versions),
        ));
    }
    KeyArgument::List("conversion", vec![KeyArgument::List("webhook", found)])
}

fn column(column: &PrinterColumn) -> KeyArgument {
    let mut found = vec![
        KeyArgument::text("name", &column.name),
        KeyArgument::text("type", &column.type_),
        KeyArgument::text("json_path", &column.json_path),
    ];
    for (name, text) in [
        ("description", &column.description),
        ("format", &column.format),
    ] {
        found.extend(text.as_ref().map(|text| KeyArgument::text(name, text)));
    }
    if let Some(priority) = column.priority {
        found.push(KeyArgument::Value("priority", priority.into()));
    }
    KeyArgument::List("printcolumn", found)
}

/// The schema of the whole object as an argument.
fn stated_root(version: &ImportedVersion) -> Vec<KeyArgument> {
    let mut whole = Schema {
        type_: Some(JsonType::Object),
        ..version.schema.clone()
    };
    if version.status {
        // `own_fields` has a note of it.
        whole.required.remove("status");
    }
    constraints::stated(&whole)
}

/// Arguments for constraints on the object as a whole. If attributes cannot express the
/// constraints, a note reports the loss.
fn of_root(schema: &Schema, version: &str, notes: &mut Vec<Note>) -> Vec<KeyArgument> {
    let base = Schema {
        preserve_unknown_fields: schema.preserve_unknown_fields,
        properties: schema.properties.clone(),
        required: schema.required.clone(),
        ..Schema::typed(JsonType::Object)
    };
    let target = Schema {
        type_: Some(JsonType::Object),
        default: None,
        ..schema.clone()
    };
    constraints::beside(&base, &target, Shape::Struct).unwrap_or_else(|| {
        let text = "a constraint of the object as a whole: no attribute expresses it; dropped";
        note(notes, version, text.to_owned());
        Vec::new()
    })
}
