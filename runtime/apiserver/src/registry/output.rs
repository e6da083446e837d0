//! Objects and lists in answers.

use serde_json::{Value, json};

use super::tables::Rows;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::kinds::{Kind, table};
use crate::request::ObjectRequest;
use crate::stored::Stored;

/// What of an object an answer has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum View {
    Whole,
    /// `PartialObjectMetadata`.
    Metadata,
    /// `Table`.
    Table(Rows),
}

impl View {
    /// The view that `Accept` asks for: its first media type that is served.
    fn of(accept: &str, rows: Option<Rows>) -> Option<Self> {
        if accept.is_empty() {
            return Some(Self::Whole);
        }
        accept.split(',').find_map(|choice| {
            let mut parts = choice.split(';').map(str::trim);
            let media_type = parts.next()?;
            if !matches!(media_type, "application/json" | "application/*" | "*/*") {
                return None;
            }
            let what = parts.find_map(|part| part.strip_prefix("as="));
            match what {
                None => Some(Self::Whole),
                Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Some(Self::Metadata),
                Some("Table") => rows.map(Self::Table),
                Some(_) => None,
            }
        })
    }
}

/// The view that a request asks for.
pub(crate) fn view(request: &ObjectRequest) -> Result<View, Failure> {
    let accept = request.headers.get(http::header::ACCEPT);
    let accept = accept
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let has_table = request.target.subresource != "scale" && table::has_table(&request.kind);
    let rows = match has_table && accept.contains("as=Table") {
        true => Some(Rows::read(request)?),
        false => None,
    };
    View::of(accept, rows).ok_or_else(|| {
        Failure::not_acceptable(&[
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
        ])
    })
}

/// Writes an object that is in the version of its kind.
pub(crate) fn write(out: &mut Vec<u8>, kind: &Kind, stored: &Stored, view: View) {
    match view {
        View::Whole => stored.write(out, &kind.api_version(), &kind.kind),
        View::Metadata => {
            let partial = json!({ "metadata": stored.value()["metadata"] });
            let partial = Stored::dry_run(partial, stored.version(), 0);
            partial.write(out, "meta.k8s.io/v1", "PartialObjectMetadata");
        }
        View::Table(rows) => {
            let meta = json!({ "resourceVersion": stored.version().to_string() });
            let table = rows.table(kind, meta, std::iter::once(stored), true);
            out.extend_from_slice(table.to_string().as_bytes());
        }
    }
}

/// The answer that holds one object.
pub(crate) fn object(code: u16, kind: &Kind, stored: &Stored, view: View) -> Answer {
    let mut text = Vec::new();
    write(&mut text, kind, stored, view);
    Answer::json(code, text)
}

/// Metadata of a list.
#[derive(Debug, Default)]
pub(crate) struct ListMeta {
    pub(crate) version: u64,
    pub(crate) next: Option<String>,
    pub(crate) remaining: Option<usize>,
}

/// The answer that holds a list.
pub(crate) fn list<'a>(
    kind: &Kind,
    meta: &ListMeta,
    objects: impl Iterator<Item = &'a Stored>,
    view: View,
) -> Answer {
    let (api_version, list_kind) = match view {
        View::Whole => (kind.api_version(), kind.list_kind.as_str()),
        View::Metadata => ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadataList"),
        View::Table(_) => ("meta.k8s.io/v1".to_owned(), "Table"),
    };
    let mut metadata = json!({ "resourceVersion": meta.version.to_string() });
    match &meta.next {
        Some(next) => metadata["continue"] = next.as_str().into(),
        None if kind.custom().is_some() && matches!(view, View::Whole) => {
            metadata["continue"] = "".into()
        }
        None => {}
    }
    if let Some(remaining) = meta.remaining {
        metadata["remainingItemCount"] = remaining.into();
    }
    if let View::Table(rows) = view {
        return Answer::value(&rows.table(kind, metadata, objects, true));
    }
    let head = format!(
        "{{\"apiVersion\":{},\"kind\":{},\"metadata\":{metadata},\"items\":[",
        Value::from(api_version),
        Value::from(list_kind),
    );
    let mut text = head.into_bytes();
    for (index, stored) in objects.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        match (view, kind.custom()) {
            (View::Whole, None) => stored.write_without_type(&mut text),
            _ => write(&mut text, kind, stored, view),
        }
    }
    text.extend_from_slice(b"]}");
    Answer::json(200, text)
}
