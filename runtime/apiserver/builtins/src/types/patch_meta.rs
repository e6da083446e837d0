//! Lookup of a field's patch strategy and merge key in the Go type of an object, for strategic
//! merge patches.
//!
//! Source: k8s.io/apimachinery/pkg/util/strategicpatch, meta.go.

use genclient_apimachinery::go::quoted;
use genclient_merge::patch::{LookupPatchMeta, PatchError, PatchMeta};

use super::{Field, GoKind, GoType};

impl LookupPatchMeta for GoType {
    fn struct_field(self, key: &str) -> Result<PatchMeta<Self>, PatchError> {
        let found = find_field(self, key)?;
        Ok(PatchMeta {
            type_: found.type_,
            strategy: merge_strategy(found.strategies)?,
            merge_key: found.merge_key,
        })
    }

    fn list_field(self, key: &str) -> Result<PatchMeta<Self>, PatchError> {
        let found = find_field(self, key)?;
        let inner = match found.type_.kind() {
            GoKind::Slice(inner) if matches!(inner.kind(), GoKind::Slice(_) | GoKind::Bytes) => {
                return Err(PatchError::internal("unexpected slice of slice"));
            }
            GoKind::Slice(inner) => inner,
            GoKind::Pointer(pointed) => match pointed.kind() {
                GoKind::Slice(inner) => inner,
                _ => pointed,
            },
            _ => {
                let kind = self.kind_name();
                let message = format!("expected slice or array type, but got: {kind}");
                return Err(PatchError::internal(message));
            }
        };
        Ok(PatchMeta {
            type_: inner,
            strategy: merge_strategy(found.strategies)?,
            merge_key: found.merge_key,
        })
    }

    fn kind_name(self) -> &'static str {
        match self.kind() {
            GoKind::Pointer(_) => "ptr",
            GoKind::Slice(_) | GoKind::Bytes => "slice",
            GoKind::Map(_) => "map",
            GoKind::Struct(_) | GoKind::Custom(_) => "struct",
            GoKind::Bool => "bool",
            GoKind::Integer(32) => "int32",
            GoKind::Integer(_) => "int64",
            GoKind::Float => "float64",
            GoKind::String => "string",
            GoKind::Any => "interface",
        }
    }
}

/// Returns the field `key` of a struct. If there is none, the first one whose name differs only in
/// case (`LookupPatchMetadataForStruct` in
/// k8s.io/apimachinery/third_party/forked/golang/json/fields.go).
fn find_field(type_: GoType, key: &str) -> Result<&'static Field, PatchError> {
    let GoKind::Struct(fields) = type_.pointed().kind() else {
        let kind = type_.pointed().kind_name();
        return Err(PatchError::internal(format!(
            "merging an object in json but data type is not struct, instead is: {kind}"
        )));
    };
    let exact = fields.iter().find(|field| field.name == key);
    let folded = || {
        fields
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(key))
    };
    exact.or_else(folded).ok_or_else(|| {
        let name = type_.pointed().bare_name();
        PatchError::internal(format!(
            "unable to find api field in struct {name} for the json field {}",
            quoted(key)
        ))
    })
}

/// Returns the strategy without `retainKeys`, which has no effect on the server.
fn merge_strategy(strategies: &'static str) -> Result<&'static str, PatchError> {
    let mut others = strategies
        .split(',')
        .filter(|strategy| *strategy != "retainKeys");
    let strategy = others.next().unwrap_or_default();
    match others.next() {
        None => Ok(strategy),
        Some(_) => {
            let all = strategies.replace(',', " ");
            Err(PatchError::internal(format!(
                "unexpected patch strategy: [{all}]"
            )))
        }
    }
}
