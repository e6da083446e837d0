//! Table cells of PersistentVolumes, their claims and kinds of the group `storage.k8s.io`.

use serde_json::{Value, json};

use crate::builtins::row::{NONE, Row, UNSET, as_flag, as_items, as_text};

/// Returns the cells of an object, or `None` if this module does not cover its kind.
pub(crate) fn cells(kind: &str, row: Row<'_>) -> Option<Vec<Value>> {
    let (object, spec) = (row.object, row.spec());
    let (name, age) = (row.name(), row.age());
    Some(match kind {
        "PersistentVolume" => volume(row),
        "PersistentVolumeClaim" => claim(row),
        "StorageClass" => storage_class(row),
        "CSIDriver" => driver(row),
        "CSINode" => vec![name, json!(as_items(&spec["drivers"]).len()), age],
        "VolumeAttachment" => vec![
            name,
            json!(as_text(&spec["attacher"])),
            json!(as_text(&spec["source"]["persistentVolumeName"])),
            json!(as_text(&spec["nodeName"])),
            json!(as_flag(&row.status()["attached"])),
            age,
        ],
        "VolumeAttributesClass" => vec![name, json!(as_text(&object["driverName"])), age],
        _ => return None,
    })
}

fn phase(row: Row<'_>) -> Value {
    match row.is_deleting() {
        true => json!("Terminating"),
        false => json!(as_text(&row.status()["phase"])),
    }
}

fn or_unset(value: &Value) -> Value {
    json!(value.as_str().unwrap_or(UNSET))
}

/// Returns the storage class of a volume or a claim.
fn class(row: Row<'_>) -> Value {
    let annotation = row.annotation("volume.beta.kubernetes.io/storage-class");
    json!(annotation.unwrap_or_else(|| as_text(&row.spec()["storageClassName"])))
}

/// Returns the amount of the resource `storage`, or `0` if it is absent.
fn storage(amounts: &Value) -> Value {
    json!(crate::builtins::row::text_or(&amounts["storage"], "0"))
}

/// Formats access modes by their short names, such as `RWO,ROX` (`GetAccessModesAsString`).
fn access_modes(modes: &Value) -> Value {
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |mode: &str| as_items(modes).iter().any(|it| it == mode);
    let shown = known
        .iter()
        .filter(|(mode, _)| has(mode))
        .map(|(_, short)| *short);
    json!(shown.collect::<Vec<_>>().join(","))
}

fn volume(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let claim = match &spec["claimRef"] {
        Value::Null => String::new(),
        claim => format!(
            "{}/{}",
            as_text(&claim["namespace"]),
            as_text(&claim["name"])
        ),
    };
    vec![
        row.name(),
        storage(&spec["capacity"]),
        access_modes(&spec["accessModes"]),
        json!(as_text(&spec["persistentVolumeReclaimPolicy"])),
        phase(row),
        json!(claim),
        class(row),
        or_unset(&spec["volumeAttributesClassName"]),
        json!(as_text(&status["reason"])),
        row.age(),
        or_unset(&spec["volumeMode"]),
    ]
}

fn claim(row: Row<'_>) -> Vec<Value> {
    let (spec, status) = (row.spec(), row.status());
    let volume = as_text(&spec["volumeName"]);
    let (capacity, modes) = match volume {
        "" => (json!(""), json!("")),
        _ => (
            storage(&status["capacity"]),
            access_modes(&status["accessModes"]),
        ),
    };
    vec![
        row.name(),
        phase(row),
        json!(volume),
        capacity,
        modes,
        class(row),
        or_unset(&spec["volumeAttributesClassName"]),
        row.age(),
        or_unset(&spec["volumeMode"]),
    ]
}

fn storage_class(row: Row<'_>) -> Vec<Value> {
    let object = row.object;
    let is_default = |key: &str| row.annotation(key) == Some("true");
    let mut name = as_text(&row.metadata()["name"]).to_owned();
    if is_default("storageclass.kubernetes.io/is-default-class")
        || is_default("storageclass.beta.kubernetes.io/is-default-class")
    {
        name.push_str(" (default)");
    }
    vec![
        json!(name),
        json!(as_text(&object["provisioner"])),
        json!(object["reclaimPolicy"].as_str().unwrap_or("Delete")),
        json!(object["volumeBindingMode"].as_str().unwrap_or("Immediate")),
        json!(as_flag(&object["allowVolumeExpansion"])),
        row.age(),
    ]
}

fn driver(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let modes = crate::builtins::row::joined(&spec["volumeLifecycleModes"]);
    let audiences = as_items(&spec["tokenRequests"])
        .iter()
        .map(|it| as_text(&it["audience"]));
    let tokens = match &spec["tokenRequests"] {
        Value::Null => UNSET.to_owned(),
        _ => audiences.collect::<Vec<_>>().join(","),
    };
    vec![
        row.name(),
        json!(spec["attachRequired"].as_bool().unwrap_or(true)),
        json!(as_flag(&spec["podInfoOnMount"])),
        json!(as_flag(&spec["storageCapacity"])),
        json!(tokens),
        json!(as_flag(&spec["requiresRepublish"])),
        json!(if modes.is_empty() { NONE } else { &*modes }),
        row.age(),
    ]
}
