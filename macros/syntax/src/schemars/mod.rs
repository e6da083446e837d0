//! schemars attributes, and the constraints of `validate` and `garde` that schemars reads.
//!
//! schemars itself reports unknown keys. This module reports keys that contradict serde, values
//! that are known only at run time, and errors in `extend(…)`.

mod extend;
mod rules;
mod validation;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Meta};

use crate::foreign::{ForeignAttr, name, parts, string, text, unconditional};
use crate::serde::SerdeKey;
use crate::{Flag, Json, Place, Problems, SchemaAttrs, Site, Spanned, TypeRef};

/// Reads the constraints that schemars would add to the schema of a type or field. `replaced` is
/// true with `#[crd(schema = ..)]` or `#[crd(schemaless)]`.
pub(crate) fn read(
    attrs: &[Attribute],
    place: &Place,
    replaced: bool,
    problems: &mut Problems,
) -> SchemaAttrs {
    let mut schema = SchemaAttrs::default();
    let serde = parts(attrs, ForeignAttr::SERDE);
    for meta in parts(attrs, ForeignAttr::SCHEMARS) {
        let name = name(&meta);
        let Some(&key) = SerdeKey::ALL.iter().find(|key| key.as_str() == name) else {
            continue;
        };
        match key {
            SerdeKey::SCHEMA_WITH if matches!(place.site, Site::Field | Site::Type) => {
                schema.schema_with = text(&meta).filter(|_| !replaced);
            }
            SerdeKey::SCHEMA_WITH | SerdeKey::TRANSFORM if !replaced => {
                computed(&meta, key, problems)
            }
            SerdeKey::DEFAULT if place.site == Site::Field => {
                let plain = || Spanned::new("Default::default".to_owned(), meta.path().span());
                schema.default_with = Some(text(&meta).unwrap_or_else(plain));
            }
            SerdeKey::WITH => schema.with = with(&meta),
            SerdeKey::TITLE => schema.title = text(&meta),
            SerdeKey::EXAMPLE => schema.example = schema.example.or(example(&meta)),
            SerdeKey::EXTEND => extend::read(&meta, &mut schema, problems),
            SerdeKey::SKIP if place.site == Site::Field => {
                schema.skip = Flag::at(meta.path().span());
            }
            _ => check_serde(&meta, key, place, &serde, problems),
        }
    }
    if place.site == Site::Field {
        let has_default = serde
            .iter()
            .any(|meta| meta.path().is_ident(&SerdeKey::DEFAULT));
        for source in [
            ForeignAttr::SCHEMARS,
            ForeignAttr::VALIDATE,
            ForeignAttr::GARDE,
        ] {
            let metas = parts(attrs, source);
            validation::read(&metas, source, &place.shape, &mut schema, problems);
        }
        if has_default {
            // serde fills in the default, so that the field may be absent.
            schema.required = Flag::default();
        }
    }
    schema
}

fn computed(meta: &Meta, key: SerdeKey, problems: &mut Problems) {
    problems.report(
        meta.path().span(),
        format!("the effect of `{key}` on the schema is known only at run time"),
        "give the schema: `#[crd(schema = { .. })]` below `#[derive(CrdSchema)]`",
    );
}

fn with(meta: &Meta) -> Option<Spanned<TypeRef>> {
    let text = string(meta)?;
    let ty = text.parse::<syn::Type>().ok()?;
    Some(Spanned::new(TypeRef(ty), text.span()))
}

/// Returns an example that is a literal. Other expressions are ignored.
fn example(meta: &Meta) -> Option<Json> {
    let Meta::NameValue(pair) = meta else {
        return None;
    };
    let mut value = &pair.value;
    while let Expr::Reference(reference) = value {
        value = &reference.expr;
    }
    syn::parse2(value.to_token_stream()).ok()
}

/// Returns the keys of `#[schemars(…)]` that serde lacks or interprets differently.
pub fn schemars_keys() -> impl Iterator<Item = &'static str> {
    let own = OWN.iter().map(|key| key.as_str());
    own.chain(
        validation::ConstraintKey::ALL
            .iter()
            .map(|key| key.as_str()),
    )
}

/// Keys that only schemars has, or that it interprets differently from serde.
const OWN: &[SerdeKey] = &[
    SerdeKey::DEFAULT,
    SerdeKey::DESCRIPTION,
    SerdeKey::EXAMPLE,
    SerdeKey::EXTEND,
    SerdeKey::SCHEMA_WITH,
    SerdeKey::SKIP,
    SerdeKey::TITLE,
    SerdeKey::TRANSFORM,
    SerdeKey::WITH,
];

/// Keys that describe serde's behaviour. In `#[schemars(…)]` they take precedence over
/// `#[serde(…)]`.
const SERDE: &[SerdeKey] = &[
    SerdeKey::RENAME,
    SerdeKey::RENAME_ALL,
    SerdeKey::RENAME_ALL_FIELDS,
    SerdeKey::TAG,
    SerdeKey::CONTENT,
    SerdeKey::UNTAGGED,
    SerdeKey::DEFAULT,
    SerdeKey::FLATTEN,
    SerdeKey::SKIP_SERIALIZING,
    SerdeKey::SKIP_DESERIALIZING,
    SerdeKey::TRANSPARENT,
    SerdeKey::FROM,
    SerdeKey::INTO,
    SerdeKey::TRY_FROM,
];

/// Reports a key of serde in `#[schemars(…)]` that `#[serde(…)]` lacks or has with another value,
/// because the schema would not describe the serialized data.
fn check_serde(meta: &Meta, key: SerdeKey, place: &Place, serde: &[Meta], problems: &mut Problems) {
    let names_the_schema = key == SerdeKey::RENAME && place.site != Site::Field;
    if !SERDE.contains(&key) || names_the_schema {
        return;
    }
    let tokens = meta.to_token_stream().to_string();
    let said = |other: &Meta| other.to_token_stream().to_string() == tokens;
    if !serde.iter().any(said) {
        let span: Span = meta.path().span();
        problems.report(
            span,
            format!("`{key}` of schemars conflicts with serde"),
            "write it in `#[serde(..)]`: the schema must describe what serde reads and writes",
        );
    }
}

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
