//! Defaults in CRDs of kube kinds: the values that serde fills in, as schemars writes them.
//!
//! For types of `#[genclient]` kinds, plain `#[serde(default)]` gives the CRD no default. CRDs of
//! kube kinds keep the defaults that schemars wrote.

use std::borrow::Cow;

use genclient_syntax::{Flag, Json, SchemaAttrs, derives};
use proc_macro2::Span;
use serde_json::Value;
use syn::spanned::Spanned as _;
use syn::{Field, Item, LitStr};

use super::Resolver;
use super::serde_attrs::{Default_, SerdeAttrs};
use crate::resolve::kind::attributes;
use crate::resolve::paths;
use crate::sources::{Namespace, bare_name};

enum FieldDefault {
    Value(Value),
    /// The field has no default, or serde leaves the default out when writing.
    None,
    /// The default is known only at run time.
    Unseen,
}

impl<'a> Resolver<'a, '_> {
    /// Returns the attributes of a field with its default added: the value of `default_with`, or
    /// for a kube kind the default that schemars would write.
    pub(super) fn with_kube_default<'s>(
        &mut self,
        field: &Field,
        attrs: &'s SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
    ) -> Cow<'s, SchemaAttrs> {
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return Cow::Borrowed(attrs);
        }
        let (found, span) = if let Some(path) = &attrs.default_with {
            let path = LitStr::new(&path.value, path.span);
            let value = self.default_returned(&path, &field.ty);
            (
                value.map_or(FieldDefault::Unseen, FieldDefault::Value),
                path.span(),
            )
        } else if self.from_kube && !self.has_crd_schema() {
            let found = self.filled_in(field, serde, container);
            let span = match &serde.default {
                Default_::Function(path) => path.span(),
                Default_::Plain | Default_::None => field.ty.span(),
            };
            (found, span)
        } else {
            return Cow::Borrowed(attrs);
        };
        let mut attrs = attrs.clone();
        match found {
            FieldDefault::Value(Value::Null) => {}
            FieldDefault::Value(value) => attrs.default = json(&value, span),
            FieldDefault::None => {}
            FieldDefault::Unseen => self.warn_of_unseen(span),
        }
        if attrs.default.is_none() && matches!(serde.default, Default_::Function(_)) {
            // Without this flag, `default_of` would evaluate the function again, and add the
            // default that is left out here, or report an error beside the warning.
            attrs.no_default = Flag::at(span);
        }
        Cow::Owned(attrs)
    }

    /// Returns the value that serde fills in for an absent field. The field has no default if serde
    /// leaves this value out when writing.
    fn filled_in(&self, field: &Field, serde: &SerdeAttrs, container: &SerdeAttrs) -> FieldDefault {
        let value = match &serde.default {
            Default_::Plain => self.default_of_type(&field.ty),
            Default_::Function(path) => self.default_returned(path, &field.ty),
            Default_::None if container.default.is_some() => {
                return self.filled_in_by_container(field, container, serde);
            }
            Default_::None => return FieldDefault::None,
        };
        match value {
            Some(value) if self.is_omitted(field, &value, serde) => FieldDefault::None,
            Some(value) => FieldDefault::Value(value),
            None => FieldDefault::Unseen,
        }
    }

    /// Returns the value of a field in the default of its struct, for `#[serde(default)]` on the
    /// struct.
    fn filled_in_by_container(
        &self,
        field: &Field,
        container: &SerdeAttrs,
        serde: &SerdeAttrs,
    ) -> FieldDefault {
        let Some((item, ident)) = self.container().zip(field.ident.as_ref()) else {
            return FieldDefault::None;
        };
        let Some(name) = paths::item_name(item) else {
            return FieldDefault::None;
        };
        let name = syn::Ident::new(&name, Span::call_site());
        let whole = self.default_of_type(&syn::parse_quote!(#name));
        let renamed = serde.rename.clone();
        let key = renamed.unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
        match (whole, &container.default) {
            (Some(Value::Object(mut members)), Default_::Plain) => {
                let value = members.remove(&key);
                value.map_or(FieldDefault::None, |value| {
                    if self.is_omitted(field, &value, serde) {
                        FieldDefault::None
                    } else {
                        FieldDefault::Value(value)
                    }
                })
            }
            _ => FieldDefault::Unseen,
        }
    }

    /// Returns the type whose fields are being read.
    pub(super) fn container(&self) -> Option<&'a Item> {
        let (module, name) = self.open.last()?;
        let items = self.sources.names(*module).items(name, Namespace::Types);
        Some(&self.sources[*module].items[*items.first()?])
    }

    /// Part of help texts: the attribute that states a schema.
    pub(super) fn stating(&self) -> &'static str {
        match self.is_of_schemars() {
            true => "`#[schemars(with = \"..\")]`, with a type that has the schema",
            false => "`#[crd(schema = { … })]`",
        }
    }

    /// True if schemars generates the schema of the current type, and no macro of this project
    /// does.
    pub(super) fn is_of_schemars(&self) -> bool {
        self.from_kube && !self.has_crd_schema()
    }

    pub(super) fn has_crd_schema(&self) -> bool {
        let container = self.container();
        container.is_some_and(|item| derives(attributes(item), "CrdSchema"))
    }

    /// Warns about a default that is known only at run time. The field is still optional: serde
    /// fills the value in when reading.
    fn warn_of_unseen(&mut self, span: Span) {
        self.warn(
            &span,
            "the default that serde fills in is known only at run time: the CRD has no default",
            match self.sources.has_old_schemars {
                true => "to have one, derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`",
                false => "to have one, write `#[schemars(extend(\"default\" = ..))]`; or derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`",
            },
        );
    }
}

/// Converts a JSON value into a value of the attribute grammar.
fn json(value: &Value, span: Span) -> Option<Json> {
    let json = syn::parse_str::<Json>(&value.to_string()).ok()?;
    Some(Json { span, ..json })
}
