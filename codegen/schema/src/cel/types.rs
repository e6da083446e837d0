//! The types of CEL, and which of them fit together.

use std::fmt;
use std::sync::Arc;

/// A type of CEL.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are CEL's own")]
pub enum Type {
    /// Anything; what is wrong with it is found when it runs.
    Dyn,
    /// What a mistake leaves behind, which fits everywhere.
    Error,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Timestamp,
    List(Arc<Self>),
    Map(Arc<Self>, Arc<Self>),
    Optional(Arc<Self>),
    /// The type of a type.
    Meta,
    /// An object of the schema.
    Object(usize),
    /// A type of Kubernetes' libraries, such as `Quantity`.
    Named(&'static str),
    /// The letter of a declaration: `A` in `list(A)`.
    Parameter(char),
    /// A type that is not known yet.
    Variable(usize),
}

impl Type {
    /// The type of lists of `items`.
    pub fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    /// The type of maps from `keys` to `values`.
    pub fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    /// The type of an optional `value`.
    pub fn optional(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// True if everything fits it.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// True if a mistake has left behind a part of it.
    pub(super) fn has_error(&self) -> bool {
        match self {
            Self::Error => true,
            Self::List(inner) | Self::Optional(inner) => inner.has_error(),
            Self::Map(keys, values) => keys.has_error() || values.has_error(),
            _ => false,
        }
    }

    /// What is inside an optional, and whether it was one.
    pub fn unwrapped(self) -> (Self, bool) {
        match self {
            Self::Optional(inner) => ((*inner).clone(), true),
            other => (other, false),
        }
    }

    /// The same type with each part replaced that `replace` has something for.
    pub(super) fn replaced(&self, replace: &impl Fn(&Self) -> Option<Self>) -> Self {
        if let Some(replacement) = replace(self) {
            return replacement;
        }
        match self {
            Self::List(items) => Self::list(items.replaced(replace)),
            Self::Map(keys, values) => Self::map(keys.replaced(replace), values.replaced(replace)),
            Self::Optional(value) => Self::optional(value.replaced(replace)),
            other => other.clone(),
        }
    }

    /// True if the type holds what is still to be found out.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Parameter(_) | Self::Variable(_) => true,
            Self::List(inner) | Self::Optional(inner) => inner.is_open(),
            Self::Map(keys, values) => keys.is_open() || values.is_open(),
            _ => false,
        }
    }

    /// Types of which the server takes `null` for a value.
    fn takes_null(&self) -> bool {
        matches!(
            self,
            Self::Null
                | Self::Object(_)
                | Self::Named(_)
                | Self::Optional(_)
                | Self::Duration
                | Self::Timestamp
        )
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Dyn | Self::Error | Self::Variable(_) => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes => "bytes",
            Self::Duration => "duration",
            Self::Timestamp => "timestamp",
            Self::Meta => "type",
            Self::Object(_) => "object",
            Self::Named(name) => name,
            Self::List(items) => return write!(f, "list of {items}"),
            Self::Map(keys, values) => return write!(f, "map from {keys} to {values}"),
            Self::Optional(value) => return write!(f, "optional {value}"),
            Self::Parameter(letter) => return write!(f, "{letter}"),
        };
        f.write_str(name)
    }
}

/// What the types that were not known have turned out to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
}

impl Bindings {
    /// A type that is to be found out.
    pub(super) fn fresh(&mut self) -> Type {
        self.bound.push(None);
        Type::Variable(self.bound.len() - 1)
    }

    fn find(&self, type_: &Type) -> Option<&Type> {
        match type_ {
            Type::Variable(number) => self.bound.get(*number)?.as_ref(),
            _ => None,
        }
    }

    /// The type with everything put in that is known.
    pub(super) fn resolved(&self, type_: &Type) -> Type {
        if !type_.is_open() {
            return type_.clone();
        }
        type_.replaced(&|part| self.find(part).map(|found| self.resolved(found)))
    }

    /// The same, and anything for what stayed unknown.
    pub(super) fn closed(&self, type_: &Type) -> Type {
        self.resolved(type_)
            .replaced(&|part| matches!(part, Type::Variable(_)).then_some(Type::Dyn))
    }

    /// True if a value of `from` may stand where `to` is wanted; nothing is bound if not.
    pub(super) fn fits(&mut self, from: &Type, to: &Type) -> bool {
        self.all_fit(std::slice::from_ref(from), std::slice::from_ref(to))
    }

    /// The same for several values at once.
    pub(super) fn all_fit(&mut self, from: &[Type], to: &[Type]) -> bool {
        if from.len() != to.len() {
            return false;
        }
        let open = from.iter().chain(to).any(Type::is_open);
        let before = open.then(|| self.bound.clone());
        let fit = from.iter().zip(to).all(|(from, to)| self.unify(from, to));
        if let (false, Some(before)) = (fit, before) {
            self.bound = before;
        }
        fit
    }

    fn unify(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Variable(number) = to {
            match self.bind(*number, from) {
                Some(fits) => return fits,
                None if !matches!(from, Type::Variable(_)) => return false,
                None => {}
            }
        }
        if let Type::Variable(number) = from {
            return self.bind(*number, to).unwrap_or(false);
        }
        if from.is_any() || to.is_any() {
            return true;
        }
        match (from, to) {
            (Type::Null, other) | (other, Type::Null) => other.takes_null(),
            (Type::List(from), Type::List(to)) | (Type::Optional(from), Type::Optional(to)) => {
                self.unify(from, to)
            }
            (Type::Map(from_keys, from_values), Type::Map(to_keys, to_values)) => {
                self.unify(from_keys, to_keys) && self.unify(from_values, to_values)
            }
            _ => from == to,
        }
    }

    /// Makes a variable stand for a type: true if it does, false if it stands for another one, none if it would
    /// stand for something with itself inside.
    fn bind(&mut self, number: usize, type_: &Type) -> Option<bool> {
        let variable = Type::Variable(number);
        if *type_ == variable {
            return Some(true);
        }
        if let Some(bound) = self.bound[number].clone() {
            if bound == *type_ {
                return Some(true);
            }
            if !self.unify(type_, &bound) {
                return Some(false);
            }
            let general = if is_less_specific(type_, &bound) {
                type_
            } else {
                &bound
            };
            if !self.mentions(general, number) {
                self.bound[number] = Some(general.clone());
            }
            return Some(true);
        }
        if self.mentions(type_, number) {
            return None;
        }
        self.bound[number] = Some(type_.clone());
        Some(true)
    }

    fn mentions(&self, type_: &Type, number: usize) -> bool {
        match type_ {
            Type::Variable(other) if *other == number => true,
            Type::Variable(_) => self
                .find(type_)
                .is_some_and(|bound| self.mentions(bound, number)),
            Type::List(inner) | Type::Optional(inner) => self.mentions(inner, number),
            Type::Map(keys, values) => self.mentions(keys, number) || self.mentions(values, number),
            _ => false,
        }
    }
}

/// True if the first type says no more than the second.
pub(super) fn is_less_specific(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Dyn | Type::Variable(_), _) => true,
        (_, Type::Dyn | Type::Variable(_)) => false,
        (Type::List(first), Type::List(second))
        | (Type::Optional(first), Type::Optional(second)) => is_less_specific(first, second),
        (Type::Map(keys, values), Type::Map(other_keys, other_values)) => {
            is_less_specific(keys, other_keys) && is_less_specific(values, other_values)
        }
        _ => first == second,
    }
}
