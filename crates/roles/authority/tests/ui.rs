//! Programs of an authority that rustc refuses (FP-01). Its reach to a store, a selector and a prover is walked by
//! `cargo xtask check-boundaries`; the closure of this crate is named in a test of `counterfoil-verify`.

#[test]
fn an_authority_cannot_work_with_a_reason() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
