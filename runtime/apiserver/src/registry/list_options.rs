//! Options of lists and watches: selectors, key prefix and resource version.

use std::num::{IntErrorKind, ParseIntError};
use std::time::Duration;

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::fields::FieldSelector;
use genclient_apimachinery::labels;
use genclient_builtins::selectable;
use genclient_builtins::types::quoted;
use serde_json::json;

use crate::failure::Failure;
use crate::kinds::{Kind, Origin};
use crate::query::Query;
use crate::request::ObjectRequest;
use crate::state::State;
use crate::stored::Stored;

/// Maximum time that a request waits for a resource version that the store has not reached.
const PATIENCE: Duration = Duration::from_secs(3);

/// Selectors of a list or a watch.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    pub(super) labels: labels::Selector,
    pub(super) fields: FieldSelector,
}

impl Selection {
    /// Parses the selectors of a request.
    pub(super) fn read(kind: &Kind, query: &Query) -> Result<Self, Failure> {
        let labels =
            labels::Selector::parse(query.text("labelSelector")).map_err(Failure::bad_request)?;
        let fields =
            FieldSelector::parse(query.text("fieldSelector")).map_err(Failure::bad_request)?;
        for test in &fields.0 {
            check_field(kind, &test.field)?;
        }
        Ok(Self { labels, fields })
    }

    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(super) fn matches(&self, kind: &Kind, stored: &Stored) -> bool {
        self.labels.matches(&stored.labels)
            && self.fields.0.iter().all(|test| {
                let value = match &*test.field {
                    "metadata.name" => stored.name.clone(),
                    "metadata.namespace" => stored.namespace.clone(),
                    field => field_of(kind, stored, field),
                };
                (value == test.value) == test.is_equal
            })
    }
}

/// Rejects a field that field selectors of a kind do not support.
fn check_field(kind: &Kind, field: &str) -> Result<(), Failure> {
    let (is_selectable, message) = match &kind.origin {
        Origin::Builtin(builtin) => (
            builtin.is_selectable(field),
            builtin.unsupported_field(field),
        ),
        Origin::Custom(custom) => (
            matches!(field, "metadata.name" | "metadata.namespace")
                || custom.selectable_fields.iter().any(|path| path == field),
            format!("field label not supported: {field}"),
        ),
    };
    if is_selectable {
        return Ok(());
    }
    Err(Failure::bad_request(message))
}

fn field_of(kind: &Kind, stored: &Stored, field: &str) -> String {
    let object = stored.value();
    match &kind.origin {
        Origin::Builtin(builtin) => builtin.strategy.field_value(&object, field),
        Origin::Custom(_) => selectable::text_at(&object, field),
    }
}

/// Returns the prefix that the keys of the requested objects share: `default/`, or an empty text if
/// the request has no namespace.
pub(super) fn prefix(request: &ObjectRequest) -> String {
    match &*request.target.namespace {
        "" => String::new(),
        namespace => format!("{namespace}/"),
    }
}

/// Rejects invalid combinations of `resourceVersion`, `resourceVersionMatch`, `sendInitialEvents`
/// and `continue`.
pub(super) fn check_match(query: &Query, is_watch: bool) -> Result<(), Failure> {
    let (version, matching) = (
        query.text("resourceVersion"),
        query.text("resourceVersionMatch"),
    );
    let field = "resourceVersionMatch";
    let mut causes = Vec::new();
    let sends = !query.text("sendInitialEvents").is_empty();
    if is_watch {
        let is_legacy = matching.is_empty() && !sends && matches!(version, "" | "0");
        if sends && matching != "NotOlderThan" {
            let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            causes.push(Cause::forbidden(field, detail));
        }
        if !matching.is_empty() && !sends {
            let detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is \
                          provided";
            causes.push(Cause::forbidden(field, detail));
        }
        if !["", "NotOlderThan"].contains(&matching) {
            let cause = Cause::not_supported(field, &json!(matching), &["NotOlderThan"]);
            causes.push(cause);
        }
        // A legacy watch has neither `sendInitialEvents` nor `resourceVersionMatch`, and its
        // version is empty or `0`. kube-apiserver sets `resourceVersionMatch=NotOlderThan` for it.
        if (is_legacy || !matching.is_empty()) && !query.text("continue").is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            causes.push(Cause::forbidden(field, detail));
        }
    } else if sends {
        let detail = "sendInitialEvents is forbidden for list";
        causes.push(Cause::forbidden("sendInitialEvents", detail));
    } else if !matching.is_empty() {
        if version.is_empty() {
            let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            causes.push(Cause::forbidden(field, detail));
        }
        if !query.text("continue").is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            causes.push(Cause::forbidden(field, detail));
        }
        if !["Exact", "NotOlderThan"].contains(&matching) {
            let supported = ["Exact", "NotOlderThan", ""];
            causes.push(Cause::not_supported(field, &json!(matching), &supported));
        }
        if matching == "Exact" && version == "0" {
            let detail = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            causes.push(Cause::forbidden(field, detail));
        }
    }
    if causes.is_empty() {
        Ok(())
    } else {
        Err(Failure::invalid_options("ListOptions", causes))
    }
}

/// Parses a resource version, with the errors of kube-apiserver's storage.
pub(super) fn version_of(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| {
        let what = match error.kind() {
            IntErrorKind::PosOverflow => "value out of range",
            _ => "invalid syntax",
        };
        let cause = format!("strconv.ParseUint: parsing {}: {what}", quoted(text));
        Cause::invalid("resourceVersion", &text.into(), &cause).to_string()
    })
}

/// Waits until the store has reached a resource version.
pub(super) async fn reached(server: &State, kind: &Kind, version: u64) -> Result<(), Failure> {
    let mut changes = server.store.subscribe(&kind.resource);
    let wait = async {
        while server.store.version() < version {
            if changes.changed().await.is_err() {
                break;
            }
        }
    };
    match tokio::time::timeout(PATIENCE, wait).await {
        Ok(()) => Ok(()),
        Err(_) => Err(Failure::too_large_version(version, server.store.version())),
    }
}
