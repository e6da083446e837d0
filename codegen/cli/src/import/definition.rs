//! Custom resource definitions as plain data, and reading them from YAML files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use genclient_apimachinery::unstructured::{flatten_list, list_or_empty};
use genclient_codegen::file_system::display_path;
use genclient_codegen::{Diagnostic, Diagnostics, PrinterColumn, Scale, Schema};
use genclient_schema::yaml;
use genclient_syntax::{dns, names};
use serde_json::Value;

use super::keywords;
use super::losses::{Note, add_note};
use crate::crd_source::read_texts;

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
    /// The file or stdin that the definition was read from, as shown in messages.
    pub(super) label: String,
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

/// Reads the definitions in files and folders, sorted by name.
///
/// # Errors
///
/// A file cannot be read or is not YAML, a definition is invalid, has an API version other than
/// `apiextensions.k8s.io/v1` or occurs twice, or there is no definition.
pub(super) fn read_definitions(paths: &[PathBuf]) -> Result<Vec<ImportedCrd>, Diagnostics> {
    let mut found: BTreeMap<String, ImportedCrd> = BTreeMap::new();
    let mut errors = Diagnostics::default();
    for path in paths {
        let texts = match read_texts(path) {
            Ok(texts) => texts,
            Err(error) => {
                errors.extend(error);
                continue;
            }
        };
        for text in texts {
            match yaml::documents(&text.text, &text.label) {
                Ok(documents) => {
                    for document in documents.into_iter().flat_map(flatten_list) {
                        collect_definition(&document, &text.label, &mut found, &mut errors);
                    }
                }
                Err(error) => errors.extend(Diagnostic::from(error).into()),
            }
        }
    }
    if found.is_empty() && errors.is_empty() {
        let shown_paths: Vec<_> = paths.iter().map(|path| display_path(path)).collect();
        let message = format!("no CRD in {}", shown_paths.join(", "));
        let help = "a CRD needs `kind: CustomResourceDefinition`; to read one from a cluster: kubectl get crd NAME -o yaml > crd.yaml";
        errors.extend(Diagnostic::error(message).help(help).into());
    }
    if errors.is_empty() {
        Ok(found.into_values().collect())
    } else {
        Err(errors)
    }
}

fn collect_definition(
    document: &Value,
    label: &str,
    found: &mut BTreeMap<String, ImportedCrd>,
    errors: &mut Diagnostics,
) {
    if document["kind"] != "CustomResourceDefinition" {
        return;
    }
    let name = document["metadata"]["name"].as_str().unwrap_or_default();
    if let Some(version) = document["apiVersion"].as_str()
        && version != "apiextensions.k8s.io/v1"
    {
        let message = format!(
            "{label}: the CRD `{name}` has the version `{version}`, which API servers refuse since Kubernetes 1.22"
        );
        let help = "convert it to `apiextensions.k8s.io/v1`, where `schema`, `subresources` and `additionalPrinterColumns` are fields of each entry of `spec.versions`";
        errors.extend(Diagnostic::error(message).help(help).into());
        return;
    }
    match ImportedCrd::from_document(document, label) {
        Ok(definition) => {
            if let Some(first) = found.get(&definition.name) {
                let message = format!("duplicate CRD `{name}`: in {} and in {label}", first.label);
                let help = "name files with one definition of each CRD";
                errors.extend(Diagnostic::error(message).help(help).into());
            } else {
                found.insert(definition.name.clone(), definition);
            }
        }
        Err(error) => errors.extend(error),
    }
}

impl ImportedCrd {
    /// Reads a definition of `apiextensions.k8s.io/v1`.
    ///
    /// # Errors
    ///
    /// A required part of the definition is missing, a name is invalid, or a keyword has a value of
    /// the wrong type.
    fn from_document(document: &Value, label: &str) -> Result<Self, Diagnostics> {
        let (metadata, spec) = (&document["metadata"], &document["spec"]);
        let names_value = &spec["names"];
        let mut notes = Vec::new();
        let name = optional_string(&metadata["name"]).unwrap_or_default();
        let needed = |value: &Value, path: &str| {
            optional_string(value).ok_or_else(|| {
                Diagnostic::error(format!("{label}: the CRD `{name}` has no `{path}`"))
                    .help("name a file with a complete CustomResourceDefinition")
            })
        };
        let kind = needed(&names_value["kind"], "spec.names.kind")?;
        let plural = needed(&names_value["plural"], "spec.names.plural")?;
        let group = needed(&spec["group"], "spec.group")?;
        check_names(&name, &group, &kind, label)?;
        let list_kind =
            optional_string(&names_value["listKind"]).filter(|list| *list != format!("{kind}List"));
        if list_kind.is_some() {
            add_note(
                &mut notes,
                "names.listKind",
                format!("the list kind: replaced by `{kind}List`"),
            );
        }
        let mut annotations = string_map(&metadata["annotations"]);
        annotations.remove(LAST_APPLIED);
        let mut labels = string_map(&metadata["labels"]);
        let is_annotation = |name: &str, _: &str| dns::is_annotation_key(name);
        drop_refused("annotation", &mut annotations, is_annotation, &mut notes);
        let is_label =
            |name: &str, value: &str| dns::is_qualified(name) && dns::is_label_value(value);
        drop_refused("label", &mut labels, is_label, &mut notes);
        let versions = read_versions(&spec["versions"], &name, label, &mut notes)?;
        let conversion = read_webhook(&spec["conversion"], &mut notes);
        if conversion.is_some() {
            notes.extend(missing_spokes(&group, &kind, &versions));
        }
        Ok(Self {
            singular: optional_string(&names_value["singular"])
                .unwrap_or_else(|| kind.to_lowercase()),
            short_names: string_list(&names_value["shortNames"]),
            categories: string_list(&names_value["categories"]),
            is_namespaced: spec["scope"] != "Cluster",
            labels,
            conversion,
            label: label.to_owned(),
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
    label: &str,
    notes: &mut Vec<Note>,
) -> Result<Vec<ImportedVersion>, Diagnostics> {
    let mut read = Vec::new();
    let mut errors = Diagnostics::default();
    for version in list_or_empty(versions).iter() {
        match ImportedVersion::from_value(version, name, label, notes) {
            Ok(version) => read.push(version),
            Err(error) => errors.extend(error.into()),
        }
    }
    if read.is_empty() && errors.is_empty() {
        let message = format!("{label}: the CRD `{name}` has no versions");
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
fn check_names(name: &str, group: &str, kind: &str, label: &str) -> Result<(), Diagnostic> {
    if !dns::is_subdomain(group) {
        let message = format!("{label}: invalid API group `{group}`");
        return Err(Diagnostic::error(message)
            .help("use a domain in lower case, for example `example.com`"));
    }
    if !names::is_kind(kind) {
        let message = format!("{label}: the kind `{kind}` is not a valid name of a Rust type");
        return Err(Diagnostic::error(message).help(format!(
            "leave out the CRD `{name}`: a kind must consist of letters and digits, starting with a capital letter"
        )));
    }
    Ok(())
}

impl ImportedVersion {
    fn from_value(
        version: &Value,
        definition: &str,
        label: &str,
        notes: &mut Vec<Note>,
    ) -> Result<Self, Diagnostic> {
        let name = optional_string(&version["name"]).unwrap_or_default();
        if !dns::is_label(&name) {
            let message = format!("{label}: invalid version `{name}` of `{definition}`");
            return Err(Diagnostic::error(message)
                .help("use lower-case letters and digits, for example `v1beta1`"));
        }
        let mut schema = version["schema"]["openAPIV3Schema"].clone();
        keywords::clean_schema(&mut schema, &name, notes);
        let schema = serde_json::from_value(schema).map_err(|error| {
            let message =
                format!("{label}: cannot read the schema of `{definition}` {name}: {error}");
            Diagnostic::error(message)
                .help("check it with the API server: kubectl apply --dry-run=server")
        })?;
        let subresources = &version["subresources"];
        Ok(Self {
            name,
            served: version["served"] != false,
            storage: version["storage"] == true,
            deprecated: version["deprecated"] == true,
            deprecation_warning: optional_string(&version["deprecationWarning"]),
            schema,
            status: subresources["status"].is_object(),
            scale: read_scale(&subresources["scale"]),
            columns: list_or_empty(&version["additionalPrinterColumns"])
                .iter()
                .map(read_column)
                .collect(),
            selectable_fields: list_or_empty(&version["selectableFields"])
                .iter()
                .filter_map(|field| optional_string(&field["jsonPath"]))
                .collect(),
        })
    }
}

fn read_scale(scale: &Value) -> Option<Scale> {
    Some(Scale {
        spec_replicas_path: optional_string(&scale["specReplicasPath"])?,
        status_replicas_path: optional_string(&scale["statusReplicasPath"])?,
        label_selector_path: optional_string(&scale["labelSelectorPath"])
            .filter(|path| !path.is_empty()),
    })
}

fn read_column(column: &Value) -> PrinterColumn {
    PrinterColumn {
        name: optional_string(&column["name"]).unwrap_or_default(),
        type_: optional_string(&column["type"]).unwrap_or_default(),
        json_path: optional_string(&column["jsonPath"]).unwrap_or_default(),
        description: optional_string(&column["description"]).filter(|text| !text.is_empty()),
        format: optional_string(&column["format"]).filter(|text| !text.is_empty()),
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

fn read_webhook(conversion: &Value, notes: &mut Vec<Note>) -> Option<ConversionWebhook> {
    if conversion["strategy"] != "Webhook" {
        return None;
    }
    let webhook = &conversion["webhook"];
    let client = &webhook["clientConfig"];
    if !client["caBundle"].is_null() {
        let text = "`caBundle`: a certificate is inserted when the CRD is installed; dropped";
        add_note(
            notes,
            "conversion.webhook.clientConfig.caBundle",
            text.to_owned(),
        );
    }
    let service = &client["service"];
    let (namespace, name) = (
        optional_string(&service["namespace"]),
        optional_string(&service["name"]),
    );
    let mut path = optional_string(&service["path"]).filter(|path| !path.is_empty());
    if name.is_some() && path.is_none() {
        // The default of `#[crd(conversion(read_webhook(..)))]` is `/convert`.
        path = Some("/".to_owned());
        let text = "a service without `path`: written as `path = \"/\"`, which means the same,";
        add_note(
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
        url: optional_string(&client["url"]),
        review_versions: string_list(&webhook["conversionReviewVersions"]),
    };
    if found.service.is_none() && found.url.is_none() {
        let text = "the webhook has neither a service nor a URL; dropped";
        add_note(notes, "conversion", text.to_owned());
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
            add_note(notes, "metadata", text);
        }
        is_kept
    });
}

fn optional_string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn string_list(value: &Value) -> Vec<String> {
    list_or_empty(value)
        .iter()
        .filter_map(optional_string)
        .collect()
}

fn string_map(value: &Value) -> BTreeMap<String, String> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter_map(|(name, value)| Some((name.clone(), optional_string(value)?)))
        .collect()
}
