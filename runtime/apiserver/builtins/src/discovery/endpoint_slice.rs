//! EndpointSlices (pkg/apis/discovery/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, list_or_empty, str_field, str_or_empty};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{has_member, set_default};
use crate::cells::{UNSET, join_first};
use crate::field::{NameForm, ObjectField};
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;
use crate::warnings::Warnings;
use crate::{addresses, ip};

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

const MAX_ENDPOINTS: usize = 1000;

const MAX_ADDRESSES: usize = 100;

const MAX_PORTS: usize = 20_000;

const MAX_HINTS: usize = 8;

/// Maximum number of endpoints or ports in a cell.
const SHOWN_ITEMS: usize = 3;

/// Strategy of EndpointSlices (pkg/registry/discovery/endpointslice, strategy.go).
#[derive(Debug)]
pub(crate) struct EndpointSliceStrategy;

impl Strategy for EndpointSliceStrategy {
    /// Validates an EndpointSlice (`ValidateEndpointSlice`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let kind = ObjectField::of(&object["addressType"], "addressType");
        kind.required_one_of(&["FQDN", "IPv4", "IPv6"], "", out);
        validate_slice_ports(&ObjectField::of(&object["ports"], "ports"), out);
        let endpoints = ObjectField::of(&object["endpoints"], "endpoints");
        if is_too_long(&endpoints, MAX_ENDPOINTS, out) {
            return;
        }
        for endpoint in endpoints.items() {
            let list = endpoint.at("addresses");
            if list.has_none() {
                list.required("must contain at least 1 address", out);
            }
            is_too_long(&list, MAX_ADDRESSES, out);
            for address in list.items() {
                validate_slice_address(&address, kind.text(), &list, out);
            }
            if endpoint.at("nodeName").is_set() {
                endpoint.at("nodeName").named(validation::subdomain, out);
            }
            if endpoint.at("hostname").is_set() {
                endpoint.at("hostname").named(validation::label, out);
            }
            validate_hints(&endpoint.at("hints"), out);
        }
    }

    /// Validates an update of an EndpointSlice. Endpoints are validated only if they have changed;
    /// the address type is immutable.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        if new["endpoints"] == old["endpoints"] {
            let mut unchanged = new.clone();
            unchanged["endpoints"] = Value::Null;
            self.validate(&unchanged, out);
        } else {
            self.validate(new, out);
        }
        ObjectField::of(&new["addressType"], "addressType").unchanged(&old["addressType"], out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        if str_field(object, "addressType") == "FQDN" {
            out.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
        }
        warn_addresses(object, out);
    }

    fn warn_on_update(&self, new: &Value, _old: &Value, out: &mut Warnings) {
        warn_addresses(new, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let type_ = json!(str_or_empty(&row.object["addressType"]));
        let (ports, addresses) = format_ports_and_addresses(row.object);
        Some(vec![
            row.name(),
            type_,
            json!(ports),
            json!(addresses),
            row.age(),
        ])
    }
}

/// Sets the defaults of a port.
pub(crate) fn set_port_defaults(port: &mut Object) {
    set_default(port, "protocol", "TCP");
    if !has_member(port, "name") {
        port.insert("name".to_owned(), "".into());
    }
}

fn validate_app_protocol(port: &ObjectField<'_>, out: &mut field::ErrorList) {
    let protocol = port.at("appProtocol");
    if protocol.is_set() {
        protocol.named(validation::label_key, out);
    }
}

fn is_too_long(list: &ObjectField<'_>, most: usize, out: &mut field::ErrorList) -> bool {
    let count = list.items().len();
    if count > most {
        out.push(field::Error::too_many(&list.path, count, most as u64));
    }
    count > most
}

/// Validates an address by the address type of the slice.
fn validate_slice_address(
    address: &ObjectField<'_>,
    kind: &str,
    list: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let found = match kind {
        "IPv4" => addresses::validate_ip(address, out),
        "IPv6" => addresses::validate_canonical_ip(address, out),
        "FQDN" => return address.named(validation::subdomain, out),
        _ => return,
    };
    let Some(ip) = found else {
        return;
    };
    if ip.is_ipv4() != (kind == "IPv4") {
        let detail = format!("must be an {kind} address");
        ObjectField::of(address.value, &*list.path).invalid(&detail, out);
    }
    addresses::validate_reachable(ip, address, out);
}

/// Validates the ports of a slice (`validatePorts`).
fn validate_slice_ports(list: &ObjectField<'_>, out: &mut field::ErrorList) {
    if is_too_long(list, MAX_PORTS, out) {
        return;
    }
    let ports = list.items();
    for (at, port) in ports.iter().enumerate() {
        let name = port.at("name");
        name.named_if_filled(validation::label, out);
        validate_repeated(&ports, at, out);
        port.at("protocol").supported(&PROTOCOLS, out);
        validate_app_protocol(port, out);
    }
}

/// Checks that the item at an index does not have the same name as an earlier item.
fn validate_repeated(items: &[ObjectField<'_>], at: usize, out: &mut field::ErrorList) {
    let name = items[at].at("name");
    if items[..at]
        .iter()
        .any(|before| before.at("name").text() == name.text())
    {
        name.duplicate(out);
    }
}

/// Validates the hints of an endpoint.
fn validate_hints(hints: &ObjectField<'_>, out: &mut field::ErrorList) {
    let lists: [(_, NameForm); 2] = [
        ("forZones", validation::label_value),
        ("forNodes", validation::subdomain),
    ];
    for (list, form) in lists {
        let list = hints.at(list);
        if is_too_long(&list, MAX_HINTS, out) {
            return;
        }
        let items = list.items();
        for (at, item) in items.iter().enumerate() {
            validate_repeated(&items, at, out);
            item.at("name").named(form, out);
        }
    }
}

/// Warns about the addresses of an EndpointSlice, unless a controller of Kubernetes manages it.
fn warn_addresses(slice: &Value, out: &mut Warnings) {
    let writer = &slice["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"];
    let own = [
        "endpointslice-controller.k8s.io",
        "endpointslicemirroring-controller.k8s.io",
    ];
    if own.iter().any(|own| writer == own) {
        return;
    }
    for (index, endpoint) in list_field(slice, "endpoints").iter().enumerate() {
        let addresses = list_field(endpoint, "addresses")
            .iter()
            .filter_map(Value::as_str);
        for (inner, address) in addresses.enumerate() {
            ip::warn_ip(
                &format!("endpoints[{index}].addresses[{inner}]"),
                address,
                out,
            );
        }
    }
}

/// Returns the ports and addresses of an EndpointSlice.
fn format_ports_and_addresses(object: &Value) -> (String, String) {
    let ports = list_or_empty(&object["ports"])
        .iter()
        .map(|port| match port["port"].as_i64() {
            Some(number) => number.to_string(),
            None => port["name"].as_str().unwrap_or("*").to_owned(),
        });
    let addresses = list_or_empty(&object["endpoints"])
        .iter()
        .flat_map(|endpoint| list_or_empty(&endpoint["addresses"]));
    let shown = |list: Vec<String>| match join_first(&list, SHOWN_ITEMS, ",") {
        text if text.is_empty() => UNSET.to_owned(),
        text => text,
    };
    (
        shown(ports.collect()),
        shown(addresses.map(|it| str_or_empty(it).to_owned()).collect()),
    )
}
