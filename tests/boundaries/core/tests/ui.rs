//! A Core's package: no memory at all (FP-14, specification 9.2.5).

#[test]
fn the_core_reaches_no_memory() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
}
