//! Compile tests of the macros, and compiler errors for wrong controllers.
//!
//! `ui/<attribute>/*.rs` is wrong input with its expected `.stderr`, and `ui/<attribute>/pass/*.rs`
//! compiles. `ui/mistakes/*.rs` are wrong controllers. `cargo xtask bless` writes the `.stderr`
//! files.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("*/pass/*.rs");
    cases.compile_fail("*/*.rs");
}
