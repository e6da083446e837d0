//! The scale subresource: access to replicas and selector in an object.
//!
//! A path consists of field names separated by dots. It cannot enter lists, because
//! `unstructured.NestedInt64` does not support them.

use genclient_apimachinery::field;
use serde_json::{Map, Value};

use super::go;

/// The paths of `subresources.scale`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// `specReplicasPath`
    pub spec_replicas: String,
    /// `statusReplicasPath`
    pub status_replicas: String,
    /// `labelSelectorPath`
    pub label_selector: Option<String>,
}

impl Scale {
    /// Reads `subresources.scale` of a version.
    pub fn of_version(version: &Value) -> Option<Self> {
        let scale = version.get("subresources")?.get("scale")?.as_object()?;
        let text = |name: &str| Some(scale.get(name)?.as_str()?.to_owned());
        Some(Self {
            spec_replicas: text("specReplicasPath").unwrap_or_default(),
            status_replicas: text("statusReplicasPath").unwrap_or_default(),
            label_selector: text("labelSelectorPath"),
        })
    }

    /// Returns the desired replicas of an object, or `None` if absent.
    ///
    /// # Errors
    ///
    /// Returns the API server's message if the value is not an integer or a value on the path is
    /// not an object.
    pub fn replicas(&self, object: &Value) -> Result<Option<i64>, String> {
        integer(object, &self.spec_replicas)
    }

    /// Returns the observed replicas of an object, or `None` if absent.
    ///
    /// # Errors
    ///
    /// Returns the API server's message if the value is not an integer or a value on the path is
    /// not an object.
    pub fn status_replicas(&self, object: &Value) -> Result<Option<i64>, String> {
        integer(object, &self.status_replicas)
    }

    /// Returns the label selector of an object, or `None` if the selector or its path is absent.
    ///
    /// # Errors
    ///
    /// Returns the API server's message if the value is not a string or a value on the path is not
    /// an object.
    pub fn selector<'o>(&self, object: &'o Value) -> Result<Option<&'o str>, String> {
        let Some(path) = &self.label_selector else {
            return Ok(None);
        };
        let names = names(path);
        match find(object, &names)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(go::accessor_error(&names, other, "string")),
        }
    }

    /// Sets the desired replicas of an object (`unstructured.SetNestedField`).
    ///
    /// # Errors
    ///
    /// Returns the API server's message if a value on the path is not an object.
    pub fn set_replicas(&self, object: &mut Value, replicas: i64) -> Result<(), String> {
        let names = names(&self.spec_replicas);
        let (Some((last, way)), Value::Object(members)) = (names.split_last(), object) else {
            return Ok(());
        };
        write(members, way, last, replicas.into()).map_err(|depth| {
            let path = names[..=depth].join(".");
            format!("value cannot be set because .{path} is not a map[string]interface{{}}")
        })
    }

    /// Returns the error in the desired replicas (`ValidateScaleSpec`).
    pub(super) fn spec_causes(&self, object: &Value) -> Option<field::Error> {
        replica_cause(&self.spec_replicas, self.replicas(object))
    }

    /// Returns the errors in the observed replicas and the selector (`ValidateScaleStatus`).
    pub(super) fn status_causes(&self, object: &Value) -> field::ErrorList {
        let replicas = replica_cause(&self.status_replicas, self.status_replicas(object));
        let selector = self.selector(object).err().map(|error| {
            let field = self.label_selector.clone().unwrap_or_default();
            field::Error::invalid(field, &"".into(), &error)
        });
        replicas.into_iter().chain(selector).collect()
    }
}

fn replica_cause(path: &str, replicas: Result<Option<i64>, String>) -> Option<field::Error> {
    let (replicas, detail) = match replicas {
        Err(error) => (0, error),
        Ok(None) => return None,
        Ok(Some(replicas)) if replicas < 0 => {
            (replicas, "should be a non-negative integer".to_owned())
        }
        Ok(Some(replicas)) if replicas > i64::from(i32::MAX) => {
            let most = i32::MAX;
            (replicas, format!("should be less than or equal to {most}"))
        }
        Ok(Some(_)) => return None,
    };
    Some(field::Error::invalid(path, &replicas.into(), &detail))
}

fn names(path: &str) -> Vec<&str> {
    path.strip_prefix('.').unwrap_or(path).split('.').collect()
}

fn integer(object: &Value, path: &str) -> Result<Option<i64>, String> {
    let names = names(path);
    let Some(value) = find(object, &names)? else {
        return Ok(None);
    };
    let integer = value.as_i64();
    let wrong = || go::accessor_error(&names, value, "int64");
    integer.map(Some).ok_or_else(wrong)
}

/// Returns the value at a path, or `None` if it is absent (`unstructured.NestedFieldNoCopy`).
fn find<'o>(object: &'o Value, names: &[&str]) -> Result<Option<&'o Value>, String> {
    let mut value = object;
    for (at, name) in names.iter().enumerate() {
        value = match value {
            Value::Null => return Ok(None),
            Value::Object(members) => match members.get(*name) {
                Some(member) => member,
                None => return Ok(None),
            },
            other => {
                let expected = "map[string]interface{}";
                return Err(go::accessor_error(&names[..=at], other, expected));
            }
        };
    }
    Ok(Some(value))
}

/// Sets the value of the field `last` in the object at the path `way`. If a value on the path is
/// not an object, returns its depth as the error.
fn write(
    members: &mut Map<String, Value>,
    way: &[&str],
    last: &str,
    value: Value,
) -> Result<(), usize> {
    let mut members = members;
    for (at, name) in way.iter().enumerate() {
        let next = members
            .entry(*name)
            .or_insert_with(|| Value::Object(Map::new()));
        members = next.as_object_mut().ok_or(at)?;
    }
    members.insert(last.to_owned(), value);
    Ok(())
}
