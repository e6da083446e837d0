//! Table cells of Services, Endpoints, EndpointSlices and kinds of the group `networking.k8s.io`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::builtins::row::{
    NONE, Row, UNSET, first, integer, items, joined, labels, selector_or_none, text,
};

/// Maximum number of endpoints, ports or hosts in a cell.
const SHOWN: usize = 3;

/// Returns the cells of an object, or `None` if this module does not cover its kind.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let spec = row.spec();
    let (name, age) = (row.name(), row.age());
    Some(match kind {
        "Service" => service(row),
        "Endpoints" => vec![name, json!(endpoints(row.object)), age],
        "EndpointSlice" => {
            let type_ = json!(text(&row.object["addressType"]));
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

fn service(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let cluster_ip = spec["clusterIPs"][0].as_str().unwrap_or(NONE);
    let ports = items(&spec["ports"]).iter().map(|port| {
        let (number, protocol) = (integer(&port["port"]), text(&port["protocol"]));
        match integer(&port["nodePort"]) {
            node @ 1.. => format!("{number}:{node}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    });
    let ports = ports.collect::<Vec<_>>().join(",");
    vec![
        row.name(),
        json!(text(&spec["type"])),
        json!(cluster_ip),
        json!(external(spec, status)),
        json!(if ports.is_empty() { NONE } else { &*ports }),
        row.age(),
        json!(labels(&spec["selector"])),
    ]
}

/// Formats the column `External-IP` of a Service (`getServiceExternalIP`).
fn external(spec: &Value, status: &Value) -> String {
    let own = joined(&spec["externalIPs"]);
    match text(&spec["type"]) {
        "ClusterIP" | "NodePort" if own.is_empty() => NONE.to_owned(),
        "ClusterIP" | "NodePort" => own,
        "LoadBalancer" => match (balancers(status), own) {
            (balancers, own) if own.is_empty() && balancers.is_empty() => "<pending>".to_owned(),
            (balancers, own) if own.is_empty() => balancers,
            (balancers, own) if balancers.is_empty() => own,
            (balancers, own) => format!("{balancers},{own}"),
        },
        "ExternalName" => text(&spec["externalName"]).to_owned(),
        _ => crate::builtins::row::UNKNOWN.to_owned(),
    }
}

/// Returns the addresses or host names of the load balancers in a status, sorted.
fn balancers(status: &Value) -> String {
    let addresses = items(&status["loadBalancer"]["ingress"]).iter();
    let addresses =
        addresses.map(|it| crate::builtins::row::text_or(&it["ip"], text(&it["hostname"])));
    let addresses: BTreeSet<_> = addresses.filter(|text| !text.is_empty()).collect();
    addresses.into_iter().collect::<Vec<_>>().join(",")
}

/// Formats the addresses and ports of Endpoints (`formatEndpoints`).
fn endpoints(object: &Value) -> String {
    let subsets = items(&object["subsets"]);
    if subsets.is_empty() {
        return NONE.to_owned();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let addresses = items(&subset["addresses"]).iter().map(|it| text(&it["ip"]));
        let ports = items(&subset["ports"]);
        if ports.is_empty() {
            all.extend(addresses.clone().map(str::to_owned));
        }
        for port in ports.iter().map(|port| integer(&port["port"])) {
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
    let ports = items(&object["ports"])
        .iter()
        .map(|port| match port["port"].as_i64() {
            Some(number) => number.to_string(),
            None => port["name"].as_str().unwrap_or("*").to_owned(),
        });
    let addresses = items(&object["endpoints"]).iter();
    let addresses = addresses.flat_map(|endpoint| items(&endpoint["addresses"]));
    let shown = |list: Vec<String>| match first(&list, SHOWN, ",") {
        text if text.is_empty() => UNSET.to_owned(),
        text => text,
    };
    (
        shown(ports.collect()),
        shown(addresses.map(|it| text(it).to_owned()).collect()),
    )
}

fn ingress(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let ports = match items(&spec["tls"]) {
        [] => "80",
        _ => "80, 443",
    };
    vec![
        row.name(),
        json!(spec["ingressClassName"].as_str().unwrap_or(NONE)),
        json!(hosts(items(&spec["rules"]))),
        json!(balancers(row.status())),
        json!(ports),
        row.age(),
    ]
}

/// Formats the hosts of an Ingress (`formatHosts`). As in kube-apiserver, the number in
/// `+ 2 more...` also counts rules without a host.
fn hosts(rules: &[Value]) -> String {
    let hosts = rules.iter().map(|rule| text(&rule["host"]));
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
    let mut name = text(&row.metadata()["name"]).to_owned();
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
                text(&parameters["kind"]),
                text(&parameters["name"])
            )
        }
    };
    vec![
        json!(name),
        json!(text(&row.spec()["controller"])),
        json!(shown),
        row.age(),
    ]
}

/// Formats the object that an IPAddress belongs to, such as `services/default/web`.
fn parent(reference: &Value) -> String {
    if reference.is_null() {
        return NONE.to_owned();
    }
    let mut parent = text(&reference["resource"]).to_lowercase();
    let group = text(&reference["group"]).to_lowercase();
    if !group.is_empty() {
        parent = format!("{parent}.{group}");
    }
    for part in ["namespace", "name"] {
        let part_text = text(&reference[part]);
        if part == "name" || !part_text.is_empty() {
            parent = format!("{parent}/{part_text}");
        }
    }
    parent
}
