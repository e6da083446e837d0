//! Tests of round trips through the storage version, and of the annotation that makes them
//! lossless.

use genclient::conversion::{self, Inconvertible, Spoke, round_trip};
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::prelude::ObjectMeta;
use serde_json::{Value, json};

/// A hub, a lossless version, and one with fewer fields.
mod lossy {
    pub mod v1 {
        use std::collections::{BTreeMap, BTreeSet};

        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct Plan {
            pub metadata: ObjectMeta,
            pub spec: PlanSpec,
        }

        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct PlanSpec {
            pub days: u8,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub bucket: Option<String>,
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            pub limits: BTreeMap<String, Quantity>,
            #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
            pub zones: BTreeSet<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub since: Option<Time>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub target: Option<Target>,
        }

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        #[serde(rename_all = "camelCase")]
        pub enum Target {
            Port(IntOrString),
            Ratio(f64),
        }
    }

    pub mod v1alpha1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct Plan {
            pub metadata: ObjectMeta,
            pub spec: PlanSpec,
        }

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        pub struct PlanSpec {
            pub days: u8,
        }
    }
}

use lossy::{v1 as hub, v1alpha1 as spoke};

thread_local! {
    /// The mistake of the conversion.
    static MISTAKE: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") };
}

impl Spoke for spoke::Plan {
    type Hub = hub::Plan;

    fn to_hub(self) -> Result<hub::Plan, Inconvertible> {
        if MISTAKE.get() == "refuses" {
            return Err("not today".into());
        }
        let mut metadata = self.metadata;
        let kept = match MISTAKE.get() {
            "leaves" => None,
            _ => conversion::kept::<hub::Plan>(&mut metadata)?,
        };
        let mut spec = kept.map(|hub| hub.spec).unwrap_or_default();
        spec.days = self.spec.days;
        Ok(hub::Plan { metadata, spec })
    }

    fn from_hub(hub: hub::Plan) -> Result<Self, Inconvertible> {
        let mut metadata = hub.metadata.clone();
        match MISTAKE.get() {
            "closes" => return Err("closed".into()),
            "forgets" => {}
            "unlabels" => metadata.labels = None,
            _ => conversion::keep(&hub, &mut metadata)?,
        }
        let days = match MISTAKE.get() {
            "halves" => hub.spec.days / 2,
            _ => hub.spec.days,
        };
        let spec = spoke::PlanSpec { days };
        Ok(Self { metadata, spec })
    }
}

fn definitions() -> Vec<CustomResourceDefinition> {
    let version = |name: &str, properties: Value| {
        let spec = json!({"type": "object", "properties": properties, "required": ["days"]});
        json!({
            "name": name, "served": true, "storage": name == "v1",
            "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": spec}, "required": ["spec"],
            }},
        })
    };
    let days = json!({"type": "integer", "minimum": 1, "maximum": 255});
    let quantity = json!({"x-kubernetes-int-or-string": true});
    let target = json!({
        "type": "object",
        "properties": {"port": quantity, "ratio": {"type": "number"}},
        "oneOf": [{"required": ["port"]}, {"required": ["ratio"]}],
    });
    let everything = json!({
        "days": days,
        "bucket": {"type": "string", "minLength": 3, "maxLength": 5},
        "limits": {"type": "object", "additionalProperties": quantity},
        "zones": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "since": {"type": "string", "format": "date-time"},
        "target": target,
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "plans.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Plan", "plural": "plans"},
            "versions": [version("v1", everything), version("v1alpha1", json!({"days": days}))],
        },
    });
    vec![serde_json::from_value(definition).unwrap()]
}

#[test]
fn hub_fields_survive_the_round_trip_through_a_spoke() {
    round_trip::<spoke::Plan>(&definitions()).unwrap();
}

#[test]
fn round_trip_losses_are_reported() {
    let mut without_version = definitions();
    without_version[0].spec.versions.pop();
    for (mistake, definitions, expected) in [
        (
            "forgets",
            definitions(),
            "an object of example.com/v1 is changed by the round trip from \
             example.com/v1 to example.com/v1alpha1 and back: `.spec.bucket` was ",
        ),
        (
            "halves",
            definitions(),
            "an object of example.com/v1alpha1 is changed by the round trip to the hub and back: \
             `.spec.days` was ",
        ),
        (
            "unlabels",
            definitions(),
            "an object of example.com/v1alpha1 is changed by the round trip to the hub and back: \
             `.metadata.labels` was {\"example.com/drawn\":\"true\"} and is absent\nobject: {",
        ),
        (
            "leaves",
            definitions(),
            "an object of example.com/v1 is changed by the round trip from \
             example.com/v1 to example.com/v1alpha1 and back: `.metadata.annotations.example.com/kept` was absent",
        ),
        (
            "closes",
            definitions(),
            "an object of example.com/v1alpha1 converts to an object of example.com/v1 that cannot \
             be converted back: closed\nobject: {",
        ),
        (
            "refuses",
            definitions(),
            "no generated object of example.com/v1alpha1 can be converted: not today\nobject",
        ),
        (
            "",
            Vec::new(),
            "CustomResourceDefinition `plans.example.com` not found\nhelp: run `genclient update`",
        ),
        (
            "",
            without_version,
            "CustomResourceDefinition `plans.example.com` has no version `v1alpha1`\nhelp: run `genclient update`",
        ),
    ] {
        MISTAKE.set(mistake);
        let error = round_trip::<spoke::Plan>(&definitions).unwrap_err();
        let said = format!("{error:?}");
        assert!(said.starts_with(expected), "{mistake}: {said}");
        assert_eq!(said, error.to_string());
    }
}

/// An object that does not match the schema of its version is stored, but cannot be updated any
/// more.
#[test]
fn converted_objects_that_violate_their_schema_are_reported() {
    MISTAKE.set("");
    for (keyword, stated) in [
        ("enum", json!([7, 30])),
        ("maximum", json!(100)),
        ("type", json!("string")),
    ] {
        let mut definitions = serde_json::to_value(definitions()).unwrap();
        let hub = &mut definitions[0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        hub["properties"]["spec"]["properties"]["days"][keyword] = stated.clone();
        let definitions: Vec<_> = serde_json::from_value(definitions).unwrap();
        let error = round_trip::<spoke::Plan>(&definitions).unwrap_err();
        let said = error.to_string();
        let start = "an object of example.com/v1alpha1 converts to an invalid object of \
                     example.com/v1: `.spec.days` is ";
        let end = format!(", but the schema has `{keyword}`: {stated}\nobject: {{");
        assert!(said.starts_with(start) && said.contains(&end), "{said}");
    }
}

/// A version whose type holds fractions of a second, but does not serialize them.
mod timed {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.com"]
        pub struct Pause {
            pub metadata: ObjectMeta,
            pub spec: PauseSpec,
        }

        #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
        pub struct PauseSpec {
            pub millis: u64,
        }
    }

    pub mod v1alpha1 {
        use std::time::Duration;

        use genclient::prelude::{ObjectMeta, genclient};
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        #[genclient]
        #[group = "example.com"]
        pub struct Pause {
            pub metadata: ObjectMeta,
            pub spec: PauseSpec,
        }

        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct PauseSpec {
            #[serde(serialize_with = "write_seconds", deserialize_with = "read_seconds")]
            pub seconds: Duration,
        }

        fn write_seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(time.as_secs())
        }

        fn read_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
            u64::deserialize(deserializer).map(Duration::from_secs)
        }
    }
}

impl Spoke for timed::v1alpha1::Pause {
    type Hub = timed::v1::Pause;

    fn to_hub(self) -> Result<timed::v1::Pause, Inconvertible> {
        let millis = self.spec.seconds.as_millis().try_into()?;
        Ok(timed::v1::Pause {
            metadata: self.metadata,
            spec: timed::v1::PauseSpec { millis },
        })
    }

    fn from_hub(hub: timed::v1::Pause) -> Result<Self, Inconvertible> {
        let seconds = std::time::Duration::from_millis(hub.spec.millis);
        Ok(Self {
            metadata: hub.metadata,
            spec: timed::v1alpha1::PauseSpec { seconds },
        })
    }
}

#[test]
fn losses_in_the_serialization_of_a_version_are_reported() {
    let version = |name: &str, field: &str| {
        let number = json!({"type": "integer", "minimum": 0});
        let spec = json!({"type": "object", "properties": {field: number}, "required": [field]});
        json!({
            "name": name, "served": true, "storage": name == "v1",
            "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": spec}, "required": ["spec"],
            }},
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "pauses.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Pause", "plural": "pauses"},
            "versions": [version("v1", "millis"), version("v1alpha1", "seconds")],
        },
    });
    let definitions = [serde_json::from_value(definition).unwrap()];
    let error = round_trip::<timed::v1alpha1::Pause>(&definitions).unwrap_err();
    let expected = "an object of example.com/v1 is changed by the round trip from example.com/v1 to \
                    example.com/v1alpha1 and back: `.spec.millis` was ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

/// An object that is created in a version has no annotation of the hub.
#[test]
fn invalid_kept_annotation_is_an_error() {
    let mut metadata = ObjectMeta::default();
    assert!(
        conversion::kept::<hub::Plan>(&mut metadata)
            .unwrap()
            .is_none()
    );
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert("example.com/kept".to_owned(), "{}".to_owned());
    let error = conversion::kept::<hub::Plan>(&mut metadata).unwrap_err();
    let expected = "cannot decode the annotation `example.com/kept` as an object of \
                    example.com/v1: missing field `spec`";
    assert_eq!(error.to_string(), expected);
}
