//! CertificateSigningRequests, which follow their published schema alone.

use genclient_schema::object::human_duration;
use serde_json::{Value, json};

use crate::accessors::{as_items, as_text, text_or};
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
            as_items(&status["conditions"])
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
        if !as_text(&status["certificate"]).is_empty() {
            state.push_str(",Issued");
        }
        let duration = spec["expirationSeconds"].as_i64().map(human_duration);
        Some(vec![
            row.name(),
            row.age(),
            json!(text_or(&spec["signerName"], NONE)),
            json!(as_text(&spec["username"])),
            json!(duration.as_deref().unwrap_or(NONE)),
            json!(state),
        ])
    }
}
