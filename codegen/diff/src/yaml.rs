//! Parser for definitions in YAML.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_schema::yaml::{ReadError, documents};
use serde_json::Value;

use super::definition::Definition;
use super::text::Text;

/// Reads the definitions in all texts, sorted by name.
///
/// # Errors
///
/// A text is not YAML, or a definition occurs twice or has an API version other than
/// `apiextensions.k8s.io/v1`. All texts with errors are reported.
pub fn definitions(texts: Vec<Text>) -> Result<Vec<Definition>, Vec<ReadError>> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut errors = Vec::new();
    for text in texts.into_iter().map(Arc::new) {
        let definitions = match in_file(&text) {
            Ok(definitions) => definitions,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for definition in definitions {
            match found.get(&definition.name) {
                Some(first) => errors.push(twice(first, &definition)),
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

fn twice(first: &Definition, second: &Definition) -> ReadError {
    ReadError {
        message: format!(
            "duplicate CRD {}: in {} and in {}",
            first.name, first.text.place, second.text.place
        ),
        help: "name a folder or file with one definition of each CRD".to_owned(),
    }
}

fn in_file(text: &Arc<Text>) -> Result<Vec<Definition>, ReadError> {
    let documents: Vec<Value> = documents(&text.text, &text.place)?;
    let mut definitions = Vec::new();
    for document in &documents {
        collect(document, text, &mut definitions)?;
    }
    Ok(definitions)
}

/// Collects the definition in a document, or all definitions in a `List`. `kubectl get crd -o yaml`
/// prints such a list.
fn collect(
    document: &Value,
    text: &Arc<Text>,
    definitions: &mut Vec<Definition>,
) -> Result<(), ReadError> {
    let kind = document["kind"].as_str().unwrap_or_default();
    if matches!(kind, "List" | "CustomResourceDefinitionList") {
        for item in document["items"].as_array().into_iter().flatten() {
            collect(item, text, definitions)?;
        }
    }
    if kind == "CustomResourceDefinition" {
        match document["apiVersion"].as_str() {
            Some("apiextensions.k8s.io/v1") | None => {
                definitions.extend(Definition::of(document, text));
            }
            Some(version) => return Err(unknown_version(text, version)),
        }
    }
    Ok(())
}

fn unknown_version(text: &Text, version: &str) -> ReadError {
    ReadError {
        message: format!(
            "{} has a CustomResourceDefinition of the unsupported version `{version}`",
            text.place
        ),
        help: "convert it to `apiVersion: apiextensions.k8s.io/v1`".to_owned(),
    }
}
