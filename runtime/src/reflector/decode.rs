//! [`Decoder`]: decoding of watch frames and objects from JSON.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::{DynamicObject, Status, TypeMeta};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::ListWatchError;
use super::event::{Skipped, WatchEvent};
use super::members::{managed_fields, with_comma};
use super::request::ReflectorOptions;
use super::shards::{OutsideObject, ShardFilter};
use crate::cache::ObjectName;
use crate::json::{describe_error, describe_field, from_slice};
use crate::scheme::Object;

/// The annotation in which `kubectl apply` stores the applied object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Maximum capacity of the buffer, in bytes, when it is reused for the next object.
const MAX_BUFFER_CAPACITY: usize = 1 << 20;

/// Function that changes every object before it is cached, for example to drop unused fields.
pub(crate) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Decoder of the objects of one kind: removes managed fields, decodes, checks and transforms.
pub(super) struct Decoder<K: Resource> {
    types: K::DynamicType,
    options: ReflectorOptions,
    transform: Option<Transform<K>>,
    /// The objects that are decoded; `None` for all.
    pub(super) filter: Option<ShardFilter>,
    /// Buffer for JSON without managed fields, reused to avoid an allocation for each object.
    pruned: Vec<u8>,
}

/// Type of a frame that reports a change of an object: any except `BOOKMARK` and `ERROR`.
#[derive(Clone, Copy)]
enum FrameType {
    Added,
    Modified,
    Deleted,
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
            filter: None,
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
        if matches!(&*frame.kind, "ADDED" | "MODIFIED" | "DELETED")
            && let Some(outside) = self.outside(json)
        {
            return Ok(outside.into_event(frame.kind == "ADDED"));
        }
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
        if let Some(outside) = self.outside(json) {
            return Some(outside.into_event(matches!(kind, FrameType::Added)));
        }
        match self.decode_object(json) {
            Ok(object) => Some(kind.event(Ok(object))),
            Err(Undecodable::Json(_)) => None,
            Err(Undecodable::Object(cause)) => Some(kind.event(Err(skipped(json, cause)))),
        }
    }

    /// Returns a decoder like this one, for other objects.
    pub(super) fn with_filter(&self, filter: ShardFilter) -> Self {
        Self {
            types: self.types.clone(),
            options: self.options.clone(),
            transform: self.transform.clone(),
            filter: Some(filter),
            pruned: Vec::new(),
        }
    }

    /// Returns the object if another replica caches it.
    pub(super) fn outside(&self, json: &[u8]) -> Option<OutsideObject> {
        self.filter.as_ref()?.outside(json)
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

#[cfg(test)]
mod tests;
