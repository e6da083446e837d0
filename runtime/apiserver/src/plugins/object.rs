//! Decoding of objects that admission plug-ins have changed.

use genclient_builtins::defaults::set_defaults;
use genclient_builtins::types;
use genclient_builtins::types::GoType;
use genclient_schema::object;
use serde_json::Value;

use crate::admission::AdmissionRequest;
use crate::failure::Failure;
use crate::kinds::{Kind, Origin};

/// Decodes an object by its kind and sets defaults. The objects of some subresources have another
/// kind: Scale, TokenRequest, Eviction and Binding.
/// As in kube-apiserver, undeclared fields of a custom resource are kept here. They are dropped
/// when the custom resource is stored.
///
/// # Errors
///
/// 500 if the value is not an object of the kind.
pub(super) fn reread(
    kind: &Kind,
    admission: &AdmissionRequest,
    mut object: Value,
) -> Result<Value, Failure> {
    let body = kind.type_of(&admission.subresource);
    if body != kind.type_of("") {
        return match body.go_type() {
            Some(type_) => typed(&object, type_),
            None => Ok(object),
        };
    }
    match &kind.origin {
        Origin::Custom(custom) => {
            let has_metadata = matches!(object.get("metadata"), None | Some(Value::Object(_)));
            if !object.is_object() || !has_metadata {
                let name = &kind.kind;
                return Err(Failure::internal(format!(
                    "after admission, {name} or its metadata is not an object"
                )));
            }
            object::fill_in_defaults(&custom.schema, &mut object);
            Ok(object)
        }
        Origin::Builtin(builtin) => {
            let Some(type_) = builtin.type_ else {
                return Ok(object);
            };
            let mut object = typed(&object, type_)?;
            builtin.convert(&mut object);
            set_defaults(&mut object, type_);
            Ok(object)
        }
    }
}

fn typed(object: &Value, type_: GoType) -> Result<Value, Failure> {
    let decoded = types::decode(object, type_);
    let decoded = decoded.map_err(|error| Failure::internal(error.to_string()))?;
    Ok(decoded.value)
}
