//! Parser for definitions in YAML.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_schema::yaml;
use serde_json::Value;

use super::definition::Definition;
use super::text::Text;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// Reads the definitions in all texts, sorted by name.
///
/// # Errors
///
/// A text is not YAML, or a definition occurs twice or has an API version other than
/// `apiextensions.k8s.io/v1`. All texts with errors are reported.
pub(crate) fn definitions(texts: Vec<Text>) -> Result<Vec<Definition>, Diagnostics> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut errors = Diagnostics::default();
    for text in texts.into_iter().map(Arc::new) {
        let definitions = match in_file(&text) {
            Ok(definitions) => definitions,
            Err(error) => {
                errors.extend(error.into());
                continue;
            }
        };
        for definition in definitions {
            match found.get(&definition.name) {
                Some(first) => errors.extend(twice(first, &definition)),
                None => {
                    found.insert(definition.name.clone(), definition);
                }
            }
        }
    }
    if errors.is_empty() {
        Ok(found.into_values().collect())
    } else {
        Err(errors)
    }
}

fn twice(first: &Definition, second: &Definition) -> Diagnostics {
    Diagnostic::error(format!(
        "duplicate CRD {}: in {} and in {}",
        first.name, first.text.place, second.text.place
    ))
    .help("name a folder or file with one definition of each CRD")
    .into()
}

fn in_file(text: &Arc<Text>) -> Result<Vec<Definition>, Diagnostic> {
    let documents = documents(text)?;
    let mut definitions = Vec::new();
    for document in &documents {
        collect(document, text, &mut definitions)?;
    }
    Ok(definitions)
}

/// The documents of a text.
///
/// # Errors
///
/// The text is not YAML.
pub(crate) fn documents(text: &Text) -> Result<Vec<Value>, Diagnostic> {
    serde_saphyr::from_multiple_with_options(&text.text, yaml::options(&text.text))
        .map_err(|error| no_yaml(text, &error))
}

/// Collects the definition in a document, or all definitions in a `List`. `kubectl get crd -o yaml`
/// prints such a list.
fn collect(
    document: &Value,
    text: &Arc<Text>,
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
            Some("apiextensions.k8s.io/v1") | None => {
                definitions.extend(Definition::of(document, text))
            }
            Some(version) => return Err(unknown_version(text, version)),
        }
    }
    Ok(())
}

fn no_yaml(text: &Text, error: &serde_saphyr::Error) -> Diagnostic {
    let place = match error.location() {
        Some(at) => format!("{}:{}:{}", text.place, at.line(), at.column()),
        None => text.place.clone(),
    };
    if yaml::is_excessive_aliasing(error) {
        return Diagnostic::error(format!("{place}: the aliases expand to too many values"))
            .help("write the values themselves instead of nested aliases");
    }
    Diagnostic::error(format!(
        "{place} is not valid YAML: {}",
        error.without_snippet()
    ))
    .help("fix the syntax error, or name only the files with CRDs")
}

fn unknown_version(text: &Text, version: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "{} has a CustomResourceDefinition of the unsupported version `{version}`",
        text.place
    ))
    .help("convert it to `apiVersion: apiextensions.k8s.io/v1`")
}
