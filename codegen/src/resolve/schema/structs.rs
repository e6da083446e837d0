//! Structs: an object with named fields, or what the one field of a newtype is.

use genclient_syntax::{Members, Place, Problems, SchemaAttrs, TypeAttrs};
use syn::{Field, Fields, ItemStruct};

use super::generics::Parameters;
use super::serde_attrs::{self, SerdeAttrs};
use super::{Resolver, Slot};
use crate::model::{JsonType, Schema};
use crate::resolve::docs;
use crate::sources::{ModuleId, bare_name};

impl<'a> Resolver<'a, '_> {
    pub(super) fn structure(
        &mut self,
        item: &'a ItemStruct,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Slot {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_struct(item, &mut problems);
        self.report_problems(problems, module);
        self.refuse_skipped(&attrs.schema, &item.ident, module);
        let Members::Fields(fields) = &attrs.members else {
            return Slot::default();
        };
        let source = &self.sources[module];
        let container = serde_attrs::parse(&item.attrs, source, self.sink);
        let slot = if attrs.schema.replaces_type() {
            Slot::default()
        } else if let Some(slot) = self.converted(&container, module, parameters) {
            slot
        } else {
            let slot = self.written(item, fields, &container, module, parameters);
            self.check_choices(
                &attrs.schema,
                &item.fields,
                &container,
                &slot.schema,
                module,
            );
            slot
        };
        let shape = Place::of_struct(&item.fields).shape;
        let mut schema = self.constrain(&attrs.schema, slot.schema, &shape, module);
        if let Some(description) = docs::description(&item.attrs) {
            schema.description = Some(description);
        }
        Slot { schema, ..slot }
    }

    /// What serde writes for the fields.
    fn written(
        &mut self,
        item: &ItemStruct,
        attrs: &[SchemaAttrs],
        container: &SerdeAttrs,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Slot {
        let fields = &item.fields;
        if container.transparent
            && let Some((field, attrs)) = self.transparent_field(fields, attrs, module)
        {
            return self.inner(field, attrs, module, parameters);
        }
        match (fields, attrs) {
            (Fields::Unnamed(newtype), [attrs]) => {
                let slot = self.inner(&newtype.unnamed[0], attrs, module, parameters);
                // serde reads an absent field as `None` only if the field itself is an `Option`.
                Slot {
                    closed: slot.closed,
                    ..Slot::of(slot.nullable())
                }
            }
            (Fields::Named(_), _) => {
                let mut schema = self.members(container, fields, attrs, module, parameters);
                if let Some(tag) = &container.tag {
                    add_tag(&mut schema, &tag.value(), container, item);
                }
                Slot {
                    closed: container.deny_unknown_fields,
                    ..Slot::of(schema)
                }
            }
            (Fields::Unit, _) => {
                let message = format!("`{}` is written as null", item.ident);
                let help = format!("give it braces: `struct {} {{}}`", item.ident);
                self.report(module, &item.ident, message, &help);
                Slot::default()
            }
            _ => {
                let message = format!("`{}` is written as a list of mixed types", item.ident);
                self.report(module, &item.ident, message, "give its fields names");
                Slot::default()
            }
        }
    }

    /// The field that a transparent struct is written as.
    fn transparent_field<'f>(
        &mut self,
        fields: &'f Fields,
        attrs: &'f [SchemaAttrs],
        module: ModuleId,
    ) -> Option<(&'f Field, &'f SchemaAttrs)> {
        let source = &self.sources[module];
        fields.iter().zip(attrs).find(|(field, _)| {
            let serde = serde_attrs::parse(&field.attrs, source, self.sink);
            let left_out = serde.skip_serializing.is_some()
                || serde.skip_deserializing
                || serde.default.is_some();
            !left_out && !is_phantom(&field.ty)
        })
    }

    /// The only field of a newtype or of a variant.
    pub(super) fn inner(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Slot {
        let source = &self.sources[module];
        let serde = serde_attrs::parse(&field.attrs, source, self.sink);
        let slot = self.field_slot(field, attrs, &serde, module, parameters);
        let shape = genclient_syntax::Shape::of(&field.ty);
        let mut schema = self.constrain(attrs, slot.schema, &shape, module);
        if let Some(description) = docs::description(&field.attrs) {
            schema.description = Some(description);
        }
        Slot { schema, ..slot }
    }

    /// The type that serde reads and writes in place of this one.
    pub(super) fn converted(
        &mut self,
        container: &SerdeAttrs,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Option<Slot> {
        if let Some(key) = &container.opaque {
            self.report(
                module,
                key,
                format!("what `#[serde({key})]` makes of a type cannot be seen from its source"),
                "state the schema: `#[crd(schema = { … })]`",
            );
            return Some(Slot::default());
        }
        match container.converted() {
            Ok(ty) => ty.map(|ty| self.slot(&ty, module, parameters)),
            Err(named) => {
                let ty = named.value();
                let from = if container.may_fail {
                    "try_from"
                } else {
                    "from"
                };
                self.report(
                    module,
                    named,
                    "the type is read as one type and written as another".to_owned(),
                    &format!(
                        "name one type for both: `#[serde({from} = \"{ty}\", into = \"{ty}\")]`, or state the schema: `#[crd(schema = {{ … }})]`"
                    ),
                );
                Some(Slot::default())
            }
        }
    }
}

/// The name of a struct, which serde writes beside its fields and does not read.
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
