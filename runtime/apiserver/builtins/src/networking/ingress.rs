//! Ingresses (pkg/apis/networking/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::cells::NONE;
use crate::core::service;
use crate::field::ObjectField;
use crate::ip;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::warnings::{Warnings, get_annotation};

const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// Texts that a path of the type `Exact` or `Prefix` must not contain.
const NOT_IN_PATHS: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];

/// Texts with which a path of the type `Exact` or `Prefix` must not end.
const NOT_AT_THE_END: [&str; 2] = ["/..", "/."];

/// Maximum number of hosts in a cell.
const SHOWN_HOSTS: usize = 3;

/// Strategy of Ingresses (pkg/registry/networking/ingress, strategy.go).
#[derive(Debug)]
pub(crate) struct IngressStrategy;

impl Strategy for IngressStrategy {
    /// Validates a new Ingress. If it has both the class annotation and `ingressClassName`, they
    /// must be equal. Updates are not checked for this.
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_spec(object, out);
        let class = &object["spec"]["ingressClassName"];
        let annotations = ObjectField::of(&object["metadata"]["annotations"], "annotations");
        let annotation = annotations.at(INGRESS_CLASS);
        if annotation.is_set() && !class.is_null() && annotation.value != class {
            annotation.invalid("must match `ingressClassName` when both are specified", out);
        }
    }

    fn validate_update(&self, new: &Value, _old: &Value, out: &mut field::ErrorList) {
        validate_spec(new, out);
    }

    /// Warns about the deprecated class annotation of a new Ingress.
    fn warn_on_create(&self, ingress: &Value, out: &mut Warnings) {
        let has_class = !ingress["spec"]["ingressClassName"].is_null();
        if get_annotation(ingress, "kubernetes.io/ingress.class").is_some() && !has_class {
            out.push(
                "annotation \"kubernetes.io/ingress.class\" is deprecated, please use \
                 'spec.ingressClassName' instead"
                    .to_owned(),
            );
        }
    }

    /// kube-apiserver sends no warnings about updates.
    fn warn_on_update(&self, _new: &Value, _old: &Value, _out: &mut Warnings) {}

    fn warn_on_status_update(&self, ingress: &Value, out: &mut Warnings) {
        service::warn_load_balancers(ingress, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let ports = match list_or_empty(&spec["tls"]) {
            [] => "80",
            _ => "80, 443",
        };
        Some(vec![
            row.name(),
            json!(spec["ingressClassName"].as_str().unwrap_or(NONE)),
            json!(format_hosts(list_or_empty(&spec["rules"]))),
            json!(service::format_load_balancers(row.status())),
            json!(ports),
            row.age(),
        ])
    }
}

/// Validates the spec of an Ingress (`ValidateIngressSpec`).
fn validate_spec(object: &Value, out: &mut field::ErrorList) {
    let spec = ObjectField::spec(object);
    let default = spec.at("defaultBackend");
    if spec.at("rules").has_none() && !default.is_set() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        out.push(field::Error::invalid("spec", &Value::Null, detail));
    }
    if default.is_set() {
        validate_backend(&default, out);
    }
    for rule in spec.at("rules").items() {
        validate_host(&rule.at("host"), out);
        let http = rule.at("http");
        if http.is_set() && http.at("paths").has_none() {
            http.at("paths").required("", out);
        }
        for path in http.at("paths").items() {
            validate_path(&path, out);
        }
    }
    for tls in spec.at("tls").items() {
        for name in tls.at("hosts").items() {
            validate_host_name(&name, out);
        }
        tls.at("secretName")
            .named_if_filled(validation::subdomain, out);
    }
    let class = spec.at("ingressClassName");
    if class.is_set() {
        class.named(validation::subdomain, out);
    }
}

fn validate_host(host: &ObjectField<'_>, out: &mut field::ErrorList) {
    if !host.is_filled() {
        return;
    }
    if ip::parse_sloppy_ip(host.text()).is_some() {
        host.invalid("must be a DNS name, not an IP address", out);
    }
    validate_host_name(host, out);
}

fn validate_host_name(host: &ObjectField<'_>, out: &mut field::ErrorList) {
    if host.text().contains('*') {
        host.named(validation::wildcard, out);
    } else {
        host.named(validation::subdomain, out);
    }
}

/// Validates a path of a rule (`validateHTTPIngressPath`).
fn validate_path(item: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (kind, path) = (item.at("pathType"), item.at("path"));
    let text = path.text();
    if !kind.is_set() {
        return kind.required("pathType must be specified", out);
    }
    let is_absolute = text.starts_with('/');
    match kind.text() {
        "Exact" | "Prefix" => {
            if !is_absolute {
                path.invalid("must be an absolute path", out);
            }
            for part in NOT_IN_PATHS.iter().filter(|part| text.contains(*part)) {
                path.invalid(&format!("must not contain '{part}'"), out);
            }
            for end in NOT_AT_THE_END.iter().filter(|end| text.ends_with(*end)) {
                path.invalid(&format!("cannot end with '{end}'"), out);
            }
        }
        "ImplementationSpecific" => {
            if !is_absolute && !text.is_empty() {
                path.invalid("must be an absolute path", out);
            }
        }
        _ => kind.supported(&["Exact", "ImplementationSpecific", "Prefix"], out),
    }
    validate_backend(&item.at("backend"), out);
}

/// Validates the backend of an Ingress: a resource or a Service (`validateIngressBackend`).
fn validate_backend(backend: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (resource, service) = (backend.at("resource"), backend.at("service"));
    match (resource.is_set(), service.is_set()) {
        (true, true) => {
            backend.invalid_blank("cannot set both resource and service backends", out);
        }
        (true, false) => validate_reference(&resource, out),
        (false, true) => validate_service_backend(backend, &service, out),
        (false, false) => backend.invalid_blank("resource or service backend is required", out),
    }
}

fn validate_service_backend(
    backend: &ObjectField<'_>,
    service: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    service.at("name").required_named(validation::label, out);
    let port = service.at("port");
    let (name, number) = (port.at("name"), port.at("number"));
    match (name.is_filled(), number.is_filled()) {
        (true, true) => backend.invalid_blank("cannot set both port name & port number", out),
        (true, false) => name.named(validation::port_name, out),
        (false, true) => number.port(out),
        (false, false) => backend.required("port name or number is required", out),
    }
}

/// Validates a reference to an object by group, kind and name.
fn validate_reference(object: &ObjectField<'_>, out: &mut field::ErrorList) {
    if object.at("apiGroup").is_set() {
        object.at("apiGroup").named(validation::subdomain, out);
    }
    object
        .at("kind")
        .required_named(validation::path_segment, out);
    object
        .at("name")
        .required_named(validation::path_segment, out);
}

/// Formats the hosts of an Ingress (`formatHosts`). As in kube-apiserver, the number in
/// `+ 2 more...` also counts rules without a host.
fn format_hosts(rules: &[Value]) -> String {
    let hosts = rules.iter().map(|rule| str_or_empty(&rule["host"]));
    let mut shown = Vec::new();
    let mut has_more = false;
    for host in hosts {
        has_more |= shown.len() == SHOWN_HOSTS;
        if !has_more && !host.is_empty() {
            shown.push(host);
        }
    }
    match (&*shown, has_more) {
        ([], _) => "*".to_owned(),
        (shown, false) => shown.join(","),
        (shown, true) => format!(
            "{} + {} more...",
            shown.join(","),
            rules.len() - SHOWN_HOSTS
        ),
    }
}
