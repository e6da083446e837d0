//! [`Decoder`]: decoding of watch frames and objects from JSON.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::{DynamicObject, Status, TypeMeta};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::ListWatchError;
use super::request::ReflectorOptions;
use crate::cache::ObjectName;
use crate::json::{describe_error, describe_field, from_slice};
use crate::scheme::Object;

/// The annotation in which `kubectl apply` stores the applied object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Number of bytes of a string that are compared one by one before `memchr` is used.
const SHORT_STRING: usize = 24;
/// Maximum capacity of the buffer, in bytes, when it is reused for the next object.
const MAX_BUFFER_CAPACITY: usize = 1 << 20;

/// Function that changes every object before it is cached, for example to drop unused fields.
pub(crate) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Decoder of the objects of one kind: removes managed fields, decodes, checks and transforms.
pub(super) struct Decoder<K: Resource> {
    types: K::DynamicType,
    options: ReflectorOptions,
    transform: Option<Transform<K>>,
    /// Buffer for JSON without managed fields, reused to avoid an allocation for each object.
    pruned: Vec<u8>,
}

/// Event of a watch, with its object decoded.
pub(crate) enum WatchEvent<K> {
    /// `ADDED`; in a streamed list, an object of the initial list.
    Added(Arc<K>),
    /// `MODIFIED`.
    Modified(Arc<K>),
    /// `DELETED`, with the final state.
    Deleted(Arc<K>),
    /// `DELETED`, with a final state that cannot be decoded.
    SkippedDeletion(Skipped),
    /// `ADDED` or `MODIFIED`, with an object that cannot be decoded.
    Skipped(Skipped),
    /// `BOOKMARK`: the watch has sent every change up to this resource version.
    Bookmark {
        resource_version: String,
        /// Whether this bookmark ends the initial events of a streamed list.
        ends_initial_events: bool,
    },
}

/// Object that cannot be decoded. The cache has an older state of the object, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The object's name, as far as it could be decoded.
    pub name: ObjectName,
    /// The object's uid; empty if it could not be decoded.
    pub uid: String,
    /// The resource version of the undecodable state; empty if it could not be decoded either.
    pub resource_version: String,
    /// Error of the decoder. It does not quote values of the object, which may be secret.
    pub cause: String,
}

/// Type of a frame that reports a change of an object: any except `BOOKMARK` and `ERROR`.
#[derive(Clone, Copy)]
enum FrameType {
    Added,
    Modified,
    Deleted,
}

impl<K: Resource> WatchEvent<K> {
    /// Returns the resource version of the event's object or of the bookmark.
    pub(super) fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                object.meta().resource_version.as_deref()
            }
            Self::SkippedDeletion(skipped) | Self::Skipped(skipped) => {
                Some(&skipped.resource_version)
            }
            Self::Bookmark {
                resource_version, ..
            } => Some(resource_version),
        }
    }
}

impl FrameType {
    fn event<K>(self, object: Result<Arc<K>, Skipped>) -> WatchEvent<K> {
        match (self, object) {
            (Self::Added, Ok(object)) => WatchEvent::Added(object),
            (Self::Modified, Ok(object)) => WatchEvent::Modified(object),
            (Self::Deleted, Ok(object)) => WatchEvent::Deleted(object),
            (Self::Added | Self::Modified, Err(skipped)) => WatchEvent::Skipped(skipped),
            (Self::Deleted, Err(skipped)) => WatchEvent::SkippedDeletion(skipped),
        }
    }
}

/// Reason why an object cannot be decoded.
enum Undecodable {
    /// The JSON could not be decoded as an object of the kind. After this error in `plain_event`,
    /// `event` decodes the object a second time. The transform still runs at most once for it,
    /// since it runs only after the JSON is decoded.
    Json(String),
    /// The object has no name or is of another kind, or decoding or transforming it panicked.
    Object(String),
}

/// Frame of a watch, with its object still as JSON.
#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Member of a JSON object, as offsets in its text.
struct Member {
    /// From the first quote of the key to the end of the value.
    all: Range<usize>,
    value: usize,
}

impl<K: Object> Decoder<K> {
    pub(super) fn new(
        types: K::DynamicType,
        options: ReflectorOptions,
        transform: Option<Transform<K>>,
    ) -> Self {
        Self {
            types,
            options,
            transform,
            pruned: Vec::new(),
        }
    }

    /// Decodes one frame.
    ///
    /// # Errors
    ///
    /// [`ListWatchError::Status`] if the frame is an error of the API server,
    /// [`ListWatchError::Body`] if the frame cannot be decoded or has an unknown type.
    pub(super) fn event(&mut self, line: &[u8]) -> Result<WatchEvent<K>, ListWatchError> {
        if let Some(event) = self.plain_event(line) {
            return Ok(event);
        }
        let frame: Frame<'_> =
            serde_json::from_slice(line).map_err(|error| not_a_watch_frame(&error))?;
        let json = frame.object.get().as_bytes();
        match &*frame.kind {
            "ADDED" => Ok(FrameType::Added.event(self.object(json))),
            "MODIFIED" => Ok(FrameType::Modified.event(self.object(json))),
            "DELETED" => Ok(FrameType::Deleted.event(self.object(json))),
            "BOOKMARK" => bookmark(json),
            "ERROR" => Err(failure(json)),
            other => Err(ListWatchError::Body {
                expected: "watch",
                found: format!("an event of type `{other}`"),
            }),
        }
    }

    /// Fast path for frames in the form that API servers write: decodes the object without parsing
    /// the frame around it. Returns `None` if the frame has another form, or if its object cannot
    /// be parsed. The caller then parses the frame.
    fn plain_event(&mut self, line: &[u8]) -> Option<WatchEvent<K>> {
        let kinds: [(&[u8], FrameType); 3] = [
            (br#"{"type":"ADDED","object":"#, FrameType::Added),
            (br#"{"type":"MODIFIED","object":"#, FrameType::Modified),
            (br#"{"type":"DELETED","object":"#, FrameType::Deleted),
        ];
        let json = line.trim_ascii_end().strip_suffix(b"}")?;
        let (json, kind) = kinds
            .iter()
            .find_map(|(prefix, kind)| Some((json.strip_prefix(*prefix)?, *kind)))?;
        match self.decode_object(json) {
            Ok(object) => Some(kind.event(Ok(object))),
            Err(Undecodable::Json(_)) => None,
            Err(Undecodable::Object(cause)) => Some(kind.event(Err(skipped(json, cause)))),
        }
    }

    /// Decodes one object and prepares it for the cache.
    pub(super) fn object(&mut self, json: &[u8]) -> Result<Arc<K>, Skipped> {
        self.decode_object(json).map_err(|undecodable| {
            let (Undecodable::Json(cause) | Undecodable::Object(cause)) = undecodable;
            skipped(json, cause)
        })
    }

    fn decode_object(&mut self, json: &[u8]) -> Result<Arc<K>, Undecodable> {
        // `Deserialize` and the transform are user code. If they panic, only this object is
        // skipped.
        let read = catch_unwind(AssertUnwindSafe(|| self.prepare(json)));
        read.unwrap_or_else(|_| {
            Err(Undecodable::Object(
                "decoding or transforming it panicked".to_owned(),
            ))
        })
        .map(Arc::new)
    }

    fn prepare(&mut self, json: &[u8]) -> Result<K, Undecodable> {
        let is_pruned =
            !self.options.keep_managed_fields && without_managed_fields(json, &mut self.pruned);
        let json = if is_pruned { &self.pruned } else { json };
        let object = from_slice(json);
        let mut object: K =
            object.map_err(|error| Undecodable::Json(describe_field::<K>(json, &error)))?;
        if object.meta().name.as_deref().is_none_or(str::is_empty) {
            return Err(Undecodable::Object("missing name".to_owned()));
        }
        self.check_kind(&object).map_err(Undecodable::Object)?;
        if !self.options.keep_managed_fields {
            object.meta_mut().managed_fields = None;
        }
        if self.options.drop_last_applied {
            drop_last_applied(object.meta_mut());
        }
        if let Some(transform) = &self.transform {
            transform(&mut object);
        }
        // A clone has no spare capacity, unlike vectors that grew while they were decoded.
        Ok(if self.options.shrink_to_fit {
            object.clone()
        } else {
            object
        })
    }
}

impl<K: Object> Decoder<K> {
    /// Checks the kind of a dynamic object, whose type accepts JSON of any kind. Types of a fixed
    /// kind check the kind while they are decoded.
    fn check_kind(&self, object: &K) -> Result<(), String> {
        let dynamic = (object as &dyn Any).downcast_ref::<DynamicObject>();
        let Some(found) = dynamic.and_then(|object| object.types.as_ref()) else {
            return Ok(());
        };
        let (kind, version) = (K::kind(&self.types), K::api_version(&self.types));
        if found.kind == kind && found.api_version == version {
            return Ok(());
        }
        let TypeMeta {
            api_version,
            kind: found,
        } = found;
        Err(format!(
            "expected `{kind}` of `{version}`, found `{found}` of `{api_version}`"
        ))
    }
}

fn drop_last_applied(metadata: &mut ObjectMeta) {
    if let Some(annotations) = &mut metadata.annotations
        && annotations.remove(LAST_APPLIED).is_some()
        && annotations.is_empty()
    {
        metadata.annotations = None;
    }
}

/// Metadata of an object. serde_json skips the other fields without recursion, so its recursion
/// limit does not apply to them: even an object that is nested too deeply has a name here.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    metadata: Value,
}

impl Named {
    /// Returns the metadata field `key`, or an empty string if it is absent.
    fn text(&self, key: &str) -> &str {
        self.metadata[key].as_str().unwrap_or_default()
    }
}

/// Describes an undecodable object. Its name, uid and resource version are empty if they cannot be
/// decoded either.
fn skipped(json: &[u8], cause: String) -> Skipped {
    let object = serde_json::from_slice(json).unwrap_or(Named {
        metadata: Value::Null,
    });
    Skipped {
        name: ObjectName::new(object.text("namespace"), object.text("name")),
        uid: object.text("uid").to_owned(),
        resource_version: object.text("resourceVersion").to_owned(),
        cause,
    }
}

fn bookmark<K>(json: &[u8]) -> Result<WatchEvent<K>, ListWatchError> {
    const ENDS_INITIAL_EVENTS: &str = "k8s.io/initial-events-end";

    let object: Named = serde_json::from_slice(json).map_err(|error| not_a_watch_frame(&error))?;
    Ok(WatchEvent::Bookmark {
        resource_version: object.text("resourceVersion").to_owned(),
        ends_initial_events: object.metadata["annotations"][ENDS_INITIAL_EVENTS] == "true",
    })
}

fn failure(json: &[u8]) -> ListWatchError {
    match serde_json::from_slice::<Status>(json) {
        Ok(status) => ListWatchError::Status(Box::new(status)),
        Err(error) => not_a_watch_frame(&error),
    }
}

fn not_a_watch_frame(error: &serde_json::Error) -> ListWatchError {
    ListWatchError::Body {
        expected: "watch",
        found: describe_error(error),
    }
}

/// Copies `json`, without `metadata.managedFields`, to `rest`. Managed fields are often half of an
/// object, and the more expensive half to parse. Returns `false` if the field is absent, or cannot
/// be found without a full JSON parser. The caller then removes the field from the parsed object.
fn without_managed_fields(json: &[u8], rest: &mut Vec<u8>) -> bool {
    let Some(fields) = managed_fields(json) else {
        return false;
    };
    let cut = with_comma(json, fields);
    rest.clear();
    rest.shrink_to(MAX_BUFFER_CAPACITY);
    rest.extend_from_slice(&json[..cut.start]);
    rest.extend_from_slice(&json[cut.end..]);
    true
}

fn managed_fields(json: &[u8]) -> Option<Range<usize>> {
    let metadata = member(json, skip_space(json, 0), b"\"metadata\"")?;
    let fields = member(json, metadata.value, b"\"managedFields\"")?;
    Some(fields.all)
}

/// Finds the member `key` of the JSON object at offset `at`. `key` includes the quotes.
fn member(json: &[u8], at: usize, key: &[u8]) -> Option<Member> {
    let mut at = skip_byte(json, at, b'{')?;
    loop {
        let start = skip_space(json, at);
        let colon = skip_space(json, end_of_string(json, start)?);
        let value = skip_space(json, skip_byte(json, colon, b':')?);
        let end = end_of_value(json, value)?;
        if json[start..].starts_with(key) {
            let all = start..end;
            return Some(Member { all, value });
        }
        at = skip_byte(json, skip_space(json, end), b',')?;
    }
}

/// Extends the range of a member by the comma after it. The last member is extended by the comma
/// before it.
fn with_comma(json: &[u8], member: Range<usize>) -> Range<usize> {
    if let Some(end) = skip_byte(json, skip_space(json, member.end), b',') {
        return member.start..end;
    }
    let before = json[..member.start].trim_ascii_end();
    let start = before.strip_suffix(b",").unwrap_or(before).len();
    start..member.end
}

fn skip_space(json: &[u8], mut at: usize) -> usize {
    while json.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn skip_byte(json: &[u8], at: usize, byte: u8) -> Option<usize> {
    (json.get(at) == Some(&byte)).then_some(at + 1)
}

/// Returns the end of the string that opens at offset `at`.
fn end_of_string(json: &[u8], at: usize) -> Option<usize> {
    let mut at = skip_byte(json, at, b'"')?;
    // Most of these strings are keys of a few bytes, for which a loop is faster than `memchr`.
    for _ in 0..SHORT_STRING {
        match *json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn end_of_value(json: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        at = match *json.get(at)? {
            b'"' => end_of_string(json, at)?,
            b'{' | b'[' => {
                depth += 1;
                at + 1
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            _ => at + 1,
        };
        let is_end = matches!(json.get(at), Some(b',' | b'}' | b']') | None);
        if depth == 0 && (is_end || json[at].is_ascii_whitespace()) {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests;
