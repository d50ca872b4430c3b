//! The tags of claim units: one for each line of a store, counted by the map, made again by the audit (docs/format/claims.md §9).

use std::sync::Arc;

use counterfoil_capsule::{
    CapsuleId, Extensions, Position, Stamp, Timestamp, World, line_tag, remember, seal_claim,
};
use counterfoil_claims::{Channels, FactValue, Identifier, Settings, Submission};
use counterfoil_life::{Backend, Life as _};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, ClaimRequest, ClaimStore, Draft, StoredCapsule};
use counterfoil_types::{Blake3Hash, Scope, WorldId};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::{LineStanding, MemoryStanding};

use crate::common::{Place, agent, append, block_on, drafts, is_clean, world};

/// The unit that a claim of agent 1 became.
fn says(store: &SqliteStore, [subject, predicate, value]: [&str; 3]) -> StoredCapsule {
    let name = |text| Identifier::new("name", text).unwrap();
    let value = FactValue::new(&value.into()).unwrap();
    let user = Channels::of_host().user();
    let said = Submission::new(&user, name(subject), name(predicate), value);
    let settings = Arc::new(Settings::default());
    let answers = store.submit(agent(1), settings, vec![ClaimRequest::Submit(said)]);
    let told = block_on(answers).unwrap().remove(0).unwrap();
    block_on(store.capsule(told.written.unwrap().1))
        .unwrap()
        .unwrap()
}

/// The secret of the feed of agent 1.
fn secret(store: &SqliteStore) -> [u8; 32] {
    let feed = block_on(store.feed(agent(1).agent())).unwrap();
    feed.unwrap().0.0
}

fn tag(unit: &StoredCapsule) -> Blake3Hash {
    unit.header.line().unwrap()
}

/// The units of the line of a unit, under the newest checkpoint.
fn line(store: &SqliteStore, unit: &StoredCapsule) -> LineStanding {
    let worlds = [unit.header.world().unwrap().clone()];
    let found = block_on(store.standings(&worlds)).unwrap().unwrap();
    let root = Checkpoint::from_note(&found.checkpoint).unwrap().map_root();
    let lookup = found.of[0].as_ref().unwrap().line.as_ref().unwrap();
    let line = LineStanding::check(&root.unwrap(), &agent(1).agent(), &tag(unit), lookup);
    line.unwrap().unwrap()
}

fn counted(count: u64, last: &StoredCapsule) -> LineStanding {
    LineStanding {
        count,
        last: last.index,
        capsule: last.header.hash(),
    }
}

/// All units of a line have its tag under the secret of the store, each other line has another one, and so has the same line
/// in another store. A memory has none, whatever its draft says.
#[test]
fn the_units_of_a_line_have_one_tag() {
    let (_place, store) = Place::created();
    let (_other_place, other) = Place::created();
    let mut tags = Vec::new();
    for [subject, predicate] in [["ann", "lives in"], ["ann", "likes"], ["bob", "likes"]] {
        for value in ["Lisbon", "Porto"] {
            let unit = says(&store, [subject, predicate, value]);
            assert_eq!(
                tag(&unit),
                line_tag(&secret(&store), subject, predicate, &Scope::new())
            );
            tags.push(tag(&unit));
        }
    }
    tags.push(tag(&says(&other, ["ann", "lives in", "Lisbon"])));
    let foreign = line_tag(&secret(&other), "ann", "lives in", &Scope::new());
    assert_eq!(tags.last(), Some(&foreign));
    tags.dedup();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 4);
    let borrowed = Extensions {
        line: Some(foreign),
        ..Extensions::default()
    };
    let draft = Draft::new(world("w", "text")).with(borrowed);
    let place = append(&store, vec![draft]).unwrap().remove(0);
    let stored = block_on(store.capsule(place.index)).unwrap().unwrap();
    assert_eq!(stored.header.extensions().line, None);
    is_clean(&store);
}

/// The map names the number of units and the last one, and says the same after an erasure, an archive, a rebuild and a start.
#[test]
fn the_map_counts_the_units_of_a_line() {
    let (place, store) = Place::created();
    let first = says(&store, ["ann", "lives in", "Lisbon"]);
    assert_eq!(line(&store, &first), counted(1, &first));
    append(&store, drafts("w", 3)).unwrap();
    let other = says(&store, ["ann", "likes", "tea"]);
    let last = says(&store, ["ann", "lives in", "Porto"]);
    let expected = counted(2, &last);
    let holds = |store: &SqliteStore| {
        assert_eq!(line(store, &first), expected);
        assert_eq!(line(store, &last), expected);
        assert_eq!(line(store, &other), counted(1, &other));
        is_clean(store);
    };
    holds(&store);
    let erased = last.header.world().unwrap();
    block_on(store.erase(agent(1), erased, "asked to")).unwrap();
    holds(&store);
    let now = Timestamp::from_micros(store.now_micros()).unwrap();
    let folder = place.folder.path().join("archive");
    let moved = block_on(store.archive(agent(1), now, Some(now), folder)).unwrap();
    assert_eq!(moved.0[0].capsules, 3, "claim units stay");
    holds(&store);
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!(before, Some(after));
    holds(&store);
    drop(store);
    holds(&place.open());
}

/// A memory that is no claim, and a unit from elsewhere without a tag, have no line; one with a tag has a line of its own.
#[test]
fn units_from_elsewhere_are_counted_by_their_own_tags() {
    let (_place, store) = Place::created();
    let (_other_place, other) = Place::created();
    append(&store, drafts("w", 1)).unwrap();
    let own = says(&store, ["ann", "lives in", "Lisbon"]);
    let theirs = says(&other, ["ann", "lives in", "Porto"]);
    let bare = sealed(&other, ("bob", 1), None);
    let received = vec![theirs.clone(), bare.clone()];
    let places = block_on(store.receive("the other store", received)).unwrap();
    let index = places[0].index;
    let theirs = StoredCapsule { index, ..theirs };
    assert_eq!(line(&store, &own), counted(1, &own));
    assert_eq!(line(&store, &theirs), counted(1, &theirs));
    let worlds = [
        bare.header.world().unwrap().clone(),
        WorldId::new("w-0").unwrap(),
    ];
    let found = block_on(store.standings(&worlds)).unwrap().unwrap();
    let lines: Vec<_> = found.of.iter().flatten().map(|it| &it.line).collect();
    assert_eq!(lines, [&None, &None]);
    assert!(matches!(
        found.of[1]
            .as_ref()
            .unwrap()
            .memory
            .value
            .as_deref()
            .map(MemoryStanding::parse),
        Some(Ok(_))
    ));
    is_clean(&store);
}

/// A unit of agent 1 about `subject` that no store has sealed.
fn sealed(
    like: &SqliteStore,
    (subject, number): (&str, u8),
    line: Option<Blake3Hash>,
) -> StoredCapsule {
    let stored = block_on(like.capsule(0)).unwrap().unwrap();
    let model = World::from_json(stored.payload.unwrap().text.as_bytes()).unwrap();
    let mut data = model.data().unwrap().clone();
    data["subject"] = subject.into();
    let id = WorldId::new(format!("sealed-{number}")).unwrap();
    let world = remember(id, model.created_at(), data).unwrap();
    let at = stored.header.timestamp().micros() + u64::from(number);
    let id = CapsuleId::from_parts(at / 1000, [number; 10]);
    let position = Position::seed(id, Stamp::next(at, None).unwrap());
    let position = position.with(Extensions {
        line,
        ..Extensions::default()
    });
    let capsule = seal_claim(&world, &position, [number; 32], &*agent(1)).unwrap();
    StoredCapsule::new(0, capsule, None)
}

/// A store that has signed another tag than that of the line, or none after it had begun to, is told; units from before, and those
/// whose content was erased or that came from elsewhere, are not.
#[test]
fn the_audit_makes_each_tag_again() {
    let (_other_place, other) = Place::created();
    says(&other, ["ann", "lives in", "Lisbon"]);
    let (place, store) = Place::created();
    append(&store, drafts("w", 1)).unwrap();
    let tag_of = |subject| {
        Some(line_tag(
            &secret(&store),
            subject,
            "lives in",
            &Scope::new(),
        ))
    };
    let units = [
        ("before", None),
        ("good", tag_of("good")),
        ("wrong", tag_of("another")),
        ("missing", None),
        ("erased", tag_of("another")),
    ];
    let units: Vec<_> = (1..)
        .zip(units)
        .map(|(number, (subject, line))| sealed(&other, (subject, number), line))
        .collect();
    let erased = units[4].header.world().unwrap().clone();
    block_on(store.receive("elsewhere", units)).unwrap();
    block_on(store.erase(agent(1), &erased, "asked to")).unwrap();
    is_clean(&store);
    // As if the store had sealed them.
    let raw = place.raw();
    let of_triggers = |column: &str| -> String {
        let sql = format!(
            "SELECT group_concat({column}, ';') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'received'"
        );
        raw.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    let (drop, make) = (of_triggers("'DROP TRIGGER ' || name"), of_triggers("sql"));
    raw.execute_batch(&format!("{drop}; DELETE FROM received; {make};"))
        .unwrap();
    let report = block_on(store.audit()).unwrap();
    let told = report.differences.iter();
    let told = told.map(|(place, detail)| format!("{place}: {detail}"));
    let told: Vec<String> = told.filter(|it| it.contains(" tag ")).collect();
    assert_eq!(
        told,
        [
            "table capsule, entry 3: its tag is not that of its line under the secret of its agent",
            "table capsule, entry 4: it has no tag of its line, and an earlier unit of its agent has one",
        ]
    );
}
