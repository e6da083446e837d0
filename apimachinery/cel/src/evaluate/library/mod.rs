//! Functions of the API server's CEL environment, one module per library.

mod addresses;
mod arithmetic;
mod authorizer;
mod binding;
mod conversions;
mod formats;
mod formatting;
mod lists;
mod optionals;
mod patterns;
mod quantities;
mod strings;
mod times;
mod urls;
mod versions;

pub(super) use binding::Binding;
pub(super) use lists::zero as zero_of_sum;
pub(super) use patterns::CompiledPattern;

/// Returns the implementation of a function by name.
pub(super) fn binding(function: &str) -> Option<Binding> {
    arithmetic::binding(function)
        .or_else(|| conversions::binding(function))
        .or_else(|| strings::binding(function))
        .or_else(|| lists::binding(function))
        .or_else(|| times::binding(function))
        .or_else(|| optionals::binding(function))
        .or_else(|| patterns::binding(function))
        .or_else(|| urls::binding(function))
        .or_else(|| quantities::binding(function))
        .or_else(|| addresses::binding(function))
        .or_else(|| formats::binding(function))
        .or_else(|| versions::binding(function))
        .or_else(|| authorizer::binding(function))
}

#[cfg(test)]
mod tests {
    use super::binding;
    use crate::Functions;

    /// Type checks accept what is declared; a missing implementation would be an error of the rule.
    #[test]
    fn every_declared_function_is_implemented() {
        let missing: Vec<_> = Functions::of_conditions()
            .names()
            .filter(|name| binding(name).is_none())
            .collect();
        // The plan of an expression has nodes of their own for these.
        assert_eq!(missing, ["or", "orValue"]);
    }
}
