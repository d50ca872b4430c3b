//! What an actor can write, and what not even an actor can (M-2, M-3, FP-01, FP-02).
//!
//! `allowed` holds the twins of what is refused in `counterfoil-authority`: the same code compiles
//! here, so that a typo can't pass for a refusal.

#[test]
fn an_actor_selects_proves_and_reads_and_must_leave_its_trace() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
