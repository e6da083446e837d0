//! Test of conversions: random objects survive the way to the other version and back.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::difference::{self, Difference};
use super::draw::Draw;
use super::{Inconvertible, Spoke, kept};

/// Result of [`round_trip`].
pub type RoundTrip = Result<(), RoundTripError>;

/// Why a conversion is not lossless, or could not be tried.
///
/// Displayed with the object that was drawn and what to do; shown in the same words by `{:?}`, which
/// is what a test prints that returns it.
pub struct RoundTripError {
    message: String,
    object: Option<String>,
    help: &'static str,
}

/// How many objects are drawn in each direction.
const DRAWS: u64 = 300;

const LOSSLESS: &str = "convert the field in both directions; what a version cannot express is \
                        carried along by `conversion::keep` in `from_hub` and `conversion::kept` \
                        in `to_hub`";

/// Converts random objects of a version to the hub and back, and random hubs to the version and
/// back: both have to be what they were.
///
/// Objects are drawn from the schemas in `definitions`, among which is the one of the kind:
/// generated clients have them in `crds::all()`. Draws are the same in every run. An object that
/// the type does not read, or that the conversion refuses, is skipped, as a schema may have limits
/// that are not drawn by: patterns and CEL rules. What [`keep`](super::keep) adds to a version is
/// no change. Labels and annotations count, the rest of the metadata does not.
///
/// ```
/// # mod api {
/// # use genclient::conversion::{Inconvertible, Spoke};
/// # pub mod v1 {
/// #     use genclient::prelude::*;
/// #     #[genclient]
/// #     #[group = "example.com"]
/// #     pub struct Backup { pub metadata: ObjectMeta }
/// # }
/// # pub mod v1alpha1 {
/// #     use genclient::prelude::*;
/// #     #[genclient]
/// #     #[group = "example.com"]
/// #     pub struct Backup { pub metadata: ObjectMeta }
/// # }
/// # impl Spoke for v1alpha1::Backup {
/// #     type Hub = v1::Backup;
/// #     fn to_hub(self) -> Result<v1::Backup, Inconvertible> { Ok(v1::Backup { metadata: self.metadata }) }
/// #     fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> { Ok(Self { metadata: hub.metadata }) }
/// # }
/// # }
/// # use api::v1alpha1;
/// # use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
/// # fn all() -> Vec<CustomResourceDefinition> {
/// #     let schema = r#"{"openAPIV3Schema": {"type": "object"}}"#;
/// #     let version = |name| format!(r#"{{"name": "{name}", "served": true, "storage": true, "schema": {schema}}}"#);
/// #     let versions = [version("v1"), version("v1alpha1")].join(", ");
/// #     serde_json::from_str(&format!(r#"{{
/// #         "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {{}},
/// #         "spec": {{"group": "example.com", "scope": "Namespaced",
/// #                   "names": {{"kind": "Backup", "plural": "backups"}}, "versions": [{versions}]}}
/// #     }}"#)).into_iter().collect()
/// # }
/// use genclient::conversion::{RoundTrip, round_trip};
///
/// fn backups_v1alpha1() -> RoundTrip {
///     round_trip::<v1alpha1::Backup>(&all())
/// }
/// # assert!(backups_v1alpha1().is_ok());
/// ```
///
/// # Errors
///
/// If an object changes, with the object and the path that differs; if the definition or one of
/// its versions is missing; if every object is refused.
pub fn round_trip<S>(definitions: &[CustomResourceDefinition]) -> RoundTrip
where
    S: Spoke + Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    S::Hub: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    check::<S>(definitions, "to the hub and back", |spoke: S| {
        let mut after = S::from_hub(spoke.to_hub()?)?;
        forget_kept(&mut after);
        Ok(after)
    })?;
    let (hub, version) = (S::Hub::api_version(&()), S::api_version(&()));
    let direction = format!("from {hub} to {version} and back");
    check::<S::Hub>(definitions, &direction, |hub| S::from_hub(hub)?.to_hub())
}

/// Draws objects of `K`, which the way there and back must not change.
fn check<K>(
    definitions: &[CustomResourceDefinition],
    direction: &str,
    there_and_back: impl Fn(K) -> Result<K, Inconvertible>,
) -> RoundTrip
where
    K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    let schema = schema::<K>(definitions)?;
    let (api_version, kind) = (K::api_version(&()), K::kind(&()));
    let mut refused = None;
    let mut tried = false;
    for number in 0..DRAWS {
        let drawn = Draw::new(number).object(&schema, &api_version, &kind);
        let read = |object: &Value| -> Result<(Value, Value), Inconvertible> {
            let object: K = serde_json::from_value(object.clone())?;
            let before = serde_json::to_value(&object)?;
            Ok((before, serde_json::to_value(&there_and_back(object)?)?))
        };
        match read(&drawn) {
            Ok((before, after)) => {
                tried = true;
                if let Some(changed) = difference::of_objects(&before, &after, &schema) {
                    return Err(RoundTripError::changed(
                        changed,
                        &before,
                        &api_version,
                        direction,
                    ));
                }
            }
            Err(error) => refused = refused.or(Some((error, drawn))),
        }
    }
    match refused {
        Some((error, drawn)) if !tried => Err(RoundTripError {
            message: format!("no object of {api_version} that was drawn can be converted: {error}"),
            object: Some(drawn.to_string()),
            help: "say in the schema what the type and its conversion ask for: by a format, an \
                   enum or bounds",
        }),
        _ => Ok(()),
    }
}

/// Removes what the conversion of a spoke keeps of the hub.
fn forget_kept<K: Resource<DynamicType = ()>>(object: &mut K) {
    if let Some(annotations) = &mut object.meta_mut().annotations {
        annotations.remove(&kept::annotation::<K>());
    }
}

/// The schema of a version as JSON.
fn schema<K: Resource<DynamicType = ()>>(
    definitions: &[CustomResourceDefinition],
) -> Result<Value, RoundTripError> {
    let missing = |message: String| RoundTripError {
        message,
        object: None,
        help: "run `genclient update`",
    };
    let (group, plural, version) = (K::group(&()), K::plural(&()), K::version(&()));
    let is_meant = |definition: &&CustomResourceDefinition| {
        definition.spec.group == group && definition.spec.names.plural == plural
    };
    let definition = definitions.iter().find(is_meant);
    let definition =
        definition.ok_or_else(|| missing(format!("no definition of {plural}.{group}")))?;
    let mut versions = definition.spec.versions.iter();
    let found = versions.find(|found| found.name == version);
    let schema = found.and_then(|found| found.schema.as_ref()?.open_api_v3_schema.as_ref());
    let schema = schema.and_then(|schema| serde_json::to_value(schema).ok());
    schema.ok_or_else(|| {
        missing(format!(
            "the definition of {plural}.{group} has no {version}"
        ))
    })
}

impl RoundTripError {
    fn changed(
        Difference {
            path,
            before,
            after,
        }: Difference,
        object: &Value,
        api_version: &str,
        direction: &str,
    ) -> Self {
        let shown = |value: &Value| match value {
            Value::Null => "absent".to_owned(),
            value => value.to_string(),
        };
        let (before, after) = (shown(&before), shown(&after));
        Self {
            message: format!(
                "an object of {api_version} changes on the way {direction}: `{path}` was {before} \
                 and is {after}"
            ),
            object: Some(object.to_string()),
            help: LOSSLESS,
        }
    }
}

impl fmt::Display for RoundTripError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(object) = &self.object {
            write!(f, "\nobject: {object}")?;
        }
        write!(f, "\nhelp: {}", self.help)
    }
}

impl fmt::Debug for RoundTripError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RoundTripError {}
