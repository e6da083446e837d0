//! Tests of conversions between the versions of a kind: all pairs of versions, metadata, and
//! errors.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use genclient::conversion::{self, Inconvertible, Spoke, Versions, round_trip};
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::prelude::ObjectMeta;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Declares a version of `Backup` with one field in its spec.
macro_rules! backup {
    ($version:ident, $field:ident: $ty:ty) => {
        mod $version {
            use genclient::prelude::*;

            #[genclient]
            #[group = "example.com"]
            pub struct Backup {
                pub metadata: ObjectMeta,
                pub spec: BackupSpec,
            }

            #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
            pub struct BackupSpec {
                pub $field: $ty,
            }
        }
    };
}

backup!(v1, days: u32);
backup!(v1beta1, weeks: u32);
backup!(v1alpha1, keep: serde_json::Value);

impl Spoke for v1beta1::Backup {
    type Hub = v1::Backup;

    fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
        let days = self.spec.weeks * 7;
        Ok(v1::Backup {
            metadata: self.metadata,
            spec: v1::BackupSpec { days },
        })
    }

    fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
        let mut metadata = hub.metadata;
        // A change that the API server would reject, and one that it accepts.
        metadata.name = Some("renamed".to_owned());
        metadata.annotations = None;
        let labels = metadata.labels.get_or_insert_default();
        labels.insert("weeks".to_owned(), "true".to_owned());
        let weeks = hub.spec.days / 7;
        let spec = v1beta1::BackupSpec { weeks };
        Ok(Self { metadata, spec })
    }
}

impl Spoke for v1alpha1::Backup {
    type Hub = v1::Backup;

    fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
        let days = self.spec.keep["days"]
            .as_u64()
            .ok_or("spec.keep.days is missing")?;
        let days = days.try_into()?;
        Ok(v1::Backup {
            metadata: self.metadata,
            spec: v1::BackupSpec { days },
        })
    }

    fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
        let keep = json!({"days": hub.spec.days});
        Ok(Self {
            metadata: hub.metadata,
            spec: v1alpha1::BackupSpec { keep },
        })
    }
}

fn versions() -> Versions<v1::Backup> {
    Versions::hub()
        .spoke::<v1beta1::Backup>()
        .spoke::<v1alpha1::Backup>()
}

fn convert(object: &Value, desired: &str) -> Result<Value, String> {
    let object = to_raw_value(object).unwrap();
    match versions().convert(&object, desired) {
        Ok(converted) => Ok(serde_json::from_str(converted.get()).unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

fn object(version: &str, metadata: &Value, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("example.com/{version}"),
        "kind": "Backup",
        "metadata": metadata,
        "spec": spec,
    })
}

#[test]
fn names_are_those_of_the_definition() {
    assert_eq!(versions().definition(), "backups.example.com");
    let expected = [
        "example.com/v1",
        "example.com/v1beta1",
        "example.com/v1alpha1",
    ];
    assert!(versions().clone().api_versions().eq(expected));
    assert_eq!(format!("{:?}", versions()), format!("{expected:?}"));
}

#[test]
fn every_version_converts_to_every_other() {
    let specs = [
        ("v1", json!({"days": 14})),
        ("v1beta1", json!({"weeks": 2})),
        ("v1alpha1", json!({"keep": {"days": 14}})),
    ];
    for (from, spec) in &specs {
        for (to, expected) in &specs {
            let metadata = json!({"name": "nightly", "labels": {"weeks": "true"}});
            let converted = convert(&object(from, &metadata, spec), &format!("example.com/{to}"));
            assert_eq!(
                converted,
                Ok(object(to, &metadata, expected)),
                "{from} to {to}"
            );
        }
    }
}

/// Metadata fields that the type does not know stay unchanged.
#[test]
fn only_labels_and_annotations_are_of_the_converted_object() {
    let metadata = json!({
        "name": "nightly",
        "uid": "1-2-3",
        "annotations": {"a": "b"},
        "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}],
        "new": 1.50,
    });
    let mut expected = metadata.clone();
    expected.as_object_mut().unwrap().remove("annotations");
    expected["labels"] = json!({"weeks": "true"});
    let converted = convert(
        &object("v1", &metadata, &json!({"days": 14})),
        "example.com/v1beta1",
    );
    assert_eq!(
        converted,
        Ok(object("v1beta1", &expected, &json!({"weeks": 2})))
    );
}

#[test]
fn an_object_of_the_desired_version_is_not_read() {
    let written = r#"{"kind":"Backup",  "apiVersion":"example.com/v1", "spec":"anything"}"#;
    let written = RawValue::from_string(written.to_owned()).unwrap();
    let converted = versions().convert(&written, "example.com/v1").unwrap();
    assert_eq!(converted.get(), written.get());
}

#[test]
fn what_cannot_be_converted_says_why() {
    let of_version = |version, spec| object(version, &json!({}), &spec);
    let mut job = of_version("v1", json!({}));
    job["kind"] = json!("Job");
    let mut nested = json!(1);
    for _ in 0..300 {
        nested = json!([nested]);
    }
    let days = |days| of_version("v1alpha1", json!({"keep": {"days": days}}));
    for (object, desired, expected) in [
        (job, "example.com/v1", "expected kind `Backup`, found `Job`"),
        (
            of_version("v2", json!({})),
            "example.com/v1",
            "no version `example.com/v2` of `backups.example.com`: its versions are \
             `example.com/v1`, `example.com/v1beta1`, `example.com/v1alpha1`",
        ),
        (
            of_version("v1", json!({})),
            "example.org/v1",
            "no version `example.org/v1` of `backups.example.com`: its versions are \
             `example.com/v1`, `example.com/v1beta1`, `example.com/v1alpha1`",
        ),
        (
            of_version("v1", json!({"days": "hunter2"})),
            "example.com/v1beta1",
            "cannot read the object as `Backup` of `example.com/v1`: \
             invalid type: string, expected u32 at line 1 column 85",
        ),
        (
            of_version("v1alpha1", json!({"keep": {}})),
            "example.com/v1beta1",
            "spec.keep.days is missing",
        ),
        (
            days(json!(u64::MAX)),
            "example.com/v1",
            "out of range integral type conversion attempted",
        ),
        (
            days(nested),
            "example.com/v1",
            "the object is nested 303 levels deep, which is more than 250",
        ),
        (
            json!({}),
            "example.com/v1",
            "missing field `apiVersion` at line 1 column 2",
        ),
    ] {
        assert_eq!(
            convert(&object, desired),
            Err(expected.to_owned()),
            "{object}"
        );
    }
}

#[test]
fn objects_that_are_nested_deep_are_converted() {
    let mut keep = json!({"days": 7});
    for _ in 0..200 {
        keep["more"] = json!([std::mem::take(&mut keep["more"])]);
    }
    let object = object("v1alpha1", &json!({}), &json!({"keep": keep}));
    let converted = convert(&object, "example.com/v1").unwrap();
    assert_eq!(converted["spec"], json!({"days": 7}));
}

mod elsewhere {
    pub mod v1beta1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "example.org"]
        pub struct Backup {
            pub metadata: ObjectMeta,
        }
    }
}

impl Spoke for elsewhere::v1beta1::Backup {
    type Hub = v1::Backup;

    fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
        Err("never asked".into())
    }

    fn from_hub(_: v1::Backup) -> Result<Self, Inconvertible> {
        Err("never asked".into())
    }
}

#[test]
#[should_panic(
    expected = r#"("example.org", "Backup") is not a version of ("example.com", "Backup")"#
)]
fn a_version_of_another_kind_is_refused() {
    let _ = Versions::hub().spoke::<elsewhere::v1beta1::Backup>();
}

#[test]
#[should_panic(expected = "`example.com/v1beta1` was added before")]
fn a_version_is_added_once() {
    let _ = versions().spoke::<v1beta1::Backup>();
}

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
fn what_the_spoke_cannot_express_is_kept() {
    round_trip::<spoke::Plan>(&definitions()).unwrap();
}

#[test]
fn losses_are_found_and_named() {
    let mut without_version = definitions();
    without_version[0].spec.versions.pop();
    for (mistake, definitions, expected) in [
        (
            "forgets",
            definitions(),
            "an object of example.com/v1 changes on the way from example.com/v1 to \
             example.com/v1alpha1 and back: `.spec.bucket` was ",
        ),
        (
            "halves",
            definitions(),
            "an object of example.com/v1alpha1 changes on the way to the hub and back: \
             `.spec.days` was ",
        ),
        (
            "unlabels",
            definitions(),
            "an object of example.com/v1alpha1 changes on the way to the hub and back: \
             `.metadata.labels` was {\"example.com/drawn\":\"true\"} and is absent\nobject: {",
        ),
        (
            "leaves",
            definitions(),
            "an object of example.com/v1 changes on the way from example.com/v1 to \
             example.com/v1alpha1 and back: `.metadata.annotations.example.com/kept` was absent",
        ),
        (
            "closes",
            definitions(),
            "an object of example.com/v1alpha1 becomes one of example.com/v1 that cannot be \
             converted back: closed\nobject: {",
        ),
        (
            "refuses",
            definitions(),
            "no object of example.com/v1alpha1 that was drawn can be converted: not today\nobject",
        ),
        (
            "",
            Vec::new(),
            "no definition of plans.example.com\nhelp: run `genclient update`",
        ),
        (
            "",
            without_version,
            "the definition of plans.example.com has no v1alpha1\nhelp: run `genclient update`",
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
fn objects_that_do_not_fit_are_found_and_named() {
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
        let start = "an object of example.com/v1alpha1 becomes one that example.com/v1 does not \
                     admit: `.spec.days` is ";
        let end = format!(", and the schema says `{keyword}`: {stated}\nobject: {{");
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
fn what_a_version_does_not_write_is_lost() {
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
    let expected = "an object of example.com/v1 changes on the way from example.com/v1 to \
                    example.com/v1alpha1 and back: `.spec.millis` was ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

/// An object that is created in a version has no annotation of the hub.
#[test]
fn an_annotation_that_is_no_hub_is_an_error() {
    let mut metadata = ObjectMeta::default();
    assert!(
        conversion::kept::<hub::Plan>(&mut metadata)
            .unwrap()
            .is_none()
    );
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert("example.com/kept".to_owned(), "{}".to_owned());
    let error = conversion::kept::<hub::Plan>(&mut metadata).unwrap_err();
    let expected = "the annotation `example.com/kept` does not hold an object of example.com/v1: \
                    missing field `spec`";
    assert_eq!(error.to_string(), expected);
}
