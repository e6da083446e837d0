//! CertificateSigningRequests. Unlike kube-apiserver, this server validates them by their published
//! schema alone.

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::accessors::text_or;
use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of CertificateSigningRequests.
#[derive(Debug)]
pub(crate) struct CertificateSigningRequestStrategy;

impl Strategy for CertificateSigningRequestStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let has = |type_: &str| {
            list_or_empty(&status["conditions"])
                .iter()
                .any(|it| it["type"] == type_)
        };
        let mut state = match () {
            () if has("Denied") => "Denied",
            () if has("Approved") => "Approved",
            () => "Pending",
        }
        .to_owned();
        if has("Failed") {
            state.push_str(",Failed");
        }
        if !str_or_empty(&status["certificate"]).is_empty() {
            state.push_str(",Issued");
        }
        let duration = spec["expirationSeconds"].as_i64().map(human_duration);
        Some(vec![
            row.name(),
            row.age(),
            json!(text_or(&spec["signerName"], NONE)),
            json!(str_or_empty(&spec["username"])),
            json!(duration.as_deref().unwrap_or(NONE)),
            json!(state),
        ])
    }
}
