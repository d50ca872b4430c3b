//! Programs of an actor with facts that rustc accepts, and those that not even an actor may write (I1, I2, I4, I5).

#[test]
fn provenance_time_and_approval_are_made_by_the_gate_alone() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
