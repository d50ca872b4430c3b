//! The map of a log against one that is computed anew from all entries, by the letter of `standing.md` §5.

use counterfoil_capsule::documents::{
    CapsuleName, ContradictionKind, Evidence, Observation, Source, Suspect,
};
use counterfoil_capsule::keys::{ForkResolution, KeyInception, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleId, Extensions, Position, SecretKey, Signer, Stamp,
};
use counterfoil_types::WorldId;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::{EMPTY, StandingLookups};
use proptest::prelude::*;

use std::collections::BTreeSet;

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

/// One change of a log, by one of three agents, about entries given by numbers that are taken modulo their count.
#[derive(Debug, Clone)]
enum Step {
    Memory {
        by: u8,
    },
    /// Behind an earlier memory of any number: at the end of its chain, or a fork.
    Next {
        of: u64,
    },
    /// A claim unit, or a World whose header has the tag of a line.
    Tagged {
        by: u8,
        line: u8,
        is_unit: bool,
    },
    Forget {
        by: u8,
        memory: u64,
        for_all: bool,
    },
    Erase {
        by: u8,
        memory: u64,
        wrong: bool,
    },
    /// A record that the chain of a memory forks at its number, by the sight of the agent, or of another code.
    Fork {
        by: u8,
        memory: u64,
        wrong: bool,
    },
    /// A decision about the chain of a memory at its number, for the memory or for a branch that is not in the log.
    Settle {
        by: u8,
        memory: u64,
        other: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let by = 1..4_u8;
    let step = prop_oneof![
        by.clone().prop_map(|by| Step::Memory { by }),
        any::<u64>().prop_map(|of| Step::Next { of }),
        any::<u64>().prop_map(|of| Step::Next { of }),
        (by.clone(), 0..3_u8, prop::bool::weighted(0.8))
            .prop_map(|(by, line, is_unit)| Step::Tagged { by, line, is_unit }),
        (by.clone(), any::<u64>(), any::<bool>()).prop_map(|(by, memory, for_all)| Step::Forget {
            by,
            memory,
            for_all
        }),
        (by.clone(), any::<u64>(), prop::bool::weighted(0.2))
            .prop_map(|(by, memory, wrong)| { Step::Erase { by, memory, wrong } }),
        (by.clone(), any::<u64>(), prop::bool::weighted(0.1))
            .prop_map(|(by, memory, wrong)| { Step::Fork { by, memory, wrong } }),
        (by, any::<u64>(), prop::bool::weighted(0.4))
            .prop_map(|(by, memory, other)| { Step::Settle { by, memory, other } }),
    ];
    prop::collection::vec(step, 1..40)
}

/// A cause and the memory that it is about.
#[derive(Debug, Clone, Copy)]
struct Cause {
    record: u64,
    memory: u64,
    by: u8,
    /// `forgotten_actor`, `forgotten_global` or `erased`.
    number: usize,
}

/// A chain by definition, after some entries of the log.
#[derive(Default)]
struct Chain {
    /// Its entries by number, from the seed on, without those of a branch that was left.
    members: Vec<u64>,
    /// The entry by which the log had two of one number.
    dead: Option<u64>,
    /// The record of a fork by its number; `None` once a resolution has decided.
    named: BTreeMap<u64, Option<u64>>,
    /// Entries that are forked for ever.
    fixed: BTreeMap<u64, u64>,
    /// The entry behind each.
    after: BTreeMap<u64, u64>,
}

impl Chain {
    /// The first record that says of the entry at `index`, number `seq`, that it is forked.
    fn mark(&self, index: u64, seq: u64) -> Option<u64> {
        let below = self.named.iter().filter(|(at, _)| **at <= seq);
        below
            .filter_map(|(_, record)| record.filter(|it| *it > index))
            .min()
    }

    fn add(&mut self, log: &Log, index: u64) {
        let header = log.header(index);
        let last = self.members.last().copied();
        if let Some(by) = self.dead {
            self.fixed.insert(index, by);
        } else if self.members.len() as u64 == header.seq()
            && last.is_none_or(|last| header.previous() == Some(log.header(last).hash()))
        {
            self.after.extend(last.map(|last| (last, index)));
            self.members.push(index);
        } else {
            self.dead = Some(index);
            let all = self.members.drain(..).chain([index]);
            self.fixed.extend(all.map(|it| (it, index)));
        }
    }

    fn settle(&mut self, log: &Log, record: u64, (seq, keep): (u64, Blake3Hash)) {
        let at = usize::try_from(seq).unwrap();
        let is_kept = |it: &u64| log.header(*it).hash() == keep;
        if self.members.get(at).is_some_and(|it| !is_kept(it)) {
            for (number, index) in (seq..).zip(self.members.split_off(at)) {
                let mark = self.mark(index, number).unwrap_or(record);
                self.fixed.insert(index, mark);
            }
            self.named.retain(|number, _| *number < seq);
            self.members.last().map(|last| self.after.remove(last));
        }
        self.named.insert(seq, None);
    }
}

/// A record about the fork of a chain.
struct Said {
    record: u64,
    by: u8,
    /// Its chain and number.
    memory: u64,
    /// The branch that is kept; `None` of a record that there is a fork.
    keep: Option<Blake3Hash>,
}

/// The chains of the log by definition.
fn chains(log: &Log, owner: DidKey, said: &[Said]) -> BTreeMap<ChainId, Chain> {
    let mut chains: BTreeMap<ChainId, Chain> = BTreeMap::new();
    for index in 0..log.map.size() {
        chains
            .entry(log.header(index).chain())
            .or_default()
            .add(log, index);
        let Some(said) = said.iter().find(|it| it.record == index) else {
            continue;
        };
        let about = log.header(said.memory);
        let (seq, by) = (about.seq(), signer(said.by).agent());
        let chain = chains.entry(about.chain()).or_default();
        match said.keep {
            Some(keep) if by == owner => chain.settle(log, index, (seq, keep)),
            None if (by == owner || by == about.agent()) && seq < chain.members.len() as u64 => {
                chain.named.entry(seq).or_insert(Some(index));
            }
            _ => {}
        }
    }
    chains
}

/// The standing of the memory at `index` by definition.
fn expected(
    log: &Log,
    (owner, chains): (DidKey, &BTreeMap<ChainId, Chain>),
    causes: &[Cause],
    index: u64,
) -> MemoryStanding {
    let mut standing = MemoryStanding::new(index);
    let own = log.header(index);
    let chain = &chains[&own.chain()];
    let fixed = chain.fixed.get(&index).copied();
    standing.forked = fixed.or_else(|| chain.mark(index, own.seq()));
    let next = chain.after.get(&index);
    standing.superseded = next.map(|at| (*at, WorldId::new(name(*at)).ok()));
    for cause in causes.iter().filter(|it| it.memory == index) {
        let by = signer(cause.by).agent();
        if by == own.agent() || by == owner {
            let parts = [
                &mut standing.forgotten_actor,
                &mut standing.forgotten_global,
                &mut standing.erased,
            ];
            for (number, part) in parts.into_iter().enumerate() {
                if number == cause.number {
                    part.get_or_insert(cause.record);
                }
            }
        }
    }
    standing
}

/// The standing of a line by definition.
fn expected_line(log: &Log, agent: DidKey, tag: &Blake3Hash) -> Option<LineStanding> {
    let entries = (0..log.map.size()).map(|at| (at, log.header(at)));
    let units: Vec<_> = entries
        .filter(|(_, it)| it.kind() == Kind::Claim && it.agent() == agent)
        .filter(|(_, it)| it.extensions().line == Some(*tag))
        .collect();
    units.last().map(|(last, header)| LineStanding {
        count: u64::try_from(units.len()).unwrap(),
        last: *last,
        capsule: header.hash(),
    })
}

proptest! {
    /// The map is a function of the log alone, each step moves exactly the keys that the page names, and a rebuild comes to
    /// the same root as any other grouping of the same entries.
    #[test]
    fn each_step_moves_what_the_page_says_and_nothing_else(steps in steps(), flush in any::<u64>()) {
        let (mut log, mut memories, mut causes) = (Log::new(), Vec::new(), Vec::new());
        let lines: Vec<_> = (1..4).flat_map(|by| [0, 1].map(|line| (signer(by).agent(), tag(line).unwrap()))).collect();
        let (owner, mut said) = (signer(1).agent(), Vec::new());
        memories.push(log.memory(&signer(1), None));
        for (number, step) in steps.into_iter().enumerate() {
            let pick = |of: u64| memories[usize::try_from(of).unwrap() % memories.len()];
            match step {
                Step::Memory { by } => memories.push(log.memory(&signer(by), None)),
                Step::Next { of } => {
                    let after = pick(of);
                    // A claim unit ends its chain.
                    if log.header(after).kind() == Kind::Claim {
                        continue;
                    }
                    let agent = log.header(after).agent();
                    let by = (1..4).find(|by| signer(*by).agent() == agent).unwrap();
                    memories.push(log.memory(&signer(by), Some(after)));
                }
                Step::Tagged { by, line, is_unit } => memories.push(log.tagged(&signer(by), tag(line), is_unit)),
                Step::Forget { by, memory, for_all } => {
                    let memory = pick(memory);
                    let record = log.forget(&signer(by), memory, for_all.then_some("decided"));
                    causes.push(Cause { record, memory, by, number: usize::from(for_all) });
                }
                Step::Erase { by, memory, wrong } => {
                    let memory = pick(memory);
                    let named = if wrong { memories[0] } else { memory };
                    let record = log.erase(&signer(by), memory, named);
                    if named == memory {
                        causes.push(Cause { record, memory, by, number: 2 });
                    }
                }
                Step::Fork { by, memory, wrong } => {
                    let memory = pick(memory);
                    let code = if wrong { "E_PREVIOUS" } else { Contradiction::FORK };
                    let record = log.fork(&signer(by), memory, code);
                    if !wrong {
                        said.push(Said { record, by, memory, keep: None });
                    }
                }
                Step::Settle { by, memory, other } => {
                    let memory = pick(memory);
                    let (own, away) = (log.header(memory).hash(), Blake3Hash::from_bytes([9; 32]));
                    let (keep, left) = if other { (away, own) } else { (own, away) };
                    let record = log.settle(&signer(by), memory, (keep, left));
                    said.push(Said { record, by, memory, keep: Some(keep) });
                }
            }
            let chains = chains(&log, owner, &said);
            for memory in &memories {
                prop_assert_eq!(log.standing(*memory), expected(&log, (owner, &chains), &causes, *memory));
            }
            for (agent, tag) in &lines {
                prop_assert_eq!(log.line(agent, tag), expected_line(&log, *agent, tag));
            }
            if flush >> (number % 64) & 1 == 1 {
                log.map.root().unwrap();
            }
        }
        let agents: BTreeSet<_> = log.given.iter().map(|(header, _)| header.agent()).collect();
        let memory = |index: &u64| MemoryStanding::key(&WorldId::new(name(*index)).unwrap());
        let mut keys: BTreeSet<_> = memories.iter().map(memory).chain(agents.iter().map(agent_key)).collect();
        let begun = lines.iter().filter(|(agent, tag)| log.line(agent, tag).is_some());
        keys.extend(begun.map(|(agent, tag)| LineStanding::key(agent, tag)));
        let root = log.map.root().unwrap();
        let mut again = LogMap::new("log.example");
        for (header, document) in &log.given {
            again.add(header, document.as_ref()).unwrap();
        }
        prop_assert_eq!(again.root().unwrap(), root);
        // These keys and no other: their values alone have the root.
        let value = |key: &Sha256Hash| (*key, value_hash(&log.map.value(key).unwrap().unwrap()));
        let rows = std::cell::RefCell::default();
        prop_assert_eq!(update(&rows, &keys.iter().map(value).collect()).unwrap(), root);
        for key in &keys {
            let lookup = log.map.look_up(key).unwrap();
            let value = log.map.value(key).unwrap();
            prop_assert_eq!(lookup.check(key, &root), Ok(value.as_deref()));
        }
        // Entries that come later never change what this root says.
        let lookup = log.map.look_up(&MemoryStanding::key(&WorldId::new(name(0)).unwrap())).unwrap();
        log.memory(&signer(1), Some(0));
        prop_assert_ne!(log.map.root().unwrap(), root);
        let key = MemoryStanding::key(&WorldId::new(name(0)).unwrap());
        prop_assert!(lookup.check(&key, &root).is_ok());
        prop_assert!(lookup.check(&key, &log.map.root().unwrap()).is_err());
    }
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

fn forks(log: &Log, memories: &[u64]) -> Vec<Option<u64>> {
    memories.iter().map(|it| log.standing(*it).forked).collect()
}

/// A log of agent 1 with a chain of agent 2, and its memories.
fn chain_of_four() -> (Log, [u64; 4]) {
    let mut log = Log::new();
    log.memory(&signer(1), None);
    let mut last = None;
    let chain = [0; 4].map(|_| {
        let next = log.memory(&signer(2), last);
        last = Some(next);
        next
    });
    (log, chain)
}

/// From its number on a chain is forked, for the log's owner and for its agent, once, and nothing else of it changes.
#[test]
fn a_recorded_fork_marks_the_chain_from_its_number_on() {
    for by in [1, 2] {
        let (mut log, chain) = chain_of_four();
        let before = log.standing(chain[1]).superseded;
        let record = log.fork(&signer(by), chain[1], Contradiction::FORK);
        let marked = Some(record);
        assert_eq!(forks(&log, &chain), [None, marked, marked, marked]);
        assert_eq!(log.standing(chain[1]).superseded, before);
        log.fork(&signer(by), chain[1], Contradiction::FORK);
        let lower = log.fork(&signer(by), chain[0], Contradiction::FORK);
        assert_eq!(forks(&log, &chain), [Some(lower), marked, marked, marked]);
    }
}

/// Others, other contradictions, and places that the chain does not have.
#[test]
fn what_is_no_recorded_fork_marks_nothing() {
    let (mut log, chain) = chain_of_four();
    let named = CapsuleName::of(log.header(chain[1]));
    let fork = (ContradictionKind::Equivocation, Contradiction::FORK);
    log.contradiction(&signer(3), fork, named);
    for (fork, named) in [
        ((fork.0, "E_LOG_FORK"), named),
        ((ContradictionKind::Sequence, fork.1), named),
        (fork, CapsuleName { seq: 4, ..named }),
        (
            fork,
            CapsuleName {
                agent: signer(1).agent(),
                ..named
            },
        ),
        (
            fork,
            CapsuleName {
                chain: log.header(0).chain(),
                ..named
            },
        ),
    ] {
        log.contradiction(&signer(1), fork, named);
    }
    assert_eq!(forks(&log, &chain), [None; 4]);
    assert_eq!(forks(&log, &[0]), [None]);
}

/// What the log has is current again when it is kept, but for another fork; when it is left it stays forked.
#[test]
fn a_resolution_takes_away_what_its_fork_has_marked() {
    let away = Blake3Hash::from_bytes([9; 32]);
    let (mut log, chain) = chain_of_four();
    let high = log.fork(&signer(1), chain[2], Contradiction::FORK);
    let low = log.fork(&signer(1), chain[1], Contradiction::FORK);
    let keep = |log: &Log, at: usize| (log.header(chain[at]).hash(), away);
    let kept = keep(&log, 2);
    log.settle(&signer(3), chain[2], kept);
    let (high, low) = (Some(high), Some(low));
    assert_eq!(forks(&log, &chain), [None, low, high, high]);
    log.settle(&signer(1), chain[2], kept);
    assert_eq!(forks(&log, &chain), [None, low, low, low]);
    // It is decided: no record brings it back.
    log.fork(&signer(2), chain[2], Contradiction::FORK);
    let kept = keep(&log, 1);
    log.settle(&signer(1), chain[1], kept);
    assert_eq!(forks(&log, &chain), [None; 4]);
    assert_eq!(log.standing(chain[3]), MemoryStanding::new(chain[3]));

    let (mut log, chain) = chain_of_four();
    log.fork(&signer(1), chain[1], Contradiction::FORK);
    let high = log.fork(&signer(1), chain[3], Contradiction::FORK);
    let kept = keep(&log, 1);
    log.settle(&signer(1), chain[1], kept);
    assert_eq!(forks(&log, &chain), [None, None, None, Some(high)]);
    // Another branch stands there now. Forks of the one before were not its forks.
    let left = (away, log.header(chain[2]).hash());
    let record = log.settle(&signer(1), chain[2], left);
    assert_eq!(forks(&log, &chain), [None, None, Some(record), Some(high)]);
    assert_eq!(log.standing(chain[1]).superseded, None);
    let third = log.memory(&signer(2), Some(chain[1]));
    let fourth = log.memory(&signer(2), Some(third));
    assert_eq!(forks(&log, &[third, fourth]), [None; 2]);
    let again = log.fork(&signer(1), fourth, Contradiction::FORK);
    assert_eq!(forks(&log, &[third, fourth]), [None, Some(again)]);
}

/// An agent could name each number of a long chain, and each time the map walks along it.
#[test]
fn of_one_chain_its_agent_names_sixteen_forks() {
    let mut log = Log::new();
    log.memory(&signer(1), None);
    let mut chain = vec![log.memory(&signer(2), None)];
    for _ in 1..20 {
        chain.push(log.memory(&signer(2), chain.last().copied()));
    }
    for memory in chain.iter().rev() {
        log.fork(&signer(2), *memory, Contradiction::FORK);
    }
    let named = forks(&log, &chain);
    assert_eq!(named.iter().position(Option::is_some), Some(4));
    log.fork(&signer(1), chain[2], Contradiction::FORK);
    assert!(forks(&log, &chain)[2].is_some());
}
