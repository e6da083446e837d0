//! Schemas of structs: an object for named fields, the inner type for a newtype.

use genclient_syntax::{Members, Place, Problems, SchemaAttrs, TypeAttrs};
use syn::{Field, Fields, ItemStruct};

use super::serde_attrs::SerdeAttrs;
use super::serde_keys::SerdeSite;
use super::{Resolver, Slot};
use crate::model::{JsonType, Schema};
use crate::sources::bare_name;

impl<'a> Resolver<'a, '_> {
    pub(super) fn structure(&mut self, item: &'a ItemStruct) -> Slot {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_struct(&self.struct_with_literals(item), &mut problems);
        self.report_problems(problems);
        self.refuse_skipped(&attrs.schema, &item.ident);
        let Members::Fields(fields) = &attrs.members else {
            return Slot::default();
        };
        let container = self.serde(&item.attrs, SerdeSite::Type);
        let slot = if attrs.schema.replaces_type() {
            Slot::default()
        } else if let Some(slot) = self.stated_whole(&attrs.schema) {
            slot
        } else if let Some(slot) = self.converted(&container) {
            slot
        } else {
            let slot = self.written(item, fields, &container);
            self.check_choices(&attrs.schema, &item.fields, &container, &slot.schema);
            slot
        };
        let shape = Place::of_struct(&item.fields).shape;
        let mut schema = self.constrain(&attrs.schema, slot.schema, &shape);
        if let Some(description) = self.description(&item.attrs) {
            schema.description = Some(description);
        }
        Slot { schema, ..slot }
    }

    /// Returns the slot of the value that serde writes for a struct with these fields.
    fn written(
        &mut self,
        item: &ItemStruct,
        attrs: &[SchemaAttrs],
        container: &SerdeAttrs,
    ) -> Slot {
        let fields = &item.fields;
        if container.transparent
            && let Some((field, attrs)) = self.transparent_field(fields, attrs)
        {
            return self.inner(field, attrs);
        }
        match (fields, attrs) {
            (Fields::Unnamed(newtype), [attrs]) => {
                let slot = self.inner(&newtype.unnamed[0], attrs);
                // serde reads an absent field as `None` only if the field itself is an `Option`. A
                // newtype around an `Option` is nullable, but not optional.
                Slot {
                    closed: slot.closed,
                    ..Slot::of(slot.nullable())
                }
            }
            (Fields::Named(_), _) => {
                let mut schema = self.members(container, fields, attrs);
                if let Some(tag) = &container.tag {
                    add_tag(&mut schema, &tag.value(), container, item);
                }
                Slot {
                    closed: container.deny_unknown_fields,
                    ..Slot::of(schema)
                }
            }
            (Fields::Unit, _) => {
                let message = format!("`{}` is serialized as null", item.ident);
                let help = format!("give it braces: `struct {} {{}}`", item.ident);
                self.report(&item.ident, message, help);
                Slot::default()
            }
            _ => {
                let message = format!("`{}` is serialized as a list of mixed types", item.ident);
                self.report(&item.ident, message, "name its fields");
                Slot::default()
            }
        }
    }

    /// Returns the field that serde writes in place of a transparent struct.
    fn transparent_field<'f>(
        &mut self,
        fields: &'f Fields,
        attrs: &'f [SchemaAttrs],
    ) -> Option<(&'f Field, &'f SchemaAttrs)> {
        fields.iter().zip(attrs).find(|(field, _)| {
            let serde = self.serde(&field.attrs, SerdeSite::Field);
            let left_out = serde.skip_serializing.is_some()
                || serde.skip_deserializing
                || serde.default.is_some();
            !left_out && !is_phantom(&field.ty)
        })
    }

    /// Returns the slot of the only field of a newtype or of a variant.
    pub(super) fn inner(&mut self, field: &Field, attrs: &SchemaAttrs) -> Slot {
        let serde = self.serde(&field.attrs, SerdeSite::Field);
        let slot = self.field_slot(field, attrs, &serde);
        let shape = genclient_syntax::Shape::of(&field.ty);
        let mut schema = self.constrain(attrs, slot.schema, &shape);
        if let Some(description) = self.description(&field.attrs) {
            schema.description = Some(description);
        }
        Slot { schema, ..slot }
    }

    /// Returns the slot of the type that serde reads and writes in place of this one.
    pub(super) fn converted(&mut self, container: &SerdeAttrs) -> Option<Slot> {
        if let Some(key) = &container.opaque {
            self.report(
                key,
                format!("cannot determine the schema of a type with `#[serde({key})]`"),
                "give the schema: `#[crd(schema = { … })]`",
            );
            return Some(Slot::default());
        }
        match container.converted() {
            Ok(ty) => ty.map(|ty| self.slot(&ty)),
            Err(named) => {
                let ty = named.value();
                let from = if container.may_fail {
                    "try_from"
                } else {
                    "from"
                };
                self.report(
                    named,
                    "the type is deserialized from one type and serialized as another",
                    format!(
                        "use one type for both: `#[serde({from} = \"{ty}\", into = \"{ty}\")]`, or give the schema: `#[crd(schema = {{ … }})]`"
                    ),
                );
                Some(Slot::default())
            }
        }
    }
}

/// Adds the property of `#[serde(tag = "…")]`, which holds the struct's name. The property is not
/// required, because serde never reads it.
fn add_tag(schema: &mut Schema, tag: &str, container: &SerdeAttrs, item: &ItemStruct) {
    let name = container.rename.clone();
    let name = name.unwrap_or_else(|| bare_name(&item.ident));
    let property = Schema {
        enum_: vec![name.into()],
        ..Schema::typed(JsonType::String)
    };
    schema
        .properties
        .entry(tag.to_owned())
        .or_insert_with(|| property.into());
}

fn is_phantom(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "PhantomData")
}
