//! Type inference for calls: overload resolution and result types.

use std::sync::Arc;

use super::Checker;
use crate::ast::{Expr, ExprKind, Literal};
use crate::error::TypeErrorKind;
use crate::functions::Overload;
use crate::macros;
use crate::types::Type;

/// A call whose arguments have been checked.
struct TypedCall<'e> {
    node: &'e Expr,
    function: &'e str,
    method: bool,
    args: &'e [Expr],
    /// Types of the arguments. For a method, the first is the receiver's.
    types: Vec<Type>,
}

impl Checker<'_> {
    /// Infers the type of a call: of an operator, a function or a method.
    pub(super) fn call(
        &mut self,
        node: &Expr,
        function: &str,
        target: Option<&Expr>,
        args: &[Expr],
    ) -> Type {
        if let ("_?._", [operand, name]) = (function, args)
            && let ExprKind::Literal(Literal::Text(field)) = &name.kind
        {
            return self.field(node, operand, field, &name.span, true);
        }
        if macros::MACROS.iter().any(|(name, ..)| *name == function) {
            // This call of a macro was not expanded: its receiver or its number of arguments is
            // wrong. The arguments are not checked, because only an expansion declares the
            // variables that they use.
            let target = target.map(|target| (target.id, self.check(target)));
            return self.unknown_function(node, function, target);
        }
        let mut types: Vec<_> = args.iter().map(|arg| self.check(arg)).collect();
        let scope = self.scope;
        let call = |function, method, types| TypedCall {
            node,
            function,
            method,
            args,
            types,
        };
        let Some(target) = target else {
            return match scope.functions.get(function) {
                Some(overloads) => self.resolve(&call(function, false, types), overloads),
                None => self.unknown_function(node, function, None),
            };
        };
        // A name before the dot may be the namespace of a function, such as `optional.of`.
        if let Some(name) = target
            .qualified_name()
            .map(|prefix| format!("{prefix}.{function}"))
            && let Some(overloads) = scope.functions.get(&name)
        {
            return self.resolve(&call(&name, false, types), overloads);
        }
        let receiver = self.check(target);
        types.insert(0, receiver.clone());
        match scope.functions.get(function) {
            Some(overloads) => self.resolve(&call(function, true, types), overloads),
            None => self.unknown_function(node, function, Some((target.id, receiver))),
        }
    }

    /// Reports a function that does not exist.
    fn unknown_function(
        &mut self,
        node: &Expr,
        function: &str,
        target: Option<(usize, Type)>,
    ) -> Type {
        let span = match &node.kind {
            ExprKind::Call { name_span, .. } => name_span,
            _ => &node.span,
        };
        let error = TypeErrorKind::UndeclaredFunction {
            function: function.to_owned(),
            target: target.map(|(target, type_)| (target, self.bindings.closed(&type_))),
        };
        self.report(span, error);
        Type::Error
    }

    /// Finds the matching overloads and returns the type of the call.
    fn resolve(&mut self, call: &TypedCall<'_>, overloads: &[Arc<Overload>]) -> Type {
        let TypedCall {
            node,
            function,
            method,
            args,
            types,
        } = call;
        if matches!(*function, "_&&_" | "_||_") {
            self.out.overloads[node.id] = overloads.to_vec();
            return self.logic(function, args, types);
        }
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for overload in overloads
            .iter()
            .filter(|overload| overload.method == *method)
        {
            let (wanted, returned) = self.instantiate(overload);
            if !self.bindings.all_fit(types, &wanted) {
                continue;
            }
            fitting.push(Arc::clone(overload));
            let returned = self.bindings.resolved(&returned);
            result = Some(match result {
                None => returned,
                Some(before) if before == Type::Dyn || before == returned => before,
                Some(_) => Type::Dyn,
            });
        }
        self.out.overloads[node.id] = fitting;
        result.unwrap_or_else(|| {
            let types = types.iter().map(|type_| self.bindings.closed(type_));
            let error = TypeErrorKind::NoMatchingOverload {
                node: node.id,
                function: (*function).to_owned(),
                method: *method,
                types: types.collect(),
            };
            self.report(&node.span, error);
            Type::Error
        })
    }

    /// Checks the operands of `&&` or `||`, of which there may be more than two.
    fn logic(&mut self, function: &str, args: &[Expr], types: &[Type]) -> Type {
        for (arg, type_) in args.iter().zip(types) {
            if !self.bindings.fits(type_, &Type::Bool) {
                let type_ = self.bindings.closed(type_);
                let function = function.to_owned();
                self.report(&arg.span, TypeErrorKind::NotBoolean { function, type_ });
            }
        }
        Type::Bool
    }

    /// Returns the argument types and the result type of an overload. Fresh variables replace its
    /// type parameters.
    fn instantiate(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let parts = || overload.args.iter().chain([&overload.result]);
        if !parts().any(Type::is_open) {
            return (overload.args.clone(), overload.result.clone());
        }
        let mut letters: Vec<(char, Type)> = Vec::new();
        for part in parts() {
            visit_type_parameters(part, &mut |letter| {
                if !letters.iter().any(|(known, _)| *known == letter) {
                    letters.push((letter, self.bindings.fresh()));
                }
            });
        }
        let variable_of = |part: &Type| match part {
            Type::Parameter(letter) => letters
                .iter()
                .find(|(known, _)| known == letter)
                .map(|(_, type_)| type_.clone()),
            _ => None,
        };
        let wanted = overload
            .args
            .iter()
            .map(|arg| arg.replace_parts(&variable_of))
            .collect();
        (wanted, overload.result.replace_parts(&variable_of))
    }
}

fn visit_type_parameters(type_: &Type, found: &mut impl FnMut(char)) {
    match type_ {
        Type::Parameter(letter) => found(*letter),
        Type::List(inner) | Type::Optional(inner) => visit_type_parameters(inner, found),
        Type::Map(keys, values) => {
            visit_type_parameters(keys, found);
            visit_type_parameters(values, found);
        }
        _ => {}
    }
}
