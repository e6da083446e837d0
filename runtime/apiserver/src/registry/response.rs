//! Representation of objects and lists in responses: content negotiation, JSON, and tables for
//! `kubectl get`.

use serde_json::{Value, json};

use super::table::{self, TableOptions};
use crate::api_response::ApiResponse;
use crate::kinds::Kind;
use crate::request::ObjectRequest;
use crate::route::Verb;
use crate::status_error::StatusError;
use crate::stored::Stored;

/// Representation of an object in a response.
#[derive(Clone, Copy, Debug)]
pub(super) enum Representation {
    Whole,
    /// `PartialObjectMetadata`, in this version of `meta.k8s.io`.
    Metadata(&'static str),
    Table(TableOptions),
}

/// Representation that a clause of `Accept` asks for and that the server can produce.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AcceptedForm<'a> {
    Whole,
    /// Kind of `meta.k8s.io`, such as `Table`, and its version.
    Converted(&'a str, &'static str),
}

impl<'a> AcceptedForm<'a> {
    /// Returns the representation for the first clause that the server can satisfy. Clauses are
    /// tried by descending quality, and those of the same quality in the order of the header
    /// (`NegotiateMediaTypeOptions` in k8s.io/apiserver/pkg/endpoints/handlers/negotiation).
    fn parse(accept: &'a str, has_table: bool) -> Option<Self> {
        let mut clauses: Vec<_> = accept.split(',').map(parse_quality).collect();
        clauses.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        clauses
            .into_iter()
            .find_map(|(_, clause)| Self::parse_clause(clause, has_table))
    }

    fn parse_clause(clause: &'a str, has_table: bool) -> Option<Self> {
        let mut parts = clause.split(';').map(str::trim);
        if !matches!(
            parts.next()?,
            "application/json" | "application/*" | "*/*" | "*"
        ) {
            return None;
        }
        let (mut kind, mut group, mut version) = ("", "", "");
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name {
                "as" => kind = value,
                "g" => group = value,
                "v" => version = value,
                "stream" if value != "watch" => return None,
                _ => {}
            }
        }
        let is_served = match kind {
            "PartialObjectMetadata" | "PartialObjectMetadataList" => true,
            "Table" => has_table,
            _ => false,
        };
        match (group, version) {
            ("", "") if kind.is_empty() => Some(Self::Whole),
            ("meta.k8s.io", "v1") if is_served => Some(Self::Converted(kind, "meta.k8s.io/v1")),
            ("meta.k8s.io", "v1beta1") if is_served => {
                Some(Self::Converted(kind, "meta.k8s.io/v1beta1"))
            }
            _ => None,
        }
    }
}

/// Returns the quality of an `Accept` clause (`q=0.5`, default 1) and the clause itself.
fn parse_quality(text: &str) -> (f64, &str) {
    let mut parts = text.split(';').map(str::trim);
    let quality = parts
        .find_map(|part| part.strip_prefix("q="))
        .and_then(|text| text.parse().ok());
    (quality.unwrap_or(1.0), text)
}

/// Returns the representation that the `Accept` header of a request asks for.
pub(super) fn negotiate(request: &ObjectRequest) -> Result<Representation, StatusError> {
    let accept = request
        .headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if accept.is_empty() {
        return Ok(Representation::Whole);
    }
    let kind = &request.kind;
    if kind.custom().is_none() {
        check_route(accept, request.verb)?;
    }
    let has_table = request.target.subresource == "scale" || table::has_table(kind);
    let is_list = matches!(request.verb, Verb::List | Verb::DeleteCollection);
    match AcceptedForm::parse(accept, has_table) {
        None => Err(StatusError::not_acceptable(MEDIA_TYPES)),
        Some(AcceptedForm::Whole) => Ok(Representation::Whole),
        Some(AcceptedForm::Converted("Table", version)) => {
            TableOptions::from_request(request, version).map(Representation::Table)
        }
        Some(AcceptedForm::Converted("PartialObjectMetadata", _)) if is_list => {
            Err(StatusError::not_acceptable_type(&format!(
                "you requested PartialObjectMetadata, but the requested object is a list ({})",
                go_type(kind, true)
            )))
        }
        Some(AcceptedForm::Converted("PartialObjectMetadataList", _)) if !is_list => {
            Err(match kind.custom() {
                Some(_) => StatusError::unknown(500, "content is not a list"),
                None => StatusError::not_acceptable_type(&format!(
                    "you requested PartialObjectMetadataList, but the requested object is not a \
                     list ({})",
                    go_type(kind, false)
                )),
            })
        }
        Some(AcceptedForm::Converted(_, version)) => Ok(Representation::Metadata(version)),
    }
}

/// Media types that errors name as supported. This server always responds with the first one.
const MEDIA_TYPES: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
];

/// Media types that errors of lists and watches name in addition to [`MEDIA_TYPES`].
const STREAMS: &[&str] = &[
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
];

/// Rejects an `Accept` header with neither `*/*` nor any of the [`MEDIA_TYPES`]. kube-apiserver's
/// router does so before a handler considers qualities and conversions (go-restful,
/// `Route.matchesAccept`).
fn check_route(accept: &str, verb: Verb) -> Result<(), StatusError> {
    let is_offered = |clause: &str| {
        let media_type = clause.split(';').next().unwrap_or_default().trim();
        media_type == "*/*" || MEDIA_TYPES.contains(&media_type)
    };
    if accept.split(',').any(is_offered) {
        Ok(())
    } else {
        let streams = match verb {
            Verb::List | Verb::Watch => STREAMS,
            _ => &[],
        };
        Err(StatusError::no_representation(
            &[MEDIA_TYPES, streams].concat(),
        ))
    }
}

/// Returns the Go type of an object or list for an error message: `*core.ConfigMapList`.
fn go_type(kind: &Kind, is_list: bool) -> String {
    let package = match (kind.custom(), kind.group()) {
        (Some(_), _) => return "*unstructured.UnstructuredList".to_owned(),
        (None, "") => "core",
        (None, group) => group.split('.').next().unwrap_or_default(),
    };
    if is_list {
        format!("*{package}.{}", kind.list_kind)
    } else {
        format!("*{package}.{}", kind.kind)
    }
}

/// Writes an object in a representation. The object must be in the version of `kind`.
pub(super) fn write(
    out: &mut Vec<u8>,
    kind: &Kind,
    stored: &Stored,
    representation: Representation,
) {
    match representation {
        Representation::Whole => stored.write(out, &kind.api_version(), &kind.kind),
        Representation::Metadata(version) => {
            let partial = json!({ "metadata": stored.value()["metadata"] });
            let partial = Stored::for_response(partial, stored.version(), 0);
            partial.write(out, version, "PartialObjectMetadata");
        }
        Representation::Table(rows) => {
            let meta = json!({ "resourceVersion": stored.version().to_string() });
            let table = rows.table(kind, meta, std::iter::once(stored), true);
            out.extend_from_slice(table.to_string().as_bytes());
        }
    }
}

/// Returns the response with one object.
pub(super) fn object(
    code: u16,
    kind: &Kind,
    stored: &Stored,
    representation: Representation,
) -> ApiResponse {
    let mut text = Vec::new();
    write(&mut text, kind, stored, representation);
    ApiResponse::json(code, text)
}

/// Returns the response with the Scale of an object.
pub(super) fn scale(kind: &Kind, scale: Value, representation: Representation) -> ApiResponse {
    ApiResponse::value(&match representation {
        Representation::Whole => scale,
        Representation::Metadata(version) => json!({
            "kind": "PartialObjectMetadata",
            "apiVersion": version,
            "metadata": scale["metadata"],
        }),
        Representation::Table(rows) => rows.scale(kind, scale),
    })
}

#[derive(Debug, Default)]
pub(super) struct ListMeta {
    pub version: u64,
    pub next: Option<String>,
    pub remaining: Option<usize>,
    /// Shard selector of the list.
    pub shard_selector: Option<String>,
}

/// Returns the response with a list.
pub(super) fn list<'a>(
    kind: &Kind,
    meta: &ListMeta,
    objects: impl Iterator<Item = &'a Stored>,
    representation: Representation,
) -> ApiResponse {
    let (api_version, list_kind) = match representation {
        Representation::Whole => (kind.api_version(), kind.list_kind.as_str()),
        Representation::Metadata(version) => (version.to_owned(), "PartialObjectMetadataList"),
        Representation::Table(_) => ("meta.k8s.io/v1".to_owned(), "Table"),
    };
    let mut metadata = json!({ "resourceVersion": meta.version.to_string() });
    match &meta.next {
        Some(next) => metadata["continue"] = next.as_str().into(),
        None if kind.custom().is_some() && matches!(representation, Representation::Whole) => {
            metadata["continue"] = "".into();
        }
        None => {}
    }
    if let Some(remaining) = meta.remaining {
        metadata["remainingItemCount"] = remaining.into();
    }
    // Neither Go's `UnstructuredList` nor converted lists have the field.
    if let Some(selector) = &meta.shard_selector
        && kind.custom().is_none()
        && matches!(representation, Representation::Whole)
    {
        metadata["shardInfo"] = json!({ "selector": selector });
    }
    if let Representation::Table(rows) = representation {
        return ApiResponse::value(&rows.table(kind, metadata, objects, true));
    }
    let head = format!(
        "{{\"apiVersion\":{},\"kind\":{},\"metadata\":{metadata},\"items\":",
        Value::from(api_version),
        Value::from(list_kind),
    );
    let mut text = head.into_bytes();
    let mut objects = objects.peekable();
    // `asPartialObjectMetadataList` in k8s.io/apiserver/pkg/endpoints/handlers, response.go, leaves
    // the items of an empty list nil.
    if matches!(representation, Representation::Metadata(_)) && objects.peek().is_none() {
        text.extend_from_slice(b"null}");
        return ApiResponse::json(200, text);
    }
    text.push(b'[');
    for (index, stored) in objects.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        match (representation, kind.custom()) {
            (Representation::Whole, None) => stored.write_without_type(&mut text),
            _ => write(&mut text, kind, stored, representation),
        }
    }
    text.extend_from_slice(b"]}");
    ApiResponse::json(200, text)
}

/// Returns the response to a POST that stores nothing at its path: a Status without details.
pub(super) fn created_status() -> ApiResponse {
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "code": 201,
    });
    ApiResponse::json(201, status.to_string().into_bytes())
}
