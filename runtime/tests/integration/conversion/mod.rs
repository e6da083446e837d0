//! Tests of conversions between the versions of a kind: all pairs of versions, metadata, and
//! errors.

mod partial;
mod round_trip;

use genclient::conversion::{Inconvertible, Spoke, Versions};
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
            .ok_or("spec.keep.days is missing")?
            .try_into()?;
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
fn versions_return_the_names_of_the_definition() {
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
fn conversion_changes_only_labels_and_annotations() {
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
fn objects_of_the_desired_version_are_returned_unparsed() {
    let written = r#"{"kind":"Backup",  "apiVersion":"example.com/v1", "spec":"anything"}"#;
    let written = RawValue::from_string(written.to_owned()).unwrap();
    let converted = versions().convert(&written, "example.com/v1").unwrap();
    assert_eq!(converted.get(), written.get());
}

#[test]
fn conversion_errors_state_the_cause() {
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
            "unknown version `example.com/v2` of `backups.example.com`: expected one of \
             `example.com/v1`, `example.com/v1beta1`, `example.com/v1alpha1`",
        ),
        (
            of_version("v1", json!({})),
            "example.org/v1",
            "unknown version `example.org/v1` of `backups.example.com`: expected one of \
             `example.com/v1`, `example.com/v1beta1`, `example.com/v1alpha1`",
        ),
        (
            of_version("v1", json!({"days": "hunter2"})),
            "example.com/v1beta1",
            "cannot decode the object as `Backup` of `example.com/v1`: \
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
            "the object is nested 303 levels deep, but at most 250 are allowed",
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
fn deeply_nested_objects_are_converted() {
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
fn adding_a_version_of_another_kind_panics() {
    let _ = Versions::hub().spoke::<elsewhere::v1beta1::Backup>();
}

#[test]
#[should_panic(expected = "duplicate version `example.com/v1beta1`")]
fn adding_a_version_twice_panics() {
    let _ = versions().spoke::<v1beta1::Backup>();
}
