//! Type inference for comprehensions: variables and results.

use super::Checker;
use crate::ast::Comprehension;
use crate::error::TypeErrorKind;
use crate::types::Type;

impl Checker<'_> {
    /// Infers the type of a loop. The result sees the accumulator, but no loop variable.
    pub(super) fn comprehension(&mut self, fold: &Comprehension) -> Type {
        let range = self.check(&fold.range);
        let start = self.check(&fold.start);
        let range = self.bindings.resolved(&range);
        self.variables
            .push((fold.accumulator.clone(), start.clone()));
        let (first, second) = self.loop_variable_types(fold, &range);
        self.variables.push((fold.variable.clone(), first));
        if let Some(name) = &fold.second_variable {
            self.variables.push((name.clone(), second));
        }
        self.check(&fold.condition);
        let step = self.check(&fold.step);
        if !self.bindings.fits(&start, &step) {
            let (start, step) = (self.bindings.closed(&start), self.bindings.closed(&step));
            self.report(&fold.step.span, TypeErrorKind::LoopStep { step, start });
        }
        self.variables.pop();
        if fold.second_variable.is_some() {
            self.variables.pop();
        }
        let result = self.check(&fold.result);
        self.variables.pop();
        self.bindings.resolved(&result)
    }

    /// Returns the types of the two loop variables.
    fn loop_variable_types(&mut self, fold: &Comprehension, range: &Type) -> (Type, Type) {
        let two = fold.second_variable.is_some();
        match range {
            Type::List(items) if two => (Type::Int, (**items).clone()),
            Type::List(items) => ((**items).clone(), Type::Dyn),
            Type::Map(keys, values) => ((**keys).clone(), (**values).clone()),
            Type::Variable(_) | Type::Dyn | Type::Error => {
                self.bindings.fits(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let error = TypeErrorKind::NotIterable {
                    range: fold.range.id,
                    type_: other.clone(),
                };
                self.report(&fold.range.span, error);
                (Type::Error, Type::Error)
            }
        }
    }
}
