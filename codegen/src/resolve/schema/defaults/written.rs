//! JSON values of structs and enum variants, as serde writes them.

use serde_json::{Map, Value};
use syn::{Expr, ExprStruct, Field, Fields, Item, ItemStruct, Member, Variant};

use super::{Expected, Reader, Scope, split};
use crate::resolve::paths::Found;
use crate::resolve::schema::enums::Tagging;
use crate::resolve::schema::rename::Rename;
use crate::resolve::schema::serde_attrs::SerdeAttrs;
use crate::resolve::schema::serde_keys::SerdeSite;
use crate::sources::{ModuleId, bare_name};

impl<'a> Reader<'a> {
    /// Returns the value of a struct literal, such as `Limits { cpu: 1, ..Default::default() }`.
    pub(super) fn struct_literal(&self, literal: &ExprStruct, scope: Scope<'a>) -> Option<Value> {
        if let Some(Found::Item(module, item @ Item::Struct(structure))) =
            self.type_at(&literal.path, scope)
        {
            let inside = scope.into(module, Some((module, item)))?;
            let base = match &literal.rest {
                Some(rest) => {
                    let name = &structure.ident;
                    let ty = syn::parse_quote!(#name);
                    let expected = Expected {
                        ty: &ty,
                        scope: inside,
                    };
                    match self.value(rest, Some(expected), scope)? {
                        Value::Object(base) => base,
                        _ => return None,
                    }
                }
                None => Map::new(),
            };
            return self.structure(module, structure, base, |field| {
                let value = written_for(literal, field)?;
                let ty = &field.ty;
                Some(self.value(value, Some(Expected { ty, scope: inside }), scope))
            });
        }
        let (prefix, name) = split(&literal.path)?;
        match self.type_at(&prefix, scope)? {
            Found::Item(module, item) => self.struct_variant((module, item), &name, literal, scope),
            Found::Foreign(_) | Found::Unreadable(_) => None,
        }
    }

    /// Returns the JSON object of a struct with named fields. `base` has the members of `..base` in
    /// a struct literal. `value` returns `None` for a field that keeps its value in `base`, and
    /// `Some(None)` for a field with an unknown value.
    pub(super) fn structure(
        &self,
        module: ModuleId,
        item: &ItemStruct,
        base: Map<String, Value>,
        value: impl Fn(&Field) -> Option<Option<Value>>,
    ) -> Option<Value> {
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let plain = container.from.is_none() && container.into.is_none() && !container.transparent;
        if !plain || container.opaque.is_some() || container.tag.is_some() {
            return None;
        }
        self.object(module, &item.fields, container.rename_all, base, value)
    }

    fn object(
        &self,
        module: ModuleId,
        fields: &Fields,
        rename: Rename,
        mut object: Map<String, Value>,
        value: impl Fn(&Field) -> Option<Option<Value>>,
    ) -> Option<Value> {
        for field in fields {
            let serde = self.serde(&field.attrs, SerdeSite::Field, module);
            if serde.skip_serializing.is_some() {
                continue;
            }
            let Some(value) = value(field) else {
                continue;
            };
            let (ident, value) = (field.ident.as_ref()?, value?);
            let name = serde.rename.clone();
            let name = name.unwrap_or_else(|| rename.field(&bare_name(ident)));
            if value.is_null() || is_left_out(&serde, &value) {
                object.remove(&name);
            } else if serde.with.is_some() || serde.opaque.is_some() {
                return None;
            } else if serde.flatten {
                object.extend(value.as_object()?.clone());
            } else {
                object.insert(name, value);
            }
        }
        Some(Value::Object(object))
    }

    /// Returns what serde writes for a newtype around `value`; `None` if serde attributes convert
    /// the newtype.
    pub(super) fn newtype_of(
        &self,
        module: ModuleId,
        item: &ItemStruct,
        field: &Field,
        value: Value,
    ) -> Option<Value> {
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let serde = self.serde(&field.attrs, SerdeSite::Field, module);
        let plain = container.from.is_none() && container.into.is_none() && serde.with.is_none();
        plain.then_some(value)
    }

    /// Returns what serde writes for the variant `name`. `value` is the content of a variant with
    /// one unnamed field.
    pub(super) fn variant(
        &self,
        module: ModuleId,
        item: &'a Item,
        name: &str,
        value: Option<&Expr>,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let (variant, serde) = self.find_variant(module, item, name)?;
        let content = match (&variant.fields, value) {
            (Fields::Unit, None) => None,
            (Fields::Unnamed(fields), Some(value)) if fields.unnamed.len() == 1 => {
                let inside = scope.into(module, Some((module, item)))?;
                let expected = Expected {
                    ty: &fields.unnamed[0].ty,
                    scope: inside,
                };
                Some(self.value(value, Some(expected), scope)?)
            }
            _ => return None,
        };
        tagged(
            variant,
            &serde,
            &self.serde(&variant.attrs, SerdeSite::Variant, module),
            content,
        )
    }

    fn struct_variant(
        &self,
        (module, item): (ModuleId, &'a Item),
        name: &str,
        literal: &ExprStruct,
        scope: Scope<'a>,
    ) -> Option<Value> {
        let (variant, container) = self.find_variant(module, item, name)?;
        let serde = self.serde(&variant.attrs, SerdeSite::Variant, module);
        let rename = match serde.rename_all {
            Rename::None => container.rename_all_fields,
            rule => rule,
        };
        let inside = scope.into(module, Some((module, item)))?;
        let content = self.object(module, &variant.fields, rename, Map::new(), |field| {
            let value = written_for(literal, field)?;
            let ty = &field.ty;
            Some(self.value(value, Some(Expected { ty, scope: inside }), scope))
        })?;
        tagged(variant, &container, &serde, Some(content))
    }

    fn find_variant(
        &self,
        module: ModuleId,
        item: &'a Item,
        name: &str,
    ) -> Option<(&'a Variant, SerdeAttrs)> {
        let Item::Enum(item) = item else {
            return None;
        };
        let variant = item.variants.iter().find(|variant| variant.ident == name)?;
        let container = self.serde(&item.attrs, SerdeSite::Type, module);
        let plain = container.from.is_none() && container.into.is_none();
        plain.then_some((variant, container))
    }
}

/// Returns the expression of a field in a struct literal.
fn written_for<'e>(literal: &'e ExprStruct, field: &Field) -> Option<&'e Expr> {
    let ident = field.ident.as_ref()?;
    let mut fields = literal.fields.iter();
    let written =
        fields.find(|written| matches!(&written.member, Member::Named(name) if name == ident));
    written.map(|written| &written.expr)
}

/// True for a value other than null that `skip_serializing_if` leaves out. An unknown function is
/// assumed to test for empty values, as `Vec::is_empty` does.
fn is_left_out(serde: &SerdeAttrs, value: &Value) -> bool {
    let Some(skip) = &serde.skip_serializing_if else {
        return false;
    };
    match (skip.name(), value) {
        ("is_none", _) => false,
        ("not", value) => *value == Value::Bool(false),
        (_, Value::Array(items)) => items.is_empty(),
        (_, Value::Object(members)) => members.is_empty(),
        (_, Value::String(text)) => text.is_empty(),
        _ => false,
    }
}

fn tagged(
    variant: &Variant,
    container: &SerdeAttrs,
    serde: &SerdeAttrs,
    content: Option<Value>,
) -> Option<Value> {
    let name = serde.rename.clone();
    let name = name.unwrap_or_else(|| container.rename_all.variant(&bare_name(&variant.ident)));
    let mut object = Map::new();
    match (Tagging::of(container), content) {
        _ if serde.with.is_some() || serde.skip_serializing.is_some() => return None,
        (Tagging::Untagged, content) => return content,
        (_, content) if serde.untagged => return content,
        (Tagging::External, None) => return Some(name.into()),
        (Tagging::External, Some(value)) => {
            object.insert(name, value);
        }
        (Tagging::Internal { tag }, content) => {
            if let Some(value) = content {
                object.extend(value.as_object()?.clone());
            }
            object.insert(tag, name.into());
        }
        (Tagging::Adjacent { tag, content: key }, content) => {
            object.insert(tag, name.into());
            object.extend(content.map(|value| (key, value)));
        }
    }
    Some(Value::Object(object))
}
