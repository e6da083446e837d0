//! Named fields: their names, whether they may be absent or null, and what is filled in for them.

use genclient_syntax::{SchemaAttrs, Shape};
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::{Field, Fields, Ident};

use super::serde_attrs::{self, Default_, SerdeAttrs, SkipIf};
use super::{
    Parameters, Resolver, Slot, adapters, constraints, defaults, docs, keys, structs, values,
};
use crate::diagnostic::{Diagnostic, Location};
use crate::load::bare_name;
use crate::model::{Schema, Validation};

impl<'a> Resolver<'a, '_> {
    /// An object of named fields, of a struct or of a variant.
    pub(super) fn members(
        &mut self,
        container: &SerdeAttrs,
        fields: &Fields,
        constraints: &[SchemaAttrs],
        module: usize,
        parameters: &Parameters,
    ) -> Schema {
        let mut schema = Schema::typed("object");
        for (field, attrs) in fields.iter().zip(constraints) {
            self.field(field, attrs, container, &mut schema, module, parameters);
        }
        schema
    }

    fn field(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        container: &SerdeAttrs,
        parent: &mut Schema,
        module: usize,
        parameters: &Parameters,
    ) {
        let source = &self.sources.modules[module];
        let mut serde = serde_attrs::parse(&field.attrs, source, self.sink);
        let Some(ident) = field.ident.as_ref().filter(|_| !serde.skipped()) else {
            return;
        };
        if attrs.skip.is_set() {
            return;
        }
        if serde.flatten {
            self.flatten(field, attrs, &serde, parent, module, parameters);
            return;
        }
        let attrs = &*self.with_kube_default(field, attrs, &serde, container, module);
        let slot = self.field_slot(field, attrs, &serde, module, parameters);
        self.check_null(attrs, &slot, &serde, module);
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
        let optional = self.is_optional(&slot, attrs, &serde, container, module);
        let default = self.default_of(&serde, attrs, field, module);
        let leaves_out = serde.skip_serializing_if.is_some() || serde.skip_serializing.is_some();
        let has_default =
            attrs.default.is_some() || default.is_some() || slot.schema.default.is_some();
        let mut schema = if leaves_out || has_default {
            slot.schema
        } else if is_overlaid(attrs) {
            slot.nullable()
        } else {
            slot.written()
        };
        if let Some(description) = docs::description(&field.attrs) {
            schema.description = Some(description);
        }
        let shape = Shape::of(&field.ty);
        schema = self.constrain(attrs, schema, &shape, module);
        self.warn_of_pitfalls(field, &shape, attrs, &schema, module);
        self.warn_of_keys(&field.ty, &schema, keys::Place::Own, module);
        if let Some(default) = default {
            self.check_returned(&default, &schema, field, module);
            schema.default = Some(default);
        }
        self.warn_of_omission(field, schema.default.as_ref(), &serde, module);
        if parent.properties.contains_key(&name) {
            let message = format!("another field is written as `{name}`, too");
            self.report(module, ident, message, "rename one of the two");
        }
        if !optional {
            parent.required.insert(name.clone());
        } else if let Some(span) = attrs.immutable.span() {
            let rule = self.once_set(&name, ident, span, module);
            parent.validations.extend(rule);
        }
        parent.properties.insert(name, schema.into());
    }

    /// The rule of an immutable field that may be absent: once it is there, it stays.
    fn once_set(
        &mut self,
        name: &str,
        ident: &Ident,
        span: Span,
        module: usize,
    ) -> Option<Validation> {
        let location = Location::of(&self.sources.modules[module].source, span);
        let rule = constraints::once_set(name, location);
        if rule.is_none() {
            let message = format!("no rule can name the field `{name}`");
            self.report(module, ident, message, constraints::RENAME);
        }
        rule
    }

    /// What may be stored as `null` has to be read as such.
    fn check_null(&mut self, attrs: &SchemaAttrs, slot: &Slot, serde: &SerdeAttrs, module: usize) {
        let reads_anything = slot.schema.type_.is_none();
        let reads_null = slot.optional || reads_anything || serde.with.is_some();
        if let Some(span) = attrs.nullable.span()
            && !reads_null
        {
            let at = Location::of(&self.sources.modules[module].source, span);
            let finding = Diagnostic::error("serde cannot read `null` into this field");
            self.sink.push(finding.at(at).help("make it `Option<…>`"));
        }
    }

    /// The type of a field, unless its attributes replace it.
    pub(super) fn field_slot(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        module: usize,
        parameters: &Parameters,
    ) -> Slot {
        if structs::states_its_own(attrs) {
            return Slot {
                optional: is_option(&field.ty),
                ..Slot::default()
            };
        }
        if let Some(slot) = self.stated_type(field, attrs, serde, module, parameters) {
            return slot;
        }
        if let Some(key) = &serde.opaque {
            let written = match key.to_string().as_str() {
                "serde_as" => "#[serde_as]".to_owned(),
                key => format!("#[serde({key})]"),
            };
            self.report_opaque(&written, key, module);
            return Slot::default();
        }
        if let Some(with) = &serde.with {
            let known = (with.key == "with")
                .then(|| adapters::of(&self.module_path(&with.path, module)))
                .flatten();
            if known.is_none() {
                self.report_opaque(&format!("#[serde({})]", with.key), &with.key, module);
            }
            return Slot {
                optional: is_option(&field.ty),
                ..Slot::of(known.unwrap_or_default())
            };
        }
        self.slot(&field.ty, module, parameters)
    }

    fn report_opaque(&mut self, written: &str, key: &syn::Ident, module: usize) {
        self.report(
            module,
            key,
            format!("what `{written}` makes of a field cannot be seen from its type"),
            "state the schema: `#[crd(schema = { … })]`",
        );
    }

    /// True if the field may be absent; where it may although serde cannot do without it, that is reported.
    fn is_optional(
        &mut self,
        slot: &Slot,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
        module: usize,
    ) -> bool {
        let reader_fills_in = (slot.optional && !serde.reads_itself())
            || serde.default.is_some()
            || container.default.is_some()
            || serde.skip_deserializing;
        let optional = reader_fills_in || attrs.default.is_some();
        let needed = |message: &str| Diagnostic::error(message);
        let found = match (attrs.optional.span(), serde.skip_serializing) {
            _ if optional => None,
            (Some(span), _) => Some((
                needed("serde needs this field when it reads the object"),
                span,
                "make it `Option<…>`, or add `#[serde(default)]`",
            )),
            (None, Some(span)) => Some((
                needed("serde never writes this field, and needs it when it reads the object"),
                span,
                "add `default` to `#[serde(…)]`, or write `skip` for both ways",
            )),
            (None, None) => serde.skip_serializing_if.as_ref().map(|skip| {
                let message =
                    "serde may leave this field out, and needs it when it reads the object";
                (
                    Diagnostic::warning(message),
                    skip.key,
                    "add `default` to `#[serde(…)]`",
                )
            }),
        };
        if let Some((finding, span, help)) = found {
            let source = &self.sources.modules[module].source;
            let at = Location::of(source, span);
            self.sink.push(finding.at(at).help(help));
        }
        optional && !attrs.required.is_set()
    }

    /// A default function promises a value, which the CRD has to promise, too.
    fn default_of(
        &mut self,
        serde: &SerdeAttrs,
        attrs: &SchemaAttrs,
        field: &Field,
        module: usize,
    ) -> Option<serde_json::Value> {
        let Default_::Function(path) = &serde.default else {
            return None;
        };
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return None;
        }
        let value = defaults::returned(self.sources, self.types, module, path, &field.ty);
        if value.is_none() {
            self.report(
                module,
                field,
                format!("what `{}` returns cannot be seen from here", path.value()),
                "state it: `#[crd(default = …)]`, or `#[crd(no_default)]` for none in the CRD",
            );
        }
        // What is absent is `None` anyway.
        value.filter(|value| !value.is_null())
    }

    /// What works, and not as people think.
    fn warn_of_pitfalls(
        &mut self,
        field: &Field,
        shape: &Shape,
        attrs: &SchemaAttrs,
        schema: &Schema,
        module: usize,
    ) {
        let (message, help) = if *innermost(shape) == Shape::Number && attrs.json_type.is_none() {
            (
                "a float is not the same to every client, and Kubernetes' APIs have none",
                "use an integer of a smaller unit or a `Quantity`, or keep it: `#[crd(type = \"number\")]`",
            )
        } else if self.open.len() > 1 && is_emptied_metadata(field, schema) {
            (
                "the API server keeps nothing of this metadata",
                "write `#[crd(embedded_metadata)]`, which keeps name, namespace, labels, annotations and finalizers",
            )
        } else {
            return;
        };
        let at = self.sources.modules[module].locate(&field.ty);
        self.sink
            .push(Diagnostic::warning(message).at(at).help(help));
    }

    /// What a default function returns is held against the constraints of its field.
    fn check_returned(
        &mut self,
        default: &serde_json::Value,
        schema: &Schema,
        field: &Field,
        module: usize,
    ) {
        for misfit in values::misfits(schema, default) {
            let part = match &misfit.path[..] {
                [] => format!("the default {default}"),
                path => format!("`{}` of the default", values::display(path)),
            };
            self.report(
                module,
                field,
                format!("{part} {}", misfit.message),
                "return another value, or state it: `#[crd(default = …)]`, `#[crd(no_default)]` for none",
            );
        }
    }

    /// A path to a module or function, as its crate has it.
    fn module_path(&self, path: &syn::LitStr, module: usize) -> Vec<String> {
        let Ok(path) = path.parse::<syn::Path>() else {
            return Vec::new();
        };
        match super::paths::find(self.sources, module, &path, self.types) {
            Some(super::paths::Found::Foreign(names)) => names,
            _ => Vec::new(),
        }
    }
}

/// True if attributes leave less of any JSON value.
fn is_overlaid(attrs: &SchemaAttrs) -> bool {
    structs::states_its_own(attrs)
        || attrs.json_type.is_some()
        || attrs.embedded_resource.is_set()
        || attrs.enumeration.is_some()
}

pub(super) fn is_option(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Option")
}

/// An `ObjectMeta` whose schema has no fields.
fn is_emptied_metadata(field: &Field, schema: &Schema) -> bool {
    let bare = schema.type_.as_deref() == Some("object")
        && schema.properties.is_empty()
        && schema.additional_properties.is_none()
        && !schema.preserve_unknown_fields;
    let words = || field.ty.to_token_stream().into_iter();
    bare && words().any(|word| matches!(word, TokenTree::Ident(word) if word == "ObjectMeta"))
}

/// What lists and maps hold at last.
fn innermost(shape: &Shape) -> &Shape {
    match shape {
        Shape::List(inner) | Shape::Map(inner) => innermost(inner),
        shape => shape,
    }
}
