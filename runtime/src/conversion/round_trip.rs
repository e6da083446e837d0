//! Round-trip test of conversions with random objects.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::difference::{self, Difference};
use super::generator::ObjectGenerator;
use super::mismatch::{self, Mismatch};
use super::{Inconvertible, Spoke, hub_annotation};

/// Result of [`round_trip`].
pub type RoundTrip = Result<(), RoundTripError>;

/// Error of [`round_trip`]: a conversion loses data, fails, yields an invalid object, or could not
/// be tested.
///
/// `Display` prints the message, a hint and, if there is one, the object. `Debug` prints the same
/// text, since Rust's test harness prints a returned error by `Debug`.
pub struct RoundTripError {
    message: String,
    object: Option<String>,
    help: &'static str,
}

/// Number of generated objects for each direction.
const OBJECTS_PER_DIRECTION: u64 = 300;

const LOSSLESS_HELP: &str = "convert the field in both directions; if a version cannot express it, \
                        preserve it with `conversion::keep` in `from_hub` and `conversion::kept` in \
                        `to_hub`";

const VALID_HELP: &str = "convert it to a valid value of the version, return an error, or allow \
                          the value in the schema of the version";

const REVERSIBLE_HELP: &str =
    "return an error from the first conversion too, or convert the object back";

/// Tests with random objects that conversions are lossless: from a version to the hub and back, and
/// from the hub to the version and back.
///
/// Every conversion starts from JSON and ends in JSON, as between the API server and a webhook. So
/// the test also finds fields that a type does not serialize. After the first conversion, an object
/// that matched the schema of its old version must match that of its new version: types, required
/// fields, enums, bounds and lengths. The API server does not validate the result of a conversion.
/// It would store an invalid object, and then reject every update.
///
/// Objects are generated from the schemas in `definitions`, which must contain the definition of
/// the kind. In generated clients, `crds::all()` returns all definitions. Every run generates the
/// same objects. Since they may violate patterns and CEL rules, an object is skipped if its type
/// cannot deserialize it or the first conversion rejects it. Of the metadata, only labels and
/// annotations are compared, without the annotation of [`keep`](super::keep).
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
/// #     fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
/// #         Ok(v1::Backup { metadata: self.metadata })
/// #     }
/// #     fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
/// #         Ok(Self { metadata: hub.metadata })
/// #     }
/// # }
/// # }
/// # use api::v1alpha1;
/// # use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
/// # fn all() -> Vec<apiextensions::v1::CustomResourceDefinition> {
/// #     let schema = r#"{"openAPIV3Schema": {"type": "object"}}"#;
/// #     let version = |name| format!(
/// #         r#"{{"name": "{name}", "served": true, "storage": true, "schema": {schema}}}"#
/// #     );
/// #     let versions = [version("v1"), version("v1alpha1")].join(", ");
/// #     serde_json::from_str(&format!(r#"{{
/// #         "apiVersion": "apiextensions.k8s.io/v1",
/// #         "kind": "CustomResourceDefinition",
/// #         "metadata": {{}},
/// #         "spec": {{"group": "example.com", "scope": "Namespaced", "versions": [{versions}],
/// #                   "names": {{"kind": "Backup", "plural": "backups"}}}}
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
/// If an object changes, does not match the schema of the other version, or cannot be converted
/// back; the error has the object. Also if the definition or one of the two versions is missing, or
/// if every object of a direction is skipped.
pub fn round_trip<S>(definitions: &[CustomResourceDefinition]) -> RoundTrip
where
    S: Spoke + Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    S::Hub: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    // A generated object has no annotation with its hub. In the other direction, `to_hub` removes
    // the annotation when it reads it.
    let from_hub = |hub| {
        let mut spoke = S::from_hub(hub)?;
        remove_hub_annotation(&mut spoke);
        Ok(spoke)
    };
    check_direction(definitions, "to the hub and back", S::to_hub, from_hub)?;
    let (hub, version) = (S::Hub::api_version(&()), S::api_version(&()));
    let direction = format!("from {hub} to {version} and back");
    check_direction(definitions, &direction, S::from_hub, S::to_hub)
}

/// Generates objects of `K` and checks that converting them to `V` and back does not change them.
fn check_direction<K, V>(
    definitions: &[CustomResourceDefinition],
    direction: &str,
    convert: impl Fn(K) -> Result<V, Inconvertible>,
    convert_back: impl Fn(V) -> Result<K, Inconvertible>,
) -> RoundTrip
where
    K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    V: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    let (schema, other_schema) = (
        find_schema::<K>(definitions)?,
        find_schema::<V>(definitions)?,
    );
    let (api_version, kind) = (K::api_version(&()), K::kind(&()));
    let mut first_rejected = None;
    let mut any_converted = false;
    for number in 0..OBJECTS_PER_DIRECTION {
        let generated = ObjectGenerator::new(number).generate_object(&schema, &api_version, &kind);
        let convert_forward = || -> Result<(Value, Value), Inconvertible> {
            // Drops what `K` lacks and adds its defaults: only conversions may change the object.
            let before = convert_value(&generated, Ok::<K, _>)?;
            let converted = convert_value(&before, &convert)?;
            Ok((before, converted))
        };
        let (before, converted) = match convert_forward() {
            Ok(values) => values,
            Err(error) => {
                first_rejected = first_rejected.or(Some((error, generated)));
                continue;
            }
        };
        any_converted = true;
        let tried_object = TriedObject {
            object: &before,
            from: &api_version,
            to: &V::api_version(&()),
            direction,
        };
        if mismatch::find_mismatch(&before, &schema).is_none()
            && let Some(mismatch) = mismatch::find_mismatch(&converted, &other_schema)
        {
            return Err(tried_object.invalid_error(mismatch));
        }
        let after = convert_value(&converted, &convert_back)
            .map_err(|error| tried_object.irreversible_error(&error))?;
        if let Some(changed) = difference::find_difference(&before, &after, &schema) {
            return Err(tried_object.changed_error(changed));
        }
    }
    match first_rejected {
        Some((error, generated)) if !any_converted => Err(RoundTripError {
            message: format!("no generated object of {api_version} can be converted: {error}"),
            object: Some(generated.to_string()),
            help: "complete the conversion between the versions; or restrict the schema to values \
                   that the type and its conversion accept, with a format, an enum or bounds",
        }),
        _ => Ok(()),
    }
}

fn convert_value<A: DeserializeOwned, B: Serialize>(
    object: &Value,
    convert: impl Fn(A) -> Result<B, Inconvertible>,
) -> Result<Value, Inconvertible> {
    let result = convert(serde_json::from_value(object.clone())?)?;
    Ok(serde_json::to_value(result)?)
}

/// Removes the annotation in which a spoke keeps the hub.
fn remove_hub_annotation<K: Resource<DynamicType = ()>>(object: &mut K) {
    if let Some(annotations) = &mut object.meta_mut().annotations {
        annotations.remove(&hub_annotation::annotation_name::<K>());
    }
}

fn find_schema<K: Resource<DynamicType = ()>>(
    definitions: &[CustomResourceDefinition],
) -> Result<Value, RoundTripError> {
    let missing = |message: String| RoundTripError {
        message,
        object: None,
        help: "run `genclient update`",
    };
    let (group, plural, version) = (K::group(&()), K::plural(&()), K::version(&()));
    let is_of_kind = |definition: &&CustomResourceDefinition| {
        definition.spec.group == group && definition.spec.names.plural == plural
    };
    let definition = definitions.iter().find(is_of_kind).ok_or_else(|| {
        missing(format!(
            "CustomResourceDefinition `{plural}.{group}` not found"
        ))
    })?;
    let mut versions = definition.spec.versions.iter();
    let found = versions.find(|known| known.name == version);
    let schema = found.and_then(|found| found.schema.as_ref()?.open_api_v3_schema.as_ref());
    let schema = schema.and_then(|schema| serde_json::to_value(schema).ok());
    schema.ok_or_else(|| {
        missing(format!(
            "CustomResourceDefinition `{plural}.{group}` has no version `{version}`"
        ))
    })
}

struct TriedObject<'a> {
    object: &'a Value,
    from: &'a str,
    to: &'a str,
    direction: &'a str,
}

impl TriedObject<'_> {
    fn changed_error(&self, changed: Difference) -> RoundTripError {
        let Difference {
            path,
            before,
            after,
        } = changed;
        let (before, after) = (display_value(&before), display_value(&after));
        self.error(
            format!(
                "is changed by the round trip {}: `{path}` was {before} and is {after}",
                self.direction
            ),
            LOSSLESS_HELP,
        )
    }

    fn invalid_error(&self, mismatch: Mismatch) -> RoundTripError {
        let Mismatch {
            path,
            value,
            keyword,
            declared,
        } = mismatch;
        let (to, value) = (self.to, display_value(&value));
        self.error(
            format!(
                "converts to an invalid object of {to}: `{path}` is {value}, but the schema has \
                 `{keyword}`: {declared}"
            ),
            VALID_HELP,
        )
    }

    fn irreversible_error(&self, error: &Inconvertible) -> RoundTripError {
        let to = self.to;
        self.error(
            format!("converts to an object of {to} that cannot be converted back: {error}"),
            REVERSIBLE_HELP,
        )
    }

    fn error(&self, what: String, help: &'static str) -> RoundTripError {
        RoundTripError {
            message: format!("an object of {} {what}", self.from),
            object: Some(self.object.to_string()),
            help,
        }
    }
}

fn display_value(value: &Value) -> String {
    match value {
        Value::Null => "absent".to_owned(),
        value => value.to_string(),
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
