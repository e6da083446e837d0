//! Merge of the constraints in `#[crd(…)]` with those in attributes of other crates.
//!
//! Attributes of schemars, validator, garde and kube fill the same [`SchemaAttrs`]. For most keys,
//! two different values are an error. For others, such as `example`, the value in `#[crd(…)]` wins.
//! CEL rules of all attributes are kept.

use syn::Attribute;

use super::{
    AttributeTarget, Flag, Problems, SchemaAttrs, Shape, Spanned, schema, schemars, serde, x_kube,
};
use crate::foreign::{ForeignAttr, expand_cfg_attr};
use crate::keys::Keys;
use crate::table::{Key, Within};

impl SchemaAttrs {
    /// Reads every `#[crd(…)]` in `attrs`, and the schema attributes of other crates.
    pub fn parse(
        attrs: &[syn::Attribute],
        target: AttributeTarget,
        problems: &mut Problems,
    ) -> Self {
        let target = if serde::hides_the_type(attrs) {
            AttributeTarget {
                shape: Shape::Unknown,
                ..target
            }
        } else {
            target
        };
        let keys = Keys::from_attributes(attrs, Within::Crd, &target, problems);
        let mut read = schema::read_schema_keys(&keys, &target, problems);
        read_foreign(attrs, &target, &mut read, problems);
        read
    }
}

/// Adds the constraints of other crates' attributes to those of `#[crd(…)]`.
pub(crate) fn read_foreign(
    attrs: &[Attribute],
    target: &AttributeTarget,
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
    let attrs = expand_cfg_attr(attrs);
    let own = schema.clone();
    let replaced = schema.schema.is_some() || schema.schemaless.is_set();
    let found = schemars::read_schemars(&attrs, target, replaced, problems);
    merge_attrs(schema, found, ForeignAttr::SCHEMARS, problems);
    let found = x_kube::read_x_kube(&attrs, target, problems);
    merge_attrs(schema, found, ForeignAttr::X_KUBE, problems);
    check_description(schema, &attrs, problems);
    schema::check_merged(&own, schema, problems);
}

fn merge_attrs(
    mine: &mut SchemaAttrs,
    theirs: SchemaAttrs,
    name: ForeignAttr,
    problems: &mut Problems,
) {
    let mut merge = Merge { name, problems };
    merge.value(Key::MINIMUM, &mut mine.minimum, theirs.minimum);
    merge.value(Key::MAXIMUM, &mut mine.maximum, theirs.maximum);
    merge.value(Key::MIN_LENGTH, &mut mine.min_length, theirs.min_length);
    merge.value(Key::MAX_LENGTH, &mut mine.max_length, theirs.max_length);
    merge.value(Key::PATTERN, &mut mine.pattern, theirs.pattern);
    merge.value(Key::FORMAT, &mut mine.format, theirs.format);
    merge.value(Key::MIN_ITEMS, &mut mine.min_items, theirs.min_items);
    merge.value(Key::MAX_ITEMS, &mut mine.max_items, theirs.max_items);
    merge.value(Key::ENUM, &mut mine.enumeration, theirs.enumeration);
    merge.value(Key::DEFAULT, &mut mine.default, theirs.default);
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
        *mine = first_set_flag(*mine, theirs);
    }
    if let Some(items) = theirs.items {
        merge_attrs(
            mine.items.get_or_insert_default(),
            *items,
            name,
            merge.problems,
        );
    }
}

/// Reports two descriptions. That of schemars is read with the doc comment.
fn check_description(schema: &SchemaAttrs, attrs: &[Attribute], problems: &mut Problems) {
    if let (Some(mine), Some(theirs)) = (&schema.description, schemars::description(attrs))
        && mine.value != theirs
    {
        let name = ForeignAttr::SCHEMARS;
        Merge { name, problems }.contradiction(Key::DESCRIPTION, mine.span);
    }
}

fn first_set_flag(mine: Flag, theirs: Flag) -> Flag {
    if mine.is_set() { mine } else { theirs }
}

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

    fn contradiction(&mut self, key: Key, span: proc_macro2::Span) {
        self.problems.report(
            span,
            format!(
                "`crd` and `{}` give different values for `{key}`",
                self.name
            ),
            "keep one of them",
        );
    }
}
