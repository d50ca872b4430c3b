//! Erasure follows what was made from a memory: derivations, claims that cite it, and all that follows from these.

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{
    Assertion, Channel, Channels, ClaimOutcome, FactValue, Identifier, Line, Settings, Submission,
    Target, Unit,
};
use counterfoil_store::mutation::derive;
use counterfoil_store::text_index::{TextIndex, TextQuery};
use counterfoil_store::{
    AsOf, CapsuleLog, ClaimRequest, ClaimStore, Draft, MemoryStore, StoreError,
};
use counterfoil_types::{Scope, UnixMillis, WorldId};

use crate::LifeRig;
use crate::support::{DAY_US, Rig, agent, assert_refused, block_on, id, world};
use counterfoil_life::{
    Certificate, DerivedKind, DerivedMemory, DerivedPolicy, ErasureScope, Life,
};

/// Word that enters the store with one memory alone.
const WORD: &str = "zanzibarin";

/// Stores whose erasures are examined.
trait Store: Life + MemoryStore + CapsuleLog + ClaimStore + TextIndex {}

impl<S: Life + MemoryStore + CapsuleLog + ClaimStore + TextIndex> Store for S {}

fn name(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn line(subject: &str, predicate: &str) -> Line {
    Line {
        agent: agent(1).agent(),
        subject: name(subject),
        predicate: name(predicate),
        scope: Scope::new(),
    }
}

fn says(by: &Channel, [subject, predicate, value]: [&str; 3]) -> Submission {
    let value = FactValue::new(&value.into()).unwrap();
    Submission::new(by, name(subject), name(predicate), value)
}

fn submitted(store: &impl Store, request: ClaimRequest) -> ClaimOutcome {
    let settings = Arc::new(Settings::default());
    let outcomes = block_on(store.submit(agent(1), settings, vec![request])).unwrap();
    outcomes.into_iter().next().unwrap().unwrap()
}

fn told(store: &impl Store, submission: Submission) -> WorldId {
    submitted(store, ClaimRequest::Submit(submission)).reference
}

fn numbers(store: &impl Store, line: Line) -> Vec<u64> {
    let units = block_on(store.units(line, None)).unwrap();
    units.iter().map(Unit::number).collect()
}

fn found(store: &impl Store, term: &str) -> BTreeSet<WorldId> {
    let query = TextQuery::new([term]).unwrap().page(0, 100);
    let hits = block_on(store.search(&query)).unwrap();
    hits.into_iter().map(|hit| hit.world_id).collect()
}

/// A memory with the word, and all that was made from it.
struct Story {
    secret: WorldId,
    derived: Vec<(DerivedKind, WorldId)>,
}

impl Story {
    fn ids(&self) -> BTreeSet<WorldId> {
        self.derived
            .iter()
            .map(|(_, world)| world.clone())
            .collect()
    }
}

/// Tells the story between memories and claims that have nothing to do with it.
fn story(store: &impl Store) -> Story {
    let host = Channels::of_host();
    let (user, model) = (host.user(), host.model());
    let append = |by: u8, draft: Draft| {
        let appended = block_on(store.append(agent(by), vec![draft])).unwrap();
        appended.into_iter().next().unwrap()
    };
    append(1, Draft::new(world("w-1", "the kettle is on")));
    told(store, says(&user, ["vault", "code", "none yet"]));
    let secret = id("w-2");
    let placed = append(
        1,
        Draft::new(world("w-2", "the code of the vault is Zanzibarine")),
    );
    let cites = |submission: Submission, of: &WorldId| submission.citing(vec![of.clone()]).unwrap();
    let follows = |it: Submission, of: &WorldId| it.derived_from(vec![of.clone()]).unwrap();

    let code = told(
        store,
        cites(says(&user, ["vault", "code", "Zanzibarine"]), &secret),
    );
    let knows = told(
        store,
        follows(says(&model, ["Ada", "knows", "zanzibarin"]), &code),
    );
    let end = Assertion::end(
        &user,
        Target::Claim(code.clone()),
        Boundary::parse("2030").ok(),
    );
    let end = submitted(store, ClaimRequest::Assert(end))
        .written
        .unwrap()
        .0;
    let copied = (id("w-3"), UnixMillis::new(1_700_000_000_000).unwrap());
    let copy = derive(store, agent(2), (&placed.chain, 0), None, copied);
    let copy = block_on(copy).unwrap();
    let later = world("w-4", "the code was Zanzibarine, and is another");
    append(2, Draft::new(later).following(copy.chain, copy.capsule));
    let opens = told(
        store,
        cites(
            says(&user, ["door", "opens with", "zanzibarin"]),
            &id("w-4"),
        ),
    );
    told(store, says(&user, ["Ada", "drinks", "tea"]));
    let (claim, memory) = (DerivedKind::Claim, DerivedKind::Memory);
    Story {
        secret,
        derived: vec![
            (claim, code),
            (claim, knows),
            (DerivedKind::Assertion, end),
            (memory, id("w-3")),
            (memory, id("w-4")),
            (claim, opens),
        ],
    }
}

fn erased(store: &impl Store, world: &WorldId, derived: DerivedPolicy) -> Certificate {
    erasure(store, world, derived).unwrap().unwrap()
}

fn erasure(
    store: &impl Store,
    world: &WorldId,
    derived: DerivedPolicy,
) -> Result<Option<Certificate>, StoreError> {
    let scope = ErasureScope {
        all_versions: false,
        derived,
    };
    block_on(store.erase_scope(agent(1), world, "asked to", scope))
}

fn listed(derived: &[DerivedMemory]) -> Vec<(DerivedKind, WorldId)> {
    let derived = derived.iter();
    derived.map(|it| (it.kind, it.world.clone())).collect()
}

/// Taken with the memory, nothing that was made from it is believed, found or fetched; the lines and beliefs beside it go on.
fn taken_with_the_memory(store: &impl Store) {
    let told_of = story(store);
    let certificate = erased(store, &told_of.secret, DerivedPolicy::Take);
    assert_eq!(certificate.derived, []);
    let gone = certificate.capsules.iter();
    let gone: BTreeSet<WorldId> = gone.filter_map(|it| it.header.world().cloned()).collect();
    let mut expected = told_of.ids();
    expected.insert(told_of.secret.clone());
    assert_eq!(gone, expected);
    let sources = certificate.capsules.iter().map(|it| it.source.is_some());
    assert_eq!(sources.filter(|it| *it).count(), told_of.derived.len());

    assert_eq!(found(store, WORD), BTreeSet::new());
    for world in &gone {
        assert_eq!(block_on(store.get(world)).unwrap(), None, "{world}");
        assert_eq!(block_on(store.unit_of(world)).unwrap(), None, "{world}");
    }
    // The unit before the taken ones stays, and their numbers are not given again.
    assert_eq!(numbers(store, line("vault", "code")), [0]);
    told(
        store,
        says(&Channels::of_host().user(), ["vault", "code", "none"]),
    );
    assert_eq!(numbers(store, line("vault", "code")), [0, 3]);
    for gone in [line("Ada", "knows"), line("door", "opens with")] {
        assert!(numbers(store, gone).is_empty());
    }
    assert_eq!(numbers(store, line("Ada", "drinks")), [0]);
    assert!(block_on(store.get(&id("w-1"))).unwrap().is_some());
}

/// Kept, each of them is named in the certificate and nothing of it is changed; a later erasure takes them.
fn kept_and_named(store: &impl Store) {
    let told_of = story(store);
    let asked = block_on(store.derived(&told_of.secret, false))
        .unwrap()
        .unwrap();
    let certificate = erased(store, &told_of.secret, DerivedPolicy::Keep);
    assert_eq!(certificate.derived, asked);
    assert_eq!(listed(&certificate.derived), told_of.derived);
    assert_eq!(certificate.capsules.len(), 1);
    assert!(!found(store, WORD).is_empty());
    for (_, world) in &told_of.derived {
        assert!(block_on(store.get(world)).unwrap().is_some(), "{world}");
    }
    let again = erased(store, &told_of.secret, DerivedPolicy::Keep);
    assert_eq!(again.derived, asked);

    let taken = erased(store, &told_of.secret, DerivedPolicy::Take);
    assert_eq!(taken.derived, []);
    let now = taken.capsules.iter().filter(|it| it.erased_now);
    assert_eq!(now.count(), told_of.derived.len());
    assert_eq!(found(store, WORD), BTreeSet::new());
    assert_eq!(
        block_on(store.derived(&told_of.secret, true)).unwrap(),
        Some(vec![])
    );
    assert_eq!(block_on(store.derived(&id("w-99"), true)).unwrap(), None);
}

/// A verdict holds no words of the memory that it cites as evidence: it stays, and so does what it decided.
fn a_verdict_outlasts_its_evidence(store: &impl Store) {
    let user = Channels::of_host().user();
    let draft = Draft::new(world("w-1", "Zanzibarine: Bob was not born in Faro"));
    block_on(store.append(agent(1), vec![draft])).unwrap();
    let faro = told(store, says(&user, ["Bob", "born in", "Faro"]));
    told(store, says(&user, ["Bob", "born in", "Evora"]));
    let denied = Assertion::verdict(&user, faro, OracleVerdict::Deny, vec![id("w-1")]).unwrap();
    submitted(store, ClaimRequest::Assert(denied));
    let believed = || {
        let settings = Arc::new(Settings::default());
        let belief = store.believe(line("Bob", "born in"), AsOf::default(), settings);
        let belief = block_on(belief).unwrap();
        (belief.status, belief.sides.len())
    };
    let before = believed();
    assert!(
        before.1 == 1 && before.0 != BeliefStatus::Contested,
        "{before:?}"
    );
    let certificate = erased(store, &id("w-1"), DerivedPolicy::Take);
    assert_eq!(certificate.capsules.len(), 1);
    assert_eq!(believed(), before);
}

/// Runs a check on a store of its own, which is sound afterwards, also after a restart. Returns the store.
fn checked<F: LifeRig>(factory: &F, check: impl Fn(&F::Store)) -> Rig<'_, F> {
    let rig = Rig::new(factory);
    check(&rig.store);
    rig.is_sound();
    let rig = rig.reopened();
    rig.is_sound();
    rig
}

pub(crate) fn what_was_made_from_a_memory_goes_with_it_and_no_file_holds_a_word<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    story(&rig.store);
    assert!(!rig.holding(WORD).is_empty());
    let rig = checked(factory, taken_with_the_memory);
    assert_eq!(rig.holding(WORD), [""; 0]);
}

pub(crate) fn what_was_made_from_a_memory_and_stays_is_named_each<F: LifeRig>(factory: &F) {
    let rig = checked(factory, kept_and_named);
    assert_eq!(rig.holding(WORD), [""; 0]);
}

pub(crate) fn a_verdict_stays_when_its_evidence_is_erased<F: LifeRig>(factory: &F) {
    checked(factory, a_verdict_outlasts_its_evidence);
}

/// A derived memory in a segment has to be restored first: nothing is erased until then.
pub(crate) fn a_derived_memory_in_an_archive_stops_an_erasure_that_takes_it<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let told_of = story(&rig.store);
    rig.wait(20 * DAY_US);
    // Current versions stay: of the derived memories the first version goes.
    rig.archives();
    let refused = erasure(&rig.store, &told_of.secret, DerivedPolicy::Take);
    assert_refused!(refused, StoreError::Archived { .. });
    rig.is_sound();
}
