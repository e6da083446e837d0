//! Allocation of unique cluster IPs and node ports to Services.
//!
//! Source: pkg/registry/core/service in Kubernetes.

use std::collections::HashSet;

use genclient_apimachinery::field;
use serde::Deserialize;
use serde_json::Value;

use crate::addresses::NODE_PORTS;
use crate::kinds::Kind;
use crate::metadata;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::Key;

/// Cluster IPs and node ports that Services have.
#[derive(Default)]
struct Allocated {
    ips: HashSet<String>,
    ports: HashSet<u16>,
}

/// Fields of a Service that have allocated values.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Service {
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    #[serde(rename = "clusterIPs")]
    cluster_ips: Vec<String>,
    ports: Vec<Port>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Port {
    node_port: Option<u16>,
}

impl Allocated {
    /// Returns the cluster IPs and node ports of all Services, except the one with the key `but`.
    fn of(server: &ServerState, kind: &Kind, but: Option<&Key>) -> Self {
        let mut allocated = Self::default();
        let services = server.store.list(&kind.resource, "").objects.into_iter();
        for (_, stored) in services.filter(|(key, _)| Some(key) != but) {
            let Service { spec } = stored.deserialize();
            allocated.ips.extend(spec.cluster_ips);
            let ports = spec.ports.iter().filter_map(|port| port.node_port);
            allocated.ports.extend(ports);
        }
        allocated.ips.remove("None");
        allocated
    }

    /// Returns the error for the first cluster IP or node port of `service` that is already
    /// allocated to another Service.
    fn refused(&self, service: &Value) -> Option<field::Error> {
        let ips = &service["spec"]["clusterIPs"];
        let mut texts = ips
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        if let Some(ip) = texts.find(|ip| self.ips.contains(*ip)) {
            let detail = format!("failed to allocate IP {ip}: provided IP is already allocated");
            return Some(field::Error::invalid("spec.clusterIPs", ips, &detail));
        }
        let ports = service["spec"]["ports"].as_array().into_iter().flatten();
        ports.enumerate().find_map(|(index, port)| {
            let number = port["nodePort"].as_u64()?;
            let is_taken = u16::try_from(number).is_ok_and(|it| self.ports.contains(&it));
            let field = format!("spec.ports[{index}].nodePort");
            let detail = "provided port is already allocated";
            is_taken.then(|| field::Error::invalid(field, &number.into(), detail))
        })
    }
}

/// Rejects a Service with a cluster IP or node port of another Service.
pub(super) fn check_allocated(
    server: &ServerState,
    request: &ObjectRequest,
    service: &Value,
) -> Result<(), StatusError> {
    let kind = &request.kind;
    let name = metadata::str_field(service, "name");
    let key = Key::new(&request.target.namespace, name);
    let refused = Allocated::of(server, kind, Some(&key)).refused(service);
    match refused {
        None => Ok(()),
        Some(cause) => Err(StatusError::invalid("", &kind.kind, name, vec![cause])),
    }
}

/// Returns a cluster IP that no Service has.
pub(super) fn free_ip(server: &ServerState, kind: &Kind) -> String {
    let allocated = Allocated::of(server, kind, None);
    loop {
        let ip = server.addresses.lock().cluster_ip();
        if !allocated.ips.contains(&ip) {
            return ip;
        }
    }
}

/// Returns a node port that no Service has. If all ports are allocated, returns one of them.
pub(super) fn free_port(server: &ServerState, kind: &Kind) -> u16 {
    let allocated = Allocated::of(server, kind, None);
    let mut addresses = server.addresses.lock();
    let mut port = addresses.node_port();
    for _ in 0..NODE_PORTS {
        if !allocated.ports.contains(&port) {
            break;
        }
        port = addresses.node_port();
    }
    port
}
