//! Attributes of schemars and kube: root types that kube derives, types that schemars attributes
//! replace, and constants in attributes of other crates, such as `#[garde(length(max = MAX))]`.

use std::borrow::Cow;

use genclient_syntax::{Json, SchemaAttrs, derives, described_by};
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use serde_json::Value;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, Field, Fields, Item, ItemEnum, ItemStruct, Lit, Meta, MetaList, Token,
    parse_quote,
};

use super::foreign_types::{UNKNOWN_OF_SCHEMARS, UNKNOWN_TYPE_HELP};
use super::pitfalls::is_emptied_metadata;
use super::serde_attrs::SerdeAttrs;
use super::types::{self, Argument, is_option};
use super::{FieldSchema, Resolver, evaluate};
use crate::known;
use crate::lookup::PathLookup;
use crate::model::{JsonType, Schema};
use crate::project::Nullable;
use crate::resolve::kind::{Kind, KubeRoot, attributes};
use crate::resolve::{docs, kube_kinds, paths};
use crate::sources::{ModuleId, Namespace, bare_name};

/// Help for an unknown type in `status = "…"` of `#[kube(…)]`: there is no field on which a schema
/// could be stated.
const UNKNOWN_STATUS: &str = "define the type, or give its schema under its path in \
                              `[package.metadata.genclient.schemas]`";

impl<'a> Resolver<'a, '_> {
    /// Returns the schema of a root type: `spec` and `status`. With `no_spec`, the fields of the
    /// spec take the place of `spec`.
    pub(super) fn kube_root(&mut self, kind: &Kind<'a>, root: &KubeRoot) -> Schema {
        let used_as = syn::Path::from(kind.attrs.ident.clone());
        let spec = self.resolve_item((kind.id, kind.item), &used_as);
        let mut schema = if root.no_spec {
            spec.schema
        } else {
            let mut schema = Schema::typed(JsonType::Object);
            schema.required.insert("spec".to_owned());
            schema
                .properties
                .insert("spec".to_owned(), spec.schema.into());
            schema
        };
        if let Some(status) = &root.status {
            let mark = self.sink.mark();
            let status = self.resolve_type(&status.value.0);
            for finding in self.sink.since(mark) {
                if [Some(UNKNOWN_TYPE_HELP), Some(UNKNOWN_OF_SCHEMARS)]
                    .contains(&finding.help.as_deref())
                {
                    finding.help = Some(UNKNOWN_STATUS.into());
                }
            }
            let status = if self.has_nulls_of_kube() {
                FieldSchema {
                    optional: true,
                    ..status
                }
                .nullable()
            } else {
                status.schema
            };
            schema.properties.insert("status".to_owned(), status.into());
        }
        schema
    }

    /// Resolves a path without an item in source, if it names a root type that kube derives.
    /// Reports any other path as unknown.
    pub(super) fn root_type_schema(&mut self, path: &syn::Path) -> FieldSchema {
        let wanted = PathLookup::new(self.module, path, Namespace::Types);
        let kind =
            kube_kinds::find_by_root_type(&wanted, &self.shared.roots, self.sources, self.paths)
                .cloned();
        let Some(kind) = kind else {
            return self.report_unknown(path);
        };
        let Some(root) = &kind.kube else {
            return self.report_unknown(path);
        };
        let name = (kind.id.module, bare_name(&kind.attrs.ident));
        if self.open.contains(&name) {
            return self.refuse_recursion(path);
        }
        self.open.push(name);
        let mut schema = self.within(kind.id.module, |resolver| resolver.kube_root(&kind, root));
        self.open.pop();
        let attrs = &kind.attrs;
        let api_version = format!("{}/{}", attrs.group.value, kind.version.value);
        for (name, text) in [
            ("apiVersion", api_version),
            ("kind", attrs.kind.value.clone()),
        ] {
            let mut schema_of_text = Schema::typed(JsonType::String);
            schema_of_text.enum_.push(text.into());
            schema
                .properties
                .insert(name.to_owned(), schema_of_text.into());
        }
        let metadata = known::object_meta_schema().into();
        schema.properties.insert("metadata".to_owned(), metadata);
        // serde requires `metadata` in a root type, but neither `apiVersion` nor `kind`.
        schema.required.insert("metadata".to_owned());
        FieldSchema::new(schema)
    }

    /// Returns the schema of the type that `#[schemars(with = "..")]` on `item` names in place of
    /// the item's fields.
    pub(super) fn described_schema(
        &mut self,
        item: &'a Item,
        module: ModuleId,
        arguments: &[Argument],
    ) -> Option<FieldSchema> {
        let other = described_by(attributes(item))?;
        Some(self.within(module, |resolver| {
            resolver.bind(types::generics_of(item), arguments.to_vec());
            resolver.resolve_type(&other.0)
        }))
    }

    /// Warns about a hand-written `JsonSchema` that cannot be evaluated, if a kube kind uses the
    /// type. The CRD has only what serde reads and writes.
    pub(super) fn warn_of_own_schema(&mut self, item: &Item, path: &syn::Path) {
        let attrs = attributes(item);
        let names = [
            "JsonSchema",
            "JsonSchema_repr",
            "KubeSchema",
            "CELSchema",
            "CrdSchema",
        ];
        let is_alias = matches!(item, Item::Type(_));
        if !self.from_kube || is_alias || names.iter().any(|name| derives(attrs, name)) {
            return;
        }
        let shown = paths::item_name(item).unwrap_or_default();
        self.warn(
            path,
            format!("`{shown}` does not derive `JsonSchema`: its hand-written schema is not in the CRD"),
            "derive `CrdSchema` as well, with `#[crd(..)]` for constraints that serde does not express; or give its schema under its path in `[package.metadata.genclient.schemas]`",
        );
    }

    /// Returns the schema of a field. In kube kinds, an `ObjectMeta` field, such as the metadata of
    /// a template, gets the full metadata schema, as schemars writes it. With an empty schema, the
    /// API server would prune metadata that stored objects already have.
    pub(super) fn with_kube_metadata(
        &self,
        field: &Field,
        mut field_schema: FieldSchema,
    ) -> FieldSchema {
        if self.from_kube
            && !self.has_crd_schema()
            && is_emptied_metadata(field, &field_schema.schema)
        {
            field_schema.schema = Schema {
                description: field_schema.schema.description,
                nullable: field_schema.schema.nullable,
                ..known::object_meta_schema()
            };
        }
        field_schema
    }

    /// Returns the schema that schemars attributes state for a field in place of its type.
    pub(super) fn stated_field_type(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> Option<FieldSchema> {
        if let Some(function) = &attrs.schema_with {
            return Some(FieldSchema {
                schema: self.schema_of_function(function),
                optional: is_option(&field.ty),
                closed: false,
            });
        }
        self.other_type(field, attrs, serde)
    }

    /// Returns the schema that the function in `#[schemars(schema_with = "..")]` on a type builds.
    pub(super) fn function_schema(&mut self, attrs: &SchemaAttrs) -> Option<FieldSchema> {
        let function = attrs.schema_with.as_ref()?;
        Some(FieldSchema::new(self.schema_of_function(function)))
    }

    /// Returns the schema of the type that `#[schemars(with = "..")]` names for a field.
    fn other_type(
        &mut self,
        field: &Field,
        attrs: &SchemaAttrs,
        serde: &SerdeAttrs,
    ) -> Option<FieldSchema> {
        let stated = attrs.with.as_ref()?;
        let field_schema = self.resolve_type(&stated.value.0);
        // A field that a custom function reads must be present, even if its type is an `Option`.
        let optional =
            !serde.has_custom_reader() && (field_schema.optional || is_option(&field.ty));
        let schema = if optional {
            field_schema.schema
        } else {
            field_schema.nullable()
        };
        Some(FieldSchema {
            schema,
            optional,
            closed: false,
        })
    }

    /// True if schemars generates the schema of the current type, and no macro of this project
    /// does.
    pub(super) fn is_of_schemars(&self) -> bool {
        self.from_kube && !self.has_crd_schema()
    }

    pub(super) fn has_crd_schema(&self) -> bool {
        let container = self.container();
        container.is_some_and(|(_, item)| derives(attributes(item), "CrdSchema"))
    }

    /// Part of help texts: the attribute that states a schema.
    pub(super) fn stating(&self) -> &'static str {
        if self.is_of_schemars() {
            "`#[schemars(with = \"..\")]`, with a type that has the schema"
        } else {
            "`#[crd(schema = { … })]`"
        }
    }

    /// True if the schema of every `Option` is nullable, as in the CRDs that kube generates.
    pub(super) fn has_nulls_of_kube(&self) -> bool {
        self.from_kube && self.sources.nullable == Some(Nullable::Kube)
    }
}

/// Attributes that may contain expressions.
const REWRITTEN_ATTRIBUTES: [&str; 4] = ["garde", "schemars", "validate", "x_kube"];

/// Keys whose value is an expression for a text or a rule.
const TEXT_KEYS: [&str; 4] = ["description", "example", "title", "validation"];

impl Resolver<'_, '_> {
    pub(super) fn struct_with_literals<'i>(&self, item: &'i ItemStruct) -> Cow<'i, ItemStruct> {
        if !self.is_of_schemars() {
            return Cow::Borrowed(item);
        }
        let mut item = item.clone();
        self.replace_in(&mut item.attrs);
        self.replace_in_fields(&mut item.fields);
        Cow::Owned(item)
    }

    pub(super) fn enum_with_literals<'i>(&self, item: &'i ItemEnum) -> Cow<'i, ItemEnum> {
        if !self.is_of_schemars() {
            return Cow::Borrowed(item);
        }
        let mut item = item.clone();
        self.replace_in(&mut item.attrs);
        for variant in &mut item.variants {
            self.replace_in(&mut variant.attrs);
            self.replace_in_fields(&mut variant.fields);
        }
        Cow::Owned(item)
    }

    pub(super) fn description(&self, attrs: &[Attribute]) -> Option<String> {
        if !self.is_of_schemars() {
            return docs::description(attrs);
        }
        let mut attrs = attrs.to_owned();
        self.replace_in(&mut attrs);
        docs::description(&attrs)
    }

    fn replace_in_fields(&self, fields: &mut Fields) {
        for field in fields {
            self.replace_in(&mut field.attrs);
        }
    }

    fn replace_in(&self, attrs: &mut [Attribute]) {
        for attr in attrs {
            self.attribute(&mut attr.meta);
        }
    }

    fn attribute(&self, meta: &mut Meta) {
        let is_read = REWRITTEN_ATTRIBUTES
            .iter()
            .any(|name| meta.path().is_ident(name));
        let is_conditional = meta.path().is_ident("cfg_attr");
        match meta {
            Meta::List(list) if is_read => self.parts(list),
            Meta::List(list) if is_conditional => {
                for_each_entry(list, |part: &mut Meta| self.attribute(part));
            }
            _ => {}
        }
    }

    /// Replaces constants in the arguments of an attribute, or of `inner(..)`.
    fn parts(&self, list: &mut MetaList) {
        for_each_entry(list, |part: &mut Meta| {
            let Some(key) = part.path().get_ident().map(ToString::to_string) else {
                return;
            };
            match (key.as_str(), part) {
                ("inner", Meta::List(list)) => self.parts(list),
                ("extend", Meta::List(list)) => self.extension(list),
                ("length" | "range" | "pattern" | "contains", Meta::List(list)) => {
                    for_each_entry(list, |argument: &mut Expr| self.argument(argument));
                }
                ("regex", part) => self.regex(part),
                (key, Meta::NameValue(pair)) if TEXT_KEYS.contains(&key) => {
                    self.expression(&mut pair.value);
                }
                _ => {}
            }
        });
    }

    /// Replaces the constant in `min = LEAST`, or in the older form `min = "LEAST"`.
    fn argument(&self, argument: &mut Expr) {
        let Expr::Assign(assign) = argument else {
            return self.expression(argument);
        };
        match parse_quoted(&assign.right) {
            Some(quoted) if !is_named(&assign.left, "pattern") => {
                let span = assign.right.span();
                if let Some(value) = self.value_of(&quoted) {
                    *assign.right = literal_expression(&value, span);
                }
            }
            _ => self.expression(&mut assign.right),
        }
    }

    /// Replaces the constant in `regex(pattern = PATTERN)`. Evaluates the expression in
    /// `regex(path = *EXPRESSION)`, `regex(path = "EXPRESSION")` and `regex = "EXPRESSION"`, and
    /// writes its value as `regex(pattern = "…")`.
    fn regex(&self, part: &mut Meta) {
        let path = match part {
            Meta::NameValue(pair) => Some(pair.value.clone()),
            Meta::List(list) => match list.parse_args::<Expr>() {
                Ok(Expr::Assign(assign)) if is_named(&assign.left, "path") => Some(*assign.right),
                _ => None,
            },
            Meta::Path(_) => None,
        };
        match (path, part) {
            (Some(path), part) => {
                let value = self.value_of(parse_quoted(&path).as_ref().unwrap_or(&path));
                if let Some(value @ Value::String(_)) = value {
                    let (name, value) = (part.path(), literal_expression(&value, path.span()));
                    *part = parse_quote!(#name(pattern = #value));
                }
            }
            (None, Meta::List(list)) => {
                for_each_entry(list, |argument: &mut Expr| self.argument(argument))
            }
            (None, _) => {}
        }
    }

    /// Replaces the constant in `extend("maximum" = MOST)`.
    fn extension(&self, list: &mut MetaList) {
        let entries: Vec<_> = evaluate::split_at_commas(&list.tokens)
            .iter()
            .map(|entry| self.entry(entry))
            .collect();
        list.tokens = quote!(#(#entries),*);
    }

    fn entry(&self, entry: &[TokenTree]) -> TokenStream {
        let written = || entry.iter().cloned().collect();
        let [key, equals, value @ ..] = entry else {
            return written();
        };
        let value: TokenStream = value.iter().cloned().collect();
        if syn::parse2::<Json>(value.clone()).is_ok() {
            return written();
        }
        match evaluate::evaluate_json_macro(&value, &mut |value| self.value_of(value)) {
            Some(read) => {
                let read = attribute_tokens(&read, value.span());
                quote!(#key #equals #read)
            }
            None => written(),
        }
    }

    /// Replaces an expression, or the arguments of a call, by values.
    fn expression(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(inner) => self.expression(&mut inner.expr),
            Expr::Group(inner) => self.expression(&mut inner.expr),
            Expr::Reference(inner) => self.expression(&mut inner.expr),
            Expr::Tuple(tuple) => tuple
                .elems
                .iter_mut()
                .for_each(|part| self.expression(part)),
            Expr::MethodCall(call) if call.method != "reason" => {
                self.expression(&mut call.receiver);
                call.args.iter_mut().for_each(|part| self.expression(part));
            }
            Expr::MethodCall(call) => self.expression(&mut call.receiver),
            // Constructors, such as `Rule::new(..)` and `Message::Expression(..)`.
            Expr::Call(call) if is_of_type(&call.func) => {
                call.args.iter_mut().for_each(|part| self.expression(part));
            }
            Expr::Lit(_) => {}
            expr => {
                if let Some(value) = self.value_of(expr) {
                    *expr = literal_expression(&value, expr.span());
                }
            }
        }
    }
}

/// Applies `change` to the comma-separated parts of a list, unless they cannot be parsed.
fn for_each_entry<T: syn::parse::Parse + ToTokens>(
    list: &mut MetaList,
    change: impl FnMut(&mut T),
) {
    if let Ok(mut parts) = list.parse_args_with(Punctuated::<T, Token![,]>::parse_terminated) {
        parts.iter_mut().for_each(change);
        list.tokens = parts.into_token_stream();
    }
}

/// Parses the expression in a string literal.
fn parse_quoted(value: &Expr) -> Option<Expr> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn is_named(value: &Expr, name: &str) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident(name))
}

/// True for a path such as `Type::function` or `Enum::Variant`.
fn is_of_type(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let above = path.path.segments.iter().rev().nth(1);
    above.is_some_and(|above| above.ident.to_string().starts_with(char::is_uppercase))
}

fn literal_expression(value: &Value, span: Span) -> Expr {
    Expr::Verbatim(attribute_tokens(value, span))
}

/// Converts a value to tokens of the attribute grammar. Each token gets `span`.
fn attribute_tokens(value: &Value, span: Span) -> TokenStream {
    match value {
        Value::String(text) => {
            let mut literal = Literal::string(text);
            literal.set_span(span);
            literal.into_token_stream()
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| attribute_tokens(item, span));
            quote_spanned!(span=> [#(#items),*])
        }
        Value::Object(members) => {
            let (names, values): (Vec<_>, Vec<_>) = members
                .iter()
                .map(|(name, value)| (name, attribute_tokens(value, span)))
                .unzip();
            quote_spanned!(span=> { #(#names: #values),* })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let tokens: TokenStream = value.to_string().parse().unwrap_or_default();
            let placed = tokens.into_iter().map(|mut token| {
                token.set_span(span);
                token
            });
            placed.collect()
        }
    }
}
