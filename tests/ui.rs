//! Compile tests of the macros, and compiler errors for wrong controllers.
//!
//! `ui/<attribute>/*.rs` is wrong input with its expected `.stderr`, `ui/mistakes/*.rs` are wrong
//! controllers, and `ui/stale/*.rs` are API types that changed since a client was generated.
//! `cargo xtask bless` writes the `.stderr` files. Input that compiles is in `accepted/`: trybuild
//! checks its cases in parallel only if none of them has to run.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("*/*.rs");
}
