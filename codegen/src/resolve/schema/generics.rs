//! Generic types: arguments of type and const parameters, which give each use its own schema.

use syn::{Expr, ExprPath, GenericArgument, GenericParam, Generics, Item, PathArguments, Type};

use super::{Resolver, Slot};

#[derive(Clone)]
pub(super) enum Argument {
    Type(Box<Slot>),
    /// Argument of a const parameter; `None` if its value is unknown.
    Number(Option<u64>),
}

pub(super) fn of_item(item: &Item) -> Option<&Generics> {
    match item {
        Item::Struct(item) => Some(&item.generics),
        Item::Enum(item) => Some(&item.generics),
        Item::Type(item) => Some(&item.generics),
        _ => None,
    }
}

/// Type and const parameters, without lifetimes.
fn declared(generics: Option<&Generics>) -> impl Iterator<Item = &GenericParam> {
    let all = generics.into_iter().flat_map(|generics| &generics.params);
    all.filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
}

/// Type and const arguments of a path, without lifetimes.
fn written(path: &syn::Path) -> impl Iterator<Item = &GenericArgument> + Clone {
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

pub(super) fn type_arguments(path: &syn::Path) -> impl Iterator<Item = &Type> + Clone {
    written(path).filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

impl Resolver<'_, '_> {
    /// Returns the slots of a known type's arguments.
    pub(super) fn arguments(&mut self, path: &syn::Path) -> Vec<Slot> {
        type_arguments(path).map(|ty| self.slot(ty)).collect()
    }

    /// Resolves the generic arguments in a path. `generics` declares their parameters.
    pub(super) fn generic_arguments(
        &mut self,
        generics: Option<&Generics>,
        path: &syn::Path,
    ) -> Vec<Argument> {
        let pairs = declared(generics).zip(written(path));
        pairs
            .map(|pair| match pair {
                (GenericParam::Const(_), GenericArgument::Const(number)) => {
                    Argument::Number(self.number(number))
                }
                // The name of a constant parses as a type.
                (GenericParam::Const(_), GenericArgument::Type(Type::Path(path))) => {
                    let number = Expr::Path(ExprPath {
                        attrs: Vec::new(),
                        qself: path.qself.clone(),
                        path: path.path.clone(),
                    });
                    Argument::Number(self.number(&number))
                }
                (GenericParam::Type(_), GenericArgument::Type(ty)) => {
                    Argument::Type(Box::new(self.slot(ty)))
                }
                _ => Argument::Number(None),
            })
            .collect()
    }

    /// Binds each parameter of the current item to its argument, or to its default.
    pub(super) fn bind(&mut self, generics: Option<&Generics>, arguments: Vec<Argument>) {
        let mut arguments = arguments.into_iter();
        for parameter in declared(generics) {
            let argument = arguments
                .next()
                .or_else(|| self.default_argument(parameter));
            match (parameter, argument) {
                (GenericParam::Type(parameter), Some(Argument::Type(slot))) => {
                    self.parameters
                        .types
                        .insert(parameter.ident.to_string(), *slot);
                }
                (GenericParam::Const(parameter), Some(Argument::Number(number))) => {
                    self.parameters
                        .numbers
                        .insert(parameter.ident.to_string(), number);
                }
                _ => {}
            }
        }
    }

    fn default_argument(&mut self, parameter: &GenericParam) -> Option<Argument> {
        match parameter {
            GenericParam::Type(parameter) => {
                let (_, ty) = parameter.default.as_ref()?;
                Some(Argument::Type(Box::new(self.slot(ty))))
            }
            GenericParam::Const(parameter) => {
                let (_, number) = parameter.default.as_ref()?;
                Some(Argument::Number(self.number(number)))
            }
            GenericParam::Lifetime(_) => None,
        }
    }
}
