//! Schema attributes of other crates: `schemars`, `validate`, `garde` and `x_kube`.
//!
//! They fill the same [`SchemaAttrs`] as `#[crd(…)]`. A different value for the same key is an
//! error.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::table::Key;
use crate::vocabulary::vocabulary;
use crate::{Flag, Json, Place, Problems, SchemaAttrs, Spanned, kube, schemars};

vocabulary! {
    /// Name of an attribute that belongs to another crate or to the compiler.
    struct ForeignAttr;

    const CFG_ATTR = "cfg_attr";
    const GARDE = "garde";
    const KUBE = "kube";
    const SCHEMARS = "schemars";
    const SERDE = "serde";
    const VALIDATE = "validate";
    const X_KUBE = "x_kube";
}

impl ForeignAttr {
    /// Whether `attr` has this name.
    pub(crate) fn names(self, attr: &Attribute) -> bool {
        attr.path().is_ident(&self)
    }
}

/// Adds what stands beside `#[crd(…)]` to what stands in it.
pub(crate) fn read(
    attrs: &[Attribute],
    place: &Place,
    schema: &mut SchemaAttrs,
    problems: &mut Problems,
) {
    const READ: [ForeignAttr; 5] = [
        ForeignAttr::SCHEMARS,
        ForeignAttr::VALIDATE,
        ForeignAttr::GARDE,
        ForeignAttr::X_KUBE,
        ForeignAttr::CFG_ATTR,
    ];
    let is_read = |attr: &Attribute| READ.iter().any(|name| name.names(attr));
    if !attrs.iter().any(is_read) {
        return;
    }
    let attrs = unconditional(attrs);
    let replaced = schema.schema.is_some() || schema.schemaless.is_set();
    let found = schemars::read(&attrs, place, replaced, problems);
    add(schema, found, ForeignAttr::SCHEMARS, problems);
    let found = kube::x_kube(&attrs, place, problems);
    add(schema, found, ForeignAttr::X_KUBE, problems);
}

/// Returns the attributes with those in `cfg_attr` unpacked, whatever the condition. A CRD is the
/// same for every build, and these attributes are conditional because the macro that reads them is
/// optional.
pub(crate) fn unconditional(attrs: &[Attribute]) -> Vec<Attribute> {
    let mut all = Vec::new();
    for attr in attrs {
        if !ForeignAttr::CFG_ATTR.names(attr) {
            all.push(attr.clone());
            continue;
        }
        let Ok(metas) = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        else {
            continue;
        };
        let nested: Vec<Attribute> = metas
            .into_iter()
            .skip(1)
            .map(|meta| Attribute {
                meta,
                ..attr.clone()
            })
            .collect();
        all.extend(unconditional(&nested));
    }
    all
}

/// One item of an attribute's list: syn's `Meta`, or schemars' own `!key`.
pub(crate) enum MetaItem {
    Meta(Box<Meta>),
    Negated,
}

impl Parse for MetaItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            input.parse::<Token![!]>()?;
            input.parse::<syn::Path>()?;
            return Ok(Self::Negated);
        }
        Ok(Self::Meta(Box::new(input.parse()?)))
    }
}

/// Returns the comma-separated items of every `#[name(…)]`. Syntax errors are left to the macro
/// that the attribute belongs to.
pub(crate) fn parts(attrs: &[Attribute], name: ForeignAttr) -> Vec<Meta> {
    let attrs = attrs.iter().filter(|attr| name.names(attr));
    attrs
        .filter_map(|attr| attr.meta.require_list().ok())
        .flat_map(|list| nested(list.tokens.clone()))
        .collect()
}

/// The comma-separated parts of an argument list.
pub(crate) fn nested(tokens: TokenStream) -> Vec<Meta> {
    let parser = Punctuated::<MetaItem, Token![,]>::parse_terminated;
    let parts = syn::parse::Parser::parse2(parser, tokens).unwrap_or_default();
    parts
        .into_iter()
        .filter_map(|part| match part {
            MetaItem::Meta(meta) => Some(*meta),
            MetaItem::Negated => None,
        })
        .collect()
}

/// A type that an attribute names.
#[derive(Clone)]
pub struct TypeRef(pub syn::Type);

/// `syn` compares and shows types only with its costly `extra-traits`; tokens do.
impl PartialEq for TypeRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_token_stream().to_string() == other.0.to_token_stream().to_string()
    }
}

impl std::fmt::Debug for TypeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_token_stream().to_string())
    }
}

/// Adds `theirs` to `mine`.
fn add(mine: &mut SchemaAttrs, theirs: SchemaAttrs, name: ForeignAttr, problems: &mut Problems) {
    let mut merge = Merge { name, problems };
    merge.value(Key::MINIMUM, &mut mine.minimum, theirs.minimum);
    merge.value(Key::MAXIMUM, &mut mine.maximum, theirs.maximum);
    merge.value(Key::MULTIPLE_OF, &mut mine.multiple_of, theirs.multiple_of);
    merge.value(Key::MIN_LENGTH, &mut mine.min_length, theirs.min_length);
    merge.value(Key::MAX_LENGTH, &mut mine.max_length, theirs.max_length);
    merge.value(Key::PATTERN, &mut mine.pattern, theirs.pattern);
    merge.value(Key::FORMAT, &mut mine.format, theirs.format);
    merge.value(Key::MIN_ITEMS, &mut mine.min_items, theirs.min_items);
    merge.value(Key::MAX_ITEMS, &mut mine.max_items, theirs.max_items);
    let (least, greatest) = (theirs.min_properties, theirs.max_properties);
    merge.value(Key::MIN_PROPERTIES, &mut mine.min_properties, least);
    merge.value(Key::MAX_PROPERTIES, &mut mine.max_properties, greatest);
    merge.value(Key::ENUM, &mut mine.enumeration, theirs.enumeration);
    merge.json(Key::DEFAULT, &mut mine.default, theirs.default);
    merge.value(Key::TITLE, &mut mine.title, theirs.title);
    merge.value(Key::TYPE, &mut mine.json_type, theirs.json_type);
    merge.value(Key::LIST_TYPE, &mut mine.list_type, theirs.list_type);
    merge.value(Key::MAP_TYPE, &mut mine.map_type, theirs.map_type);
    merge.value(Key::STRUCT_TYPE, &mut mine.struct_type, theirs.struct_type);
    if mine.list_map_keys.is_empty() {
        mine.list_map_keys = theirs.list_map_keys;
    }
    mine.example = mine.example.take().or(theirs.example);
    mine.with = mine.with.take().or(theirs.with);
    mine.schema_with = mine.schema_with.take().or(theirs.schema_with);
    mine.default_with = mine.default_with.take().or(theirs.default_with);
    mine.validations.extend(theirs.validations);
    mine.extend.extend(theirs.extend);
    for (mine, theirs) in [
        (&mut mine.exclusive_minimum, theirs.exclusive_minimum),
        (&mut mine.exclusive_maximum, theirs.exclusive_maximum),
        (&mut mine.int_or_string, theirs.int_or_string),
        (
            &mut mine.preserve_unknown_fields,
            theirs.preserve_unknown_fields,
        ),
        (&mut mine.embedded_resource, theirs.embedded_resource),
        (&mut mine.required, theirs.required),
        (&mut mine.nullable, theirs.nullable),
        (&mut mine.skip, theirs.skip),
        (&mut mine.lenient, theirs.lenient),
    ] {
        *mine = either(*mine, theirs);
    }
    if let Some(items) = theirs.items {
        add(
            mine.items.get_or_insert_default(),
            *items,
            name,
            merge.problems,
        );
    }
}

fn either(mine: Flag, theirs: Flag) -> Flag {
    if mine.is_set() { mine } else { theirs }
}

/// Merge of another attribute's constraints into those of `#[crd(…)]`.
struct Merge<'a> {
    name: ForeignAttr,
    problems: &'a mut Problems,
}

impl Merge<'_> {
    fn value<T: PartialEq>(
        &mut self,
        key: Key,
        mine: &mut Option<Spanned<T>>,
        theirs: Option<Spanned<T>>,
    ) {
        let Some(theirs) = theirs else { return };
        match mine {
            None => *mine = Some(theirs),
            Some(mine) if *mine == theirs => {}
            Some(mine) => self.contradiction(key, mine.span),
        }
    }

    fn json(&mut self, key: Key, mine: &mut Option<Json>, theirs: Option<Json>) {
        let Some(theirs) = theirs else { return };
        match mine {
            None => *mine = Some(theirs),
            Some(mine) if *mine == theirs => {}
            Some(mine) => self.contradiction(key, mine.span),
        }
    }

    fn contradiction(&mut self, key: Key, span: proc_macro2::Span) {
        self.problems.report(
            span,
            format!("`crd` and `{}` state another `{key}`", self.name),
            "keep one of them",
        );
    }
}
