//! An Actor's package: all of the memory (specification 9.2.1), and what even an Actor may not do.

#[test]
fn an_actor_takes_no_world_id_apart() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/refused/*.rs");
    cases.pass("tests/ui/allowed/*.rs");
}
