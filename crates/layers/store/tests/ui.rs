//! What garbage collection can be given, and what not (capsules 4.6, C10).

/// Adversarial case D52. An accepted capsule is not of the type that collection takes, and nobody
/// but the store makes that type. `allowed` holds the same code with what is held.
/// (C10)
#[test]
fn collection_takes_what_is_held_and_no_accepted_capsule() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
