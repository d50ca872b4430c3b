//! Programs of an actor that rustc accepts, and those that not even an actor may write (M-2, M-3, FP-01, FP-02).

#[test]
fn an_actor_selects_proves_and_reads_and_must_leave_its_trace() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
