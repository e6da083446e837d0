//! What schemars puts in place of a doc comment, and of a whole type.

use syn::{Attribute, Meta};

use super::{text, with};
use crate::TypeRef;
use crate::foreign::{parts, unconditional};

/// The description that `#[schemars(description = "..")]` states.
pub fn description(attrs: &[Attribute]) -> Option<String> {
    text(&find(attrs, "description")?).map(|text| text.value)
}

/// The type that `#[schemars(with = "..")]` on a type names, which describes it.
pub fn described_by(attrs: &[Attribute]) -> Option<TypeRef> {
    with(&find(attrs, "with")?).map(|ty| ty.value)
}

fn find(attrs: &[Attribute], key: &str) -> Option<Meta> {
    let may_have =
        |attr: &Attribute| attr.path().is_ident("schemars") || attr.path().is_ident("cfg_attr");
    if !attrs.iter().any(may_have) {
        return None;
    }
    let mut parts = parts(&unconditional(attrs), "schemars").into_iter();
    parts.find(|meta| meta.path().is_ident(key))
}
