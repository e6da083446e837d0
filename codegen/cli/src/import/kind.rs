//! The struct of a kind: its attributes and fields.

use genclient_codegen::{JsonType, PrinterColumn, Schema};
use genclient_syntax::names as syntax_names;
use serde_json::json;

use super::attribute::KeyArgument;
use super::constraints::{self, Shape};
use super::definition::{ConversionWebhook, ImportedCrd, ImportedVersion};
use super::docs;
use super::losses::{self, Note, add_note};
use super::types::{Field, ModuleTypes, TypeLocation};

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
const COMMON_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Builds the struct of one version of a definition.
pub(super) fn import_kind(
    definition: &ImportedCrd,
    version: &ImportedVersion,
    types: &mut ModuleTypes,
    notes: &mut Vec<Note>,
) -> ImportedKind {
    let requires_metadata = version.schema.required.contains("metadata");
    let states_whole_schema = requires_unknown(&version.schema);
    let schema = own_fields(version, states_whole_schema, notes);
    let location = TypeLocation {
        path: version.name.clone(),
        name_chain: vec![definition.kind.clone()],
        field: definition.kind.clone(),
    };
    losses::note_lines_left_out(&schema, &version.name, notes);
    // An attribute with the whole schema loses nothing.
    for (name, property) in schema.properties.iter().filter(|_| !states_whole_schema) {
        losses::note_losses(property, &format!("{}.{name}", version.name), name, notes);
    }
    let mut fields = vec![metadata_field(requires_metadata)];
    fields.extend(types.fields(&schema, &location));
    let mut client = Vec::new();
    if types.is_client_only() {
        client.push(KeyArgument::Flag("skip_crd"));
    }
    let has_status = schema.properties.contains_key("status");
    if has_status && !version.status {
        client.push(KeyArgument::Flag("no_status"));
    }
    let mut crd = name_arguments(definition);
    if !types.is_client_only() {
        if version.status && !has_status {
            crd.push(KeyArgument::Flag("status"));
        }
        crd.extend(version_arguments(definition, version));
        crd.extend(if states_whole_schema {
            root_schema_arguments(version)
        } else {
            root_arguments(&schema, &version.name, notes)
        });
    }
    let is_version = syntax_names::is_version(&version.name);
    let name = struct_name(&definition.kind);
    ImportedKind {
        kind: (name != definition.kind).then(|| definition.kind.clone()),
        name,
        group: definition.group.clone(),
        version: (!is_version).then(|| version.name.clone()),
        description: docs::trim_description(schema.description.as_deref()),
        client,
        crd,
        fields,
        open: schema.preserve_unknown_fields,
    }
}

/// True if the object preserves unknown fields and requires one of them. No field of a struct
/// expresses that, so the import states the whole schema.
fn requires_unknown(schema: &Schema) -> bool {
    let is_known = |name: &String| {
        schema.properties.contains_key(name) || COMMON_FIELDS.contains(&name.as_str())
    };
    schema.preserve_unknown_fields && !schema.required.iter().all(is_known)
}

/// Returns the schema of a kind without the fields of every object, and without `required` that has
/// no effect or none that a type expresses. `states_whole_schema` says whether an attribute states
/// the schema of the whole object, so that its other constraints are kept.
fn own_fields(
    version: &ImportedVersion,
    states_whole_schema: bool,
    notes: &mut Vec<Note>,
) -> Schema {
    let mut schema = version.schema.clone();
    if !states_whole_schema {
        note_constraints_of_common_fields(&schema, &version.name, notes);
    }
    schema
        .properties
        .retain(|name, _| !COMMON_FIELDS.contains(&name.as_str()));
    schema
        .required
        .retain(|name| !COMMON_FIELDS.contains(&name.as_str()));
    if version.status && schema.required.remove("status") {
        let text = "`required`: the API server drops the status of a new object, and would then refuse the object; dropped";
        add_note(notes, &format!("{}.status", version.name), text.to_owned());
    }
    let properties = &schema.properties;
    schema.required.retain(|name| {
        let is_declared = properties.contains_key(name);
        if !is_declared && !states_whole_schema {
            let text = format!("`required: {name}`: the object declares no such field; dropped");
            add_note(notes, &version.name, text);
        }
        is_declared
    });
    schema
}

/// The kind, or `{kind}Object` if the kind is a name that types must not have.
fn struct_name(kind: &str) -> String {
    if super::names::RESERVED_TYPE_NAMES.contains(&kind) {
        format!("{kind}Object")
    } else {
        kind.to_owned()
    }
}

/// Notes the loss of constraints on `apiVersion`, `kind` and `metadata`.
fn note_constraints_of_common_fields(schema: &Schema, version: &str, notes: &mut Vec<Note>) {
    for name in ["apiVersion", "kind"] {
        if schema.required.contains(name) {
            let text =
                format!("`required: {name}`: the API server requires it in any case; dropped");
            add_note(notes, version, text);
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
            add_note(notes, &format!("{version}.{name}"), text);
        }
    }
    if let Some(metadata) = schema.properties.get("metadata") {
        let bare = Schema {
            description: metadata.description.clone(),
            ..Schema::typed(JsonType::Object)
        };
        if **metadata != bare {
            let text = "constraints of `metadata`: write a validation rule on the kind instead, such as `self.metadata.name.size() <= 63`; dropped";
            add_note(notes, &format!("{version}.metadata"), text.to_owned());
        }
    }
}

fn metadata_field(required: bool) -> Field {
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
fn name_arguments(definition: &ImportedCrd) -> Vec<KeyArgument> {
    let mut found = Vec::new();
    let lower = definition.kind.to_lowercase();
    if definition.plural != syntax_names::pluralize(&lower) {
        found.push(KeyArgument::from_text("plural", &definition.plural));
    }
    if definition.singular != lower {
        found.push(KeyArgument::from_text("singular", &definition.singular));
    }
    if !definition.is_namespaced {
        found.push(KeyArgument::from_text("scope", "Cluster"));
    }
    found
}

fn version_arguments(definition: &ImportedCrd, version: &ImportedVersion) -> Vec<KeyArgument> {
    let mut found = Vec::new();
    if version.storage {
        if definition.versions.len() > 1 {
            found.push(KeyArgument::Flag("storage"));
        }
        found.extend(definition_arguments(definition));
    }
    if !version.served {
        found.push(KeyArgument::Flag("unserved"));
    }
    match &version.deprecation_warning {
        Some(warning) if version.deprecated => {
            found.push(KeyArgument::from_text("deprecated", warning))
        }
        _ if version.deprecated => found.push(KeyArgument::Flag("deprecated")),
        _ => {}
    }
    if let Some(scale) = &version.scale {
        let mut paths = vec![
            KeyArgument::from_text("spec_replicas_path", &scale.spec_replicas_path),
            KeyArgument::from_text("status_replicas_path", &scale.status_replicas_path),
        ];
        let selector = scale.label_selector_path.as_ref();
        paths.extend(selector.map(|path| KeyArgument::from_text("label_selector_path", path)));
        found.push(KeyArgument::List("scale", paths));
    }
    found.extend(version.columns.iter().map(printcolumn_argument));
    let fields = version.selectable_fields.iter();
    found.extend(fields.map(|path| KeyArgument::from_text("selectable_field", path)));
    found
}

/// Arguments that apply to the whole definition. Only the type of the storage version gets them.
fn definition_arguments(definition: &ImportedCrd) -> Vec<KeyArgument> {
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
        found.push(conversion_argument(webhook));
    }
    found
}

fn conversion_argument(webhook: &ConversionWebhook) -> KeyArgument {
    let mut found = Vec::new();
    for (name, text) in [
        ("service", &webhook.service),
        ("path", &webhook.path),
        ("url", &webhook.url),
    ] {
        let is_default = name == "path" && text.as_deref() == Some("/convert");
        let text = text.as_ref().filter(|_| !is_default);
        found.extend(text.map(|text| KeyArgument::from_text(name, text)));
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

fn printcolumn_argument(column: &PrinterColumn) -> KeyArgument {
    let mut found = vec![
        KeyArgument::from_text("name", &column.name),
        KeyArgument::from_text("type", &column.type_),
        KeyArgument::from_text("json_path", &column.json_path),
    ];
    for (name, text) in [
        ("description", &column.description),
        ("format", &column.format),
    ] {
        found.extend(text.as_ref().map(|text| KeyArgument::from_text(name, text)));
    }
    if let Some(priority) = column.priority {
        found.push(KeyArgument::Value("priority", priority.into()));
    }
    KeyArgument::List("printcolumn", found)
}

/// The schema of the whole object as an argument.
fn root_schema_arguments(version: &ImportedVersion) -> Vec<KeyArgument> {
    let mut whole = Schema {
        type_: Some(JsonType::Object),
        ..version.schema.clone()
    };
    if version.status {
        // `own_fields` has a note of it.
        whole.required.remove("status");
    }
    constraints::schema_arguments(&whole)
}

/// Arguments for constraints on the object as a whole. If attributes cannot express the
/// constraints, a note reports the loss.
fn root_arguments(schema: &Schema, version: &str, notes: &mut Vec<Note>) -> Vec<KeyArgument> {
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
    constraints::arguments_between(&base, &target, Shape::Struct).unwrap_or_else(|| {
        let text = "a constraint of the object as a whole: no attribute expresses it; dropped";
        add_note(notes, version, text.to_owned());
        Vec::new()
    })
}
