//! Patch strategies and merge keys, which the type of an object declares.
//!
//! Source: k8s.io/apimachinery/pkg/util/strategicpatch, meta.go.

use crate::patch::PatchError;

/// Type of an object, with the patch strategies and merge keys of its fields (`LookupPatchMeta`).
pub trait LookupPatchMeta: Copy {
    /// Looks up a field whose value is an object (`LookupPatchMetadataForStruct`).
    ///
    /// # Errors
    ///
    /// 500 if the type is no struct or has no such field.
    fn struct_field(self, key: &str) -> Result<PatchMeta<Self>, PatchError>;

    /// Looks up a field whose value is a list (`LookupPatchMetadataForSlice`).
    ///
    /// # Errors
    ///
    /// 500 if the type is no struct, has no such field, or the field is no list or a list of lists.
    fn list_field(self, key: &str) -> Result<PatchMeta<Self>, PatchError>;

    /// Returns the name of the type's `reflect.Kind` in Go (`Name`).
    fn kind_name(self) -> &'static str;
}

/// Patch strategy and merge key of a field (`PatchMeta`).
#[derive(Clone, Copy, Debug)]
pub struct PatchMeta<T> {
    /// Type of the field or, for a list, of its items.
    pub type_: T,
    /// `merge`, `replace` or empty. The strategy `retainKeys` is left out.
    pub strategy: &'static str,
    /// Merge key of the items of a list, or empty.
    pub merge_key: &'static str,
}
