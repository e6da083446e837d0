//! Type and const parameters: each use of a generic type has a schema of its own.

use std::collections::BTreeMap;

use syn::{
    Expr, ExprPath, GenericArgument, GenericParam, Generics, Ident, Item, PathArguments, Type,
};

use super::{Resolver, Slot};
use crate::sources::ModuleId;

/// What the parameters around a type stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    types: BTreeMap<String, Slot>,
    /// Numbers; `None` where one cannot be told.
    numbers: BTreeMap<String, Option<u64>>,
}

impl Parameters {
    /// None at all.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// What a type parameter stands for.
    pub(super) fn of_type(&self, name: &Ident) -> Option<&Slot> {
        let mut types = self.types.iter();
        types.find_map(|(known, slot)| (name == known).then_some(slot))
    }

    /// What a const parameter stands for.
    pub(super) fn of_number(&self, name: &Ident) -> Option<Option<u64>> {
        self.numbers.get(&name.to_string()).copied()
    }
}

/// What stands between `<` and `>` for one parameter.
pub(super) enum Argument {
    Type(Box<Slot>),
    Number(Option<u64>),
}

/// The parameters that an item declares.
pub(super) fn of_item(item: &Item) -> Option<&Generics> {
    match item {
        Item::Struct(item) => Some(&item.generics),
        Item::Enum(item) => Some(&item.generics),
        Item::Type(item) => Some(&item.generics),
        _ => None,
    }
}

/// Parameters that are no lifetimes.
fn declared(generics: Option<&Generics>) -> impl Iterator<Item = &GenericParam> {
    let all = generics.into_iter().flat_map(|generics| &generics.params);
    all.filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
}

/// Arguments that are no lifetimes.
fn written(path: &syn::Path) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => Some(&arguments.args),
        _ => None,
    };
    let all = arguments.into_iter().flatten();
    all.filter(|argument| {
        matches!(
            argument,
            GenericArgument::Type(_) | GenericArgument::Const(_)
        )
    })
}

impl Resolver<'_, '_> {
    /// The type arguments of a type that is known by name.
    pub(super) fn arguments(
        &mut self,
        path: &syn::Path,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Vec<Slot> {
        let types = written(path).filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        types.map(|ty| self.slot(ty, module, parameters)).collect()
    }

    /// What a path gives to the parameters of the item that it names.
    pub(super) fn generic_arguments(
        &mut self,
        generics: Option<&Generics>,
        path: &syn::Path,
        module: ModuleId,
        parameters: &Parameters,
    ) -> Vec<Argument> {
        let pairs = declared(generics).zip(written(path));
        pairs
            .map(|pair| match pair {
                (GenericParam::Const(_), GenericArgument::Const(number)) => {
                    Argument::Number(self.number(number, module, parameters))
                }
                // Syntax does not tell a constant from a type.
                (GenericParam::Const(_), GenericArgument::Type(Type::Path(path))) => {
                    let number = Expr::Path(ExprPath {
                        attrs: Vec::new(),
                        qself: path.qself.clone(),
                        path: path.path.clone(),
                    });
                    Argument::Number(self.number(&number, module, parameters))
                }
                (GenericParam::Type(_), GenericArgument::Type(ty)) => {
                    Argument::Type(Box::new(self.slot(ty, module, parameters)))
                }
                _ => Argument::Number(None),
            })
            .collect()
    }

    /// Gives each parameter its argument, or its default, which is written in the item's `module`.
    pub(super) fn bind(
        &mut self,
        generics: Option<&Generics>,
        arguments: Vec<Argument>,
        module: ModuleId,
    ) -> Parameters {
        let mut bound = Parameters::new();
        let mut arguments = arguments.into_iter();
        for parameter in declared(generics) {
            let argument = arguments
                .next()
                .or_else(|| self.default_argument(parameter, module, &bound));
            match (parameter, argument) {
                (GenericParam::Type(parameter), Some(Argument::Type(slot))) => {
                    bound.types.insert(parameter.ident.to_string(), *slot);
                }
                (GenericParam::Const(parameter), Some(Argument::Number(number))) => {
                    bound.numbers.insert(parameter.ident.to_string(), number);
                }
                _ => {}
            }
        }
        bound
    }

    fn default_argument(
        &mut self,
        parameter: &GenericParam,
        module: ModuleId,
        bound: &Parameters,
    ) -> Option<Argument> {
        match parameter {
            GenericParam::Type(parameter) => {
                let (_, ty) = parameter.default.as_ref()?;
                Some(Argument::Type(Box::new(self.slot(ty, module, bound))))
            }
            GenericParam::Const(parameter) => {
                let (_, number) = parameter.default.as_ref()?;
                Some(Argument::Number(self.number(number, module, bound)))
            }
            GenericParam::Lifetime(_) => None,
        }
    }
}
