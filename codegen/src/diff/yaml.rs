//! YAML → definitions.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::definition::Definition;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Where it is, as a message shows it.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// True if a file name ends as YAML does; JSON is YAML as well.
pub(crate) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// The definitions in all files, sorted by name.
///
/// # Errors
///
/// Every file that is no YAML or holds a definition that cannot be compared, and every definition that is there twice.
pub(crate) fn definitions(texts: &[Text]) -> Result<Vec<Definition>, Diagnostics> {
    let mut found: BTreeMap<String, (Definition, &str)> = BTreeMap::new();
    let mut errors = Diagnostics::default();
    for text in texts {
        let definitions = match in_file(text) {
            Ok(definitions) => definitions,
            Err(error) => {
                errors.extend(error.into());
                continue;
            }
        };
        for definition in definitions {
            let name = definition.name.clone();
            match found.get(&name) {
                Some((_, first)) => errors.extend(twice(&name, first, &text.place)),
                None => {
                    found.insert(name, (definition, &text.place));
                }
            }
        }
    }
    if errors.is_empty() {
        Ok(found.into_values().map(|(one, _)| one).collect())
    } else {
        Err(errors)
    }
}

fn twice(name: &str, first: &str, second: &str) -> Diagnostics {
    Diagnostic::error(format!(
        "the CRD {name} is there twice: in {first} and in {second}"
    ))
    .help("name a folder or file that holds each definition once")
    .into()
}

fn in_file(text: &Text) -> Result<Vec<Definition>, Diagnostic> {
    let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(&text.text, options())
        .map_err(|error| no_yaml(text, &error))?;
    let mut definitions = Vec::new();
    for document in &documents {
        collect(document, text, &mut definitions)?;
    }
    Ok(definitions)
}

/// The definition that a document is, or those of a list of them, as `kubectl get crd -o yaml` prints it.
fn collect(
    document: &Value,
    text: &Text,
    definitions: &mut Vec<Definition>,
) -> Result<(), Diagnostic> {
    let kind = document["kind"].as_str().unwrap_or_default();
    if matches!(kind, "List" | "CustomResourceDefinitionList") {
        for item in document["items"].as_array().into_iter().flatten() {
            collect(item, text, definitions)?;
        }
    }
    if kind == "CustomResourceDefinition" {
        match document["apiVersion"].as_str() {
            Some("apiextensions.k8s.io/v1") | None => definitions.extend(Definition::of(document)),
            Some(version) => return Err(unknown_version(text, version)),
        }
    }
    Ok(())
}

/// Room for all CRDs of a large cluster in one file.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 200,
            max_nodes: 20_000_000,
            max_events: 60_000_000,
            max_total_scalar_bytes: 1 << 30,
            max_documents: 100_000,
        },
        with_snippet: false,
    }
}

fn no_yaml(text: &Text, error: &serde_saphyr::Error) -> Diagnostic {
    let place = match error.location() {
        Some(at) => format!("{}:{}:{}", text.place, at.line(), at.column()),
        None => text.place.clone(),
    };
    Diagnostic::error(format!("{place} is no YAML: {}", error.without_snippet()))
        .help("mend it, or name only the files that hold CRDs")
}

fn unknown_version(text: &Text, version: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "{} holds a CustomResourceDefinition of `{version}`, which cannot be compared",
        text.place
    ))
    .help("write it as `apiVersion: apiextensions.k8s.io/v1`")
}
