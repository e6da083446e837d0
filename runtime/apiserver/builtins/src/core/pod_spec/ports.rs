//! Warnings about container ports of a Pod: duplicates, overlaps and names.

use std::collections::BTreeMap;

use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::Value;

use crate::types::quoted;
use crate::warnings::Warnings;

/// Container port, with its path in the Pod.
struct PlacedPort<'a> {
    path: String,
    port: &'a Value,
}

impl PlacedPort<'_> {
    fn number(&self, name: &str) -> i64 {
        self.port[name].as_i64().unwrap_or_default()
    }

    fn host(&self) -> (&str, i64) {
        (str_field(self.port, "hostIP"), self.number("hostPort"))
    }

    /// Returns how two ports with the same number and protocol conflict, if they do.
    fn clash(&self, other: &Self) -> Option<&'static str> {
        let ((ip, port), (other_ip, other_port)) = (self.host(), other.host());
        if (ip, port) == (other_ip, other_port) {
            Some("duplicate")
        } else if port == 0 || other_port == 0 {
            Some("overlapping")
        } else if port == other_port && ip.is_empty() != other_ip.is_empty() {
            Some("dangerously ambiguous")
        } else {
            None
        }
    }
}

/// Warns about the ports of all containers in a Pod.
pub(crate) fn warn_ports(containers: &[(String, &Value)], out: &mut Warnings) {
    let ports = || {
        containers.iter().flat_map(|(path, container)| {
            let ports = list_field(container, "ports").iter().enumerate();
            ports.map(move |(index, port)| PlacedPort {
                path: format!("{path}.ports[{index}]"),
                port,
            })
        })
    };
    let mut known: BTreeMap<(i64, &str), Vec<PlacedPort<'_>>> = BTreeMap::new();
    for port in ports() {
        let path = &port.path;
        if !str_field(port.port, "hostIP").is_empty() && port.number("hostPort") == 0 {
            let printed = format_port(&port);
            out.push(format!("{path}: hostIP set without hostPort: {printed}"));
        }
        let key = (
            port.number("containerPort"),
            str_field(port.port, "protocol"),
        );
        let others = known.entry(key).or_default();
        for other in &*others {
            if let Some(how) = port.clash(other) {
                out.push(format!("{path}: {how} port definition with {}", other.path));
            }
        }
        others.push(port);
    }
    warn_port_names(ports(), out);
}

/// Warns about port names that several containers of the Pod use.
fn warn_port_names<'a>(ports: impl Iterator<Item = PlacedPort<'a>>, out: &mut Warnings) {
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    for PlacedPort { path, port } in ports {
        let name = str_field(port, "name");
        if name.is_empty() {
            continue;
        }
        match known.get(name) {
            Some(other) => out.push(format!(
                "{path}: duplicate port name {} with {other}, services and probes that select \
                 ports by name will use {other}",
                quoted(name)
            )),
            None => {
                known.insert(name, path);
            }
        }
    }
}

/// Formats a port as Go prints its struct.
fn format_port(port: &PlacedPort<'_>) -> String {
    format!(
        "{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}",
        str_field(port.port, "name"),
        port.number("hostPort"),
        port.number("containerPort"),
        str_field(port.port, "protocol"),
        str_field(port.port, "hostIP"),
    )
}
