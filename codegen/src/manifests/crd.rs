//! Manifests of custom resource definitions, with keys in alphabetical order.

use std::collections::BTreeMap;

use serde_json::json;

use super::certificates;
use super::object::{ObjectManifest, converts_kind};
use super::settings::{Condition, Feature};
use super::value::{ManifestValue, tree};
use super::webhook::{self, map_entries};
use crate::model::{Conversion, Crd, CrdVersion, PrinterColumn, Scale};
use crate::project::Deploy;
use crate::yaml::Yaml;

/// The manifest of a definition.
pub fn crd_manifest(crd: &Crd, deploy: Option<&Deploy>) -> ObjectManifest {
    let name = format!("{}.{}", crd.plural, crd.group);
    let mut metadata = Vec::new();
    for (key, entries) in [
        ("annotations", crd_annotations(crd, deploy)),
        ("labels", text_entries(&crd.labels)),
    ] {
        if !entries.is_empty() {
            metadata.push((key.to_owned(), ManifestValue::Map(entries)));
        }
    }
    metadata.push(("name".to_owned(), name.into()));
    let tree = tree!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": (ManifestValue::Map(metadata)),
        "spec": (crd_spec(crd, deploy)),
    });
    let file = format!("crd/{}", crd.file_name());
    ObjectManifest::new(file, "CustomResourceDefinition", tree).when(Condition::on(Feature::Crds))
}

fn text_entries(texts: &BTreeMap<String, String>) -> Vec<(String, ManifestValue)> {
    texts
        .iter()
        .map(|(key, text)| (key.clone(), ManifestValue::from(text)))
        .collect()
}

fn crd_annotations(crd: &Crd, deploy: Option<&Deploy>) -> Vec<(String, ManifestValue)> {
    let mut annotations = text_entries(&crd.annotations);
    let Some(deploy) = deploy else {
        return annotations;
    };
    let (key, value) = certificates::ca_injection_annotation(deploy);
    if converts_kind(crd, deploy) && !crd.annotations.contains_key(&key) {
        annotations.push((key, value));
    }
    // Helm leaves an object with this annotation behind when the chart is uninstalled. Deleting a
    // CRD would delete all objects of its kind.
    let keep = ManifestValue::from("keep").when(Condition::on(Feature::KeptCrds));
    annotations.push(("helm.sh/resource-policy".to_owned(), keep));
    annotations
}

fn crd_spec(crd: &Crd, deploy: Option<&Deploy>) -> ManifestValue {
    let mut spec = Vec::new();
    if let Some(conversion) = &crd.conversion {
        spec.push((
            "conversion".to_owned(),
            conversion_webhook(conversion, deploy),
        ));
    }
    spec.extend(map_entries(Yaml::build(|yaml| {
        yaml.text("group", crd.group.as_str());
        yaml.map("names", |yaml| write_names(crd, yaml));
        yaml.text("scope", crd.scope.as_str());
        yaml.maps("versions", &crd.versions, |yaml, one| {
            write_version(one, yaml)
        });
    })));
    ManifestValue::Map(spec)
}

fn write_names(crd: &Crd, yaml: &mut Yaml) {
    yaml.texts("categories", &crd.categories);
    yaml.text("kind", crd.kind.as_str());
    yaml.text("listKind", format!("{}List", crd.kind).as_str());
    yaml.text("plural", crd.plural.as_str());
    yaml.texts("shortNames", &crd.short_names);
    yaml.text("singular", crd.singular.as_str());
}

fn write_version(version: &CrdVersion, yaml: &mut Yaml) {
    let columns = &version.columns;
    yaml.maps("additionalPrinterColumns", columns, |yaml, one| {
        write_column(one, yaml);
    });
    yaml.plain("deprecated", version.deprecated.then_some(true));
    yaml.text("deprecationWarning", version.deprecation_warning.as_deref());
    yaml.text("name", version.name.as_str());
    yaml.map("schema", |yaml| {
        let mut schema = json!(version.schema);
        // Alphabetical also if a crate of the build enables `preserve_order` of serde_json.
        schema.sort_all_objects();
        yaml.value("openAPIV3Schema", Some(&schema));
    });
    let fields = &version.selectable_fields;
    yaml.maps("selectableFields", fields, |yaml, path| {
        yaml.text("jsonPath", path.as_str());
    });
    yaml.plain("served", Some(version.served));
    yaml.plain("storage", Some(version.storage));
    if version.status || version.scale.is_some() {
        yaml.map("subresources", |yaml| write_subresources(version, yaml));
    }
}

fn write_column(column: &PrinterColumn, yaml: &mut Yaml) {
    yaml.text("description", column.description.as_deref());
    yaml.text("format", column.format.as_deref());
    yaml.text("jsonPath", column.json_path.as_str());
    yaml.text("name", column.name.as_str());
    yaml.plain("priority", column.priority);
    yaml.text("type", column.type_.as_str());
}

fn write_subresources(version: &CrdVersion, yaml: &mut Yaml) {
    if let Some(scale) = &version.scale {
        yaml.map("scale", |yaml| write_scale_paths(scale, yaml));
    }
    if version.status {
        yaml.map("status", |_| {});
    }
}

fn write_scale_paths(scale: &Scale, yaml: &mut Yaml) {
    yaml.text("labelSelectorPath", scale.label_selector_path.as_deref());
    yaml.text("specReplicasPath", scale.spec_replicas_path.as_str());
    yaml.text("statusReplicasPath", scale.status_replicas_path.as_str());
}

fn conversion_webhook(conversion: &Conversion, deploy: Option<&Deploy>) -> ManifestValue {
    let versions = conversion.review_versions.iter().map(ManifestValue::from);
    tree!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": (webhook::client_config(&conversion.endpoint, deploy)),
            "conversionReviewVersions": (versions.collect::<Vec<_>>()),
        },
    })
}
