//! `#[schemars(schema_with = "..")]` and hand-written `JsonSchema`: schemas built by code.

use std::mem;

use genclient_syntax::{Spanned, derives};
use quote::ToTokens as _;
use syn::{GenericParam, Generics, Item, PathArguments, Type};

use super::generics::{self, Argument};
use super::schema_code::{SchemaFunction, only_function};
use super::{Resolver, Slot};
use crate::model::Schema;
use crate::resolve::kind::attributes;
use crate::resolve::paths;
use crate::sources::ModuleId;

impl<'a> Resolver<'a, '_> {
    /// Returns the schema that the function builds, and reports one that its source does not
    /// determine.
    pub(super) fn made_by(&mut self, function: &Spanned<String>) -> Schema {
        if let Some(schema) = self.written_in(&function.value) {
            return schema;
        }
        self.report(
            &function.span,
            format!(
                "what `{}` makes of the schema is known only when the program runs",
                function.value
            ),
            "let it return `json_schema!({ .. })` and nothing else, or state the schema: `#[crd(schema = { .. })]` below a derived `CrdSchema`",
        );
        Schema::default()
    }

    fn written_in(&mut self, function: &str) -> Option<Schema> {
        let path = syn::parse_str(function).ok()?;
        let function = self.schema_function(&path)?;
        self.schema_of(&function)
    }

    /// Returns the schema of a kube type with a hand-written `JsonSchema`, if its source determines
    /// it.
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

/// True for `Name<A, B>` with the parameters of the item, so for an `impl` that covers all
/// arguments.
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
