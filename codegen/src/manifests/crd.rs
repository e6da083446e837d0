//! Manifests of custom resource definitions, with keys in alphabetical order.

use std::collections::BTreeMap;

use super::object::{ObjectManifest, converts};
use super::settings::{Condition, Switch};
use super::tree::{Tree, tree};
use super::webhook::{self, entries};
use super::{certificates, schema};
use crate::model::{Conversion, Crd, CrdVersion, PrinterColumn, Scale};
use crate::project::Deploy;
use crate::yaml::Yaml;

/// The manifest of a definition.
pub fn object(crd: &Crd, deploy: Option<&Deploy>) -> ObjectManifest {
    let name = format!("{}.{}", crd.plural, crd.group);
    let mut metadata = Vec::new();
    for (key, entries) in [
        ("annotations", annotations(crd, deploy)),
        ("labels", texts(&crd.labels)),
    ] {
        if !entries.is_empty() {
            metadata.push((key.to_owned(), Tree::Map(entries)));
        }
    }
    metadata.push(("name".to_owned(), name.into()));
    let tree = tree!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": (Tree::Map(metadata)),
        "spec": (spec(crd, deploy)),
    });
    let file = format!("crd/{}", crd.file_name());
    ObjectManifest::new(file, "CustomResourceDefinition", tree).when(Condition::on(Switch::Crds))
}

fn texts(texts: &BTreeMap<String, String>) -> Vec<(String, Tree)> {
    let texts = texts.iter();
    texts
        .map(|(key, text)| (key.clone(), Tree::from(text)))
        .collect()
}

fn annotations(crd: &Crd, deploy: Option<&Deploy>) -> Vec<(String, Tree)> {
    let mut annotations = texts(&crd.annotations);
    let Some(deploy) = deploy else {
        return annotations;
    };
    let (key, value) = certificates::injection(deploy);
    if converts(crd, deploy) && !crd.annotations.contains_key(&key) {
        annotations.push((key, value));
    }
    let kept = Tree::from("keep").when(Condition::on(Switch::KeptCrds));
    annotations.push(("helm.sh/resource-policy".to_owned(), kept));
    annotations
}

fn spec(crd: &Crd, deploy: Option<&Deploy>) -> Tree {
    let mut spec = Vec::new();
    if let Some(conversion) = &crd.conversion {
        spec.push(("conversion".to_owned(), webhook(conversion, deploy)));
    }
    spec.extend(entries(Yaml::of(|yaml| {
        yaml.text("group", crd.group.as_str());
        yaml.map("names", |yaml| names(crd, yaml));
        yaml.text("scope", crd.scope.as_str());
        yaml.maps("versions", &crd.versions, |yaml, one| version(one, yaml));
    })));
    Tree::Map(spec)
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

fn webhook(conversion: &Conversion, deploy: Option<&Deploy>) -> Tree {
    let versions = conversion.review_versions.iter().map(Tree::from);
    tree!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": (webhook::client_config(&conversion.endpoint, deploy)),
            "conversionReviewVersions": (versions.collect::<Vec<_>>()),
        },
    })
}
