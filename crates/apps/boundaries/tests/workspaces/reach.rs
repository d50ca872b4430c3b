//! Reach of a package through the public API of its role's crates: in this workspace, and in stubs that hand on too much.

use std::path::Path;
use std::sync::OnceLock;

use counterfoil_boundaries::{Graph, Report, check_reach};

use crate::stubs::{Workspace, on_stub, role};

fn this_workspace() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Cargo.toml");
        check_reach(&Graph::load(Some(&root), &[]).unwrap()).unwrap()
    })
}

#[track_caller]
fn reaches(as_role: &str, columns: &str) {
    let report = this_workspace();
    let document = report.to_json();
    let mut checked = document["checked"].as_array().unwrap().iter();
    let found = checked.find(|one| one["role"] == as_role).unwrap();
    assert_eq!(found["reaches"], columns, "{report}");
    let mut broken = document["violations"].as_array().unwrap().iter();
    assert!(!broken.any(|one| one["role"] == as_role), "{report}");
}

/// M-4, CR-12, FP-04, FP-15, FP-16, section 9.2.3: no store, no prove, no selector.
#[test]
fn an_authority_reaches_the_check_of_proofs_and_the_trace_alone() {
    reaches("authority", "verify_proof, trace: read");
}

/// M-8, M-9, CR-16, CR-17, FP-09, FP-10, FP-11: neither store nor actor, and no evidence is made.
#[test]
fn a_verifier_reaches_the_check_of_proofs_alone() {
    reaches("verifier", "verify_proof");
    reaches("prover", "prove, verify_proof");
}

/// M-5, M-6, sections 4.3.2 and 9.2.1: neither has a trace, and a Store calls no other layer.
#[test]
fn a_store_and_a_selector_reach_the_layers_below_them() {
    reaches("store", "Store, verify_proof");
    reaches(
        "selector",
        "Store, prove, verify_proof, Selector, evidence: make",
    );
}

/// M-10, CR-11, FP-03, FP-13, FP-14
#[test]
fn projection_host_and_core_reach_nothing() {
    for as_role in ["projection", "host", "core"] {
        reaches(as_role, "nothing");
    }
}

/// I4, I5, section 9.2.1: a channel is given to an Actor, and the gate is behind its store.
#[test]
fn an_actor_reaches_the_matrix_and_neither_gate_nor_channels() {
    let columns =
        "Store, prove, verify_proof, Selector, trace: create, attach, trace: read, evidence: make";
    reaches("actor", columns);
    assert!(!this_workspace().to_string().contains("any more"));
}

/// A trait and a type of the store, for authors of stubs to hand on.
const STORE: &str = "pub mod deep {
    pub trait MemoryStore { fn get(&self) {} fn exists(&self) {} }
    pub struct Shelf(pub u8);
    impl MemoryStore for Shelf {}
    impl Shelf { pub fn open() -> Self { Self(1) } }
}
pub use deep::MemoryStore;
";

/// Reports on an Authority whose trace crate has this source.
fn check(trace: &str) -> Report {
    let manifest = format!(
        "{}[dependencies]\ncounterfoil-trace = {{ path = \"../../../crates/trace\" }}\n",
        role("authority")
    );
    let on_store = on_stub("counterfoil-store").replace("../../", "../../../");
    let workspace = Workspace::new()
        .stub("counterfoil-store", "")
        .file("../stubs/counterfoil-store/src/lib.rs", STORE)
        .package_at(
            "crates/trace",
            "counterfoil-trace",
            &format!("[dependencies]\n{on_store}"),
            trace,
        )
        .package_at("tests/boundaries/authority", "mine", &manifest, "");
    check_reach(&workspace.graph()).unwrap()
}

/// Ways of the trace crate to hand on the store, and a step of the path.
const WAYS: &[(&str, &str)] = &[
    (
        "pub use counterfoil_store as store;",
        "counterfoil_trace::store",
    ),
    (
        "pub extern crate counterfoil_store as store;",
        "counterfoil_trace::store",
    ),
    (
        "pub use counterfoil_store::deep::*;",
        "counterfoil_trace::deep",
    ),
    (
        "mod a { pub use counterfoil_store::MemoryStore as M; } pub use a::M;",
        "counterfoil_trace::M",
    ),
    (
        "#[doc(hidden)] pub mod __private { pub use counterfoil_store::*; }",
        "__private",
    ),
    (
        "pub fn lend() -> Box<dyn counterfoil_store::MemoryStore> { todo!() }",
        "lend",
    ),
    (
        "pub fn lend() -> impl counterfoil_store::MemoryStore { counterfoil_store::deep::Shelf(1) }",
        "lend",
    ),
    (
        "pub fn visit(_: impl Fn(&dyn counterfoil_store::MemoryStore)) {}",
        "visit",
    ),
    (
        "pub type Held = Option<counterfoil_store::deep::Shelf>;",
        "Held",
    ),
    (
        "pub struct T; impl std::ops::Deref for T { type Target = counterfoil_store::deep::Shelf; fn deref(&self) -> &Self::Target { todo!() } }",
        "T::Target",
    ),
    (
        "mod a { pub struct P { pub store: counterfoil_store::deep::Shelf } } pub fn lend() -> a::P { todo!() }",
        "a::P::store",
    ),
    (
        "mod a { pub struct P; impl P { pub fn store(&self) -> counterfoil_store::deep::Shelf { todo!() } } } pub const HELD: a::P = a::P;",
        "a::P::store",
    ),
    (
        "pub trait Lend { fn lend(&self) -> counterfoil_store::deep::Shelf; }",
        "Lend::lend",
    ),
    (
        "pub enum E { A { store: counterfoil_store::deep::Shelf } }",
        "A::store",
    ),
    ("pub trait Held: counterfoil_store::MemoryStore {}", "Held"),
    (
        "pub trait Lend { type Out; } impl Lend for u8 { type Out = counterfoil_store::deep::Shelf; }",
        "Lend::Out",
    ),
];

/// FP-16: each way to hand on the store is found, with the path of what hands it on.
#[test]
fn what_a_crate_hands_on_is_found_however_it_does() {
    let of_store =
        "counterfoil_store::deep::MemoryStore -> counterfoil_store::deep::MemoryStore::get";
    for (trace, step) in WAYS {
        let report = check(trace).to_string();
        let mut findings = report.split("\n\n");
        let found = findings
            .find(|finding| finding.contains("breaks FP-09, FP-16") && finding.contains("`Store`"));
        let found = found.unwrap_or_else(|| panic!("{trace}\n{report}"));
        assert!(
            found.contains(step) && found.trim_end().ends_with(of_store),
            "{trace}\n{found}"
        );
        assert!(
            report.contains("breaks FP-16: an Authority does not call the Store"),
            "{report}"
        );
    }
}

/// The twin: private items, and those used inside alone, are out of reach. (FP-15)
#[test]
fn what_a_crate_keeps_is_out_of_reach() {
    let report = check(
        "use counterfoil_store::deep::Shelf; mod a { pub use counterfoil_store::*; }
        pub struct T { store: Shelf, pub(crate) other: Shelf } impl T { fn lend(&self) -> &Shelf { &self.store } }
        pub fn work() { drop(Shelf::open()); }",
    );
    let report = report.to_string();
    assert!(
        !report.contains("may not reach") && !report.contains("FP-16"),
        "{report}"
    );
    let report = check("pub struct Set; impl Set { pub fn prove(&self) {} }").to_string();
    assert!(
        report.contains("breaks FP-15: this role may not reach `prove`"),
        "{report}"
    );
}

/// M-9, CR-17: readers of evidence are no makers of it, and anything else is.
#[test]
fn a_function_that_makes_evidence_is_found_by_what_it_returns() {
    let evidence = "pub struct VerificationEvidence(()); pub struct Memory(VerificationEvidence);
        impl Memory { pub fn evidence(&self) -> Option<&VerificationEvidence> { None } }";
    let makes = |more: &str| {
        let report = check(&format!("{evidence}{more}")).to_string();
        report.contains("breaks M-9, CR-17: this role may not reach `evidence: make`")
    };
    assert!(!makes(
        "impl VerificationEvidence { pub fn from_json(_: &[u8]) -> Result<Self, ()> { Err(()) } }"
    ));
    for more in [
        "impl VerificationEvidence { pub fn new() -> Self { Self(()) } }",
        "impl VerificationEvidence { pub fn at(_: u64) -> Option<Self> { None } }",
        "pub fn wrap() -> VerificationEvidence { VerificationEvidence(()) }",
    ] {
        assert!(makes(more), "{more}");
    }
}
