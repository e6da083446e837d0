//! GET of an object or a list, optionally at a resource version. Selectors, key prefix and resource
//! version are those of watches too.

use std::sync::Arc;
use std::time::Duration;

use base64::alphabet;
use base64::engine::general_purpose::NO_PAD;
use base64::engine::{Engine, GeneralPurpose};
use genclient_apimachinery::field;
use genclient_apimachinery::fields::FieldSelector;
use genclient_apimachinery::go;
use genclient_apimachinery::labels;
use genclient_apimachinery::sharding::{ShardField, ShardSelector};
use serde_json::{Value, json};

use super::response::{self, ListMeta};
use super::{codec, shards};
use crate::api_response::ApiResponse;
use crate::feature_gate::FeatureGate;
use crate::kinds::Kind;
use crate::query::Query;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::{Listing, Unavailable};
use crate::stored::Stored;

/// Maximum time that a request waits for a resource version that the store has not reached.
const VERSION_WAIT: Duration = Duration::from_secs(3);

/// Reads the named object.
pub(super) async fn get_object(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let kind = &request.kind;
    match request.query.text("resourceVersion") {
        "" => {}
        text => {
            let version =
                parse_resource_version(text).map_err(|error| StatusError::unknown(500, error))?;
            wait_for_version(server, kind, version).await?;
        }
    }
    let stored = server
        .store
        .get(&kind.resource, &request.key())
        .ok_or_else(|| request.not_found())?;
    let versions = kind.webhook_versions();
    let is_cached = versions.is_some_and(|versions| versions.is_ready(&kind.version))
        && !request.query.text("resourceVersion").is_empty();
    let shown = if is_cached {
        codec::for_watch_cache(server, kind, &stored).await?
    } else {
        codec::for_response(server, kind, &stored).await?
    };
    Ok(response::object(200, kind, &shown, representation))
}

/// Part of a collection that a list request asks for.
struct PageOptions {
    /// Exact resource version to list at. `None` is the newest.
    version: Option<u64>,
    /// Key of the last object on the previous page, without the request's [`prefix`].
    after: Option<String>,
    limit: usize,
}

/// Reads a collection.
pub(super) async fn list_objects(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let (meta, selected) = select_objects(server, request).await?;
    let objects = selected.iter().map(|stored| &**stored);
    Ok(response::list(
        &request.kind,
        &meta,
        objects,
        representation,
    ))
}

/// Returns the objects that a list request selects, at most one page of them.
pub(super) async fn select_objects(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<(ListMeta, Vec<Arc<Stored>>), StatusError> {
    let kind = &request.kind;
    let selection = SelectionPredicate::from_request(server, request)?;
    let page = page_options(server, request).await?;
    let prefix = prefix(request);
    let initialized = codec::initialize_cache(server, kind).await;
    if page.limit == 0 || !selection.is_label_and_field_free() {
        initialized?;
    }
    let snapshot = list_snapshot(server, kind, &prefix, &page)?;
    let below = |key: &str| key.get(prefix.len()..).unwrap_or_default().to_owned();
    let mut read: Vec<_> = snapshot
        .objects
        .into_iter()
        .map(|(key, stored)| (below(key.as_str()), stored))
        .filter(|(below, stored)| match page.after.as_deref() {
            Some(after) => &**below > after,
            None => selection.is_read(request, stored),
        })
        .collect();
    if !selection.is_label_and_field_free() {
        for (_, stored) in &mut read {
            *stored = codec::for_watch_cache(server, kind, stored).await?;
        }
    }
    let mut meta = ListMeta {
        version: snapshot.version,
        shard_selector: selection.shards.as_ref().map(ToString::to_string),
        ..ListMeta::default()
    };
    let count = read.len();
    let mut selected = Vec::new();
    for (index, (below, mut stored)) in read.into_iter().enumerate() {
        if !selection.matches(kind, &stored) {
            continue;
        }
        if selection.is_label_and_field_free() {
            // A list from etcd converts the objects on its page alone (`GetList` of
            // k8s.io/apiserver, storage/etcd3/store.go).
            stored = codec::for_watch_cache(server, kind, &stored).await?;
        }
        selected.push(stored);
        if selected.len() == page.limit {
            // The rest counts, although it may match nothing (`GetList` of k8s.io/apiserver,
            // storage/cacher/cacher.go).
            if index + 1 < count {
                meta.next = Some(continue_token(snapshot.version, &below));
                meta.remaining = selection
                    .is_label_and_field_free()
                    .then_some(count - page.limit);
            }
            break;
        }
    }
    Ok((meta, selected))
}

fn list_snapshot(
    server: &ServerState,
    kind: &Kind,
    prefix: &str,
    page: &PageOptions,
) -> Result<Listing, StatusError> {
    let Some(version) = page.version else {
        return Ok(server.store.list(&kind.resource, prefix));
    };
    server
        .store
        .list_at(&kind.resource, prefix, version)
        .map_err(|unavailable| match unavailable {
            Unavailable::Future { current } => StatusError::too_large_version(version, current),
            Unavailable::TooOld { .. } if page.after.is_some() => {
                let message = "The provided continue parameter is too old to display a consistent \
                               list result. You can start a new list without the continue \
                               parameter, or use the continue token in this response to retrieve \
                               the remainder of the results. Continuing with the provided token \
                               results in an inconsistent list - objects that were created, \
                               modified, or deleted between the time the first chunk was returned \
                               and now may show up in the list.";
                StatusError::expired(message)
            }
            Unavailable::TooOld { .. } => {
                StatusError::expired("The resourceVersion for the provided list is too old.")
            }
        })
}

/// Selectors of a list or a watch.
#[derive(Clone, Debug)]
pub(super) struct SelectionPredicate {
    pub labels: labels::Selector,
    pub fields: FieldSelector,
    pub shards: Option<ShardSelector>,
}

impl SelectionPredicate {
    /// Parses the selectors of a request, and validates its other options in kube-apiserver's
    /// order.
    pub fn from_request(
        server: &ServerState,
        request: &ObjectRequest,
    ) -> Result<Self, StatusError> {
        let query = &request.query;
        for number in ["timeoutSeconds", "limit"] {
            query.number(number)?;
        }
        let labels = labels::Selector::parse(query.text("labelSelector"))
            .map_err(StatusError::bad_request)?;
        let fields =
            FieldSelector::parse(query.text("fieldSelector")).map_err(StatusError::bad_request)?;
        validate_list_options(query, request.verb == Verb::Watch)?;
        for test in &fields.0 {
            request
                .kind
                .check_selectable(&test.field)
                .map_err(StatusError::bad_request)?;
        }
        let shards = match query.text("shardSelector") {
            text if !text.is_empty() && server.is_enabled(FeatureGate::ShardedListAndWatch) => {
                let selector = shards::parse(text).map_err(|error| {
                    StatusError::unknown(500, format!("invalid shard selector: {error}"))
                })?;
                Some(selector)
            }
            _ => None,
        };
        Ok(Self {
            labels,
            fields,
            shards,
        })
    }

    /// Returns whether there is neither a label selector nor a field selector: `Empty` of
    /// upstream's `SelectionPredicate`, which ignores shards as well.
    pub fn is_label_and_field_free(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub fn matches(&self, kind: &Kind, stored: &Stored) -> bool {
        self.labels.matches(&stored.labels)
            && self.fields.0.iter().all(|test| {
                let value = match &*test.field {
                    "metadata.name" => stored.name.clone(),
                    "metadata.namespace" => stored.namespace.clone(),
                    field => kind.field_value(&stored.value(), field),
                };
                (value == test.value) == test.is_equal
            })
            && self.shards.as_ref().is_none_or(|shards| {
                shards.matches(match shards.field() {
                    ShardField::Uid => &stored.uid,
                    ShardField::Namespace => &stored.namespace,
                })
            })
    }

    /// Returns whether kube-apiserver reads an object for the first page of a list. A list of all
    /// namespaces reads one of them if the selector has it, and a list of one namespace reads one
    /// object (`ListPredicate` of k8s.io/apiserver, registry/generic/registry/store.go).
    fn is_read(&self, request: &ObjectRequest, stored: &Stored) -> bool {
        let exact = |field: &str| {
            let mut tests = self.fields.0.iter();
            tests
                .find(|test| test.is_equal && test.field == field)
                .map(|test| &*test.value)
        };
        let namespace = exact("metadata.namespace").filter(|_| request.target.namespace.is_empty());
        let is_one_namespace = !prefix(request).is_empty() || namespace.is_some();
        let name =
            exact("metadata.name").filter(|_| is_one_namespace || !request.kind.is_namespaced);
        namespace.is_none_or(|namespace| namespace == stored.namespace)
            && name.is_none_or(|name| name == stored.name)
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
fn validate_list_options(query: &Query, is_watch: bool) -> Result<(), StatusError> {
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
            causes.push(field::Error::forbidden(field, detail));
        }
        if !matching.is_empty() && !sends {
            let detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is \
                          provided";
            causes.push(field::Error::forbidden(field, detail));
        }
        if !["", "NotOlderThan"].contains(&matching) {
            let cause = field::Error::not_supported(field, &json!(matching), &["NotOlderThan"]);
            causes.push(cause);
        }
        // A legacy watch has neither `sendInitialEvents` nor `resourceVersionMatch`, and its
        // version is empty or `0`. kube-apiserver sets `resourceVersionMatch=NotOlderThan` for it.
        if (is_legacy || !matching.is_empty()) && !query.text("continue").is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            causes.push(field::Error::forbidden(field, detail));
        }
    } else if sends {
        let detail = "sendInitialEvents is forbidden for list";
        causes.push(field::Error::forbidden("sendInitialEvents", detail));
    } else if !matching.is_empty() {
        if version.is_empty() {
            let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            causes.push(field::Error::forbidden(field, detail));
        }
        if !query.text("continue").is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            causes.push(field::Error::forbidden(field, detail));
        }
        if !["Exact", "NotOlderThan"].contains(&matching) {
            let supported = ["Exact", "NotOlderThan", ""];
            causes.push(field::Error::not_supported(
                field,
                &json!(matching),
                &supported,
            ));
        }
        if matching == "Exact" && version == "0" {
            let detail = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            causes.push(field::Error::forbidden(field, detail));
        }
    }
    if causes.is_empty() {
        Ok(())
    } else {
        Err(StatusError::invalid_options("ListOptions", causes))
    }
}

/// Parses a resource version, with the errors of kube-apiserver's storage.
pub(super) fn parse_resource_version(text: &str) -> Result<u64, String> {
    go::parse_uint(text).map_err(|error| {
        field::Error::invalid("resourceVersion", &Value::from(text), &error).to_string()
    })
}

/// Waits until the store has reached a resource version.
pub(super) async fn wait_for_version(
    server: &ServerState,
    kind: &Kind,
    version: u64,
) -> Result<(), StatusError> {
    let mut changes = server.store.subscribe(&kind.resource);
    let wait = async {
        while server.store.version() < version {
            if changes.changed().await.is_err() {
                break;
            }
        }
    };
    match tokio::time::timeout(VERSION_WAIT, wait).await {
        Ok(()) => Ok(()),
        Err(_) => Err(StatusError::too_large_version(
            version,
            server.store.version(),
        )),
    }
}

/// Reads `resourceVersion`, `resourceVersionMatch`, `limit` and `continue` of a list request.
async fn page_options(
    server: &ServerState,
    request: &ObjectRequest,
) -> Result<PageOptions, StatusError> {
    let query = &request.query;
    let limit = query.number("limit")?.unwrap_or_default();
    let limit = usize::try_from(limit).unwrap_or_default();
    let (text, matching) = (
        query.text("resourceVersion"),
        query.text("resourceVersionMatch"),
    );
    let next = query.text("continue");
    if !next.is_empty() {
        if !text.is_empty() && text != "0" {
            let message = "specifying resource version is not allowed when using continue";
            return Err(StatusError::bad_request(message));
        }
        let (version, after) = parse_continue_token(next)?;
        let version = u64::try_from(version).ok();
        return Ok(PageOptions {
            version,
            after: Some(after),
            limit,
        });
    }
    let version = match text {
        "" | "0" => None,
        text => Some(parse_resource_version(text).map_err(|error| {
            StatusError::bad_request(format!("invalid resource version: {error}"))
        })?),
    };
    let is_exact = matching == "Exact" || matching.is_empty() && limit > 0;
    let version = match version {
        Some(version) if is_exact => Some(version),
        Some(version) => {
            wait_for_version(server, &request.kind, version).await?;
            None
        }
        None => None,
    };
    // kube-apiserver serves a list at version 0 from its watch cache, which ignores `limit`.
    let limit = if text == "0" { 0 } else { limit };
    Ok(PageOptions {
        version,
        after: None,
        limit,
    })
}

/// Go's `base64.RawURLEncoding`.
const RAW_URL: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    NO_PAD.with_decode_allow_trailing_bits(true),
);

/// Returns the continue token for the page that begins after the key `last`.
fn continue_token(version: u64, last: &str) -> String {
    let start = format!("{last}\0");
    let token = json!({ "v": "meta.k8s.io/v1", "rv": version, "start": start });
    RAW_URL.encode(token.to_string())
}

/// Decodes a continue token. Returns its resource version and the last key of the previous page.
fn parse_continue_token(token: &str) -> Result<(i64, String), StatusError> {
    let invalid = |what: String| {
        StatusError::bad_request(format!(
            "invalid continue token: continue key is not valid: {what}"
        ))
    };
    let bytes = RAW_URL.decode(token).map_err(|_| {
        let at = illegal_byte(token);
        invalid(format!("illegal base64 data at input byte {at}"))
    })?;
    let token: Value =
        serde_json::from_slice(&bytes).map_err(|error| invalid(go::json_error(&error, &bytes)))?;
    if token["v"] != "meta.k8s.io/v1" {
        let version = token["v"].as_str().unwrap_or_default();
        return Err(invalid(format!(
            "server does not recognize this encoded version {version}"
        )));
    }
    let start = token["start"].as_str().unwrap_or_default();
    let key = start.strip_suffix('\0').unwrap_or(start);
    let last = key.strip_prefix('/').unwrap_or(key);
    Ok((token["rv"].as_i64().unwrap_or_default(), last.to_owned()))
}

/// Returns the position in Go's error for invalid base64: the first invalid byte, or the start of
/// an incomplete last group of four.
fn illegal_byte(text: &str) -> usize {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.find(|c| !is_digit(c))
        .unwrap_or(text.len() - text.len() % 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continue_tokens_are_decoded_as_in_go() {
        for (text, expected) in [
            ("", Ok("")),
            ("!", Err(0)),
            ("a", Err(0)),
            ("YW", Ok("a")),
            ("YX", Ok("a")),
            ("YWJj", Ok("abc")),
            ("YWJjZ", Err(4)),
            ("YW=", Err(2)),
            ("YW/d", Err(2)),
            ("Y!Jj", Err(1)),
        ] {
            let decoded = RAW_URL.decode(text).map_err(|_| illegal_byte(text));
            assert_eq!(decoded, expected.map(|it| it.as_bytes().to_vec()), "{text}");
        }
    }
}
