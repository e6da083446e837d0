//! Generic parameters of aliases and newtypes, and what follows from the arguments of a type:
//! whether generated code can name it, and whether it implements `PartialEq`.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{Expr, GenericArgument, GenericParam, Generics, Item, ItemImpl, PathArguments, Type};

use super::reader::ApplyReader;
use super::site::{BoundArgument, TypeParameters, TypeScope};
use crate::known::{self, Known};
use crate::resolve::kind::{attributes, cfg_conditions, derive_names};
use crate::resolve::paths::{self, Found};
use crate::resolve::schema::{
    GenericValue, declared_parameters, default_of, evaluate_number, generics_of, parameter_name,
    stated_arguments, type_arguments,
};
use crate::sources::DefId;

impl<'s> ApplyReader<'s, '_> {
    /// Binds the generic parameters of an item to the arguments in a path.
    pub(super) fn bind<'v>(
        &self,
        generics: &'v Generics,
        path: &'v syn::Path,
        scope: TypeScope<'v>,
    ) -> TypeParameters<'v> {
        let stated = stated_arguments(Some(generics), path);
        let bound = stated.filter_map(|(parameter, value)| {
            let argument = match value? {
                GenericValue::Type(ty) => BoundArgument::Type(ty, scope),
                GenericValue::Number(number) => BoundArgument::Number(self.number(&number, scope)),
            };
            Some((parameter_name(parameter)?.to_string(), argument))
        });
        bound.collect()
    }

    /// Returns the argument that a path of one name stands for.
    pub(super) fn argument<'v>(
        &self,
        path: &syn::Path,
        scope: TypeScope<'v>,
    ) -> Option<BoundArgument<'v>>
    where
        's: 'v,
    {
        let name = path.get_ident()?;
        if let Some(argument) = scope.parameters.get(&name.to_string()) {
            return Some(*argument);
        }
        let sources = self.sources;
        let mut declared = declared_parameters(generics_of(&sources[scope.owner]));
        let parameter = declared.find(|parameter| parameter_name(parameter) == Some(name))?;
        Some(match default_of(parameter)? {
            GenericValue::Type(ty) => BoundArgument::Type(ty, scope),
            GenericValue::Number(number) => BoundArgument::Number(self.number(&number, scope)),
        })
    }

    /// Returns the value of a constant expression. `None` if source does not determine it.
    pub(super) fn number(&self, number: &Expr, scope: TypeScope<'_>) -> Option<u64> {
        let evaluate = |number: &Expr, numbers: &BTreeMap<_, _>| {
            evaluate_number(
                number,
                numbers.clone(),
                scope.module,
                self.sources,
                self.paths,
            )
        };
        let mut numbers = BTreeMap::new();
        for (name, argument) in scope.parameters {
            if let BoundArgument::Number(number) = argument {
                numbers.insert(name.clone(), *number);
            }
        }
        for parameter in declared_parameters(generics_of(&self.sources[scope.owner])) {
            if let GenericParam::Const(declared) = parameter
                && let Some(GenericValue::Number(default)) = default_of(parameter)
                && !numbers.contains_key(&declared.ident.to_string())
            {
                let default = evaluate(&default, &numbers);
                numbers.insert(declared.ident.to_string(), default);
            }
        }
        evaluate(number, &numbers)
    }

    /// Returns whether generated code can name the type at a path: its arguments are types with a
    /// path, arrays of such, and constants.
    pub(super) fn is_nameable(&self, path: &syn::Path, scope: TypeScope<'_>) -> bool {
        let arguments = path.segments.last().map(|last| &last.arguments);
        let written = match arguments {
            Some(PathArguments::AngleBracketed(arguments)) => arguments.args.iter(),
            Some(PathArguments::Parenthesized(_)) => return false,
            Some(PathArguments::None) | None => return true,
        };
        let mut types = written.filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        types.all(|ty| self.is_nameable_type(ty, scope)) && self.has_known_numbers(path, scope)
    }

    /// Returns whether each constant argument is a literal, or source determines its value.
    fn has_known_numbers(&self, path: &syn::Path, scope: TypeScope<'_>) -> bool {
        stated_arguments(self.generics_at(path, scope), path).all(|(_, value)| match value {
            Some(GenericValue::Number(number)) => {
                matches!(*number, Expr::Lit(_)) || self.number(&number, scope).is_some()
            }
            Some(GenericValue::Type(_)) | None => true,
        })
    }

    /// Returns the generic parameters of the item at a path. `None` for other crates' types.
    pub(super) fn generics_at(
        &self,
        path: &syn::Path,
        scope: TypeScope<'_>,
    ) -> Option<&'s Generics> {
        match self.paths.find(scope.module, path)? {
            Found::Item(_, item) => generics_of(item),
            Found::Foreign(_) | Found::Unreadable(_) => None,
        }
    }

    fn is_nameable_type(&self, ty: &Type, scope: TypeScope<'_>) -> bool {
        match ty {
            Type::Path(path) if path.qself.is_none() => match self.argument(&path.path, scope) {
                Some(BoundArgument::Type(ty, of)) => self.is_nameable_type(ty, of),
                Some(BoundArgument::Number(number)) => number.is_some(),
                None => self.is_nameable(&path.path, scope),
            },
            Type::Paren(inner) => self.is_nameable_type(&inner.elem, scope),
            Type::Group(inner) => self.is_nameable_type(&inner.elem, scope),
            Type::Array(array) => {
                self.number(&array.len, scope).is_some()
                    && self.is_nameable_type(&array.elem, scope)
            }
            Type::Tuple(tuple) => tuple.elems.is_empty(),
            _ => false,
        }
    }

    /// Returns whether the type at a path implements `PartialEq`.
    pub(super) fn path_compares(&mut self, path: &syn::Path, scope: TypeScope<'_>) -> bool {
        match self.argument(path, scope) {
            Some(BoundArgument::Type(ty, of)) => return self.type_compares(ty, of),
            Some(BoundArgument::Number(_)) => return true,
            None => {}
        }
        if path.is_ident("Self") {
            return self.implements_partial_eq(scope.owner);
        }
        match self.paths.find(scope.module, path) {
            Some(Found::Item(id, item)) => self.item_compares((id, item), path, scope),
            Some(Found::Foreign(names)) => self.foreign_compares(&names, path, scope),
            Some(Found::Unreadable(_)) | None => false,
        }
    }

    fn item_compares(
        &mut self,
        (id, item): (DefId, &Item),
        path: &syn::Path,
        scope: TypeScope<'_>,
    ) -> bool {
        let Some(generics) = generics_of(item) else {
            return false;
        };
        let parameters = self.bind(generics, path, scope);
        let inside = TypeScope {
            module: id.module,
            owner: id,
            parameters: &parameters,
        };
        if let Item::Type(alias) = item {
            return self.type_compares(&alias.ty, inside);
        }
        let names = generics.type_params().map(|parameter| &parameter.ident);
        let arguments: Vec<_> = names
            .map(|name| self.argument(&name.clone().into(), inside))
            .collect();
        self.implements_partial_eq(id)
            && arguments
                .into_iter()
                .flatten()
                .all(|argument| match argument {
                    BoundArgument::Type(ty, of) => self.type_compares(ty, of),
                    BoundArgument::Number(_) => true,
                })
    }

    fn foreign_compares(
        &mut self,
        names: &[String],
        path: &syn::Path,
        scope: TypeScope<'_>,
    ) -> bool {
        if known::canonical_path(names).starts_with("k8s_openapi::") {
            return true;
        }
        let last = names.last().map(String::as_str);
        match self.find_known(names) {
            Some(Known::Optional | Known::Inner | Known::List | Known::Set | Known::Map) => {
                !["BinaryHeap", "Mutex", "RwLock"].map(Some).contains(&last)
                    && type_arguments(path).all(|ty| self.type_compares(ty, scope))
            }
            known => known.is_some(),
        }
    }

    fn type_compares(&mut self, ty: &Type, scope: TypeScope<'_>) -> bool {
        match ty {
            Type::Path(path) if path.qself.is_none() => self.path_compares(&path.path, scope),
            Type::Paren(inner) => self.type_compares(&inner.elem, scope),
            Type::Group(inner) => self.type_compares(&inner.elem, scope),
            Type::Reference(inner) => self.type_compares(&inner.elem, scope),
            Type::Array(array) => self.type_compares(&array.elem, scope),
            Type::Slice(slice) => self.type_compares(&slice.elem, scope),
            Type::Tuple(tuple) => {
                let mut elements = tuple.elems.iter();
                elements.all(|ty| self.type_compares(ty, scope))
            }
            _ => false,
        }
    }

    /// Returns whether a struct or enum derives `PartialEq`, or its module implements it.
    fn implements_partial_eq(&self, id: DefId) -> bool {
        let item = &self.sources[id];
        let name = paths::item_name(item).unwrap_or_default();
        let is_impl = |(_, other): (DefId, &Item)| match other {
            Item::Impl(block) => implements_partial_eq(block, &name),
            _ => false,
        };
        derive_names(attributes(item)).any(|derived| derived == "PartialEq")
            || self.sources.items(id.module).any(is_impl)
    }
}

/// Returns whether a block implements `PartialEq` for the type `name` and itself, in every build.
fn implements_partial_eq(block: &ItemImpl, name: &str) -> bool {
    let Type::Path(ty) = &*block.self_ty else {
        return false;
    };
    let Some((of, _)) = &block.trait_ else {
        return false;
    };
    let is_with_itself = || {
        let mut others = type_arguments(of);
        let own = block.self_ty.to_token_stream().to_string();
        others.all(|other| ["Self", &own].contains(&&*other.to_token_stream().to_string()))
    };
    let is_of =
        |path: &syn::Path, name: &str| path.segments.last().is_some_and(|last| last.ident == name);
    is_of(of, "PartialEq")
        && is_of(&ty.path, name)
        && is_with_itself()
        && cfg_conditions(&block.attrs).next().is_none()
}
