//! Properties of objects, from named fields of structs and variants.

use std::sync::Arc;
use std::{mem, ptr};

use genclient_syntax::{SchemaAttrs, Shape};
use syn::{Field, Fields, Type};

use super::generics::type_arguments;
use super::serde_attrs::{Default_, SerdeAttrs, SkipIf, With};
use super::serde_keys::SerdeSite;
use super::{Resolver, Slot, derives, keys};
use crate::model::{JsonType, Schema};
use crate::project::Nullable;
use crate::resolve::paths::Found;
use crate::sources::bare_name;

impl<'a> Resolver<'a, '_> {
    /// Returns the object schema of a struct or a variant with named fields.
    pub(super) fn members(
        &mut self,
        container: &SerdeAttrs,
        fields: &Fields,
        constraints: &[SchemaAttrs],
    ) -> Schema {
        let mut schema = Schema::typed(JsonType::Object);
        for (field, attrs) in fields.iter().zip(constraints) {
            self.field(field, attrs, container, fields.len(), &mut schema);
        }
        schema
    }

    fn field(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        container: &SerdeAttrs,
        fields: usize,
        parent: &mut Schema,
    ) {
        let mut serde = self.serde(&field.attrs, SerdeSite::Field);
        let Some(ident) = field.ident.as_ref().filter(|_| !serde.skipped()) else {
            return;
        };
        if attrs.skip.is_set() {
            return;
        }
        if serde.flatten {
            let is_alone = fields == 1 && container.tag.is_none();
            self.flatten(field, attrs, &serde, is_alone, parent);
            return;
        }
        let attrs = &*self.with_kube_default(field, attrs, &serde, container);
        let slot = self.field_slot(field, attrs, &serde);
        self.check_null(attrs, &slot, &serde);
        if container.skips_none && slot.optional && !serde.always {
            serde.skip_serializing_if.get_or_insert_with(|| SkipIf {
                key: ident.span(),
                function: "Option::is_none".to_owned(),
            });
        }
        let name = serde
            .rename
            .clone()
            .unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
        let optional = self.is_optional(&slot, attrs, &serde, container);
        let default = self.default_of(&serde, attrs, field);
        let has_default =
            attrs.default.is_some() || default.is_some() || slot.schema.default.is_some();
        let is_kubes = slot.optional || attrs.schema_with.is_some();
        let mut schema = match is_kubes && self.has_nulls_of_kube() {
            true if slot.optional && is_option_of_schemars(attrs) => slot.nullable(),
            true => slot.schema,
            false => as_stored(slot, attrs, &serde, has_default),
        };
        if let Some(description) = self.description(&field.attrs) {
            schema.description = Some(description);
        }
        let shape = Shape::of(&field.ty);
        schema = self.constrain(attrs, schema, &shape);
        self.warn_of_pitfalls(field, &shape, attrs, &schema);
        self.warn_of_keys(&field.ty, &schema, keys::EntryPosition::Own);
        if let Some(default) = default {
            self.check_returned(&default, &schema, &serde);
            schema.default = Some(default);
        }
        self.check_absent(field, attrs, &schema, &serde);
        if parent.properties.contains_key(&name) {
            let message = format!("duplicate field `{name}`");
            self.report(ident, message, "rename one of the two");
        }
        if !optional {
            parent.required.insert(name.clone());
        } else if let Some(span) = attrs.immutable.span() {
            let rule = self.once_set(&name, ident, span);
            parent.validations.extend(rule);
        }
        schema.origin = self.origin(attrs).into();
        parent.properties.insert(name, schema.into());
    }

    /// True if the schema of every `Option` is nullable, as in the CRDs that kube generates.
    pub(super) fn has_nulls_of_kube(&self) -> bool {
        self.from_kube && self.sources.nullable == Some(Nullable::Kube)
    }

    pub(super) fn field_slot(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> Slot {
        if attrs.replaces_type() {
            return Slot {
                optional: is_option(&field.ty),
                ..Slot::default()
            };
        }
        if let Some(slot) = self.stated_type(field, attrs, serde) {
            return slot;
        }
        if let Some(key) = &serde.opaque {
            let written = match key.to_string().as_str() {
                "serde_as" => "#[serde_as]".to_owned(),
                key => format!("#[serde({key})]"),
            };
            self.report_opaque(&written, key);
            return Slot::default();
        }
        if let Some(with) = &serde.with
            && !self.has_own_type(with)
        {
            let known = (with.key == "with")
                .then(|| derives::of_adapter(&self.module_path(&with.path)))
                .flatten();
            if known.is_none() {
                self.report_opaque(&format!("#[serde({})]", with.key), &with.key);
            }
            return Slot {
                optional: is_option(&field.ty),
                ..Slot::of(known.unwrap_or_default())
            };
        }
        let mark = self.sink.mark();
        let stated = stated_part(&field.ty, attrs).map_or(ptr::null(), ptr::from_ref);
        let stated = mem::replace(&mut self.stated, stated);
        let slot = self.slot(&field.ty);
        self.stated = stated;
        self.write_of_parts(mark, &field.ty);
        self.with_kube_metadata(field, slot)
    }

    /// True if a field or variant has the schema of its type, although the function in `with` reads
    /// or writes it. This is so in kube kinds: schemars, which generates their CRDs, does not use
    /// `serialize_with` and `deserialize_with` for schemas. Warns about such a key: an error would
    /// refuse CRDs that are already in use.
    pub(super) fn has_own_type(&mut self, with: &With) -> bool {
        let is_taken = self.from_kube && with.key != "with" && !self.has_crd_schema();
        if is_taken {
            self.warn(
                &with.key,
                format!("the CRD has the type of the field, regardless of `{}`", with.path.value()),
                "if the function reads or writes another type, name that type: `#[schemars(with = \"..\")]`",
            );
        }
        is_taken
    }

    fn report_opaque(&mut self, written: &str, key: &syn::Ident) {
        self.report(
            key,
            format!("cannot determine the schema of a field with `{written}`"),
            format!("give the schema: {}", self.stating()),
        );
    }

    /// Returns the path of a function or module if it belongs to another crate, or else an empty
    /// path.
    fn module_path(&self, path: &syn::LitStr) -> Vec<String> {
        let Ok(path) = path.parse::<syn::Path>() else {
            return Vec::new();
        };
        match self.paths.find(self.module, &path) {
            Some(Found::Foreign(names)) => names,
            _ => Vec::new(),
        }
    }
}

/// Returns the schema of a field, nullable if serde may write `null`.
fn as_stored(slot: Slot, attrs: &SchemaAttrs, serde: &SerdeAttrs, has_default: bool) -> Schema {
    if serde.skip_serializing_if.is_some() || serde.skip_serializing.is_some() {
        return slot.schema;
    }
    if has_default {
        // If the default comes from a function, serde reads an absent field as that default, so
        // `None` has to be stored as `null`. Unless the schema is nullable, the API server replaces
        // the `null` by the default.
        return match slot.optional && matches!(serde.default, Default_::Function(_)) {
            true => slot.nullable(),
            false => slot.schema,
        };
    }
    match attrs.restricts_any() {
        true => slot.nullable(),
        false => slot.written(),
    }
}

/// True if schemars treats an `Option` field as an `Option`. Exceptions are fields with `required`,
/// with `schema_with`, or with another type than an `Option` in `with`.
fn is_option_of_schemars(attrs: &SchemaAttrs) -> bool {
    let other = attrs.with.as_ref();
    !attrs.required.is_set()
        && attrs.schema_with.is_none()
        && other.is_none_or(|other| is_option(&other.value.0))
}

pub(super) fn is_option(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Option")
}

/// Returns the part of a type, such as its items, for which `items(…)` or `values(…)` states the
/// schema.
fn stated_part<'t>(ty: &'t Type, attrs: &SchemaAttrs) -> Option<&'t Type> {
    let attrs = attrs.items.as_ref().or(attrs.values.as_ref())?;
    let (_, part) = part(ty)?;
    if attrs.replaces_type() {
        Some(part)
    } else {
        stated_part(part, attrs)
    }
}

impl Resolver<'_, '_> {
    /// Corrects the help of findings about the items or values of a field: `#[crd(schema = …)]`
    /// becomes `#[crd(items(schema = …))]`, since users write the attribute on the field.
    fn write_of_parts(&mut self, mark: usize, ty: &Type) {
        let module = &self.sources[self.module];
        for finding in self.sink.since(mark) {
            let (Some(at), Some(help)) = (&finding.location, &mut finding.help) else {
                continue;
            };
            let holds = |part: &Type| {
                let part = module.locate(part);
                let within = part.span.start <= at.span.start && at.span.end <= part.span.end;
                within && Arc::ptr_eq(&part.source, &at.source)
            };
            let mut open = "#[crd(".to_owned();
            let mut close = ")]".to_owned();
            let mut rest = ty;
            while let Some((key, part)) = part(rest).filter(|(_, part)| holds(part)) {
                open += &format!("{key}(");
                close.insert(0, ')');
                rest = part;
            }
            *help = help.replace("#[crd(", &open).replace(")]", &close);
        }
    }
}

/// Returns the type of a list's items with the key `items`, or of a map's values with `values`.
fn part(ty: &Type) -> Option<(&'static str, &Type)> {
    let shape = Shape::of(ty);
    let (key, place) = match shape {
        Shape::List(_) => ("items", 0),
        Shape::Map(_) => ("values", 1),
        _ => return None,
    };
    match ty {
        Type::Array(array) => Some((key, &array.elem)),
        Type::Slice(slice) => Some((key, &slice.elem)),
        Type::Reference(reference) => part(&reference.elem),
        Type::Paren(inner) => part(&inner.elem),
        Type::Group(inner) => part(&inner.elem),
        Type::Path(path) => {
            let mut arguments = type_arguments(&path.path);
            // `Option<Vec<T>>` has the shape of its argument `Vec<T>`, so that argument is
            // searched.
            match arguments.clone().next() {
                Some(inner) if Shape::of(inner) == shape => part(inner),
                _ => Some((key, arguments.nth(place)?)),
            }
        }
        _ => None,
    }
}
