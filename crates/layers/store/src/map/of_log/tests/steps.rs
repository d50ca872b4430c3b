//! Random logs: the map after each step against one by definition.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

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
    /// A record of trust.
    Trust {
        by: u8,
        is_tagged: bool,
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
    let owner = prop_oneof![2 => Just(1), 1 => by.clone()];
    let fork = (by.clone(), any::<u64>(), prop::bool::weighted(0.1))
        .prop_map(|(by, memory, wrong)| Step::Fork { by, memory, wrong });
    let step = prop_oneof![
        by.clone().prop_map(|by| Step::Memory { by }),
        any::<u64>().prop_map(|of| Step::Next { of }),
        any::<u64>().prop_map(|of| Step::Next { of }),
        (by.clone(), 0..3_u8, prop::bool::weighted(0.8))
            .prop_map(|(by, line, is_unit)| Step::Tagged { by, line, is_unit }),
        (by.clone(), prop::bool::weighted(0.8))
            .prop_map(|(by, is_tagged)| Step::Trust { by, is_tagged }),
        (by.clone(), any::<u64>(), any::<bool>()).prop_map(|(by, memory, for_all)| Step::Forget {
            by,
            memory,
            for_all
        }),
        (by, any::<u64>(), prop::bool::weighted(0.2))
            .prop_map(|(by, memory, wrong)| { Step::Erase { by, memory, wrong } }),
        fork.clone(),
        fork,
        (owner, any::<u64>(), prop::bool::weighted(0.4))
            .prop_map(|(by, memory, other)| Step::Settle { by, memory, other }),
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

    fn next(&self) -> u64 {
        u64::try_from(self.members.len()).unwrap()
    }

    fn add(&mut self, log: &Log, index: u64) {
        let header = log.header(index);
        let last = self.members.last().copied();
        if let Some(by) = self.dead {
            self.fixed.insert(index, by);
        } else if self.next() == header.seq()
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
            None if (by == owner || by == about.agent()) && seq < chain.next() => {
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
    counted(entries.filter(|(_, it)| {
        let is_unit = it.kind() == Kind::Claim && it.agent() == agent;
        is_unit && it.extensions().line == Some(*tag)
    }))
}

/// The standing of the records of trust with a tag of an agent by definition.
fn expected_trust(log: &Log, agent: DidKey) -> Option<LineStanding> {
    let entries = (0..log.map.size()).map(|at| (at, log.header(at)));
    let kind = Kind::Record(RecordKind::Trust);
    counted(entries.filter(|(_, it)| {
        let is_tagged = it.extensions().line == Some(trust_tag());
        it.kind() == kind && it.agent() == agent && is_tagged
    }))
}

fn counted<'h>(entries: impl Iterator<Item = (u64, &'h Header)>) -> Option<LineStanding> {
    let units: Vec<_> = entries.collect();
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
                Step::Trust { by, is_tagged } => log.trust(&signer(by), is_tagged),
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
            for by in 1..4 {
                let agent = signer(by).agent();
                prop_assert_eq!(log.trusted(&agent), expected_trust(&log, agent));
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
        let trusting = agents.iter().filter(|agent| log.trusted(agent).is_some());
        keys.extend(trusting.map(LineStanding::trust_key));
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
