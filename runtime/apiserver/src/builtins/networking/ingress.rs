//! Validation of Ingresses and NetworkPolicies (pkg/apis/networking/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::field::ObjectField;
use crate::builtins::findings::Causes;
use crate::builtins::{addresses, ip as lenient, names, selectors};

const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// Texts that a path of the type `Exact` or `Prefix` must not contain.
const NOT_IN_PATHS: [&str; 5] = ["//", "/./", "/../", "%2f", "%2F"];

/// Texts with which a path of the type `Exact` or `Prefix` must not end.
const NOT_AT_THE_END: [&str; 2] = ["/..", "/."];

/// Validates a new Ingress. If it has both the class annotation and `ingressClassName`, they must
/// be equal. Updates are not checked for this.
pub(crate) fn ingress_created(object: &Value, out: &mut Causes) {
    ingress(object, out);
    let class = &object["spec"]["ingressClassName"];
    let annotations = ObjectField::of(&object["metadata"]["annotations"], "annotations");
    let annotation = annotations.at(INGRESS_CLASS);
    if annotation.is_set() && !class.is_null() && annotation.value != class {
        annotation.invalid("must match `ingressClassName` when both are specified", out);
    }
}

pub(crate) fn ingress(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let default = spec.at("defaultBackend");
    if spec.at("rules").has_none() && !default.is_set() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        out.push(Cause::invalid("spec", &Value::Null, detail));
    }
    if default.is_set() {
        backend(&default, out);
    }
    for rule in spec.at("rules").items() {
        host(&rule.at("host"), out);
        let http = rule.at("http");
        if http.is_set() && http.at("paths").has_none() {
            http.at("paths").required("", out);
        }
        for path in http.at("paths").items() {
            ingress_path(&path, out);
        }
    }
    for tls in spec.at("tls").items() {
        for name in tls.at("hosts").items() {
            host_name(&name, out);
        }
        tls.at("secretName").named_if_filled(names::subdomain, out);
    }
    let class = spec.at("ingressClassName");
    if class.is_set() {
        class.named(names::subdomain, out);
    }
}

fn host(host: &ObjectField<'_>, out: &mut Causes) {
    if !host.is_filled() {
        return;
    }
    if lenient::parse(host.text()).is_some() {
        host.invalid("must be a DNS name, not an IP address", out);
    }
    host_name(host, out);
}

fn host_name(host: &ObjectField<'_>, out: &mut Causes) {
    match host.text().contains('*') {
        true => host.named(names::wildcard, out),
        false => host.named(names::subdomain, out),
    }
}

fn ingress_path(item: &ObjectField<'_>, out: &mut Causes) {
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
    backend(&item.at("backend"), out);
}

/// Validates the backend of an Ingress: a resource or a Service (`validateIngressBackend`).
fn backend(backend: &ObjectField<'_>, out: &mut Causes) {
    let (resource, service) = (backend.at("resource"), backend.at("service"));
    match (resource.is_set(), service.is_set()) {
        (true, true) => {
            backend.invalid_blank("cannot set both resource and service backends", out);
        }
        (true, false) => reference(&resource, out),
        (false, true) => service_backend(backend, &service, out),
        (false, false) => backend.invalid_blank("resource or service backend is required", out),
    }
}

fn service_backend(backend: &ObjectField<'_>, service: &ObjectField<'_>, out: &mut Causes) {
    service.at("name").required_named(names::label, out);
    let port = service.at("port");
    let (name, number) = (port.at("name"), port.at("number"));
    match (name.is_filled(), number.is_filled()) {
        (true, true) => backend.invalid_blank("cannot set both port name & port number", out),
        (true, false) => name.named(names::port_name, out),
        (false, true) => number.port(out),
        (false, false) => backend.required("port name or number is required", out),
    }
}

/// Validates a reference to an object by group, kind and name.
fn reference(object: &ObjectField<'_>, out: &mut Causes) {
    if object.at("apiGroup").is_set() {
        object.at("apiGroup").named(names::subdomain, out);
    }
    object.at("kind").required_named(names::path_segment, out);
    object.at("name").required_named(names::path_segment, out);
}

/// Validates the spec of a NetworkPolicy (`ValidateNetworkPolicySpec`).
pub(crate) fn policy(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    let selector = spec.at("podSelector");
    selectors::selector(selector.value, &selector.path, out);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.at(direction).items() {
            for port in rule.at("ports").items() {
                policy_port(&port, out);
            }
            for peer in rule.at(peers).items() {
                policy_peer(&peer, out);
            }
        }
    }
    let types = spec.at("policyTypes");
    if types.items().len() > 2 {
        return types.invalid("may not specify more than two policyTypes", out);
    }
    for kind in types.items() {
        kind.supported(&["Ingress", "Egress"], out);
    }
}

fn policy_port(item: &ObjectField<'_>, out: &mut Causes) {
    item.at("protocol")
        .supported_if_set(&["TCP", "UDP", "SCTP"], out);
    let (port, end) = (item.at("port"), item.at("endPort"));
    match port.value {
        Value::Number(_) => {
            port.port(out);
            if end.is_set() {
                if end.number() < port.number() {
                    let detail = "must be greater than or equal to `port`";
                    ObjectField::of(port.value, &*end.path).invalid(detail, out);
                }
                end.port(out);
            }
        }
        Value::String(_) => {
            if end.is_set() {
                end.invalid("may not be specified when `port` is non-numeric", out);
            }
            port.named(names::port_name, out);
        }
        _ if end.is_set() => end.invalid("may not be specified when `port` is not specified", out),
        _ => {}
    }
}

fn policy_peer(peer: &ObjectField<'_>, out: &mut Causes) {
    let labels = [peer.at("podSelector"), peer.at("namespaceSelector")];
    for selector in &labels {
        selectors::selector(selector.value, &selector.path, out);
    }
    let block = peer.at("ipBlock");
    let has_labels = labels.iter().any(ObjectField::is_set);
    if block.is_set() {
        ip_block(&block, out);
        if has_labels {
            peer.forbidden("may not specify both ipBlock and another peer", out);
        }
    } else if !has_labels {
        peer.required("must specify a peer", out);
    }
}

fn ip_block(block: &ObjectField<'_>, out: &mut Causes) {
    let cidr = block.at("cidr");
    if !cidr.is_filled() {
        return cidr.required("", out);
    }
    let Some(whole) = addresses::cidr(&cidr, out) else {
        return;
    };
    for except in block.at("except").items() {
        let range = addresses::cidr(&except, out);
        if range.is_some_and(|range| !addresses::is_strictly_inside(range, whole)) {
            except.invalid("must be a strict subset of `cidr`", out);
        }
    }
}
