//! Validation of converted objects. Name, namespace and UID must be unchanged. Labels and
//! annotations are taken from the conversion, all other metadata from the original object
//! (`validateConvertedObject` and `restoreObjectMeta` of webhook_converter.go).

use genclient_apimachinery::errors::aggregate;
use genclient_apimachinery::field;
use genclient_apimachinery::go;
use genclient_apimachinery::unstructured::str_field;
use genclient_apimachinery::validation::{label_key, label_value};
use serde_json::{Map, Value};

/// Maximum total size of an object's annotations, in bytes.
const MAX_ANNOTATIONS_SIZE: usize = 256 * 1024;

/// Validates a converted object. Returns it with its own labels and annotations, and with all other
/// metadata of the original object.
///
/// # Errors
///
/// If version, kind, name, namespace or UID are not as expected, or the metadata is missing or has
/// invalid labels or annotations.
pub(super) fn check_converted(
    kind: &str,
    object: &Value,
    mut converted: Value,
    to: &str,
) -> Result<Value, String> {
    let webhook = format!("conversion webhook for {kind} returned invalid");
    let received = str_field(&converted, "apiVersion");
    // `GroupVersionKind` of an unstructured object has no version if the text is malformed.
    let received = if received.matches('/').count() < 2 {
        received
    } else {
        ""
    };
    if received != to {
        return Err(format!(
            "{webhook} object at index 0: invalid groupVersion (expected {to}, received {received})"
        ));
    }
    let (expected, received) = (str_field(object, "kind"), str_field(&converted, "kind"));
    if expected != received {
        return Err(format!(
            "{webhook} object at index 0: invalid kind (expected {expected}, received {received})"
        ));
    }
    check_identity(object, &converted).map_err(|error| format!("{webhook} object: {error}"))?;
    let metadata = restore_metadata(&object["metadata"], &converted["metadata"]);
    converted["metadata"] = metadata.map_err(|error| format!("{webhook} metadata: {error}"))?;
    Ok(converted)
}

fn check_identity(object: &Value, converted: &Value) -> Result<(), String> {
    for (what, field) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
        let (expected, found) = (
            str_field(&object["metadata"], field),
            str_field(&converted["metadata"], field),
        );
        if expected != found {
            return Err(format!("must have the same {what}: {expected} != {found}"));
        }
    }
    Ok(())
}

fn restore_metadata(original: &Value, converted: &Value) -> Result<Value, String> {
    let Some(converted) = converted.as_object() else {
        return Err("missing metadata in converted object".to_owned());
    };
    let mut metadata = original.as_object().cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        let had = metadata.remove(field);
        let Some(texts) = converted.get(field).filter(|texts| !texts.is_null()) else {
            continue;
        };
        let Some(members) = texts.as_object() else {
            let found = go::type_name(texts);
            return Err(format!(
                "invalid metadata.{field} of type {found} in converted object"
            ));
        };
        let wrong = members.iter().find(|(_, value)| !value.is_string());
        if let Some((key, value)) = wrong {
            let found = go::type_name(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {found} in converted object"
            ));
        }
        if had.as_ref() != Some(texts) {
            validate_members(field, members)?;
        }
        metadata.insert(field.to_owned(), texts.clone());
    }
    Ok(metadata.into())
}

/// Validates labels or annotations that the conversion has changed.
fn validate_members(field: &str, texts: &Map<String, Value>) -> Result<(), String> {
    let mut causes = Vec::new();
    let mut size = 0;
    for (key, value) in texts {
        let value = value.as_str().unwrap_or_default();
        if field == "labels" {
            let wrong =
                |error: &String| field::Error::invalid("metadata.labels", &key[..].into(), error);
            causes.extend(label_key(key).iter().map(wrong));
            let wrong =
                |error: &String| field::Error::invalid("metadata.labels", &value.into(), error);
            causes.extend(label_value(value).iter().map(wrong));
        } else {
            // kube-apiserver's error has `annotation` in the singular.
            let path = "metadata.annotation";
            let wrong = |error: &String| field::Error::invalid(path, &key[..].into(), error);
            causes.extend(label_key(&key.to_lowercase()).iter().map(wrong));
            size += key.len() + value.len();
        }
    }
    if size > MAX_ANNOTATIONS_SIZE {
        causes.push(field::Error::too_long(
            "metadata.annotation",
            MAX_ANNOTATIONS_SIZE as u64,
        ));
    }
    aggregate(causes).map_or(Ok(()), Err)
}
