//! Type and const parameters: each use of a generic type has a schema of its own.

use syn::{Expr, ExprPath, GenericArgument, GenericParam, Generics, Item, PathArguments, Type};

use super::{Resolver, Slot};

/// What stands between `<` and `>` for one parameter.
#[derive(Clone)]
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

/// The types between `<` and `>`.
pub(super) fn type_arguments(path: &syn::Path) -> impl Iterator<Item = &Type> + Clone {
    written(path).filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

impl Resolver<'_, '_> {
    /// The type arguments of a type that is known by name.
    pub(super) fn arguments(&mut self, path: &syn::Path) -> Vec<Slot> {
        type_arguments(path).map(|ty| self.slot(ty)).collect()
    }

    /// What a path gives to the parameters of the item that it names.
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
                // Syntax does not tell a constant from a type.
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

    /// Gives each parameter of the item that is being read its argument, or its default.
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
