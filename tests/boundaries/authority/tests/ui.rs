//! An Authority's package: reads traces, checks proofs, and nothing else (specification 9.2.3).

#[test]
fn an_authority_extracts_the_proof_from_evidence() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
