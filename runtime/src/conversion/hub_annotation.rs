//! Annotation that stores the hub in a spoke, for the fields that the spoke cannot express.

use kube::Resource;
use kube::core::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Inconvertible;
use crate::json;

/// Stores a hub in an annotation of its spoke, so that the conversion back is lossless. [`kept`]
/// reads and removes the annotation.
///
/// The annotation is `<group>/kept`. It holds the hub as JSON, without metadata, like the
/// annotation that cluster-api's `MarshalData` (`util/conversion`) writes. All annotations of an
/// object together are limited to 256 KiB, so the API server rejects the conversion of a larger
/// hub.
///
/// ```
/// use genclient::conversion::{self, Inconvertible, Spoke};
/// # mod v1 {
/// #     use genclient::prelude::*;
/// #     #[genclient]
/// #     #[group = "example.com"]
/// #     pub struct Backup { pub metadata: ObjectMeta, pub spec: BackupSpec }
/// #     #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
/// #     pub struct BackupSpec { pub days: u32, pub bucket: Option<String> }
/// # }
/// # mod v1alpha1 {
/// #     use genclient::prelude::*;
/// #     #[genclient]
/// #     #[group = "example.com"]
/// #     pub struct Backup { pub metadata: ObjectMeta, pub spec: BackupSpec }
/// #     #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
/// #     pub struct BackupSpec { pub days: u32 }
/// # }
///
/// impl Spoke for v1alpha1::Backup {
///     type Hub = v1::Backup;
///
///     fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
///         let mut metadata = self.metadata;
///         let kept = conversion::kept::<v1::Backup>(&mut metadata)?;
///         // Only the hub has `bucket`; `days` may have been changed in the spoke.
///         let bucket = kept.and_then(|hub| hub.spec.bucket);
///         let spec = v1::BackupSpec { days: self.spec.days, bucket };
///         Ok(v1::Backup { metadata, spec })
///     }
///
///     fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
///         let mut metadata = hub.metadata.clone();
///         conversion::keep(&hub, &mut metadata)?;
///         let spec = v1alpha1::BackupSpec { days: hub.spec.days };
///         Ok(Self { metadata, spec })
///     }
/// }
///
/// let spec = v1::BackupSpec { days: 7, bucket: Some("eu".to_owned()) };
/// let hub = v1::Backup { metadata: Default::default(), spec };
/// let spoke = v1alpha1::Backup::from_hub(hub).map_err(|error| error.to_string())?;
/// let annotations = spoke.metadata.annotations.clone().unwrap_or_default();
/// assert!(annotations.contains_key("example.com/kept"));
/// let hub = spoke.to_hub().map_err(|error| error.to_string())?;
/// assert_eq!(hub.spec.bucket.as_deref(), Some("eu"));
/// assert_eq!(hub.metadata.annotations, None);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// If `hub` cannot be serialized to JSON.
pub fn keep<H>(hub: &H, spoke: &mut ObjectMeta) -> Result<(), Inconvertible>
where
    H: Resource<DynamicType = ()> + Serialize,
{
    let mut object = serde_json::to_value(hub)?;
    if let Some(fields) = object.as_object_mut() {
        fields.remove("metadata");
    }
    let annotations = spoke.annotations.get_or_insert_default();
    annotations.insert(annotation_name::<H>(), object.to_string());
    Ok(())
}

/// Removes the annotation that [`keep`] wrote, and returns the hub from it with empty metadata.
/// Returns `None` if the spoke has no such annotation, for example because the object was created
/// as a spoke.
///
/// # Errors
///
/// If the content of the annotation is not an `H`.
pub fn kept<H>(spoke: &mut ObjectMeta) -> Result<Option<H>, Inconvertible>
where
    H: Resource<DynamicType = ()> + DeserializeOwned,
{
    let Some(annotations) = &mut spoke.annotations else {
        return Ok(None);
    };
    let Some(text) = annotations.remove(&annotation_name::<H>()) else {
        return Ok(None);
    };
    if annotations.is_empty() {
        spoke.annotations = None;
    }
    let read = |text: &str| {
        let mut object: Value = serde_json::from_str(text)?;
        if let Some(fields) = object.as_object_mut() {
            fields.insert("metadata".to_owned(), Value::Object(Default::default()));
        }
        serde_json::from_value(object)
    };
    let malformed = |error| {
        let (annotation, version) = (annotation_name::<H>(), H::api_version(&()));
        let error = json::describe_error(&error);
        format!("cannot decode the annotation `{annotation}` as an object of {version}: {error}")
    };
    Ok(Some(read(&text).map_err(malformed)?))
}

/// Returns the name of the annotation for hubs of type `H`.
pub(super) fn annotation_name<H: Resource<DynamicType = ()>>() -> String {
    format!("{}/kept", H::group(&()))
}
