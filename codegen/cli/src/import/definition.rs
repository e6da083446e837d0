//! Custom resource definitions as plain data.

use std::collections::BTreeMap;

use genclient_codegen::{Diagnostic, Diagnostics, PrinterColumn, Scale, Schema};
use genclient_syntax::{dns, names};
use serde_json::Value;

use super::keywords;
use super::losses::{Note, note};

#[derive(Clone, Debug)]
pub(super) struct ImportedCrd {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) is_namespaced: bool,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) conversion: Option<ConversionWebhook>,
    pub(super) versions: Vec<ImportedVersion>,
    /// The file that the definition was read from.
    pub(super) place: String,
    /// Parts of the definition that no Rust type expresses, by path.
    pub(super) notes: Vec<Note>,
}

#[derive(Clone, Debug)]
pub(super) struct ConversionWebhook {
    pub(super) service: Option<String>,
    pub(super) path: Option<String>,
    pub(super) port: Option<u64>,
    pub(super) url: Option<String>,
    pub(super) review_versions: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct ImportedVersion {
    pub(super) name: String,
    pub(super) served: bool,
    pub(super) storage: bool,
    pub(super) deprecated: bool,
    pub(super) deprecation_warning: Option<String>,
    pub(super) schema: Schema,
    pub(super) status: bool,
    pub(super) scale: Option<Scale>,
    pub(super) columns: Vec<PrinterColumn>,
    pub(super) selectable_fields: Vec<String>,
}

/// The annotation in which `kubectl apply` stores the object that it applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl ImportedCrd {
    /// Reads a definition of `apiextensions.k8s.io/v1`.
    ///
    /// # Errors
    ///
    /// A required part of the definition is missing, a name is invalid, or a keyword has a value of
    /// the wrong type.
    pub(super) fn read(document: &Value, place: &str) -> Result<Self, Diagnostics> {
        let (metadata, spec) = (&document["metadata"], &document["spec"]);
        let stated = &spec["names"];
        let mut notes = Vec::new();
        let name = text(&metadata["name"]).unwrap_or_default();
        let needed = |value: &Value, path: &str| {
            text(value).ok_or_else(|| {
                Diagnostic::error(format!("{place}: the CRD `{name}` has no `{path}`"))
                    .help("name a file with a complete CustomResourceDefinition")
            })
        };
        let kind = needed(&stated["kind"], "spec.names.kind")?;
        let plural = needed(&stated["plural"], "spec.names.plural")?;
        let group = needed(&spec["group"], "spec.group")?;
        check_names(&name, &group, &kind, place)?;
        let list_kind = text(&stated["listKind"]).filter(|list| *list != format!("{kind}List"));
        if list_kind.is_some() {
            note(
                &mut notes,
                "names.listKind",
                format!("the list kind: replaced by `{kind}List`"),
            );
        }
        let mut annotations = texts_by_name(&metadata["annotations"]);
        annotations.remove(LAST_APPLIED);
        let mut labels = texts_by_name(&metadata["labels"]);
        let is_annotation = |name: &str, _: &str| dns::is_annotation_key(name);
        drop_refused("annotation", &mut annotations, is_annotation, &mut notes);
        let is_label =
            |name: &str, value: &str| dns::is_qualified(name) && dns::is_label_value(value);
        drop_refused("label", &mut labels, is_label, &mut notes);
        let versions = read_versions(&spec["versions"], &name, place, &mut notes)?;
        let conversion = webhook(&spec["conversion"], &mut notes);
        if conversion.is_some() {
            notes.extend(missing_spokes(&group, &kind, &versions));
        }
        Ok(Self {
            singular: text(&stated["singular"]).unwrap_or_else(|| kind.to_lowercase()),
            short_names: texts(&stated["shortNames"]),
            categories: texts(&stated["categories"]),
            is_namespaced: spec["scope"] != "Cluster",
            labels,
            conversion,
            place: place.to_owned(),
            name,
            group,
            kind,
            plural,
            annotations,
            versions,
            notes,
        })
    }
}

/// Reads the versions of the definition `name`, of which there is at least one.
fn read_versions(
    versions: &Value,
    name: &str,
    place: &str,
    notes: &mut Vec<Note>,
) -> Result<Vec<ImportedVersion>, Diagnostics> {
    let mut read = Vec::new();
    let mut errors = Diagnostics::default();
    for version in list(versions) {
        match ImportedVersion::read(version, name, place, notes) {
            Ok(version) => read.push(version),
            Err(error) => errors.extend(error.into()),
        }
    }
    if read.is_empty() && errors.is_empty() {
        let message = format!("{place}: the CRD `{name}` has no versions");
        errors.extend(
            Diagnostic::error(message)
                .help("add `spec.versions`")
                .into(),
        );
    }
    if errors.is_empty() {
        Ok(read)
    } else {
        Err(errors)
    }
}

/// Checks the names that become type and module names.
fn check_names(name: &str, group: &str, kind: &str, place: &str) -> Result<(), Diagnostic> {
    if !dns::is_subdomain(group) {
        let message = format!("{place}: invalid API group `{group}`");
        return Err(Diagnostic::error(message)
            .help("use a domain in lower case, for example `example.com`"));
    }
    if !names::is_kind(kind) {
        let message = format!("{place}: the kind `{kind}` is not a valid name of a Rust type");
        return Err(Diagnostic::error(message).help(format!(
            "leave out the CRD `{name}`: a kind must consist of letters and digits, starting with a capital letter"
        )));
    }
    Ok(())
}

impl ImportedVersion {
    fn read(
        version: &Value,
        definition: &str,
        place: &str,
        notes: &mut Vec<Note>,
    ) -> Result<Self, Diagnostic> {
        let name = text(&version["name"]).unwrap_or_default();
        if !dns::is_label(&name) {
            let message = format!("{place}: invalid version `{name}` of `{definition}`");
            return Err(Diagnostic::error(message)
                .help("use lower-case letters and digits, for example `v1beta1`"));
        }
        let mut schema = version["schema"]["openAPIV3Schema"].clone();
        keywords::clean(&mut schema, &name, notes);
        let schema = serde_json::from_value(schema).map_err(|error| {
            let message =
                format!("{place}: cannot read the schema of `{definition}` {name}: {error}");
            Diagnostic::error(message)
                .help("check it with the API server: kubectl apply --dry-run=server")
        })?;
        let subresources = &version["subresources"];
        Ok(Self {
            name,
            served: version["served"] != false,
            storage: version["storage"] == true,
            deprecated: version["deprecated"] == true,
            deprecation_warning: text(&version["deprecationWarning"]),
            schema,
            status: subresources["status"].is_object(),
            scale: scale(&subresources["scale"]),
            columns: list(&version["additionalPrinterColumns"])
                .map(column)
                .collect(),
            selectable_fields: list(&version["selectableFields"])
                .filter_map(|field| text(&field["jsonPath"]))
                .collect(),
        })
    }
}

fn scale(scale: &Value) -> Option<Scale> {
    Some(Scale {
        spec_replicas_path: text(&scale["specReplicasPath"])?,
        status_replicas_path: text(&scale["statusReplicasPath"])?,
        label_selector_path: text(&scale["labelSelectorPath"]).filter(|path| !path.is_empty()),
    })
}

fn column(column: &Value) -> PrinterColumn {
    PrinterColumn {
        name: text(&column["name"]).unwrap_or_default(),
        type_: text(&column["type"]).unwrap_or_default(),
        json_path: text(&column["jsonPath"]).unwrap_or_default(),
        description: text(&column["description"]).filter(|text| !text.is_empty()),
        format: text(&column["format"]).filter(|text| !text.is_empty()),
        priority: column["priority"]
            .as_i64()
            .and_then(|priority| i32::try_from(priority).ok())
            .filter(|priority| *priority != 0),
    }
}

/// A note on the conversions between versions, without which generated code does not compile.
fn missing_spokes(group: &str, kind: &str, versions: &[ImportedVersion]) -> Option<Note> {
    let stored = versions.iter().find(|version| version.storage)?;
    let spokes: Vec<_> = versions
        .iter()
        .filter(|version| !version.storage)
        .map(|version| version.name.as_str())
        .collect();
    if spokes.is_empty() {
        return None;
    }
    let command = format!(
        "genclient create webhook --group {group} --version {} --kind {kind} --conversion",
        stored.name
    );
    Some(Note {
        path: "conversion".to_owned(),
        text: format!(
            "the clients do not compile without `impl Spoke for {kind}` in {}: `{command}` writes it,",
            spokes.join(" and ")
        ),
    })
}

fn webhook(conversion: &Value, notes: &mut Vec<Note>) -> Option<ConversionWebhook> {
    if conversion["strategy"] != "Webhook" {
        return None;
    }
    let webhook = &conversion["webhook"];
    let client = &webhook["clientConfig"];
    if !client["caBundle"].is_null() {
        let text = "`caBundle`: a certificate is inserted when the CRD is installed; dropped";
        note(
            notes,
            "conversion.webhook.clientConfig.caBundle",
            text.to_owned(),
        );
    }
    let service = &client["service"];
    let (namespace, name) = (text(&service["namespace"]), text(&service["name"]));
    let mut path = text(&service["path"]).filter(|path| !path.is_empty());
    if name.is_some() && path.is_none() {
        // The default of `#[crd(conversion(webhook(..)))]` is `/convert`.
        path = Some("/".to_owned());
        let text = "a service without `path`: written as `path = \"/\"`, which means the same,";
        note(
            notes,
            "conversion.webhook.clientConfig.service",
            text.to_owned(),
        );
    }
    let found = ConversionWebhook {
        service: namespace
            .zip(name)
            .map(|(namespace, name)| format!("{namespace}/{name}")),
        path,
        port: service["port"].as_u64(),
        url: text(&client["url"]),
        review_versions: texts(&webhook["conversionReviewVersions"]),
    };
    if found.service.is_none() && found.url.is_none() {
        let text = "the webhook has neither a service nor a URL; dropped";
        note(notes, "conversion", text.to_owned());
        return None;
    }
    Some(found)
}

/// Drops annotations or labels that the API server refuses, with a note for each.
fn drop_refused(
    what: &str,
    pairs: &mut BTreeMap<String, String>,
    is_valid: impl Fn(&str, &str) -> bool,
    notes: &mut Vec<Note>,
) {
    pairs.retain(|name, value| {
        let is_kept = is_valid(name, value);
        if !is_kept {
            let text = format!("{what} `{name}: {value}`: the API server refuses it; dropped");
            note(notes, "metadata", text);
        }
        is_kept
    });
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> Vec<String> {
    list(value).filter_map(text).collect()
}

fn texts_by_name(value: &Value) -> BTreeMap<String, String> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
        .collect()
}
