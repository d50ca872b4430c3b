//! What an authority cannot write, by rustc's own word (FP-04, FP-15, FP-16, FP-17).
//!
//! The cases see this crate's dependencies, so they fail to fail as soon as somebody adds a store, a
//! selector or a prover to its manifest. Their twins compile in `counterfoil-actor`.

#[test]
fn an_authority_cannot_select_prove_or_read_and_extracts_proofs() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
