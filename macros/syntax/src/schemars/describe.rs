//! Descriptions and replacement types in schemars attributes.

use syn::{Attribute, Meta};

use super::with;
use crate::TypeRef;
use crate::foreign::{ForeignAttr, parts, text, unconditional};
use crate::serde::SerdeKey;

/// Returns the description in `#[schemars(description = "..")]`.
pub fn description(attrs: &[Attribute]) -> Option<String> {
    text(&find(attrs, SerdeKey::DESCRIPTION)?).map(|text| text.value)
}

/// Returns the replacement type in `#[schemars(with = "..")]` on a type.
pub fn described_by(attrs: &[Attribute]) -> Option<TypeRef> {
    with(&find(attrs, SerdeKey::WITH)?).map(|ty| ty.value)
}

fn find(attrs: &[Attribute], key: SerdeKey) -> Option<Meta> {
    let may_have =
        |attr: &Attribute| ForeignAttr::SCHEMARS.names(attr) || ForeignAttr::CFG_ATTR.names(attr);
    if !attrs.iter().any(may_have) {
        return None;
    }
    let mut parts = parts(&unconditional(attrs), ForeignAttr::SCHEMARS).into_iter();
    parts.find(|meta| meta.path().is_ident(&key))
}
