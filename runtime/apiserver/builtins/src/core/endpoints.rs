//! Endpoints. Unlike kube-apiserver, this server validates them by their published schema alone.

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::as_integer;
use crate::cells::{NONE, join_first};
use crate::row::Row;
use crate::strategy::Strategy;

/// Maximum number of endpoints in a cell.
const SHOWN_ENDPOINTS: usize = 3;

/// Strategy of Endpoints.
#[derive(Debug)]
pub(crate) struct EndpointsStrategy;

impl Strategy for EndpointsStrategy {
    fn deprecation(&self) -> Option<&'static str> {
        Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(vec![
            row.name(),
            json!(format_addresses(row.object)),
            row.age(),
        ])
    }
}

/// Formats the addresses and ports of Endpoints (`formatEndpoints`).
fn format_addresses(object: &Value) -> String {
    let subsets = list_or_empty(&object["subsets"]);
    if subsets.is_empty() {
        return NONE.to_owned();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let addresses = list_or_empty(&subset["addresses"])
            .iter()
            .map(|it| str_or_empty(&it["ip"]));
        let ports = list_or_empty(&subset["ports"]);
        if ports.is_empty() {
            all.extend(addresses.clone().map(str::to_owned));
        }
        for port in ports.iter().map(|port| as_integer(&port["port"])) {
            all.extend(addresses.clone().map(|ip| {
                if ip.contains(':') {
                    format!("[{ip}]:{port}")
                } else {
                    format!("{ip}:{port}")
                }
            }));
        }
    }
    join_first(&all, SHOWN_ENDPOINTS, ",")
}
