//! Type inference and type checking of CEL expressions.

mod calls;
mod loops;

use std::sync::Arc;

use super::ast::{Element, Entry, Expr, ExprKind, Literal, Select, Span};
use super::declare::{Object, Objects};
use super::error::{TypeError, TypeErrorKind};
use super::functions::{Functions, Overload};
use super::names;
use super::types::{Bindings, Type, is_less_specific};

/// Environment of an expression: variables, objects and functions.
pub struct Environment<'s> {
    /// The type of `self`.
    pub self_: &'s Type,
    /// The type of `oldSelf`.
    pub old_self: Type,
    /// The object types that [`Type::Object`] refers to.
    pub objects: &'s Objects,
    /// The functions that the expression may call.
    pub functions: &'s Functions,
}

/// Result of type inference.
#[derive(Debug, Default)]
pub struct Inferred {
    /// Types, by node id.
    pub types: Vec<Type>,
    /// Matching overloads, by node id of the call.
    pub overloads: Vec<Vec<Arc<Overload>>>,
    /// Type errors.
    pub errors: Vec<TypeError>,
    /// True if the expression reads `oldSelf`.
    pub uses_old_self: bool,
    /// True if an error in the expression or in the schema leaves the type of a node unknown.
    pub uses_unknown: bool,
}

/// Infers the types of an expression of `count` nodes.
pub fn infer(expression: &Expr, count: usize, scope: &Environment<'_>) -> Inferred {
    let mut checker = Checker {
        scope,
        variables: Vec::new(),
        bindings: Bindings::default(),
        out: Inferred {
            types: vec![Type::Error; count],
            overloads: vec![Vec::new(); count],
            ..Inferred::default()
        },
        dashed: false,
    };
    checker.check(expression);
    let Checker {
        mut out, bindings, ..
    } = checker;
    for type_ in &mut out.types {
        *type_ = bindings.closed(type_);
    }
    out
}

struct Checker<'s> {
    scope: &'s Environment<'s>,
    /// Variables of enclosing loops, the innermost last.
    variables: Vec<(String, Type)>,
    bindings: Bindings,
    out: Inferred,
    /// True if a field name with a dash was parsed as a subtraction, as in `self.gpu-amount`.
    /// The undeclared reference to `amount` is then not reported.
    dashed: bool,
}

impl Checker<'_> {
    fn report(&mut self, span: &Span, kind: TypeErrorKind) {
        self.out.errors.push(TypeError::new(span.clone(), kind));
    }

    /// Infers the type of a node, and of all nodes below it.
    fn check(&mut self, node: &Expr) -> Type {
        let type_ = match &node.kind {
            ExprKind::Literal(literal) => literal_type(literal),
            ExprKind::Ident(name) => self.ident(node, name),
            ExprKind::Select(select) => self.select(node, select),
            ExprKind::Call {
                function,
                target,
                args,
                ..
            } => self.call(node, function, target.as_deref(), args),
            ExprKind::List(elements) => self.list(elements),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Struct { name, fields } => self.structure(node, name, fields),
            ExprKind::Comprehension(fold) => self.comprehension(fold),
        };
        self.out.uses_unknown |= type_.has_error();
        self.out.types[node.id] = type_.clone();
        type_
    }

    /// Returns the type of a variable or type name, or reports it.
    fn ident(&mut self, node: &Expr, name: &str) -> Type {
        if let Some(type_) = self.lookup(name) {
            return type_;
        }
        if !self.dashed {
            let error = TypeErrorKind::UndeclaredReference {
                name: name.to_owned(),
                variables: self
                    .variables
                    .iter()
                    .map(|(name, _)| name.clone())
                    .collect(),
            };
            self.report(&node.span, error);
        }
        Type::Error
    }

    /// Looks up a name: loop variables hide `self`, `oldSelf` and type names.
    fn lookup(&mut self, name: &str) -> Option<Type> {
        if let Some((_, type_)) = self
            .variables
            .iter()
            .rev()
            .find(|(variable, _)| variable == name)
        {
            return Some(type_.clone());
        }
        match name {
            "self" => Some(self.scope.self_.clone()),
            "oldSelf" => {
                self.out.uses_old_self = true;
                Some(self.scope.old_self.clone())
            }
            "bool" | "bytes" | "double" | "int" | "list" | "map" | "null_type" | "string"
            | "type" | "uint" => Some(Type::Meta),
            _ if is_type_name(name) => Some(Type::Meta),
            _ => None,
        }
    }

    /// Infers the type of `a.b`, which may also be the name of a type.
    fn select(&mut self, node: &Expr, select: &Select) -> Type {
        let qualified = node.qualified_name().filter(|name| is_type_name(name));
        if qualified.is_some() {
            return Type::Meta;
        }
        let type_ = self.field(
            node,
            &select.operand,
            &select.field,
            &select.field_span,
            false,
        );
        if select.test { Type::Bool } else { type_ }
    }

    /// Returns the type of a field of `operand`.
    fn field(
        &mut self,
        node: &Expr,
        operand: &Expr,
        field: &str,
        span: &Span,
        optional: bool,
    ) -> Type {
        let type_ = self.check(operand);
        let (inside, was_optional) = self.bindings.resolved(&type_).unwrapped();
        let found = match &inside {
            Type::Map(_, values) => (**values).clone(),
            Type::Object(place) => {
                let object = &self.scope.objects[*place];
                if let Some(field) = object.field(field) {
                    field.declared.type_.clone()
                } else {
                    self.dashed |= is_start_of_a_name(field, object);
                    let error = TypeErrorKind::UndefinedField {
                        operand: operand.id,
                        field: field.to_owned(),
                        object: *place,
                    };
                    self.report(span, error);
                    Type::Error
                }
            }
            Type::Variable(_) => {
                self.bindings.fits(&Type::Dyn, &inside);
                Type::Dyn
            }
            other => {
                if !other.is_any() {
                    let error = TypeErrorKind::NotSelectable {
                        node: node.id,
                        type_: other.clone(),
                        field: field.to_owned(),
                    };
                    self.report(span, error);
                }
                Type::Dyn
            }
        };
        if was_optional || optional {
            Type::optional(found)
        } else {
            found
        }
    }

    fn list(&mut self, elements: &[Element]) -> Type {
        let mut joined = None;
        for element in elements {
            let type_ = self.element(&element.value, element.optional);
            joined = Some(self.join_types(joined, type_));
        }
        Type::list(joined.unwrap_or_else(|| self.bindings.fresh()))
    }

    fn map(&mut self, entries: &[Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            let key = self.check(&entry.key);
            keys = Some(self.join_types(keys, key));
            let value = self.element(&entry.value, entry.optional);
            values = Some(self.join_types(values, value));
        }
        let keys = keys.unwrap_or_else(|| self.bindings.fresh());
        Type::map(keys, values.unwrap_or_else(|| self.bindings.fresh()))
    }

    /// Infers the type of an element or entry. After `?`, it must be optional.
    fn element(&mut self, value: &Expr, optional: bool) -> Type {
        let type_ = self.check(value);
        if !optional {
            return type_;
        }
        let (inside, was_optional) = self.bindings.resolved(&type_).unwrapped();
        if !was_optional && !inside.is_any() {
            self.report(&value.span, TypeErrorKind::NotOptional(inside.clone()));
        }
        inside
    }

    /// Returns the more general of two element types, or `dyn` if they do not fit.
    fn join_types(&mut self, before: Option<Type>, type_: Type) -> Type {
        let Some(before) = before else {
            return type_;
        };
        if self.bindings.fits(&before, &type_) {
            return if is_less_specific(&before, &type_) {
                before
            } else {
                type_
            };
        }
        Type::Dyn
    }

    fn structure(&mut self, node: &Expr, name: &str, fields: &[(String, Expr)]) -> Type {
        for (_, value) in fields {
            self.check(value);
        }
        if !is_type_name(name) {
            self.report(&node.span, TypeErrorKind::UndeclaredStruct(name.to_owned()));
        }
        Type::Error
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::Text(_) => Type::Text,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// Returns whether `field` is only the start of a declared field name, up to a dash or another
/// escaped character, such as `gpu` of `gpu-amount`.
fn is_start_of_a_name(field: &str, object: &Object) -> bool {
    let escaped = names::escape(field);
    let is_whole = escaped.is_some_and(|escaped| object.fields.contains_key(&escaped));
    let starts = |name: &String| {
        name.strip_prefix(field)
            .is_some_and(|rest| rest.starts_with("__"))
    };
    !is_whole && object.fields.keys().any(starts)
}

/// Returns whether a name is treated as a library type: `optional_type`, or any name with the
/// prefix of a library.
fn is_type_name(name: &str) -> bool {
    name == "optional_type"
        || ["google.protobuf.", "kubernetes.", "net."]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
