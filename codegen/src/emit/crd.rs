//! `config/crd/`: custom resource definitions as YAML.

use super::yaml::Yaml;
use super::{endpoint, schema};
use crate::model::{Conversion, Crd, CrdVersion, PrinterColumn, Scale};

/// The YAML of one definition.
pub(super) fn document(crd: &Crd) -> String {
    let mut yaml = Yaml::below(String::new());
    definition(crd, &mut yaml);
    yaml.finish()
}

/// What the API server prints, too, has its keys in order, as it has.
fn definition(crd: &Crd, yaml: &mut Yaml) {
    yaml.text("apiVersion", "apiextensions.k8s.io/v1");
    yaml.text("kind", "CustomResourceDefinition");
    yaml.map("metadata", |yaml| {
        for (key, texts) in [("annotations", &crd.annotations), ("labels", &crd.labels)] {
            if !texts.is_empty() {
                yaml.map(key, |yaml| {
                    for (name, text) in texts {
                        yaml.text(name, text.as_str());
                    }
                });
            }
        }
        yaml.text("name", format!("{}.{}", crd.plural, crd.group).as_str());
    });
    yaml.map("spec", |yaml| spec(crd, yaml));
}

fn spec(crd: &Crd, yaml: &mut Yaml) {
    if let Some(conversion) = &crd.conversion {
        yaml.map("conversion", |yaml| webhook(conversion, yaml));
    }
    yaml.text("group", crd.group.as_str());
    yaml.map("names", |yaml| names(crd, yaml));
    yaml.text("scope", crd.scope.as_str());
    yaml.maps("versions", &crd.versions, |yaml, one| version(one, yaml));
}

fn names(crd: &Crd, yaml: &mut Yaml) {
    yaml.texts("categories", &crd.categories);
    yaml.text("kind", crd.kind.as_str());
    yaml.text("listKind", format!("{}List", crd.kind).as_str());
    yaml.text("plural", crd.plural.as_str());
    yaml.texts("shortNames", &crd.short_names);
    yaml.text("singular", crd.singular.as_str());
}

fn version(version: &CrdVersion, yaml: &mut Yaml) {
    let columns = &version.columns;
    yaml.maps("additionalPrinterColumns", columns, |yaml, one| {
        column(one, yaml);
    });
    yaml.plain("deprecated", version.deprecated.then_some(true));
    yaml.text("deprecationWarning", version.deprecation_warning.as_deref());
    yaml.text("name", version.name.as_str());
    yaml.map("schema", |yaml| {
        yaml.map("openAPIV3Schema", |yaml| {
            schema::write(&version.schema, yaml)
        });
    });
    let fields = &version.selectable_fields;
    yaml.maps("selectableFields", fields, |yaml, path| {
        yaml.text("jsonPath", path.as_str());
    });
    yaml.plain("served", Some(version.served));
    yaml.plain("storage", Some(version.storage));
    if version.status || version.scale.is_some() {
        yaml.map("subresources", |yaml| subresources(version, yaml));
    }
}

fn column(column: &PrinterColumn, yaml: &mut Yaml) {
    yaml.text("description", column.description.as_deref());
    yaml.text("format", column.format.as_deref());
    yaml.text("jsonPath", column.json_path.as_str());
    yaml.text("name", column.name.as_str());
    yaml.plain("priority", column.priority);
    yaml.text("type", column.type_.as_str());
}

fn subresources(version: &CrdVersion, yaml: &mut Yaml) {
    if let Some(scale) = &version.scale {
        yaml.map("scale", |yaml| paths(scale, yaml));
    }
    if version.status {
        yaml.map("status", |_| {});
    }
}

fn paths(scale: &Scale, yaml: &mut Yaml) {
    yaml.text("labelSelectorPath", scale.label_selector_path.as_deref());
    yaml.text("specReplicasPath", scale.spec_replicas_path.as_str());
    yaml.text("statusReplicasPath", scale.status_replicas_path.as_str());
}

fn webhook(conversion: &Conversion, yaml: &mut Yaml) {
    yaml.text("strategy", "Webhook");
    yaml.map("webhook", |yaml| {
        yaml.map("clientConfig", |yaml| {
            endpoint::client_config(&conversion.endpoint, yaml);
        });
        yaml.texts("conversionReviewVersions", &conversion.review_versions);
    });
}
