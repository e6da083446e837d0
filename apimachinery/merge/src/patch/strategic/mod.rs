//! Strategic merge patch: a merge patch that merges lists by merge keys, which Go's types declare.
//!
//! Members are merged in alphabetical order, while Go merges them in random order. The order
//! matters if a patch has several errors, since only the first one is reported.
//!
//! Source: k8s.io/apimachinery/pkg/util/strategicpatch, patch.go.

mod directives;
mod lists;
mod merge;
mod meta;
mod order;

use genclient_apimachinery::go;
use serde_json::Value;

use self::merge::merge_objects;
pub use self::meta::{LookupPatchMeta, PatchMeta};
use super::PatchError;

/// Applies a strategic merge patch to an object of the type `type_`.
///
/// # Errors
///
/// 400 for a patch that is neither an object nor null, and for most malformed directives. 422 for a
/// list of lists. 500 for other errors, such as an item without its merge key.
///
/// ```
/// use genclient_merge::patch::{LookupPatchMeta, PatchError, PatchMeta, strategic_merge_patch};
/// use serde_json::json;
///
/// /// Type of an object whose lists all have the merge key `name`.
/// #[derive(Clone, Copy)]
/// struct Named;
///
/// impl LookupPatchMeta for Named {
///     fn struct_field(self, _: &str) -> Result<PatchMeta<Self>, PatchError> {
///         Ok(PatchMeta { type_: self, strategy: "", merge_key: "" })
///     }
///
///     fn list_field(self, _: &str) -> Result<PatchMeta<Self>, PatchError> {
///         Ok(PatchMeta { type_: self, strategy: "merge", merge_key: "name" })
///     }
///
///     fn kind_name(self) -> &'static str {
///         "struct"
///     }
/// }
///
/// let live = json!({"spec": {"containers": [{"name": "a", "image": "x"}]}});
/// let patch = json!({"spec": {"containers": [{"name": "a", "image": "y"}]}});
/// let patched = strategic_merge_patch(&live, &patch, Named).unwrap();
/// assert_eq!(patched, json!({"spec": {"containers": [{"name": "a", "image": "y"}]}}));
/// ```
pub fn strategic_merge_patch<T: LookupPatchMeta>(
    document: &Value,
    patch: &Value,
    type_: T,
) -> Result<Value, PatchError> {
    let found = match patch {
        Value::Object(patch) => {
            let members = document.as_object().cloned().unwrap_or_default();
            let merged = merge_objects(members, patch.clone(), type_)?;
            return Ok(Value::Object(merged));
        }
        // Go decodes `null` into a nil map, which is a patch without members.
        Value::Null => return Ok(document.clone()),
        other => go::kind(other),
    };
    Err(PatchError::bad_request(format!(
        "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    )))
}
