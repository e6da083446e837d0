//! Schemas of types with hand-written code: functions in `schema_with`, and implementations of
//! `JsonSchema` and `Serialize`.

use std::mem;

use genclient_syntax::{JsonType, Problems, Spanned, TypeAttrs, derives};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, GenericParam, Generics, Item, ItemImpl, LitStr, PathArguments, Type};

use super::generics::{self, Argument};
use super::schema_code::{SchemaFunction, only_function};
use super::{Resolver, Slot};
use crate::diagnostic::Diagnostic;
use crate::lookup::{self, Reach, Target, Wanted};
use crate::model::Schema;
use crate::resolve::kind::attributes;
use crate::resolve::paths;
use crate::sources::{ModuleId, Namespace};

impl<'a> Resolver<'a, '_> {
    /// Returns the schema that the function builds. If its source does not determine the schema,
    /// reports the function and returns an unknown schema.
    pub(super) fn made_by(&mut self, function: &Spanned<String>) -> Schema {
        if let Some(schema) = self.written_in(function) {
            return schema;
        }
        // schemars has the macro since 1.0.
        let literal = if self.sources.has_old_schemars {
            "serde_json::from_value(json!({ .. })).unwrap()"
        } else {
            "json_schema!({ .. })"
        };
        let help = format!(
            "return only `{literal}` from it, or give the schema: {}",
            self.stating()
        );
        self.report(
            &function.span,
            format!(
                "the schema that `{}` returns is known only at run time",
                function.value
            ),
            help,
        );
        Schema::default()
    }

    fn written_in(&mut self, function: &Spanned<String>) -> Option<Schema> {
        let path = LitStr::new(&function.value, function.span).parse().ok()?;
        let function = self.schema_function(&path)?;
        self.schema_of(&function)
    }

    /// Returns the schema of a kube kind's type with a hand-written `JsonSchema`, if the
    /// source of that impl determines it.
    pub(super) fn described_by_hand(
        &mut self,
        item: &'a Item,
        module: ModuleId,
        arguments: &[Argument],
    ) -> Option<Slot> {
        let is_derived = |name: &&str| derives(attributes(item), name);
        let is_of_kube = self.from_kube && !["JsonSchema", "CrdSchema"].iter().any(is_derived);
        let name = paths::item_name(item).filter(|_| is_of_kube)?;
        let (place, implementation) = self.implementation("JsonSchema", module, &name)?;
        let generics = generics::of_item(item);
        if !has_parameters_of(&implementation.self_ty, generics) {
            return None;
        }
        let function = only_function(&implementation.items, "json_schema")?;
        let parameters = self.within(module, |resolver| {
            resolver.bind(generics, arguments.to_vec());
            mem::take(&mut resolver.parameters)
        });
        let function = SchemaFunction {
            module: place,
            this: Some((module, item)),
            parameters,
            signature: &function.sig,
            block: &function.block,
        };
        self.schema_of(&function).map(Slot::of)
    }
}

/// True if `this`, the type of an `impl`, names the parameters as its definition does, such as
/// `Name<A, B>` for `struct Name<A, B>`. Such an `impl` applies to every use of the type, unlike
/// one for `Name<u8, u8>`.
fn has_parameters_of(this: &Type, generics: Option<&Generics>) -> bool {
    let Type::Path(path) = this else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    let written = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            let arguments = arguments.args.iter();
            arguments
                .map(|argument| argument.to_token_stream().to_string())
                .collect()
        }
        _ => Vec::new(),
    };
    let declared = generics.into_iter().flat_map(|generics| &generics.params);
    let declared = declared.map(|parameter| match parameter {
        GenericParam::Type(parameter) => parameter.ident.to_string(),
        GenericParam::Const(parameter) => parameter.ident.to_string(),
        GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
    });
    declared.eq(written)
}

/// The trait that determines the JSON form of a type. A hand-written `impl` does not show this
/// form.
const SERIALIZE: &str = "Serialize";

impl<'a> Resolver<'a, '_> {
    /// Reports a type whose `Serialize` is or may be hand-written, unless attributes of the type
    /// state its JSON form. Returns true if the type is reported.
    pub(super) fn is_hand_written(
        &mut self,
        item: &Item,
        (module, name): &(ModuleId, String),
        path: &syn::Path,
    ) -> bool {
        let attrs: &[Attribute] = match item {
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => return false,
        };
        let at = || self.locate(path);
        let shown = || paths::display(path);
        let finding =
            if let Some((place, implementation)) = self.implementation(SERIALIZE, *module, name) {
                Diagnostic::error(format!(
                    "cannot determine the schema of `{}`: it implements `Serialize` by hand",
                    shown()
                ))
                .at(at())
                .label(
                    self.sources[place].locate(implementation.self_ty.as_ref()),
                    "`Serialize` is implemented here",
                )
            } else if !derives_serialize(attrs) && self.must_derive_serialize(*module, attrs) {
                Diagnostic::error(format!(
                    "cannot determine the schema of `{}`: it does not derive `Serialize`",
                    shown()
                ))
                .at(at())
            } else {
                return false;
            };
        if states_json_form(item) {
            return false;
        }
        let definition = self.paths.definition(*module, name);
        let help = self.stated_instead(&definition);
        self.sink.push(finding.help(help));
        true
    }

    /// Returns the `impl` of the trait `of` for a type, in the loaded modules of its crate.
    ///
    /// There may be several, for different `cfg`s. For `Serialize`, the first is returned, since
    /// the caller only reports that there is one. For any other trait, `None` is returned, since
    /// the caller evaluates the code of the `impl`.
    pub(super) fn implementation(
        &self,
        of: &str,
        module: ModuleId,
        name: &str,
    ) -> Option<(ModuleId, &'a ItemImpl)> {
        let krate = self.sources[module].krate;
        let modules = self.sources.modules();
        let modules = modules.filter(|(_, place)| place.krate == krate);
        let mut found = modules.flat_map(|(at, place)| {
            let blocks = place
                .trait_impls
                .iter()
                .filter_map(|index| match &place.items[*index] {
                    Item::Impl(block) => Some(block),
                    _ => None,
                });
            let blocks = blocks.filter(|block| implements(block, of));
            blocks.filter_map(move |block| {
                self.is_for(at, block, module, name).then_some((at, block))
            })
        });
        let first = found.next()?;
        (of == SERIALIZE || found.next().is_none()).then_some(first)
    }

    fn is_for(&self, at: ModuleId, item: &ItemImpl, module: ModuleId, name: &str) -> bool {
        let Type::Path(ty) = item.self_ty.as_ref() else {
            return false;
        };
        let wanted = Wanted::new(at, &ty.path, Namespace::Types);
        match self.paths.look_up(&wanted, Reach::Everywhere) {
            Some(Target::Item(owner, item)) => {
                owner == module && lookup::type_name(item).as_deref() == Some(name)
            }
            Some(Target::Unread(unread)) if lookup::is_own(self.sources, unread) => {
                self.paths.want(wanted);
                false
            }
            _ => false,
        }
    }

    /// True if a type must have `#[derive(Serialize)]`, because a search for an `impl` can miss it.
    /// Outside the API types, an unread file may contain the `impl`. Anywhere, a derive such as
    /// `Serialize_repr` may generate the `impl`.
    fn must_derive_serialize(&self, module: ModuleId, attrs: &[Attribute]) -> bool {
        !self.sources[module].is_api || derived(attrs).any(|name| name.starts_with("Serialize"))
    }
}

fn implements(block: &ItemImpl, name: &str) -> bool {
    let of = block.trait_.as_ref().and_then(|(of, _)| of.segments.last());
    of.is_some_and(|of| of.ident == name)
}

fn states_json_form(item: &Item) -> bool {
    // Errors in the attributes are reported when the type is read.
    let problems = &mut Problems::new();
    let attrs = match item {
        Item::Struct(item) => TypeAttrs::of_struct(item, problems),
        Item::Enum(item) => TypeAttrs::of_enum(item, problems),
        _ => return false,
    };
    let type_ = attrs.schema.json_type.as_ref().map(|type_| type_.value);
    attrs.schema.replaces_type() || type_.is_some_and(|type_| type_ != JsonType::Object)
}

fn derives_serialize(attrs: &[Attribute]) -> bool {
    derived(attrs).any(|name| name == "Serialize")
}

/// Identifiers in the derives, including those in `cfg_attr`.
fn derived(attrs: &[Attribute]) -> impl Iterator<Item = String> {
    let lists = attrs.iter().filter_map(|attr| {
        let list = attr.meta.require_list().ok()?;
        let derives = attr.path().is_ident("derive")
            || attr.path().is_ident("cfg_attr") && has_derive(&list.tokens);
        derives.then(|| list.tokens.clone())
    });
    lists.flat_map(words)
}

fn has_derive(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Ident(word) if word == "derive"))
}

fn words(tokens: TokenStream) -> Vec<String> {
    let words = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => words(group.stream()),
        _ => Vec::new(),
    });
    words.flatten().collect()
}
