//! Lengths of arrays: a number, a constant, a const parameter, and sums of them.

use syn::Expr;

use super::Resolver;

impl Resolver<'_, '_> {
    /// The length of an array; one that cannot be told is reported.
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

    /// What a constant expression is, if it is plain enough.
    pub(super) fn number(&self, value: &Expr) -> Option<u64> {
        self.value_of(value)?.as_u64()
    }
}
