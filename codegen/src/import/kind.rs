//! The struct of a kind: its attributes, and the fields beside `metadata`.

use genclient_syntax::names as syntax_names;
use serde_json::json;

use super::attribute::Argument;
use super::constraints::{self, Shape};
use super::definition::{Definition, Note, Version, Webhook, note};
use super::types::{Field, Place, Types};
use super::{docs, losses};
use crate::model::{JsonType, PrinterColumn, Schema};

/// A kind in one version, as a struct.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) group: String,
    /// The version, where the module does not say it.
    pub(super) version: Option<String>,
    pub(super) description: Option<String>,
    /// Keys of `#[genclient(…)]`.
    pub(super) client: Vec<Argument>,
    /// Keys of `#[crd(…)]`.
    pub(super) crd: Vec<Argument>,
    pub(super) fields: Vec<Field>,
    /// True if it keeps fields that it does not name.
    pub(super) open: bool,
}

/// Fields that every object has.
const OF_ALL: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The kind that a version of a definition is about.
pub(super) fn kind(
    definition: &Definition,
    version: &Version,
    client_only: bool,
    types: &mut Types,
    notes: &mut Vec<Note>,
) -> Kind {
    let mut schema = version.schema.clone();
    note_of_common_fields(&schema, &version.name, notes);
    let requires_metadata = schema.required.contains("metadata");
    schema
        .properties
        .retain(|name, _| !OF_ALL.contains(&name.as_str()));
    schema
        .required
        .retain(|name| !OF_ALL.contains(&name.as_str()));
    if version.status && schema.required.remove("status") {
        let text = "`required`: the API server keeps no status of a new object, and would refuse every one";
        note(notes, &format!("{}.status", version.name), text.to_owned());
    }
    let place = Place {
        path: version.name.clone(),
        words: vec![definition.kind.clone()],
        field: definition.kind.clone(),
    };
    for (name, property) in &schema.properties {
        losses::find(property, &format!("{}.{name}", version.name), name, notes);
    }
    let mut fields = vec![metadata(requires_metadata)];
    fields.extend(types.fields(&schema, &place));
    let mut client = Vec::new();
    if client_only {
        client.push(Argument::Flag("skip_crd"));
    }
    let has_status = schema.properties.contains_key("status");
    if has_status && !version.status {
        client.push(Argument::Flag("no_status"));
    }
    if !has_status && version.status {
        let text = "the status subresource: the schema has no `status`";
        note(notes, &version.name, text.to_owned());
    }
    let mut crd = names(definition);
    if !client_only {
        crd.extend(of_version(definition, version));
        crd.extend(of_root(&schema, &version.name, notes));
    }
    let is_version = syntax_names::is_version(&version.name);
    Kind {
        name: definition.kind.clone(),
        group: definition.group.clone(),
        version: (!is_version).then(|| version.name.clone()),
        description: docs::kept(schema.description.as_deref()),
        client,
        crd,
        fields,
        open: schema.preserve_unknown_fields,
    }
}

/// What a definition says of fields that genclient writes for all kinds in one way.
fn note_of_common_fields(schema: &Schema, version: &str, notes: &mut Vec<Note>) {
    for name in ["apiVersion", "kind"] {
        if schema.required.contains(name) {
            let text = format!("`required: {name}`: the API server asks for it in any case");
            note(notes, version, text);
        }
    }
    if let Some(metadata) = schema.properties.get("metadata") {
        let bare = Schema {
            description: metadata.description.clone(),
            ..Schema::typed(JsonType::Object)
        };
        if **metadata != bare {
            let text = "constraints of `metadata`: write a rule on the kind, such as `self.metadata.name.size() <= 63`";
            note(notes, &format!("{version}.metadata"), text.to_owned());
        }
    }
}

fn metadata(required: bool) -> Field {
    let path = "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta";
    Field {
        name: "metadata".to_owned(),
        description: Some(
            "Name, namespace, labels and what the API server keeps of the object.".to_owned(),
        ),
        type_: super::types::RustType::Path(path.to_owned()),
        optional: false,
        arguments: if required {
            vec![Argument::Flag("required")]
        } else {
            Vec::new()
        },
    }
}

/// What all versions of a kind say alike.
fn names(definition: &Definition) -> Vec<Argument> {
    let mut found = Vec::new();
    let lower = definition.kind.to_lowercase();
    if definition.plural != syntax_names::pluralize(&lower) {
        found.push(Argument::text("plural", &definition.plural));
    }
    if definition.singular != lower {
        found.push(Argument::text("singular", &definition.singular));
    }
    if !definition.is_namespaced {
        found.push(Argument::text("scope", "Cluster"));
    }
    found
}

fn of_version(definition: &Definition, version: &Version) -> Vec<Argument> {
    let mut found = Vec::new();
    if version.storage {
        if definition.versions.len() > 1 {
            found.push(Argument::Flag("storage"));
        }
        found.extend(of_definition(definition));
    }
    if !version.served {
        found.push(Argument::Flag("unserved"));
    }
    match &version.deprecation_warning {
        Some(warning) if version.deprecated => found.push(Argument::text("deprecated", warning)),
        _ if version.deprecated => found.push(Argument::Flag("deprecated")),
        _ => {}
    }
    if let Some(scale) = &version.scale {
        let mut paths = vec![
            Argument::text("spec_replicas_path", &scale.spec_replicas_path),
            Argument::text("status_replicas_path", &scale.status_replicas_path),
        ];
        let selector = scale.label_selector_path.as_ref();
        paths.extend(selector.map(|path| Argument::text("label_selector_path", path)));
        found.push(Argument::List("scale", paths));
    }
    found.extend(version.columns.iter().map(column));
    let fields = version.selectable_fields.iter();
    found.extend(fields.map(|path| Argument::text("selectable_field", path)));
    found
}

/// What a definition says once, which stands on the stored version.
fn of_definition(definition: &Definition) -> Vec<Argument> {
    let mut found = Vec::new();
    if !definition.short_names.is_empty() {
        found.push(Argument::Value(
            "short_names",
            json!(definition.short_names),
        ));
    }
    if !definition.categories.is_empty() {
        found.push(Argument::Value("categories", json!(definition.categories)));
    }
    for (name, texts) in [
        ("annotation", &definition.annotations),
        ("label", &definition.labels),
    ] {
        let texts = texts.iter();
        found.extend(texts.map(|(key, value)| Argument::Pair(name, key.clone(), value.clone())));
    }
    if let Some(webhook) = &definition.conversion {
        found.push(conversion(webhook));
    }
    found
}

fn conversion(webhook: &Webhook) -> Argument {
    let mut found = Vec::new();
    for (name, text) in [
        ("service", &webhook.service),
        ("path", &webhook.path),
        ("url", &webhook.url),
    ] {
        let is_default = name == "path" && text.as_deref() == Some("/convert");
        let text = text.as_ref().filter(|_| !is_default);
        found.extend(text.map(|text| Argument::text(name, text)));
    }
    if let Some(port) = webhook.port {
        found.push(Argument::Value("port", port.into()));
    }
    if webhook.review_versions != ["v1"] {
        found.push(Argument::Value(
            "review_versions",
            json!(webhook.review_versions),
        ));
    }
    Argument::List("conversion", vec![Argument::List("webhook", found)])
}

fn column(column: &PrinterColumn) -> Argument {
    let mut found = vec![
        Argument::text("name", &column.name),
        Argument::text("type", &column.type_),
        Argument::text("json_path", &column.json_path),
    ];
    for (name, text) in [
        ("description", &column.description),
        ("format", &column.format),
    ] {
        found.extend(text.as_ref().map(|text| Argument::text(name, text)));
    }
    if let Some(priority) = column.priority {
        found.push(Argument::Value("priority", priority.into()));
    }
    Argument::List("printcolumn", found)
}

/// Constraints of the object as a whole.
fn of_root(schema: &Schema, version: &str, notes: &mut Vec<Note>) -> Vec<Argument> {
    let base = Schema {
        preserve_unknown_fields: schema.preserve_unknown_fields,
        ..Schema::typed(JsonType::Object)
    };
    let target = Schema {
        type_: Some(JsonType::Object),
        default: None,
        ..schema.clone()
    };
    constraints::beside(&base, &target, Shape::Struct).unwrap_or_else(|| {
        let text = "a constraint of the object as a whole: no attribute says it";
        note(notes, version, text.to_owned());
        Vec::new()
    })
}
