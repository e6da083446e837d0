//! Field selector for the events about an object.

use genclient_apimachinery::fields::escape_value;
use k8s_openapi::api::core::v1::ObjectReference;

use super::EventsApi;

/// Returns a field selector for lists and watches of the events about an object: client-go's
/// `GetFieldSelector`.
///
/// The selector compares `name`, `kind`, `apiVersion` and `uid`, except those that `regarding`
/// lacks. So an empty reference selects every event.
///
/// ```
/// use genclient::record::{EventsApi, field_selector};
/// use genclient::kube::Resource;
/// use genclient::kube::api::{ListParams, ObjectMeta};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let metadata = ObjectMeta { name: Some("train".to_owned()), ..ObjectMeta::default() };
/// let pod = Pod { metadata, ..Pod::default() };
/// let about = field_selector(EventsApi::EventsV1, &pod.object_ref(&()));
///
/// assert_eq!(about, "regarding.apiVersion=v1,regarding.kind=Pod,regarding.name=train");
/// let events_about_the_pod = ListParams::default().fields(&about);
/// ```
#[must_use]
pub fn field_selector(api: EventsApi, regarding: &ObjectReference) -> String {
    let prefix = match api {
        EventsApi::CoreV1 => "involvedObject",
        EventsApi::EventsV1 => "regarding",
    };
    let fields = [
        ("apiVersion", &regarding.api_version),
        ("kind", &regarding.kind),
        ("name", &regarding.name),
        ("uid", &regarding.uid),
    ]
    .into_iter()
    .filter_map(|(field, value)| {
        let value = value.as_deref().filter(|value| !value.is_empty())?;
        Some(format!("{prefix}.{field}={}", escape_value(value)))
    });
    fields.collect::<Vec<_>>().join(",")
}
