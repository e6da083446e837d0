//! Validation of environment variables and of downward API files (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::validation;

use crate::accessors::set_default;
use crate::field::ObjectField;
use crate::names;
use crate::types::Object;

/// Fields of a Pod that an environment variable may refer to.
const OF_VARIABLES: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Fields of a Pod that a file of a downward API volume may refer to.
const OF_FILES: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

/// Valid field labels of Pods that neither variables nor files may refer to. A reference to one
/// gets another error than a reference to an unknown field.
const OTHERS: [&str; 4] = [
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
    "spec.host",
];

/// Resources of a container that variables and files may refer to.
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// Divisors that a reference to an amount of bytes may have.
const DIVISORS: [&str; 13] = [
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
];

/// Validates the environment variables of a container and their sources (`ValidateEnv` and
/// `ValidateEnvFrom`).
pub(crate) fn validate_environment(container: &ObjectField<'_>, out: &mut field::ErrorList) {
    for variable in container.at("env").items() {
        variable
            .at("name")
            .required_named(variable_name_errors, out);
        if variable.at("valueFrom").is_set() {
            validate_value_from(&variable, out);
        }
    }
    let sources = container.at("envFrom");
    for source in sources.items() {
        source
            .at("prefix")
            .named_if_filled(variable_name_errors, out);
        let found = ["configMapRef", "secretRef"].map(|name| source.at(name));
        let found: Vec<_> = found.into_iter().filter(ObjectField::is_set).collect();
        for reference in &found {
            reference
                .at("name")
                .required_named(validation::subdomain, out);
        }
        match found.len() {
            0 => sources.invalid_blank("must specify one of: `configMapRef` or `secretRef`", out),
            1 => {}
            _ => sources.invalid_blank("may not have more than one field specified at a time", out),
        }
    }
}

/// Checks the name of an environment variable: printable ASCII without `=` (`IsRelaxedEnvVarName`).
fn variable_name_errors(name: &str) -> Vec<String> {
    let known = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
    let detail = "a valid environment variable name must consist only of printable ASCII \
         characters other than '='";
    let wrong = !name.bytes().all(known);
    wrong.then(|| detail.to_owned()).into_iter().collect()
}

/// Validates the source of a variable's value (`validateEnvVarValueFrom`).
fn validate_value_from(variable: &ObjectField<'_>, out: &mut field::ErrorList) {
    let from = variable.at("valueFrom");
    let mut sources = 0;
    let mut source = |name: &str| {
        let source = Some(from.at(name)).filter(ObjectField::is_set);
        sources += usize::from(source.is_some());
        source
    };
    if let Some(field) = source("fieldRef") {
        validate_pod_field(&field, &OF_VARIABLES, out);
    }
    if let Some(field) = source("resourceFieldRef") {
        validate_resource_field(&field, false, out);
    }
    for name in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(reference) = source(name) {
            reference.at("name").named(validation::subdomain, out);
            reference
                .at("key")
                .required_named(validation::config_key, out);
        }
    }
    source("fileKeyRef");
    let detail = match sources {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, \
             `secretKeyRef` or `fileKeyRef`"
        }
        _ if variable.at("value").is_filled() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    from.invalid_blank(detail, out);
}

/// Validates a file of a downward API volume, which refers either to a field of the Pod or to a
/// resource of a container.
pub(crate) fn validate_file_reference(file: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (field, resource) = (file.at("fieldRef"), file.at("resourceFieldRef"));
    if field.is_set() {
        validate_pod_field(&field, &OF_FILES, out);
        if resource.is_set() {
            let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
            ObjectField::of(&"resource".into(), &*file.path).invalid(detail, out);
        }
    } else if resource.is_set() {
        validate_resource_field(&resource, true, out);
    } else {
        file.required("one of fieldRef and resourceFieldRef is required", out);
    }
}

/// Validates a reference to a field of the Pod (`validateObjectFieldSelector`). `known` are the
/// allowed fields.
fn validate_pod_field(reference: &ObjectField<'_>, known: &[&str], out: &mut field::ErrorList) {
    let (version, path) = (reference.at("apiVersion"), reference.at("fieldPath"));
    if !version.is_filled() {
        return version.required("", out);
    }
    if !path.is_filled() {
        return path.required("", out);
    }
    let (text, subscript) = split_subscript(path.text());
    let all = [&OF_VARIABLES[..], &OF_FILES, &OTHERS].concat();
    let problem = match (version.text(), subscript) {
        ("v1", Some(_)) if !matches!(text, "metadata.annotations" | "metadata.labels") => {
            format!("field label does not support subscript: {}", path.text())
        }
        ("v1", None) if !all.contains(&text) => format!("field label not supported: {text}"),
        ("v1", _) => String::new(),
        (other, _) => format!("unsupported pod version: {other}"),
    };
    if !problem.is_empty() {
        return path.invalid(&format!("error converting fieldPath: {problem}"), out);
    }
    match subscript {
        Some(key) if text == "metadata.annotations" => {
            let lower = key.to_lowercase();
            names::report_name_errors(&reference.path, &lower, validation::label_key(&lower), out);
        }
        Some(key) => {
            names::report_name_errors(&reference.path, key, validation::label_key(key), out)
        }
        // `spec.host` is the old name of `spec.nodeName`. The message has the new name.
        None if text == "spec.host" => {
            ObjectField::of(&"spec.nodeName".into(), path.path).supported(known, out);
        }
        None => path.supported(known, out),
    }
}

/// Splits a path such as `metadata.labels['key']` into the field and the key.
fn split_subscript(path: &str) -> (&str, Option<&str>) {
    let inner = path
        .strip_suffix("']")
        .and_then(|rest| rest.split_once("['"));
    match inner.filter(|(text, _)| !text.is_empty()) {
        Some((text, key)) => (text, Some(key)),
        None => (path, None),
    }
}

/// Validates a reference to a resource of a container (`validateContainerResourceFieldSelector`).
/// A file must name the container; a variable may omit the name.
fn validate_resource_field(reference: &ObjectField<'_>, in_file: bool, out: &mut field::ErrorList) {
    let (container, resource) = (reference.at("containerName"), reference.at("resource"));
    let name = resource.text();
    let pages = ["limits.hugepages-", "requests.hugepages-"];
    let is_pages = pages.iter().any(|prefix| name.starts_with(prefix));
    if in_file && !container.is_filled() {
        container.required("", out);
    } else if name.is_empty() {
        resource.required("", out);
    } else if !is_pages {
        resource.supported(&RESOURCES, out);
    }
    let divisor = Quantity::parse(reference.at("divisor").text()).ok();
    let Some(divisor) = divisor.filter(|divisor| !divisor.sign().is_eq()) else {
        return;
    };
    let (kind, known) = match name.split_once('.').map(|(_, resource)| resource) {
        Some("cpu") => ("cpu", &["1m", "1"][..]),
        Some("memory") => ("memory", &DIVISORS[..]),
        Some("ephemeral-storage") => ("local ephemeral storage", &DIVISORS[..]),
        _ if is_pages => ("hugepages", &DIVISORS[..]),
        _ => return,
    };
    if !known.contains(&&*divisor.canonical()) {
        let known = if kind == "cpu" {
            "1m and 1".to_owned()
        } else {
            known.join(", ")
        };
        let detail =
            format!("only divisor's values {known} are supported with the {kind} resource");
        ObjectField::of(resource.value, format!("{}.divisor", reference.path))
            .invalid(&detail, out);
    }
}

/// Sets the defaults of a reference to a field of the Pod.
pub(crate) fn set_field_defaults(selector: &mut Object) {
    set_default(selector, "apiVersion", "v1");
}

/// Sets the defaults of a reference to a key in a file.
pub(crate) fn set_file_key_defaults(selector: &mut Object) {
    set_default(selector, "optional", false);
}
