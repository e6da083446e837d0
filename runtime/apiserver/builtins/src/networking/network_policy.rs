//! NetworkPolicies (pkg/apis/networking/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{change_member, set_default};
use crate::cells::selector_or_none;
use crate::field::ObjectField;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;
use crate::warnings::Warnings;
use crate::{addresses, ip, selectors};

/// Strategy of NetworkPolicies (pkg/registry/networking/networkpolicy, strategy.go).
#[derive(Debug)]
pub(crate) struct NetworkPolicyStrategy;

impl Strategy for NetworkPolicyStrategy {
    /// Validates the spec of a NetworkPolicy (`ValidateNetworkPolicySpec`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let selector = spec.at("podSelector");
        selectors::validate_selector(selector.value, &selector.path, out);
        for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
            for rule in spec.at(direction).items() {
                for port in rule.at("ports").items() {
                    validate_port(&port, out);
                }
                for peer in rule.at(peers).items() {
                    validate_peer(&peer, out);
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

    /// Warns about the CIDRs in the IP blocks of a NetworkPolicy.
    fn warn_on_create(&self, policy: &Value, out: &mut Warnings) {
        for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
            for (index, rule) in list_field(&policy["spec"], direction).iter().enumerate() {
                for (inner, peer) in list_field(rule, peers).iter().enumerate() {
                    let block = &peer["ipBlock"];
                    let path = format!("spec.{direction}[{index}].{peers}[{inner}].ipBlock");
                    ip::warn_cidr(&format!("{path}.cidr"), str_field(block, "cidr"), out);
                    let except = list_field(block, "except").iter().filter_map(Value::as_str);
                    for (index, range) in except.enumerate() {
                        ip::warn_cidr(&format!("{path}.except[{index}]"), range, out);
                    }
                }
            }
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let selector = selector_or_none(&row.spec()["podSelector"]);
        Some(vec![row.name(), json!(selector), row.age()])
    }
}

/// Sets the defaults of a NetworkPolicy.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", |spec| {
        let types = match spec.get("egress") {
            Some(Value::Array(_)) => json!(["Ingress", "Egress"]),
            _ => json!(["Ingress"]),
        };
        set_default(spec, "policyTypes", types);
    });
}

/// Sets the defaults of a port of a rule.
pub(crate) fn set_port_defaults(port: &mut Object) {
    set_default(port, "protocol", "TCP");
}

/// Validates a port of a rule (`ValidateNetworkPolicyPort`).
fn validate_port(item: &ObjectField<'_>, out: &mut field::ErrorList) {
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
            port.named(validation::port_name, out);
        }
        _ if end.is_set() => end.invalid("may not be specified when `port` is not specified", out),
        _ => {}
    }
}

/// Validates a peer of a rule: selectors or an IP block (`ValidateNetworkPolicyPeer`).
fn validate_peer(peer: &ObjectField<'_>, out: &mut field::ErrorList) {
    let labels = [peer.at("podSelector"), peer.at("namespaceSelector")];
    for selector in &labels {
        selectors::validate_selector(selector.value, &selector.path, out);
    }
    let block = peer.at("ipBlock");
    let has_labels = labels.iter().any(ObjectField::is_set);
    if block.is_set() {
        validate_ip_block(&block, out);
        if has_labels {
            peer.forbidden("may not specify both ipBlock and another peer", out);
        }
    } else if !has_labels {
        peer.required("must specify a peer", out);
    }
}

/// Validates an IP block. Its exceptions must be in it (`ValidateIPBlock`).
fn validate_ip_block(block: &ObjectField<'_>, out: &mut field::ErrorList) {
    let cidr = block.at("cidr");
    if !cidr.is_filled() {
        return cidr.required("", out);
    }
    let Some(whole) = addresses::validate_cidr(&cidr, out) else {
        return;
    };
    for except in block.at("except").items() {
        let range = addresses::validate_cidr(&except, out);
        if range.is_some_and(|range| !addresses::is_strictly_inside(range, whole)) {
            except.invalid("must be a strict subset of `cidr`", out);
        }
    }
}
