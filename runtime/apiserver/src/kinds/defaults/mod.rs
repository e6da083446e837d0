//! Defaults of built-in kinds. The server sets them after it has decoded an object, and before
//! admission.
//!
//! The functions named `set` take the name of a Go struct, and set the defaults of that struct
//! (`SetDefaults_…` in pkg/apis of Kubernetes' sources). A struct gets its defaults before the
//! structs in its fields. Decoding removes empty values of fields with `omitempty`, so they get
//! defaults, too.

mod containers;
mod core;
mod others;
mod volumes;
mod workloads;

use serde_json::Value;

use crate::types::{GoKind, GoType, Object, Quantity};

/// Sets the defaults of an object that [`decode`](crate::types::decode) has returned.
///
/// ```
/// use genclient_apiserver::kinds::defaults::set_defaults;
/// use genclient_apiserver::types::GoType;
/// use serde_json::json;
///
/// let mut secret = json!({"metadata": {"name": "a"}});
/// set_defaults(&mut secret, GoType::of_kind("", "v1", "Secret").unwrap());
/// assert_eq!(secret["type"], "Opaque");
/// ```
pub fn set_defaults(value: &mut Value, type_: GoType) {
    match (type_.kind(), value) {
        (GoKind::Pointer(inner), value) => set_defaults(value, inner),
        (GoKind::Slice(inner), Value::Array(items)) => {
            items.iter_mut().for_each(|item| set_defaults(item, inner));
        }
        (GoKind::Map(inner), Value::Object(members)) => {
            if type_.name() == "core/v1.ResourceList" {
                members.values_mut().for_each(round);
            }
            members
                .values_mut()
                .for_each(|member| set_defaults(member, inner));
        }
        (GoKind::Struct(fields), Value::Object(members)) => {
            of_struct(type_.name(), members);
            for field in fields {
                if let Some(member) = members.get_mut(field.name) {
                    set_defaults(member, field.type_);
                }
            }
        }
        _ => {}
    }
}

/// Rounds the amount of a resource up to thousandths.
fn round(amount: &mut Value) {
    if let Some(Ok(mut quantity)) = amount.as_str().map(Quantity::parse) {
        quantity.round_up_to_milli();
        *amount = quantity.canonical().into();
    }
}

fn of_struct(name: &str, members: &mut Object) {
    match name.split_once('.') {
        Some(("core/v1", name)) => {
            containers::set(name, members);
            volumes::set(name, members);
            core::set(name, members);
        }
        Some(("apps/v1" | "batch/v1" | "autoscaling/v1" | "autoscaling/v2", _)) => {
            workloads::set(name, members);
        }
        _ => others::set(name, members),
    }
}
