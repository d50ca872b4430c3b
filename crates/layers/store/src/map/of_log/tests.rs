//! The map of a log against one that is computed anew from all entries, by the letter of `standing.md` §5.

mod forks;
mod steps;

use counterfoil_capsule::documents::{
    CapsuleName, ContradictionKind, Evidence, Observation, Source, Suspect, TrustRecord,
};
use counterfoil_capsule::keys::{ForkResolution, KeyInception, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleId, Extensions, Position, SecretKey, Signer, Stamp, trust_tag,
};
use counterfoil_types::WorldId;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::{EMPTY, StandingLookups};

use super::*;
use crate::log::NoteSigner;

const START: u64 = 1_770_000_000_000_000;

/// A log, with what was added.
struct Log {
    map: LogMap<'static>,
    given: Vec<(Header, Option<Value>)>,
}

fn signer(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

impl Log {
    fn new() -> Self {
        let (map, given) = (LogMap::new("log.example"), Vec::new());
        Self { map, given }
    }

    /// Adds an entry at one time after all others: `after` an earlier one, or in a new chain.
    fn add(
        &mut self,
        signer: &dyn Signer,
        (after, kind): (Option<u64>, Kind<'_>),
        (world, document): (Option<&str>, Option<Value>),
        extensions: Extensions,
    ) -> u64 {
        let index = self.map.size();
        let stamp = Stamp::next(START + 1_000 * index, None).unwrap();
        let mut random = [0; 10];
        random[..8].copy_from_slice(&index.to_be_bytes());
        let id = CapsuleId::from_parts(stamp.timestamp().millis(), random);
        let before = after.map(|at| self.header(at).clone());
        let delta = BodyRef::delta(&[1; 32], "[]", "rev-json-patch/1").unwrap();
        let position = before.map_or_else(
            || Position::seed(id, stamp),
            |before| Position::after(&before, delta, id, stamp),
        );
        let payload = BodyRef::payload(&[1; 32], &format!("{{\"n\":{index}}}"));
        let world = world.map(|world| WorldId::new(world).unwrap());
        let subject = (kind, world.as_ref());
        let header = Header::of(signer, &position.with(extensions), payload, subject).unwrap();
        self.map.add(&header, document.as_ref()).unwrap();
        self.given.push((header, document));
        index
    }

    fn memory(&mut self, signer: &dyn Signer, after: Option<u64>) -> u64 {
        let world = name(self.map.size());
        let place = (after, Kind::World);
        self.add(signer, place, (Some(&world), None), Extensions::default())
    }

    /// Adds an entry in a new chain with the tag of a line: a unit of it, or a World, which is none.
    fn tagged(&mut self, signer: &dyn Signer, tag: Option<Blake3Hash>, is_unit: bool) -> u64 {
        let world = name(self.map.size());
        let kind = if is_unit { Kind::Claim } else { Kind::World };
        let extensions = Extensions {
            line: tag,
            ..Extensions::default()
        };
        self.add(signer, (None, kind), (Some(&world), None), extensions)
    }

    fn line(&self, agent: &DidKey, tag: &Blake3Hash) -> Option<LineStanding> {
        let value = self.map.value(&LineStanding::key(agent, tag)).unwrap();
        value.map(|value| LineStanding::parse(&value).unwrap())
    }

    fn trust(&mut self, signer: &dyn Signer, is_tagged: bool) {
        let record = TrustRecord::of(&[(b"{}", None)]).unwrap().remove(0);
        let place = (None, Kind::Record(RecordKind::Trust));
        let extensions = Extensions {
            line: is_tagged.then(trust_tag),
            ..Extensions::default()
        };
        self.add(signer, place, (None, Some(record.to_value())), extensions);
    }

    fn trusted(&self, agent: &DidKey) -> Option<LineStanding> {
        let value = self.map.value(&LineStanding::trust_key(agent)).unwrap();
        value.map(|value| LineStanding::parse(&value).unwrap())
    }

    fn record(&mut self, signer: &dyn Signer, kind: RecordKind, document: Value) -> u64 {
        let place = (None, Kind::Record(kind));
        self.add(signer, place, (None, Some(document)), Extensions::default())
    }

    fn header(&self, index: u64) -> &Header {
        &self.given[usize::try_from(index).unwrap()].0
    }

    fn forget(&mut self, signer: &dyn Signer, memory: u64, decision: Option<&str>) -> u64 {
        let (world, actor) = (
            WorldId::new(name(memory)).unwrap(),
            signer.agent().to_string(),
        );
        let tombstone = Tombstone::new(world, decision, &actor, "stale").unwrap();
        self.record(signer, RecordKind::Tombstone, tombstone.to_value())
    }

    fn erase(&mut self, signer: &dyn Signer, memory: u64, named: u64) -> u64 {
        let capsule = self.header(named).hash();
        let fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
        let by = signer.agent();
        let redaction = Redaction::new(capsule, None, memory, fields, "asked to", by).unwrap();
        self.record(signer, RecordKind::Redaction, redaction.to_value())
    }

    /// Adds a record of the contradiction `equivocation` about a memory's place, with this code.
    fn fork(&mut self, signer: &dyn Signer, memory: u64, code: &str) -> u64 {
        let named = CapsuleName::of(self.header(memory));
        self.contradiction(signer, (ContradictionKind::Equivocation, code), named)
    }

    fn contradiction(
        &mut self,
        signer: &dyn Signer,
        (kind, code): (ContradictionKind, &str),
        named: CapsuleName,
    ) -> u64 {
        let seen = Observation {
            kind,
            code: code.to_owned(),
            subject: Suspect::Capsule(named),
            source: Source::way("import"),
            expected: None,
            actual: None,
            evidence: vec![Evidence::Hash(named.capsule_hash)],
        };
        let id = CapsuleId::from_parts(START / 1000, [7; 10]);
        let by = (signer.agent(), at(0));
        let document = Contradiction::new(seen, id, by, &BTreeMap::new()).unwrap();
        self.record(signer, RecordKind::Contradiction, document.to_value())
    }

    /// Adds the decision of an operator about the place of a memory.
    fn settle(
        &mut self,
        signer: &dyn Signer,
        memory: u64,
        (keep, left): (Blake3Hash, Blake3Hash),
    ) -> u64 {
        let about = self.header(memory);
        let place = (about.chain(), about.seq());
        let resolution = ForkResolution::new(about.agent(), place, keep, vec![left], "mine");
        let resolution = resolution.unwrap().by_operator(signer.agent()).unwrap();
        let document = resolution.to_value().clone();
        self.record(signer, RecordKind::ForkResolution, document)
    }

    fn standing(&self, memory: u64) -> MemoryStanding {
        let key = MemoryStanding::key(&WorldId::new(name(memory)).unwrap());
        MemoryStanding::parse(&self.map.value(&key).unwrap().unwrap()).unwrap()
    }

    /// Of a memory that the agent signed with its first key.
    fn lookups(&self, world: &WorldId, agent: &DidKey) -> StandingLookups {
        let of = |key| self.map.look_up(&key).unwrap();
        StandingLookups {
            memory: of(MemoryStanding::key(world)),
            key: of(KeyMark::key(agent, 0)),
            line: None,
        }
    }
}

/// Tag of one of two lines; `None` for those of a store from before there were tags.
fn tag(line: u8) -> Option<Blake3Hash> {
    (line < 2).then(|| Blake3Hash::from_bytes([line; 32]))
}

fn name(index: u64) -> String {
    format!("world-{index}")
}

#[test]
fn an_empty_log_has_an_empty_map() {
    assert_eq!(LogMap::new("log.example").root().unwrap(), EMPTY);
}

/// An entry of another agent forks no chain, and a WorldId keeps its first entry.
#[test]
fn another_agents_entry_moves_nothing_of_a_chain() {
    let mut log = Log::new();
    let first = log.memory(&signer(1), None);
    let foreign = log.memory(&signer(2), Some(first));
    assert_eq!(log.standing(first), MemoryStanding::new(first));
    let place = (None, Kind::World);
    log.add(
        &signer(2),
        place,
        (Some(&name(first)), None),
        Extensions::default(),
    );
    assert_eq!(log.standing(first), MemoryStanding::new(first));
    let next = log.memory(&signer(1), Some(first));
    assert_eq!(log.standing(first).superseded.map(|it| it.0), Some(next));
    assert_eq!(log.standing(foreign), MemoryStanding::new(foreign));
}

/// A decision that is about no entry of this log, or an actor's in another's name, is no cause.
#[test]
fn records_of_others_decide_nothing() {
    let mut log = Log::new();
    log.memory(&signer(1), None);
    let memory = log.memory(&signer(2), None);
    for decision in [None, Some("decided")] {
        log.forget(&signer(3), memory, decision);
    }
    log.erase(&signer(3), memory, memory);
    let world = WorldId::new(name(memory)).unwrap();
    let other = signer(3).agent().to_string();
    let borrowed = Tombstone::new(world, None, &other, "stale").unwrap();
    log.record(&signer(2), RecordKind::Tombstone, borrowed.to_value());
    assert_eq!(log.standing(memory), MemoryStanding::new(memory));
}

fn at(micros: u64) -> Timestamp {
    Timestamp::from_micros(START + micros).unwrap()
}

/// The agent 1 with a key chain whose key 0 was rotated away from and then declared stolen.
fn robbed(log: &mut Log, (origin, from, since): (&str, u64, u64)) -> (KeyHistory, u64) {
    let [first, next, then, recovery] = [1, 11, 12, 13].map(signer);
    let inception = KeyInception::sign(&first, &next.key(), &recovery.key(), at(0)).unwrap();
    let document = KeyDocument::Inception(inception.clone());
    let place = (None, Kind::Record(RecordKind::KeyInception));
    let said = (None, Some(document.to_value().clone()));
    let begun = log.add(&first, place, said, document.extensions());
    let mut history = KeyHistory::begin(log.header(begun), &inception).unwrap();
    for _ in 0..3 {
        log.memory(&first, None);
    }
    let rotated = AgentSigner::rotated(first.agent(), 1, SecretKey::from_seed([11; 32]));
    let rotation = KeyRotation::sign(&history, &first, &rotated, &then.key(), at(0)).unwrap();
    let document = KeyDocument::Rotation(rotation);
    let place = (Some(begun), Kind::Record(RecordKind::KeyRotation));
    let said = (None, Some(document.to_value().clone()));
    let turned = log.add(&first, place, said, document.extensions());
    history.extend(log.header(turned), &document).unwrap();
    let theft = (origin, from, at(since));
    let mark = KeyCompromise::sign(&history, &recovery, 0, theft, "stolen", at(0)).unwrap();
    let place = (Some(turned), Kind::Record(RecordKind::KeyCompromise));
    let said = (None, Some(mark.to_value().clone()));
    let record = log.add(&rotated, place, said, Extensions::default());
    history
        .extend(log.header(record), &KeyDocument::Compromise(mark))
        .unwrap();
    (history, record)
}

#[test]
fn a_theft_marks_the_key_from_its_entry_on_and_moves_no_memory() {
    // In this log the entry counts, in another one the time: of entry 2, of none before the record.
    for (origin, from, since, found) in [
        ("log.example", 2, 0, 2),
        ("other.example", 0, 2_000, 2),
        ("other.example", 0, 1_900, 2),
        ("other.example", 0, 90_000, 5),
    ] {
        let mut log = Log::new();
        let (history, record) = robbed(&mut log, (origin, from, since));
        let agent = history.agent();
        let value = log.map.value(&KeyMark::key(&agent, 0)).unwrap().unwrap();
        assert_eq!(
            KeyMark::parse(&value),
            Ok(KeyMark {
                from: found,
                record
            })
        );
        assert_eq!(log.map.value(&KeyMark::key(&agent, 1)).unwrap(), None);
        let root = log.map.root().unwrap();
        for memory in 1..4 {
            assert_eq!(log.standing(memory), MemoryStanding::new(memory));
            let world = WorldId::new(name(memory)).unwrap();
            let lookups = log.lookups(&world, &agent);
            let checked = MemoryStanding::check(&root, (&world, memory), (&agent, 0), &lookups);
            assert_eq!(checked.unwrap().1.is_some(), memory >= found);
        }
    }
}

/// From the log to the authority: the root of the map in a signed checkpoint, and a memory's standing under it.
#[test]
fn a_standing_is_checked_under_a_signed_checkpoint() {
    let mut log = Log::new();
    let first = log.memory(&signer(1), None);
    let next = log.memory(&signer(1), Some(first));
    let note = NoteSigner::new("log.example", SecretKey::from_seed([9; 32])).unwrap();
    let tree = Sha256Hash::from_bytes([7; 32]);
    let note = note
        .checkpoint_with_map((2, tree), log.map.root().unwrap())
        .unwrap();
    let root = Checkpoint::from_note(&note).unwrap().map_root().unwrap();
    let world = WorldId::new(name(first)).unwrap();
    let agent = signer(1).agent();
    let lookups = log.lookups(&world, &agent);
    let (standing, mark) =
        MemoryStanding::check(&root, (&world, first), (&agent, 0), &lookups).unwrap();
    assert_eq!(standing.superseded.map(|it| it.0), Some(next));
    assert_eq!(mark, None);
}

/// A mark that the recovery key did not sign is no mark, under any author of the record.
#[test]
fn a_mark_without_the_recovery_key_marks_nothing() {
    let mut log = Log::new();
    let (history, record) = robbed(&mut log, ("log.example", 3, 0));
    let rotated = AgentSigner::rotated(history.agent(), 1, SecretKey::from_seed([11; 32]));
    let theft = ("log.example", 0, at(0));
    let recovery = signer(13);
    let good = KeyCompromise::sign(&history, &recovery, 0, theft, "stolen", at(0)).unwrap();
    let mut document = good.to_value().clone();
    document["from"] = 1.into();
    let place = (Some(record), Kind::Record(RecordKind::KeyCompromise));
    log.add(
        &rotated,
        place,
        (None, Some(document)),
        Extensions::default(),
    );
    let value = log
        .map
        .value(&KeyMark::key(&history.agent(), 0))
        .unwrap()
        .unwrap();
    assert_eq!(KeyMark::parse(&value).unwrap().from, 3);
}

fn resolution(log: &Log, keep: u64, abandon: u64) -> ForkResolution {
    let (keep, left) = (log.header(keep), log.header(abandon));
    let (place, left) = ((left.chain(), left.seq()), vec![left.hash()]);
    ForkResolution::new(keep.agent(), place, keep.hash(), left, "mine").unwrap()
}

/// A branch that a resolution leaves is forked, the rest of the chain goes on; only the owner of the log decides for it.
#[test]
fn a_resolution_leaves_a_branch() {
    for (by, holds) in [(1, true), (3, false)] {
        let mut log = Log::new();
        log.memory(&signer(1), None);
        let [first, left, behind] = {
            let first = log.memory(&signer(2), None);
            let left = log.memory(&signer(2), Some(first));
            [first, left, log.memory(&signer(2), Some(left))]
        };
        // The branch that is kept lies beside the log until the chain ends before it.
        let mut beside = Log::new();
        beside.given.clone_from(&log.given);
        let kept = {
            beside.map = LogMap::new("log.example");
            for (header, document) in &beside.given {
                beside.map.add(header, document.as_ref()).unwrap();
            }
            beside.memory(&signer(3), None);
            beside.memory(&signer(2), Some(first))
        };
        let kept = beside.header(kept).clone();
        let (chain, seq) = (kept.chain(), kept.seq());
        let left_hash = log.header(left).hash();
        let resolution = ForkResolution::new(
            kept.agent(),
            (chain, seq),
            kept.hash(),
            vec![left_hash],
            "mine",
        );
        let resolution = resolution.unwrap().by_operator(signer(by).agent()).unwrap();
        let record = log.record(
            &signer(by),
            RecordKind::ForkResolution,
            resolution.to_value().clone(),
        );
        let forked = holds.then_some(record);
        assert_eq!(log.standing(left).forked, forked);
        assert_eq!(log.standing(behind).forked, forked);
        assert_eq!(log.standing(first).forked, None);
        assert_eq!(log.standing(first).superseded.is_none(), holds);
        let index = log.map.size();
        log.map.add(&kept, None).unwrap();
        log.given.push((kept, None));
        let expected = if holds { None } else { Some(index) };
        assert_eq!(log.standing(first).forked, expected);
        assert_eq!(
            log.standing(first).superseded.map(|it| it.0),
            Some(if holds { index } else { left })
        );
    }
}

/// To keep the branch that the chain has already moves nothing.
#[test]
fn a_resolution_for_the_accepted_branch_moves_nothing() {
    let mut log = Log::new();
    let first = log.memory(&signer(1), None);
    let kept = log.memory(&signer(1), Some(first));
    let mut resolution = resolution(&log, kept, kept);
    resolution.abandon = vec![log.header(first).hash()];
    let resolution = resolution.by_operator(signer(1).agent()).unwrap();
    log.record(
        &signer(1),
        RecordKind::ForkResolution,
        resolution.to_value().clone(),
    );
    assert_eq!(log.standing(kept), MemoryStanding::new(kept));
    assert_eq!(log.standing(first).superseded.map(|it| it.0), Some(kept));
}
