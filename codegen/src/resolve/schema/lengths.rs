//! Lengths of arrays: numbers, constants, const parameters and arithmetic on them.

use syn::Expr;

use super::Resolver;

impl Resolver<'_, '_> {
    /// Returns the length of an array, and reports an unknown one.
    pub(super) fn length(&mut self, length: &Expr) -> Option<u64> {
        let number = self.number(length);
        if number.is_none() {
            self.report(
                length,
                "the length of this array cannot be seen from here",
                "write a number, or a `const` that is one",
            );
        }
        number
    }

    /// Evaluates a constant expression, if it is simple enough.
    pub(super) fn number(&self, value: &Expr) -> Option<u64> {
        self.value_of(value)?.as_u64()
    }
}
