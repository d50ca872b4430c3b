//! A restored backup is brought up to what was signed last, exactly (capsules 4.5 (3), C18, C42).

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_claims::{
    Cardinality, Channels, FactValue, Identifier, Line, Settings, Submission, Unit,
};
use counterfoil_store::conformance::Setup;
use counterfoil_store::pool::{PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, ClaimRequest, ClaimStore, Draft, StoreError};
use counterfoil_types::{Scope, WorldId};

use crate::LifeRig;
use crate::author::{Author, export, import, pending, texts};
use crate::support::{Rig, agent, block_on, id, is_sound, world};
use counterfoil_life::{Backend as _, Life};

/// A closed store whose backup was put back, and the export of the store that it was.
struct Restored<'f, F> {
    factory: &'f F,
    setup: Setup,
    folder: PathBuf,
    lines: Vec<String>,
    checkpoint: String,
}

impl<'f, F: LifeRig> Restored<'f, F> {
    /// Puts the backup that was taken after `before` back when `after` is done.
    fn new(factory: &'f F, before: impl Fn(&F::Store), after: impl Fn(&F::Store)) -> Self {
        let Rig {
            setup,
            folder,
            store,
            ..
        } = Rig::new(factory);
        before(&store);
        drop(store);
        let backup = factory.folder();
        factory.copy(&folder, &backup);
        let store = factory.open(&folder, &setup);
        after(&store);
        let lines = export(&store);
        let checkpoint = block_on(store.checkpoint()).unwrap().unwrap();
        drop(store);
        factory.copy(&backup, &folder);
        Self {
            factory,
            setup,
            folder,
            lines,
            checkpoint,
        }
    }

    fn open(&self) -> F::Store {
        self.factory.open(&self.folder, &self.setup)
    }

    fn run(&self, lines: &[String]) -> Result<(u64, u64), StoreError> {
        let lines = lines.iter().map(|line| line.clone().into_bytes()).collect();
        let own = agent(3).agent();
        let reconciled = (self.factory).reconcile(&self.folder, &self.setup, own, lines);
        let (added, _) = reconciled?;
        Ok((added.start, added.end))
    }
}

fn append<S: CapsuleLog>(store: &S, id: &str) -> Result<(), StoreError> {
    block_on(store.append(agent(3), vec![Draft::new(world(id, id))])).map(drop)
}

/// Five entries, a backup of them, four more, and the backup put back.
fn restored<F: LifeRig>(factory: &F) -> Restored<'_, F> {
    let before = |store: &F::Store| {
        for id in ["a", "b", "c", "d", "e"] {
            append(store, id).unwrap();
        }
    };
    let after = |store: &F::Store| {
        append(store, "f").unwrap();
        import(store, &texts(&Author::new(9).chain("theirs", 2)));
        append(store, "g").unwrap();
    };
    Restored::new(factory, before, after)
}

/// Adversarial case C42: the tail of the log comes back, and the store is written again.
pub(crate) fn a_backup_gets_its_tail_back_and_is_written_again<F: LifeRig>(factory: &F) {
    let restored = restored(factory);
    let store = restored.open();
    let refused = append(&store, "z");
    assert!(matches!(refused, Err(StoreError::GuardMismatch { .. })));
    drop(store);
    let lines = &restored.lines;
    assert_eq!(restored.run(lines).unwrap(), (5, 9));
    let store = restored.open();
    let checkpoint = block_on(store.checkpoint()).unwrap();
    assert_eq!(checkpoint, Some(restored.checkpoint.clone()));
    assert_eq!(&export(&store), lines);
    is_sound(&store);
    append(&store, "z").unwrap();
    drop(store);
    let nothing_left = restored.run(lines).unwrap();
    assert_eq!(nothing_left, (10, 10));
}

/// An export that ends early or is of another history changes nothing.
pub(crate) fn what_does_not_lead_to_the_signed_root_changes_nothing<F: LifeRig>(factory: &F) {
    let restored = restored(factory);
    let lines = &restored.lines;
    let foreign = {
        let other = Rig::new(factory);
        import(&other.store, &texts(&Author::new(8).chain("x", 12)));
        export(&other.store)
    };
    let mut swapped = lines.clone();
    swapped.swap(5, 8);
    let mut altered = lines.clone();
    altered[8] = altered[8].replace("\"text\":\"g\"", "\"text\":\"h\"");
    for wrong in [
        &lines[..7],
        &lines[..0],
        &foreign,
        &swapped,
        &altered,
        &lines[1..],
    ] {
        let refused = restored.run(wrong);
        assert!(
            matches!(refused, Err(StoreError::Reconcile { .. })),
            "{refused:?}"
        );
        let store = restored.open();
        assert_eq!(block_on(store.size()).unwrap(), 5);
        let refused = append(&store, "z");
        assert!(matches!(refused, Err(StoreError::GuardMismatch { .. })));
    }
}

fn line() -> Line {
    let name = |text| Identifier::new("name", text).unwrap();
    Line {
        agent: agent(3).agent(),
        subject: name("Ada"),
        predicate: name("visited"),
        scope: Scope::new(),
    }
}

/// Submits a claim of the user to the line.
fn claim<S: ClaimStore>(store: &S, town: &str) {
    let line = line();
    let (user, value) = (Channels::of_host().user(), town.into());
    let value = FactValue::new(&value).unwrap();
    let claim = Submission::new(&user, line.subject, line.predicate, value);
    let request = ClaimRequest::Submit(claim.cardinality(Cardinality::Many));
    let settings = Arc::new(Settings::default());
    let answers = block_on(store.submit(agent(3), settings, vec![request]));
    answers.unwrap().remove(0).unwrap();
}

/// The memory that holds the claim of a town.
fn claim_of<S: Life>(store: &S, town: &str) -> WorldId {
    let line = export(store).into_iter().find(|line| line.contains(town));
    let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
    id(line["world"].as_str().unwrap())
}

/// Bodies that were erased after the backup are erased again: versions, copies in a branch, documents that wait, and
/// claim units. A line whose units are gone counts on.
pub(crate) fn what_was_erased_after_the_backup_goes_again<F: LifeRig>(factory: &F) {
    let towns = ["Faro", "Evora", "Lagos"];
    let mut author = Author::new(5);
    let chain = author.chain("quokka", 6);
    let branch = author.next(&chain[2], "wombat-3", 3_500_000);
    let waits = author.next(&chain[5], "numbat-6", 7_000_000);
    let waits = author.next(&waits, "numbat-7", 8_000_000);
    let unread = chain[3]
        .to_text()
        .replace("\"version\":\"1\"", "\"version\":\"2\"");
    let before = |store: &F::Store| {
        for town in towns {
            claim(store, town);
        }
        import(store, &texts(&chain));
        import(store, &[branch.to_text()]);
        let outcomes = import(store, &[waits.to_text(), unread.clone()]);
        assert_eq!(pending(&outcomes[1]), "unknown_version");
    };
    let erased = ["quokka-2", "quokka-3"];
    let after = |store: &F::Store| {
        append(store, "later").unwrap();
        let claims = towns[1..].iter().map(|town| claim_of(store, town));
        for world in erased.into_iter().map(id).chain(claims) {
            block_on(store.erase(agent(3), &world, "asked to"))
                .unwrap()
                .unwrap();
        }
    };
    let restored = Restored::new(factory, before, after);
    let files = |text: &str| {
        let rig = Rig {
            folder: restored.folder.clone(),
            ..Rig::new(factory)
        };
        rig.holding(text)
    };
    let words = [
        r#""text":"quokka-2""#,
        r#""text":"quokka-3""#,
        "Evora",
        "Lagos",
    ];
    for word in words {
        let is_hidden = files(word).is_empty();
        assert_eq!(is_hidden, factory.is_sealed(), "the backup and {word}");
    }
    restored.run(&restored.lines).unwrap();
    let store = restored.open();
    assert_eq!(block_on(store.scrub()), None);
    for word in words {
        assert_eq!(files(word), [""; 0], "{word}");
    }
    assert_ne!(files("Faro"), [""; 0], "the first claim stays");
    let aside = block_on(store.aside()).unwrap();
    assert_eq!(aside.pending, 1, "{aside:?}");
    is_sound(&store);
    let report = block_on(store.validate(Validation::default(), Box::new(|_| {}))).unwrap();
    assert_eq!(
        (report.invalid, report.verdict()),
        (0, PoolVerdict::Indeterminate)
    );
    assert!(report.is_open_by_erasure_alone());
    claim(&store, "Braga");
    let units = block_on(store.units(line(), None)).unwrap();
    let numbers: Vec<u64> = units.iter().map(Unit::number).collect();
    // The number of a unit is a part of its content.
    let number = if factory.is_sealed() { 1 } else { 3 };
    assert_eq!(numbers, [0, number]);
    is_sound(&store);
}
