//! CEL types and their unification.

use std::fmt;
use std::sync::Arc;

/// A type of CEL.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are CEL's own")]
pub enum Type {
    /// Any value; type errors occur at run time.
    Dyn,
    /// Placeholder after an error, compatible with every type.
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
    /// An object of the schema, by its index in `Objects`.
    Object(usize),
    /// A type of Kubernetes' libraries, such as `Quantity`.
    Named(&'static str),
    /// Type parameter of a declaration: `A` in `list(A)`.
    Parameter(char),
    /// Type variable, not inferred yet.
    Variable(usize),
}

impl Type {
    /// Returns the type of lists of `items`.
    pub fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    /// Returns the type of maps from `keys` to `values`.
    pub fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    /// Returns the type of an optional `value`.
    pub fn optional(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// Returns whether the type is compatible with every other type.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// Returns whether the type contains [`Type::Error`].
    pub(super) fn has_error(&self) -> bool {
        match self {
            Self::Error => true,
            Self::List(inner) | Self::Optional(inner) => inner.has_error(),
            Self::Map(keys, values) => keys.has_error() || values.has_error(),
            _ => false,
        }
    }

    /// Returns the type inside an optional and true, or any other type unchanged and false.
    pub fn unwrapped(self) -> (Self, bool) {
        match self {
            Self::Optional(inner) => ((*inner).clone(), true),
            other => (other, false),
        }
    }

    /// Replaces every part of the type for which `replace` returns a type.
    pub(super) fn replace_parts(&self, replace: &impl Fn(&Self) -> Option<Self>) -> Self {
        if let Some(replacement) = replace(self) {
            return replacement;
        }
        match self {
            Self::List(items) => Self::list(items.replace_parts(replace)),
            Self::Map(keys, values) => {
                Self::map(keys.replace_parts(replace), values.replace_parts(replace))
            }
            Self::Optional(value) => Self::optional(value.replace_parts(replace)),
            other => other.clone(),
        }
    }

    /// Returns whether the type contains type parameters or variables.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Parameter(_) | Self::Variable(_) => true,
            Self::List(inner) | Self::Optional(inner) => inner.is_open(),
            Self::Map(keys, values) => keys.is_open() || values.is_open(),
            _ => false,
        }
    }

    /// Returns whether the API server accepts `null` as a value of the type.
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
            Self::Dyn | Self::Error | Self::Variable(_) => "dyn",
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
            Self::List(items) => return write!(f, "list({items})"),
            Self::Map(keys, values) => return write!(f, "map({keys}, {values})"),
            Self::Optional(value) => return write!(f, "optional_type({value})"),
            Self::Parameter(letter) => return write!(f, "{letter}"),
        };
        f.write_str(name)
    }
}

/// Bindings of type variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
}

impl Bindings {
    /// Creates an unbound type variable.
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

    /// Returns the type with bound variables replaced.
    pub(super) fn resolved(&self, type_: &Type) -> Type {
        if !type_.is_open() {
            return type_.clone();
        }
        type_.replace_parts(&|part| self.find(part).map(|found| self.resolved(found)))
    }

    /// Like [`Self::resolved`], and replaces unbound variables with `dyn`.
    pub(super) fn closed(&self, type_: &Type) -> Type {
        self.resolved(type_)
            .replace_parts(&|part| matches!(part, Type::Variable(_)).then_some(Type::Dyn))
    }

    /// Returns whether `from` is assignable to `to`. Binds type variables only on success.
    pub(super) fn fits(&mut self, from: &Type, to: &Type) -> bool {
        self.all_fit(std::slice::from_ref(from), std::slice::from_ref(to))
    }

    /// Like [`Self::fits`], for several types at once.
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

    /// Makes `from` assignable to `to`, if possible, by binding variables.
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

    /// Binds a variable to a type. Returns true on success, and false if the variable is already
    /// bound to an incompatible type. Returns `None` if the variable is unbound and the type
    /// contains it: binding `A` to `list(A)` would make the type infinite.
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

/// Returns whether the first type is at most as specific as the second.
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
