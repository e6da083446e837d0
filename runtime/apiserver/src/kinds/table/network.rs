//! Table cells of Endpoints, EndpointSlices and kinds of the group `networking.k8s.io`.

use serde_json::{Value, json};

use crate::builtins::core::service;
use crate::builtins::row::{
    NONE, Row, UNSET, as_integer, as_items, as_text, first, joined, selector_or_none,
};

/// Maximum number of endpoints, ports or hosts in a cell.
const SHOWN: usize = 3;

/// Returns the cells of an object, or `None` if this module does not cover its kind.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let spec = row.spec();
    let (name, age) = (row.name(), row.age());
    Some(match kind {
        "Endpoints" => vec![name, json!(endpoints(row.object)), age],
        "EndpointSlice" => {
            let type_ = json!(as_text(&row.object["addressType"]));
            let (ports, addresses) = slice(row.object);
            vec![name, type_, json!(ports), json!(addresses), age]
        }
        "Ingress" => ingress(row),
        "IngressClass" => ingress_class(row),
        "NetworkPolicy" => vec![name, json!(selector_or_none(&spec["podSelector"])), age],
        "ServiceCIDR" => vec![name, json!(joined(&spec["cidrs"])), age],
        "IPAddress" => vec![name, json!(parent(&spec["parentRef"])), age],
        _ => return None,
    })
}

/// Formats the addresses and ports of Endpoints (`formatEndpoints`).
fn endpoints(object: &Value) -> String {
    let subsets = as_items(&object["subsets"]);
    if subsets.is_empty() {
        return NONE.to_owned();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let addresses = as_items(&subset["addresses"])
            .iter()
            .map(|it| as_text(&it["ip"]));
        let ports = as_items(&subset["ports"]);
        if ports.is_empty() {
            all.extend(addresses.clone().map(str::to_owned));
        }
        for port in ports.iter().map(|port| as_integer(&port["port"])) {
            all.extend(addresses.clone().map(|ip| match ip.contains(':') {
                true => format!("[{ip}]:{port}"),
                false => format!("{ip}:{port}"),
            }));
        }
    }
    first(&all, SHOWN, ",")
}

/// Returns the ports and addresses of an EndpointSlice.
fn slice(object: &Value) -> (String, String) {
    let ports = as_items(&object["ports"])
        .iter()
        .map(|port| match port["port"].as_i64() {
            Some(number) => number.to_string(),
            None => port["name"].as_str().unwrap_or("*").to_owned(),
        });
    let addresses = as_items(&object["endpoints"]).iter();
    let addresses = addresses.flat_map(|endpoint| as_items(&endpoint["addresses"]));
    let shown = |list: Vec<String>| match first(&list, SHOWN, ",") {
        text if text.is_empty() => UNSET.to_owned(),
        text => text,
    };
    (
        shown(ports.collect()),
        shown(addresses.map(|it| as_text(it).to_owned()).collect()),
    )
}

fn ingress(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let ports = match as_items(&spec["tls"]) {
        [] => "80",
        _ => "80, 443",
    };
    vec![
        row.name(),
        json!(spec["ingressClassName"].as_str().unwrap_or(NONE)),
        json!(hosts(as_items(&spec["rules"]))),
        json!(service::load_balancers(row.status())),
        json!(ports),
        row.age(),
    ]
}

/// Formats the hosts of an Ingress (`formatHosts`). As in kube-apiserver, the number in
/// `+ 2 more...` also counts rules without a host.
fn hosts(rules: &[Value]) -> String {
    let hosts = rules.iter().map(|rule| as_text(&rule["host"]));
    let mut shown = Vec::new();
    let mut has_more = false;
    for host in hosts {
        has_more |= shown.len() == SHOWN;
        if !has_more && !host.is_empty() {
            shown.push(host);
        }
    }
    match (&*shown, has_more) {
        ([], _) => "*".to_owned(),
        (shown, false) => shown.join(","),
        (shown, true) => format!("{} + {} more...", shown.join(","), rules.len() - SHOWN),
    }
}

fn ingress_class(row: Row<'_>) -> Vec<Value> {
    let mut name = as_text(&row.metadata()["name"]).to_owned();
    if row.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true") {
        name.push_str(" (default)");
    }
    let parameters = &row.spec()["parameters"];
    let shown = match parameters {
        Value::Null => NONE.to_owned(),
        parameters => {
            let group = parameters["apiGroup"].as_str();
            let group = group.map(|group| format!(".{group}")).unwrap_or_default();
            format!(
                "{}{group}/{}",
                as_text(&parameters["kind"]),
                as_text(&parameters["name"])
            )
        }
    };
    vec![
        json!(name),
        json!(as_text(&row.spec()["controller"])),
        json!(shown),
        row.age(),
    ]
}

/// Formats the object that an IPAddress belongs to, such as `services/default/web`.
fn parent(reference: &Value) -> String {
    if reference.is_null() {
        return NONE.to_owned();
    }
    let mut parent = as_text(&reference["resource"]).to_lowercase();
    let group = as_text(&reference["group"]).to_lowercase();
    if !group.is_empty() {
        parent = format!("{parent}.{group}");
    }
    for part in ["namespace", "name"] {
        let part_text = as_text(&reference[part]);
        if part == "name" || !part_text.is_empty() {
            parent = format!("{parent}/{part_text}");
        }
    }
    parent
}
