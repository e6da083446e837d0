//! Validation of a CRD's `spec`: its names and versions, and the schema, subresources, columns and
//! selectable fields that all versions share.

use genclient_apimachinery::field;
use genclient_apimachinery::go::{is_printable, json};
use genclient_apimachinery::unstructured::{bool_field, list_field, str_field};
use genclient_apimachinery::validation::{label_1035, subdomain};
use serde_json::Value;

use super::internal::{Spec, Version, VersionParts, print_versions};
use super::json_schema_props::JsonSchemaProps;
use super::options::ValidationOptions;
use super::{columns, conversion, schema};

/// Checks the whole spec (`validateCustomResourceDefinitionSpec`).
pub(super) fn validate_spec(spec: &Spec<'_>, options: &ValidationOptions<'_>) -> field::ErrorList {
    let mut causes = validate_group_and_scope(spec);
    let mut options = options.clone();
    options.require_structural_schema |= !spec.preserve_unknown_fields;
    require_schemas(spec, &options, &mut causes);
    if spec.any_schema(|schema| schema.get("default").is_some()) {
        options.require_structural_schema = true;
        if spec.preserve_unknown_fields {
            causes.push(field::Error::invalid(
                "spec.preserveUnknownFields",
                &true.into(),
                "must be false in order to use defaults in the schema",
            ));
        }
    }
    options.require_structural_schema |= spec.any_schema(has_extensions);
    causes.extend(validate_versions(spec, &options));
    causes.extend(required_names(spec.names, "spec.names"));
    causes.extend(validate_names(spec.names, "spec.names"));
    validate_shared_parts(spec, &options, &mut causes);
    causes.extend(conversion::validate_conversion(spec, &options));
    causes
}

fn validate_group_and_scope(spec: &Spec<'_>) -> field::ErrorList {
    let mut causes = Vec::new();
    let group = spec.group;
    let errors = subdomain(group);
    if group.is_empty() {
        causes.push(field::Error::required("spec.group", ""));
    } else if !errors.is_empty() {
        causes.push(field::Error::invalid(
            "spec.group",
            &group.into(),
            &errors.join(","),
        ));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        causes.push(field::Error::invalid("spec.group", &group.into(), detail));
    }
    let scopes = ["Cluster", "Namespaced"];
    if spec.scope.is_empty() {
        causes.push(field::Error::required("spec.scope", ""));
    } else if !scopes.contains(&spec.scope) {
        let scope = spec.scope.into();
        causes.push(field::Error::not_supported("spec.scope", &scope, &scopes));
    }
    causes
}

fn require_schemas(
    spec: &Spec<'_>,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    if spec.shared.open_api().is_some() {
        return;
    }
    for (at, version) in spec.versions.iter().enumerate() {
        let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
        let is_missing = version.parts.open_api().is_none();
        let is_served = bool_field(version.value, "served");
        if is_missing && options.require_open_api_schema {
            causes.push(field::Error::required(field, ""));
        } else if is_missing
            && !options.require_open_api_schema
            && !spec.preserve_unknown_fields
            && is_served
        {
            causes.push(field::Error::required(
                field,
                "because otherwise all fields are pruned",
            ));
        }
    }
}

fn has_extensions(schema: JsonSchemaProps<'_>) -> bool {
    let flags = [
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ];
    flags.into_iter().any(|name| schema.is_set(name))
        || schema.get("x-kubernetes-preserve-unknown-fields").is_some()
        || !schema.list("x-kubernetes-list-map-keys").is_empty()
        || schema.list_type().is_some()
        || !schema.rules().is_empty()
}

fn validate_shared_parts(
    spec: &Spec<'_>,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    let first = spec.versions.first().map_or("", |version| version.name);
    if spec.shared.schema.is_some() {
        let parts = spec.versions.iter().map(|version| version.parts);
        let has_status = [spec.shared]
            .into_iter()
            .chain(parts)
            .any(VersionParts::has_status);
        let options = options.of_version(first);
        let of_schema =
            schema::validate_schema(spec.shared, has_status, &options, "spec.validation");
        causes.extend(of_schema);
    }
    causes.extend(columns::validate_subresources(
        spec.shared.subresources,
        "spec.subresources",
    ));
    let path = "spec.additionalPrinterColumns";
    causes.extend(columns::validate_columns(spec.shared.columns, path));
    if let Some(fields) = spec.shared.selectable {
        let path = "spec.selectableFields";
        match spec.shared.schema {
            None => causes.push(field::Error::invalid(
                path,
                &"".into(),
                "may only be set when validations.schema is included",
            )),
            Some(_) => {
                let allow_too_many = options.allow_too_many_selectable_fields.contains("");
                let parts = spec.shared;
                causes.extend(columns::validate_selectable_fields(
                    fields,
                    parts,
                    path,
                    allow_too_many,
                ));
            }
        }
    }
    validate_version_names(spec, causes);
}

fn validate_version_names(spec: &Spec<'_>, causes: &mut field::ErrorList) {
    let mut names: Vec<_> = spec.versions.iter().map(|version| version.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let storages = spec.versions.iter().filter(|version| version.storage);
    let is_one = storages.count() == 1;
    let mut report = |detail| {
        let printed = print_versions(spec.value, &spec.versions);
        causes.push(field::Error::invalid_text(
            "spec.versions",
            &printed,
            detail,
        ));
    };
    if names.len() < count {
        report("must contain unique version names");
    }
    if !is_one {
        report("must have exactly one version marked as storage version");
    }
    if let Some(first) = spec.versions.first()
        && !first.name.is_empty()
    {
        validate_label(first.name, "spec.version".to_owned(), causes);
    }
}

fn validate_versions(spec: &Spec<'_>, options: &ValidationOptions<'_>) -> field::ErrorList {
    let mut causes = Vec::new();
    let own_subresources = spec
        .versions
        .iter()
        .any(|it| it.parts.subresources.is_some());
    for (at, version) in spec.versions.iter().enumerate() {
        let path = format!("spec.versions[{at}]");
        validate_label(version.name, format!("{path}.name"), &mut causes);
        let has_status = if own_subresources {
            // If several versions share a name, the API server uses the first.
            spec.versions
                .iter()
                .find(|it| it.name == version.name)
                .is_some_and(|first| first.parts.has_status())
        } else {
            spec.shared.has_status()
        };
        validate_version(version, has_status, options, &path, &mut causes);
    }
    causes
}

fn validate_version(
    version: &Version<'_>,
    has_status: bool,
    options: &ValidationOptions<'_>,
    path: &str,
    causes: &mut field::ErrorList,
) {
    let VersionParts {
        schema,
        subresources,
        columns,
        selectable,
    } = version.parts;
    causes.extend(validate_deprecation_warning(
        version.value,
        &format!("{path}.deprecationWarning"),
    ));
    let options = options.of_version(version.name);
    if schema.is_some() {
        let path = format!("{path}.schema");
        causes.extend(schema::validate_schema(
            version.parts,
            has_status,
            &options,
            &path,
        ));
    }
    let of_scale = columns::validate_subresources(subresources, &format!("{path}.subresources"));
    causes.extend(of_scale);
    let columns_path = format!("{path}.additionalPrinterColumns");
    causes.extend(columns::validate_columns(columns, &columns_path));
    let Some(fields) = selectable else { return };
    let fields_path = format!("{path}.selectableFields");
    if version.parts.open_api().is_none() {
        // The API server's message states the opposite of its condition.
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        causes.push(field::Error::invalid(fields_path, &"".into(), detail));
        return;
    }
    let allow_too_many = options
        .allow_too_many_selectable_fields
        .contains(version.name);
    let of_fields =
        columns::validate_selectable_fields(fields, version.parts, &fields_path, allow_too_many);
    causes.extend(of_fields);
}

/// Checks `deprecationWarning`: 1 to 256 bytes of printable characters, only on deprecated
/// versions (`validateDeprecationWarning`).
fn validate_deprecation_warning(version: &Value, path: &str) -> field::ErrorList {
    let warning = version.get("deprecationWarning").and_then(Value::as_str);
    let Some(warning) = warning else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    if bool_field(version, "deprecated") {
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
        .map(|error| field::Error::invalid_text(path, &printed, error));
    causes.collect()
}

/// Reports required names that are missing.
fn required_names(names: &Value, path: &str) -> field::ErrorList {
    let fields = ["plural", "singular", "kind", "listKind"].into_iter();
    let missing = fields.filter(|field| str_field(names, field).is_empty());
    missing
        .map(|field| field::Error::required(format!("{path}.{field}"), ""))
        .collect()
}

/// Checks that all names are DNS labels and that kind and list kind differ
/// (`ValidateCustomResourceDefinitionNames`). Kinds may have upper-case letters.
pub(super) fn validate_names(names: &Value, path: &str) -> field::ErrorList {
    let mut causes = Vec::new();
    for field in ["plural", "singular"] {
        let name = str_field(names, field);
        if !name.is_empty() {
            validate_label(name, format!("{path}.{field}"), &mut causes);
        }
    }
    for field in ["kind", "listKind"] {
        let name = str_field(names, field);
        let errors = label_1035(&name.to_lowercase());
        if !name.is_empty() && !errors.is_empty() {
            let errors = errors.join(",");
            let detail = format!("may have mixed case, but should otherwise match: {errors}");
            causes.push(field::Error::invalid(
                format!("{path}.{field}"),
                &name.into(),
                &detail,
            ));
        }
    }
    let (kind, list_kind) = (str_field(names, "kind"), str_field(names, "listKind"));
    if !kind.is_empty() && kind == list_kind {
        let field = format!("{path}.listKind");
        let detail = "kind and listKind may not be the same";
        causes.push(field::Error::invalid(field, &list_kind.into(), detail));
    }
    for field in ["shortNames", "categories"] {
        for (at, name) in list_field(names, field).iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            validate_label(name, format!("{path}.{field}[{at}]"), &mut causes);
        }
    }
    causes
}

/// Reports a name that is not a DNS label (`IsDNS1035Label`).
fn validate_label(name: &str, field: String, causes: &mut field::ErrorList) {
    let errors = label_1035(name);
    if !errors.is_empty() {
        causes.push(field::Error::invalid(
            field,
            &name.into(),
            &errors.join(","),
        ));
    }
}
