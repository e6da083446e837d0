//! Validation of the versions in a CustomResourceDefinition.

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::go::{is_printable, json};
use serde_json::Value;

use super::columns;
use super::internal::{Parts, Spec, Version};
use super::names::{self, is_set};
use super::options::Options;
use super::root;

pub(super) fn causes(spec: &Spec<'_>, options: &Options<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let own_subresources = spec
        .versions
        .iter()
        .any(|it| it.parts.subresources.is_some());
    for (at, version) in spec.versions.iter().enumerate() {
        let path = format!("spec.versions[{at}]");
        names::label(version.name, format!("{path}.name"), &mut causes);
        let has_status = match own_subresources {
            false => spec.common.has_status(),
            // If several versions share a name, the API server uses the first.
            true => {
                let mut versions = spec.versions.iter();
                let first = versions.find(|it| it.name == version.name);
                first.is_some_and(|first| first.parts.has_status())
            }
        };
        version_causes(version, has_status, options, &path, &mut causes);
    }
    causes
}

fn version_causes(
    version: &Version<'_>,
    has_status: bool,
    options: &Options<'_>,
    path: &str,
    causes: &mut Vec<Cause>,
) {
    let Parts {
        schema,
        subresources,
        columns,
        selectable,
    } = version.parts;
    causes.extend(deprecation(
        version.value,
        &format!("{path}.deprecationWarning"),
    ));
    let options = options.of_version(version.name);
    if schema.is_some() {
        let path = format!("{path}.schema");
        causes.extend(root::causes(version.parts, has_status, &options, &path));
    }
    let of_scale = columns::subresource_causes(subresources, &format!("{path}.subresources"));
    causes.extend(of_scale);
    let columns_path = format!("{path}.additionalPrinterColumns");
    causes.extend(columns::column_causes(columns, &columns_path));
    let Some(fields) = selectable else { return };
    let fields_path = format!("{path}.selectableFields");
    if version.parts.open_api().is_none() {
        // The API server's message states the opposite of its condition.
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        causes.push(Cause::invalid(fields_path, &"".into(), detail));
        return;
    }
    let any_number = options.many_fields.contains(version.name);
    let of_fields = columns::selectable_causes(fields, version.parts, &fields_path, any_number);
    causes.extend(of_fields);
}

/// Checks `deprecationWarning`: 1 to 256 bytes of printable characters, only on deprecated
/// versions (`validateDeprecationWarning`).
fn deprecation(version: &Value, path: &str) -> Vec<Cause> {
    let warning = version.get("deprecationWarning").and_then(Value::as_str);
    let Some(warning) = warning else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    if is_set(version, "deprecated") {
        if warning.len() > 256 {
            errors.push("must be <= 256 characters long".to_owned());
        }
        if warning.is_empty() {
            errors.push("must not be an empty string".to_owned());
        }
        let wrong = warning.char_indices().find(|(_, it)| !is_printable(*it));
        errors.extend(wrong.map(|(at, _)| {
            format!(
                "must only contain printable UTF-8 characters; non-printable character found at \
                 index {at}"
            )
        }));
    } else {
        errors.push("can only be set for deprecated versions".to_owned());
    }
    let printed = json(&warning.into());
    let causes = errors
        .iter()
        .map(|error| Cause::invalid_text(path, &printed, error));
    causes.collect()
}
