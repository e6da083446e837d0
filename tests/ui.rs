//! What the macros say to wrong input, and that right input compiles: `ui/<attribute>/*.rs` beside the expected
//! `.stderr`, `ui/<attribute>/pass/*.rs`. What the compiler says to wrong controllers:
//! `mistakes/*.rs`. `hack/bless.sh` writes the `.stderr` files.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/*/pass/*.rs");
    cases.compile_fail("ui/*/*.rs");
    cases.compile_fail("mistakes/*.rs");
}
