//! A verification method's package (MR-04): pure, without store, clock or actor (M-8).

#[test]
fn a_verifier_has_no_clock_and_makes_no_evidence() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
