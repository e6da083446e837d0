//! Decoding of custom resources after JSON parsing: metadata, unknown fields and nulls.
//!
//! Follows `unstructuredSchemaCoercer` of `k8s.io/apiextensions-apiserver/pkg/apiserver`.

use genclient_apimachinery::field;
use serde_json::Value;

use super::go;
use super::prune::{Pruning, prune};
use super::remove_nulls;
use crate::{Schema, meta};

/// Decodes the metadata of an object and of its embedded resources, prunes unknown fields and
/// removes nulls. Returns the paths of unknown fields, in the order of the server's warnings.
///
/// # Errors
///
/// Returns the text of the API server's 400 response if `kind`, `apiVersion` or metadata cannot be
/// decoded or an embedded resource is invalid.
pub fn decode(schema: &Schema, object: &mut Value) -> Result<Vec<String>, String> {
    for field in ["kind", "apiVersion"] {
        if let Some(other) = object.get(field).filter(|value| !value.is_string()) {
            return Err(go::accessor_error(&[field], other, "string"));
        }
    }
    let metadata = object.get("metadata").map(meta::decode).transpose()?;
    let (metadata, unknown) = metadata.map_or((None, Vec::new()), |decoded| {
        (Some(decoded.metadata), decoded.unknown)
    });
    let mut paths: Vec<_> = unknown
        .into_iter()
        .map(|path| format!("metadata.{path}"))
        .collect();
    let api_version = object.get("apiVersion").and_then(Value::as_str);
    if let Some(error) = api_version.and_then(go::group_version_error) {
        return Err(error);
    }
    paths.extend(prune(schema, object, Pruning::Resource));
    remove_nulls(schema, object);
    let mut coercer = Coercer::default();
    coercer
        .value(schema, object)
        .map_err(|cause| cause.to_string())?;
    coercer.unknown.sort();
    paths.append(&mut coercer.unknown);
    if let (Some(metadata), Some(object)) = (metadata, object.as_object_mut()) {
        object.insert("metadata".to_owned(), metadata.into());
    }
    Ok(paths)
}

/// Decoder for `apiVersion`, `kind` and `metadata` of embedded resources
/// (`schemaobjectmeta.Coerce`).
#[derive(Default)]
pub(crate) struct Coercer {
    pub(crate) path: String,
    pub(crate) unknown: Vec<String>,
}

impl Coercer {
    pub(crate) fn value(&mut self, schema: &Schema, value: &mut Value) -> Result<(), field::Error> {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if schema.embedded_resource {
                        self.resource_field(name, member)?;
                    }
                    let Some(of_member) = schema.declared_member(name) else {
                        continue;
                    };
                    let length = self.path.len();
                    go::enter(&mut self.path, name, schema.properties.contains_key(name));
                    self.value(of_member, member)?;
                    self.path.truncate(length);
                }
            }
            Value::Array(items) => {
                let Some(schema) = &schema.items else {
                    return Ok(());
                };
                for (at, item) in items.iter_mut().enumerate() {
                    let length = self.path.len();
                    self.path.push_str(&format!("[{at}]"));
                    self.value(schema, item)?;
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn resource_field(&mut self, name: &str, value: &mut Value) -> Result<(), field::Error> {
        let mut path = self.path.clone();
        go::enter(&mut path, name, true);
        match name {
            "apiVersion" | "kind" if !value.is_string() => {
                Err(field::Error::invalid(path, value, "must be a string"))
            }
            "metadata" => {
                let decoded = meta::decode(value)
                    .map_err(|error| field::Error::invalid(&*path, value, &error))?;
                let unknown = decoded.unknown.iter();
                self.unknown
                    .extend(unknown.map(|field| format!("{path}.{field}")));
                *value = decoded.metadata.into();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
