//! Tests of the golden CRDs of tagged enums, flattened types and `Option`s: values written by serde
//! are stored unchanged, and values it cannot read are refused.

use e2e::ControlPlane;
use kube::api::{DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Error};
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("enums::accept_what_serde_writes", accept_what_serde_writes);
}

/// A CRD, an object of it, and properties that replace the object's own.
struct Table {
    crd: &'static str,
    group: &'static str,
    kind: &'static str,
    /// The path of the properties.
    at: &'static str,
    object: fn() -> Value,
    stored: &'static [&'static str],
    refused: &'static [&'static str],
}

const TABLES: [Table; 4] = [
    Table {
        crd: include_str!(
            "../golden/schema/data_enums/expected/config/crd/data.example.com_choices.yaml"
        ),
        group: "data.example.com",
        kind: "Choice",
        at: "",
        object: choice,
        stored: &[
            r#"{ "external": { "stopNow": {} } }"#,
            r#"{ "external": { "mayBe": null } }"#,
            r#"{ "external": { "square": { "side-length": 3, "name": null } } }"#,
            r#"{ "internal": { "type": "None" } }"#,
            r#"{ "internal": { "type": "Near", "x": 1, "howNear": 10 } }"#,
            r#"{ "internal": { "type": "Far", "howNear": 100, "note": "" } }"#,
            r#"{ "internal": { "type": "Chosen", "goOn": 4 } }"#,
            r#"{ "internal": { "type": "Any", "else": { "a": 1 } } }"#,
            r#"{ "nullable": { "t": "Nothing" } }"#,
            r#"{ "all": [{ "t": "At", "c": { "x": 1, "y": 1 } }, { "t": "maybe", "c": null }, { "t": "Unknown" }] }"#,
            r#"{ "by_name": { "A": { "kind": "File", "path": "a", "mode": 1 } } }"#,
            r#"{ "untagged": { "bytes": 5, "swap": 3 } }"#,
            r#"{ "port": "A" }"#,
            r#"{ "other": "custom" }"#,
            r#"{ "generic_names": { "Right": { "value": "B" } } }"#,
            r#"{ "mixed": { "type": "Known", "name": "x" } }"#,
        ],
        refused: &[
            r#"{ "external": {} }"#,
            r#"{ "external": { "stopNow": {}, "goOn": 3 } }"#,
            r#"{ "external": { "goOn": 0 } }"#,
            r#"{ "external": "stopNow" }"#,
            r#"{ "internal": { "x": 1 } }"#,
            r#"{ "internal": { "type": "At", "x": 1 } }"#,
            r#"{ "internal": { "type": "Near", "x": 1, "howNear": 11 } }"#,
            r#"{ "internal": { "type": "Far", "howNear": 99 } }"#,
            r#"{ "internal": { "type": "Chosen", "goOn": 4, "stopNow": {} } }"#,
            r#"{ "all": [{ "t": "Nothing", "c": { "x": 1 } }] }"#,
            r#"{ "all": [{ "t": "At", "c": { "x": 1 } }] }"#,
            r#"{ "all": [{ "t": "At" }] }"#,
            r#"{ "by_name": { "A": { "kind": "Git", "url": "a", "path": "b" } } }"#,
            r#"{ "untagged": { "swap": 3 } }"#,
            r#"{ "port": "C" }"#,
            r#"{ "port": 70000 }"#,
            r#"{ "number": "x" }"#,
            r#"{ "generic": { "Right": { "value": "x" } } }"#,
            r#"{ "mixed": { "type": "Known" } }"#,
        ],
    },
    Table {
        crd: include_str!(
            "../golden/schema/flatten/expected/config/crd/flat.example.com_flats.yaml"
        ),
        group: "flat.example.com",
        kind: "Flat",
        at: "/spec",
        object: flat,
        stored: &[
            r#"{ "zone": "z", "rack": 1 }"#,
            r#"{ "single": 1 }"#,
            r#"{ "mode": "Slow" }"#,
            r#"{ "mode": "Fast", "speed": 3 }"#,
            r#"{ "pod": "p", "container": "c" }"#,
        ],
        refused: &[
            r#"{ "zone": "z" }"#,
            r#"{ "image": "x" }"#,
            r#"{ "mode": "Fast" }"#,
            r#"{ "speed": 1 }"#,
            r#"{ "cpu": 0 }"#,
        ],
    },
    Table {
        crd: include_str!(
            "../golden/schema/serde_shapes/expected/config/crd/shapes.example.com_shapes.yaml"
        ),
        group: "shapes.example.com",
        kind: "Shape",
        at: "",
        object: shape,
        stored: &[
            r#"{ "twice": null }"#,
            r#"{ "twice_skipped": null }"#,
            r#"{ "twice_skipped": "Left" }"#,
            r#"{ "sides": [null, "Right"], "values": { "a": null } }"#,
        ],
        refused: &[
            r#"{ "twice_skipped": "Middle" }"#,
            r#"{ "sides": ["Middle"] }"#,
            r#"{ "newtype": 0 }"#,
            r#"{ "converted": -300 }"#,
        ],
    },
    Table {
        crd: include_str!(
            "../golden/schema/unit_enums/expected/config/crd/enums.example.com_lamps.yaml"
        ),
        group: "enums.example.com",
        kind: "Lamp",
        at: "",
        object: || json!({ "color": "Red", "all": [] }),
        stored: &[r#"{ "state": null }"#, r#"{ "state": "notYetKnown" }"#],
        refused: &[r#"{ "state": "broken" }"#, r#"{ "color": "Secret" }"#],
    },
];

fn choice() -> Value {
    json!({
        "external": { "goOn": 3 }, "nullable": null, "all": [], "by_name": {}, "by_number": { "1": "a" },
        "untagged": { "cores": 1 }, "port": 80, "number": 1.5, "other": "Http", "open": "Http",
        "generic": { "Left": "x" }, "generic_names": { "Left": "A" }, "tag_only": { "type": "on" },
        "mixed": { "x": 1, "y": 2 }, "widths": { "type": "Narrow", "size": 1, "name": "a" }, "content": { "t": "Label", "c": "x" },
    })
}

fn flat() -> Value {
    json!({
        "spec": { "name": "a", "cpu": 1, "memory": "", "git": { "url": "x" }, "path": "p", "shelf": 1 },
        "any": { "known": "x", "unknown": [1] }, "typed": { "known": "x", "unknown": "y" },
        "value": { "unknown": { "a": 1 } }, "generic": { "version": "1", "cpu": 1, "memory": "" },
    })
}

fn shape() -> Value {
    json!({
        "newtype": 1, "newtype_of_option": null, "transparent_option": null, "transparent": "x", "converted": 1.5,
        "converted_enum": "x", "sides": [], "values": {}, "defaulted": 2, "needed": "x", "same": "x",
        "tagged": { "type": "tagged", "value": 1 },
    })
}

async fn accept_what_serde_writes(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("enums").await?;
    for table in &TABLES {
        let applied = plane.apply_crd(table.crd).await?;
        assert_eq!(applied.warnings, [""; 0], "{}", table.kind);
        let kind = GroupVersionKind::gvk(table.group, "v1", table.kind);
        let resource = ApiResource::from_gvk(&kind);
        let objects = Api::namespaced_with(plane.client(), &namespace, &resource);
        for members in ["{}"].iter().chain(table.stored) {
            let object = changed(table, members)?;
            let created = create(&objects, &resource, &object).await?;
            for (name, value) in object.as_object().into_iter().flatten() {
                assert_eq!(created.data[name], *value, "{} with {members}", table.kind);
            }
        }
        for members in table.refused {
            let object = changed(table, members)?;
            match create(&objects, &resource, &object).await {
                Err(Error::Api(status)) if status.code == 422 => {}
                other => return Err(format!("{} with {members}: {other:?}", table.kind).into()),
            }
        }
    }
    Ok(())
}

fn changed(table: &Table, members: &str) -> serde_json::Result<Value> {
    let mut object = (table.object)();
    let members: Value = serde_json::from_str(members)?;
    if let (Some(place), Value::Object(members)) = (object.pointer_mut(table.at), members)
        && let Some(place) = place.as_object_mut()
    {
        place.extend(members);
    }
    Ok(object)
}

async fn create(
    objects: &Api<DynamicObject>,
    resource: &ApiResource,
    data: &Value,
) -> kube::Result<DynamicObject> {
    let mut object = DynamicObject::new("", resource).data(data.clone());
    object.metadata.name = None;
    object.metadata.generate_name = Some("object-".to_owned());
    objects.create(&PostParams::default(), &object).await
}
