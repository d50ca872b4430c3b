//! A Host's package: no memory at all (FP-13, specification 9.2.4).

#[test]
fn a_host_reaches_no_memory() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
}
