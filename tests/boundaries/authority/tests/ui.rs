//! An Authority's package: reads traces, checks proofs, and nothing else (specification 9.2.3).

#[test]
fn an_authority_verifies_and_never_fetches_proves_or_selects() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
