//! Schema of one variant, as serde writes it.

use genclient_syntax::SchemaAttrs;
use serde_json::Value;
use syn::Fields;

use super::{Around, Member, Tagging};
use crate::model::{JsonType, Schema};
use crate::resolve::schema::serde_attrs::SerdeAttrs;
use crate::resolve::schema::{Resolver, Slot, keys, rename::Rename};

/// A variant with its schema.
pub(super) struct Part<'m> {
    pub(super) member: &'m Member<'m>,
    pub(super) schema: Schema,
    /// True if the schema must forbid the fields of other variants, as serde does.
    pub(super) closed: bool,
}

enum Content {
    Nothing,
    Value(Box<Slot>),
}

const GIVE_NAMES: &str = "name its fields";

impl<'a> Resolver<'a, '_> {
    /// Returns the schema of a variant. Reports a variant without a schema, with one exception: in
    /// an externally tagged enum, serde writes a variant without content as a string, and the
    /// others as objects. `beside_strings` reports such strings when all variants are known.
    pub(super) fn part<'m>(
        &mut self,
        member: &'m Member<'a>,
        attrs: &[SchemaAttrs],
        around: &Around,
    ) -> Option<Part<'m>> {
        let content = self.content(member, attrs, around)?;
        let closed = is_closed(member, &content, around);
        let schema = match &around.tagging {
            _ if member.serde.untagged => self.untagged(member, content),
            Tagging::Untagged => self.untagged(member, content),
            Tagging::External => self.external(member, content, around),
            Tagging::Internal { tag } => self.internal(member, content, tag, around),
            Tagging::Adjacent { tag, content: key } => {
                Some(adjacent(member, content, (tag, key), around))
            }
        }?;
        Some(Part {
            member,
            schema,
            closed,
        })
    }

    fn content(
        &mut self,
        member: &Member<'a>,
        attrs: &[SchemaAttrs],
        around: &Around,
    ) -> Option<Content> {
        let variant = member.variant;
        if let Some(with) = &member.serde.with
            && !self.has_own_type(with)
        {
            let message = format!(
                "cannot determine how `{}` serializes a variant",
                with.path.value()
            );
            let help = "move it to the field in the variant, and give its schema there: `#[crd(schema = { … })]`";
            self.report(&with.path, message, help);
            return None;
        }
        match (&variant.fields, attrs) {
            (Fields::Unit, _) => Some(Content::Nothing),
            (Fields::Named(_), _) => {
                let container = fields_of(&member.serde, &around.container);
                let fields = &variant.fields;
                let schema = self.members(&container, fields, attrs);
                Some(Content::Value(Box::new(Slot::of(schema))))
            }
            (Fields::Unnamed(fields), [attrs]) if !is_unit(&fields.unnamed[0].ty) => {
                let field = &fields.unnamed[0];
                let slot = self.inner(field, attrs);
                let position = match around.tagging {
                    Tagging::External if !member.serde.untagged => keys::EntryPosition::Own,
                    _ => keys::EntryPosition::Shared,
                };
                self.warn_of_keys(&field.ty, &slot.schema, position);
                Some(Content::Value(Box::new(slot)))
            }
            (Fields::Unnamed(_), [_]) => {
                let message = format!("the variant `{}` is serialized as null", variant.ident);
                let help = format!("give it braces: `{} {{}}`", variant.ident);
                self.report(&variant.ident, message, help);
                None
            }
            _ => {
                let message = format!(
                    "the variant `{}` is serialized as a list of mixed types",
                    variant.ident
                );
                self.report(&variant.ident, message, GIVE_NAMES);
                None
            }
        }
    }

    fn external(
        &mut self,
        member: &Member<'a>,
        content: Content,
        around: &Around,
    ) -> Option<Schema> {
        let variant = &member.variant.ident;
        let Content::Value(slot) = content else {
            if !around.has_content {
                return Some(tag_of(member, around));
            }
            return None;
        };
        let mut schema = slot.nullable();
        if schema.default.is_some() {
            self.report(
                variant,
                format!("the default of `{variant}` would also apply to every other variant"),
                "write the default at the field that has the enum",
            );
            return None;
        }
        if let Some(description) = self.description(&member.variant.attrs) {
            schema.description = Some(description);
        }
        let mut part = Schema::typed(JsonType::Object);
        part.required.insert(member.name.clone());
        part.properties.insert(member.name.clone(), schema.into());
        Some(part)
    }

    fn internal(
        &mut self,
        member: &Member<'a>,
        content: Content,
        tag: &str,
        around: &Around,
    ) -> Option<Schema> {
        let variant = &member.variant.ident;
        let mut part = match content {
            Content::Nothing => Schema::typed(JsonType::Object),
            Content::Value(slot) => match beside_a_tag(*slot) {
                Ok(schema) => schema,
                Err(what) => {
                    let message =
                        format!("`{variant}` holds {what}, which cannot be combined with a tag");
                    let help = format!("give the field a name: `{variant} {{ value: .. }}`");
                    self.report(variant, message, help);
                    return None;
                }
            },
        };
        if part.properties.contains_key(tag) {
            let message = format!("`{tag}` is both the tag and a field of `{variant}`");
            self.report(variant, message, "rename one of them");
            return None;
        }
        part.required.insert(tag.to_owned());
        let names = tag_of(member, around).into();
        part.properties.insert(tag.to_owned(), names);
        Some(part)
    }

    fn untagged(&mut self, member: &Member<'a>, content: Content) -> Option<Schema> {
        match content {
            Content::Value(slot) if !slot.optional && !slot.schema.nullable => Some(Schema {
                description: None,
                // `content` has already warned about the keys of a map.
                keys: None,
                ..slot.schema
            }),
            content => {
                let help = match content {
                    Content::Value(slot) if slot.optional => {
                        "remove the `Option`, and make the field with the enum an `Option<…>`"
                    }
                    _ => "remove it, and make the field with the enum an `Option<…>`",
                };
                let variant = &member.variant.ident;
                self.report(
                    variant,
                    format!(
                        "`{variant}` may be serialized as null, which does not identify the variant"
                    ),
                    help,
                );
                None
            }
        }
    }
}

/// True if serde refuses unknown fields for this variant, but the schema of the object also has the
/// fields of other variants.
fn is_closed(member: &Member<'_>, content: &Content, around: &Around) -> bool {
    let apart = matches!(around.tagging, Tagging::External | Tagging::Adjacent { .. });
    let holds_no_other = match (content, &member.variant.fields) {
        (_, Fields::Named(_)) => around.container.deny_unknown_fields,
        (Content::Value(slot), _) => slot.closed,
        (Content::Nothing, _) => false,
    };
    holds_no_other && (member.serde.untagged || !apart)
}

/// Serde attributes that apply to the fields of a variant.
fn fields_of(variant: &SerdeAttrs, container: &SerdeAttrs) -> SerdeAttrs {
    SerdeAttrs {
        rename_all: match variant.rename_all {
            Rename::None => container.rename_all_fields,
            rule => rule,
        },
        skips_none: variant.skips_none,
        ..SerdeAttrs::default()
    }
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns the schema of content that serde writes into the same object as the tag.
///
/// # Errors
///
/// Returns what the content is, such as "a map", if it cannot be combined with a tag.
pub(super) fn beside_a_tag(slot: Slot) -> Result<Schema, &'static str> {
    let mut schema = slot.schema;
    let anything = schema.preserve_unknown_fields && !schema.int_or_string;
    match schema.type_ {
        _ if slot.optional || schema.nullable => return Err("an `Option`"),
        Some(JsonType::Object) => {}
        None if anything || schema.is_unknown() => schema.type_ = Some(JsonType::Object),
        _ => return Err("a scalar or a list"),
    }
    if let Some(values) = schema.additional_properties.take() {
        if !values.preserve_unknown_fields || values.type_.is_some() {
            return Err("a map");
        }
        schema.preserve_unknown_fields = true;
        schema.keys = None;
    }
    Ok(Schema {
        description: None,
        title: None,
        example: None,
        external_docs: None,
        default: None,
        ..schema
    })
}

fn adjacent(
    member: &Member<'_>,
    content: Content,
    (tag, key): (&str, &str),
    around: &Around,
) -> Schema {
    let mut part = Schema::typed(JsonType::Object);
    part.required.insert(tag.to_owned());
    let names = tag_of(member, around).into();
    part.properties.insert(tag.to_owned(), names);
    match content {
        Content::Value(slot) => {
            // An absent `Option` is read as `None`, so it is not required. Even content with a
            // default is required: the API server sets the default before validation.
            if !slot.optional {
                part.required.insert(key.to_owned());
            }
            part.properties
                .insert(key.to_owned(), slot.nullable().into());
        }
        Content::Nothing if around.has_content => {
            let mut content = Schema::default();
            content.required.insert(key.to_owned());
            part.not = Some(Box::new(content));
        }
        Content::Nothing => {}
    }
    part
}

/// Schema of a variant's tag: its name, or for `#[serde(other)]` any string but the other names.
fn tag_of(member: &Member<'_>, around: &Around) -> Schema {
    let mut tag = Schema::typed(JsonType::String);
    let names = |names: &[String]| names.iter().cloned().map(Value::from).collect();
    if !member.serde.other {
        tag.enum_ = names(std::slice::from_ref(&member.name));
    } else if !around.names.is_empty() {
        tag.not = Some(Box::new(Schema {
            enum_: names(&around.names),
            ..Schema::default()
        }));
    }
    tag
}
