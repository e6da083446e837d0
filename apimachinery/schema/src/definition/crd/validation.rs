//! Validation of a CRD's `spec`, including the schema, subresources, columns and selectable fields
//! that all versions share.

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::validation::subdomain;

use super::internal::{Parts, Spec};
use super::json_schema_props::Props;
use super::names::{self, is_set};
use super::options::Options;
use super::{columns, conversion, dump, root, versions};

/// Checks the whole spec (`validateCustomResourceDefinitionSpec`).
pub(super) fn causes(spec: &Spec<'_>, options: &Options<'_>) -> Vec<Cause> {
    let mut causes = identity(spec);
    let mut options = options.clone();
    options.structural |= !spec.preserve_unknown_fields;
    missing_schemas(spec, &options, &mut causes);
    if spec.any_schema(|schema| schema.get("default").is_some()) {
        options.structural = true;
        if spec.preserve_unknown_fields {
            causes.push(Cause::invalid(
                "spec.preserveUnknownFields",
                &true.into(),
                "must be false in order to use defaults in the schema",
            ));
        }
    }
    options.structural |= spec.any_schema(has_extensions);
    causes.extend(versions::causes(spec, &options));
    causes.extend(names::required(spec.names, "spec.names"));
    causes.extend(names::causes(spec.names, "spec.names"));
    common(spec, &options, &mut causes);
    causes.extend(conversion::causes(spec, &options));
    causes
}

fn identity(spec: &Spec<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let group = spec.group;
    let errors = subdomain(group);
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !errors.is_empty() {
        causes.push(Cause::invalid(
            "spec.group",
            &group.into(),
            &errors.join(","),
        ));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        causes.push(Cause::invalid("spec.group", &group.into(), detail));
    }
    let scopes = ["Cluster", "Namespaced"];
    if spec.scope.is_empty() {
        causes.push(Cause::required("spec.scope", ""));
    } else if !scopes.contains(&spec.scope) {
        let scope = spec.scope.into();
        causes.push(Cause::not_supported("spec.scope", &scope, &scopes));
    }
    causes
}

fn missing_schemas(spec: &Spec<'_>, options: &Options<'_>, causes: &mut Vec<Cause>) {
    if spec.common.open_api().is_some() {
        return;
    }
    for (at, version) in spec.versions.iter().enumerate() {
        let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
        let is_missing = version.parts.open_api().is_none();
        let is_served = is_set(version.value, "served");
        if is_missing && options.schema {
            causes.push(Cause::required(field, ""));
        } else if is_missing && !options.schema && !spec.preserve_unknown_fields && is_served {
            causes.push(Cause::required(
                field,
                "because otherwise all fields are pruned",
            ));
        }
    }
}

fn has_extensions(schema: Props<'_>) -> bool {
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

fn common(spec: &Spec<'_>, options: &Options<'_>, causes: &mut Vec<Cause>) {
    let first = spec.versions.first().map_or("", |version| version.name);
    if spec.common.schema.is_some() {
        let parts = spec.versions.iter().map(|version| version.parts);
        let has_status = [spec.common]
            .into_iter()
            .chain(parts)
            .any(Parts::has_status);
        let options = options.of_version(first);
        let of_schema = root::causes(spec.common, has_status, &options, "spec.validation");
        causes.extend(of_schema);
    }
    causes.extend(columns::subresource_causes(
        spec.common.subresources,
        "spec.subresources",
    ));
    let path = "spec.additionalPrinterColumns";
    causes.extend(columns::column_causes(spec.common.columns, path));
    if let Some(fields) = spec.common.selectable {
        let path = "spec.selectableFields";
        match spec.common.schema {
            None => causes.push(Cause::invalid(
                path,
                &"".into(),
                "may only be set when validations.schema is included",
            )),
            Some(_) => {
                let any_number = options.many_fields.contains("");
                let parts = spec.common;
                causes.extend(columns::selectable_causes(fields, parts, path, any_number));
            }
        }
    }
    version_names(spec, causes);
}

fn version_names(spec: &Spec<'_>, causes: &mut Vec<Cause>) {
    let mut names: Vec<_> = spec.versions.iter().map(|version| version.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let storages = spec.versions.iter().filter(|version| version.storage);
    let is_one = storages.count() == 1;
    let mut report = |detail| {
        let printed = dump::versions(spec.value, &spec.versions);
        causes.push(Cause::invalid_text("spec.versions", &printed, detail));
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
        names::label(first.name, "spec.version".to_owned(), causes);
    }
}
