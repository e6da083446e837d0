//! Structs: an object with named fields, or what a newtype's field is.

use genclient_syntax::{Members, Place, Problems, SchemaAttrs, Shape, TypeAttrs};
use syn::{Attribute, Expr, ExprLit, Field, Fields, Item, ItemStruct, Lit};

use super::serde_attrs::{self, Default_, SerdeAttrs};
use super::{Parameters, Resolver, Slot, constraints, docs};
use crate::load::bare_name;
use crate::model::Schema;

impl<'a> Resolver<'a, '_> {
    pub(super) fn structure(
        &mut self,
        item: &'a ItemStruct,
        module: usize,
        parameters: &Parameters,
    ) -> Slot {
        let mut problems = Problems::new();
        let attrs = TypeAttrs::of_struct(item, &mut problems);
        self.report_problems(problems, module);
        let Members::Fields(fields) = &attrs.members else {
            return Slot::default();
        };
        let slot = match &item.fields {
            Fields::Unnamed(newtype) if newtype.unnamed.len() == 1 => {
                self.slot(&newtype.unnamed[0].ty, module, parameters)
            }
            Fields::Named(named) if self.is_transparent(item, module) && named.named.len() == 1 => {
                self.slot(&named.named[0].ty, module, parameters)
            }
            Fields::Named(_) => {
                Slot::of(self.fields(&item.attrs, &item.fields, fields, module, parameters))
            }
            _ => {
                self.report(
                    module,
                    &item.ident,
                    format!(
                        "`{}` is written as a list of mixed types or as null",
                        item.ident
                    ),
                    "give its fields names",
                );
                Slot::default()
            }
        };
        let mut schema = self.constrain(
            &attrs.schema,
            slot.schema,
            &Place::of_struct(&item.fields).shape,
            module,
        );
        if let Some(description) = docs::description(&item.attrs) {
            schema.description = Some(description);
        }
        Slot {
            schema,
            optional: slot.optional,
        }
    }

    fn is_transparent(&mut self, item: &ItemStruct, module: usize) -> bool {
        let source = &self.sources.modules[module];
        serde_attrs::parse(&item.attrs, source, self.sink).transparent
    }

    /// An object of named fields; `attrs` are those of the struct.
    pub(super) fn fields(
        &mut self,
        attrs: &[Attribute],
        fields: &Fields,
        constraints: &[SchemaAttrs],
        module: usize,
        parameters: &Parameters,
    ) -> Schema {
        let source = &self.sources.modules[module];
        let container = serde_attrs::parse(attrs, source, self.sink);
        if let Some(key) = container.opaque.as_ref().or(container.tagged.as_ref()) {
            self.report(
                module,
                key,
                format!("what `#[serde({key})]` makes of a type cannot be seen from its source"),
                "state the schema: `#[crd(schema = { … })]`",
            );
        }
        let mut schema = Schema::typed("object");
        for (field, attrs) in fields.iter().zip(constraints) {
            self.field(field, attrs, &container, &mut schema, module, parameters);
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
        let serde = serde_attrs::parse(&field.attrs, source, self.sink);
        let Some(ident) = field.ident.as_ref().filter(|_| !serde.skip) else {
            return;
        };
        if serde.flatten {
            self.flatten(field, parent, module, parameters);
            return;
        }
        let slot = self.field_slot(field, attrs, &serde, module, parameters);
        let name = serde
            .rename
            .clone()
            .unwrap_or_else(|| container.rename_all.field(&bare_name(ident)));
        let optional = self.is_optional(&slot, attrs, &serde, container, module);
        let writes_null = slot.optional && !serde.skip_serializing_if && attrs.default.is_none();
        let mut schema = if writes_null {
            slot.nullable()
        } else {
            slot.schema
        };
        if let Some(description) = docs::description(&field.attrs) {
            schema.description = Some(description);
        }
        schema = self.constrain(attrs, schema, &Shape::of(&field.ty), module);
        self.default_of(&serde, attrs, &mut schema, field, module);
        if !optional {
            parent.required.insert(name.clone());
        } else if attrs.immutable.is_set() {
            parent.validations.push(constraints::once_set(&name));
        }
        parent.properties.insert(name, schema);
    }

    /// The type of a field, unless its attributes replace it.
    fn field_slot(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        module: usize,
        parameters: &Parameters,
    ) -> Slot {
        let stated =
            attrs.schema.is_some() || attrs.schemaless.is_set() || attrs.int_or_string.is_set();
        let open_object = attrs.preserve_unknown_fields.is_set() && attrs.json_type.is_some();
        if stated || open_object {
            return Slot {
                schema: Schema::default(),
                optional: is_option(&field.ty),
            };
        }
        if let Some(key) = &serde.opaque {
            self.report(
                module,
                key,
                format!("what `#[serde({key})]` makes of a field cannot be seen from its type"),
                "state the schema: `#[crd(schema = { … })]`",
            );
            return Slot::default();
        }
        self.slot(&field.ty, module, parameters)
    }

    fn is_optional(
        &mut self,
        slot: &Slot,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
        container: &SerdeAttrs,
        module: usize,
    ) -> bool {
        let reader_fills_in =
            slot.optional || serde.default != Default_::None || container.default != Default_::None;
        let optional = reader_fills_in || attrs.default.is_some();
        if let Some(span) = attrs.optional.span()
            && !optional
        {
            let source = &self.sources.modules[module].source;
            self.sink.push(
                crate::diagnostic::Diagnostic::error(
                    "serde needs this field when it reads the object",
                )
                .at(crate::diagnostic::Location::of(source, span))
                .help("make it `Option<…>`, or add `#[serde(default)]`"),
            );
        }
        optional && !attrs.required.is_set()
    }

    /// A default function promises a value, which the CRD has to promise, too.
    fn default_of(
        &mut self,
        serde: &SerdeAttrs,
        attrs: &SchemaAttrs,
        schema: &mut Schema,
        field: &Field,
        module: usize,
    ) {
        let Default_::Function(path) = &serde.default else {
            return;
        };
        if attrs.default.is_some() || attrs.no_default.is_set() {
            return;
        }
        match self.literal_of(path, module) {
            Some(value) => schema.default = Some(value),
            None => self.report(
                module,
                field,
                format!("what `{path}` returns cannot be seen from here"),
                "state it: `#[crd(default = …)]`, or `#[crd(no_default)]` for none in the CRD",
            ),
        }
    }

    /// The literal that a function of this module returns.
    fn literal_of(&self, path: &str, module: usize) -> Option<serde_json::Value> {
        let items = &self.sources.modules[module].items;
        let function = items.iter().find_map(|item| match item {
            Item::Fn(function) if function.sig.ident == path => Some(function),
            _ => None,
        })?;
        match &function.block.stmts[..] {
            [syn::Stmt::Expr(value, None)] => literal(value),
            _ => None,
        }
    }

    /// The fields of another struct, as if they stood here.
    fn flatten(
        &mut self,
        field: &Field,
        parent: &mut Schema,
        module: usize,
        parameters: &Parameters,
    ) {
        let slot = self.slot(&field.ty, module, parameters);
        if slot.schema.additional_properties.is_some() {
            self.report(
                module,
                &field.ty,
                "a flattened map takes every name, which a structural schema cannot express beside named fields".to_owned(),
                "give the map a field of its own",
            );
            return;
        }
        if !slot.optional {
            parent.required.extend(slot.schema.required);
        }
        parent.properties.extend(slot.schema.properties);
    }
}

fn is_option(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else {
        return false;
    };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == "Option")
}

/// `"a"`, `1`, `true`, also as `"a".to_owned()`, `"a".into()` or `String::from("a")`.
fn literal(value: &Expr) -> Option<serde_json::Value> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Str(text) => Some(text.value().into()),
            Lit::Bool(value) => Some(value.value.into()),
            Lit::Int(number) => number
                .base10_digits()
                .parse::<serde_json::Number>()
                .ok()
                .map(Into::into),
            Lit::Float(number) => number
                .base10_digits()
                .parse::<serde_json::Number>()
                .ok()
                .map(Into::into),
            _ => None,
        },
        Expr::MethodCall(call) if call.args.is_empty() => {
            let name = call.method.to_string();
            let converts = ["to_owned", "to_string", "into"].contains(&name.as_str());
            converts.then(|| literal(&call.receiver)).flatten()
        }
        Expr::Call(call) if call.args.len() == 1 => {
            let Expr::Path(function) = &*call.func else {
                return None;
            };
            let last = function.path.segments.last()?;
            (last.ident == "from")
                .then(|| literal(&call.args[0]))
                .flatten()
        }
        _ => None,
    }
}
