//! What garbage collection can be given, and what not (capsules 4.6, C10); what can become a claim (I5).

/// Adversarial case D52. An accepted capsule is not of the type that collection takes. `allowed` holds the same code with
/// a capsule that is held. (C10)
#[test]
fn collection_takes_what_is_held_and_no_accepted_capsule() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/d_52_*.rs");
    cases.pass("tests/ui/allowed/d_52_*.rs");
}

/// I5: a claim is drafted from what the gate approved and appended as it was judged. `allowed` holds the twins.
#[test]
fn the_log_takes_what_was_approved_and_judged() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/i_5_*.rs");
    cases.pass("tests/ui/allowed/i_5_*.rs");
}
