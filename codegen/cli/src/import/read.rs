//! Loader for definitions in YAML files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use genclient_codegen::folder::shown;
use genclient_codegen::{Diagnostic, Diagnostics};
use genclient_schema::yaml;
use serde_json::Value;

use super::definition::ImportedCrd;
use crate::crd_source::texts;

/// Reads the definitions in files and folders, sorted by name.
///
/// # Errors
///
/// A file cannot be read or is not YAML, a definition is invalid, has an API version other than
/// `apiextensions.k8s.io/v1` or occurs twice, or there is no definition.
pub(super) fn definitions(paths: &[PathBuf]) -> Result<Vec<ImportedCrd>, Diagnostics> {
    let mut found: BTreeMap<String, ImportedCrd> = BTreeMap::new();
    let mut errors = Diagnostics::default();
    for path in paths {
        let texts = match texts(path) {
            Ok(texts) => texts,
            Err(error) => {
                errors.extend(error);
                continue;
            }
        };
        for text in texts {
            match yaml::documents(&text.text, &text.label) {
                Ok(documents) => {
                    for document in &documents {
                        collect(document, &text.label, &mut found, &mut errors);
                    }
                }
                Err(error) => errors.extend(Diagnostic::from(error).into()),
            }
        }
    }
    if found.is_empty() && errors.is_empty() {
        let places: Vec<_> = paths.iter().map(|path| shown(path)).collect();
        let message = format!("no CRD in {}", places.join(", "));
        let help = "a CRD needs `kind: CustomResourceDefinition`; to read one from a cluster: kubectl get crd NAME -o yaml > crd.yaml";
        errors.extend(Diagnostic::error(message).help(help).into());
    }
    if errors.is_empty() {
        Ok(found.into_values().collect())
    } else {
        Err(errors)
    }
}

fn collect(
    document: &Value,
    place: &str,
    found: &mut BTreeMap<String, ImportedCrd>,
    errors: &mut Diagnostics,
) {
    let kind = document["kind"].as_str().unwrap_or_default();
    if matches!(kind, "List" | "CustomResourceDefinitionList") {
        for item in document["items"].as_array().into_iter().flatten() {
            collect(item, place, found, errors);
        }
    }
    if kind != "CustomResourceDefinition" {
        return;
    }
    let name = document["metadata"]["name"].as_str().unwrap_or_default();
    if let Some(version) = document["apiVersion"].as_str()
        && version != "apiextensions.k8s.io/v1"
    {
        let message = format!(
            "{place}: the CRD `{name}` has the version `{version}`, which API servers refuse since Kubernetes 1.22"
        );
        let help = "convert it to `apiextensions.k8s.io/v1`, where `schema`, `subresources` and `additionalPrinterColumns` are fields of each entry of `spec.versions`";
        errors.extend(Diagnostic::error(message).help(help).into());
        return;
    }
    match ImportedCrd::read(document, place) {
        Ok(definition) => {
            if let Some(first) = found.get(&definition.name) {
                let message = format!("duplicate CRD `{name}`: in {} and in {place}", first.place);
                let help = "name files with one definition of each CRD";
                errors.extend(Diagnostic::error(message).help(help).into());
            } else {
                found.insert(definition.name.clone(), definition);
            }
        }
        Err(error) => errors.extend(error),
    }
}
