//! A Projection's package: no memory at all (M-10, specification 9.2.2).

#[test]
fn a_projection_reaches_no_memory() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
}
