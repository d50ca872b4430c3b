//! Values of the map: how a memory stands in its log, and from which entry on a key is not believed (`standing.md` §4).

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;

use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::{Lookup, key};
use crate::refusal::Refusal;
use crate::text::{base64_bytes, decimal, to_base64};

const MEMORY: &str = "counterfoil/map/memory/v1";
const KEY: &str = "counterfoil/map/key/v1";

/// Longest WorldId, in bytes, that a value repeats. A longer one is left out, so that a value stays below its limit.
const MAX_NAMED_WORLD: usize = 216;

/// Standing of one memory, as the entries, headers and records of its log give it.
///
/// ```text
/// counterfoil/map/memory/v1
/// entry 17
/// superseded 42 d29ybGQtMTIz
/// forked 50
/// forgotten 60 actor
/// forgotten 61 global
/// erased 70
/// ```
/// All but the first two lines stand there if they apply. Numbers are log indices, from 0: of the memory, and of the entry
/// that was first to cause what the line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryStanding {
    /// The memory's own entry.
    pub entry: u64,
    /// The next version in its chain, with its WorldId if that has at most 216 bytes. That version may be superseded too.
    pub superseded: Option<(u64, Option<WorldId>)>,
    /// Its chain has two capsules of one number, or a resolution left this branch.
    pub forked: Option<u64>,
    /// Its author, or the agent of the log's first entry, forgot it for itself.
    pub forgotten_actor: Option<u64>,
    /// It was forgotten for all.
    pub forgotten_global: Option<u64>,
    /// Its content was erased.
    pub erased: Option<u64>,
}

impl MemoryStanding {
    /// The standing of a memory of which its log says nothing yet but that it is entry `entry`.
    pub const fn new(entry: u64) -> Self {
        Self {
            entry,
            superseded: None,
            forked: None,
            forgotten_actor: None,
            forgotten_global: None,
            erased: None,
        }
    }

    /// The key of a memory.
    pub fn key(world: &WorldId) -> Sha256Hash {
        key("memory", &[world.opaque_bytes()])
    }

    /// Reads a value in its one spelling.
    ///
    /// # Errors
    /// [`Refusal::Lookup`] for any other text.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut standing = Self::new(0);
        for line in text.lines().skip(1) {
            standing
                .read(line)
                .ok_or(Refusal::Lookup { part: "value" })?;
        }
        // Lines that are missing, twice or in another order are written differently.
        match standing.to_text() == text {
            true => Ok(standing),
            false => Err(Refusal::Lookup { part: "value" }),
        }
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        let (number, detail) = rest.split_once(' ').unwrap_or((rest, ""));
        let number = decimal(number)?;
        match (word, detail) {
            ("entry", "") => self.entry = number,
            ("superseded", "") => self.superseded = Some((number, None)),
            ("superseded", world) => {
                let world = String::from_utf8(base64_bytes(world)?).ok()?;
                self.superseded = Some((number, Some(WorldId::new(world).ok()?)));
            }
            ("forked", "") => self.forked = Some(number),
            ("forgotten", "actor") => self.forgotten_actor = Some(number),
            ("forgotten", "global") => self.forgotten_global = Some(number),
            ("erased", "") => self.erased = Some(number),
            _ => return None,
        }
        Some(())
    }

    /// Writes the value: at most 512 bytes.
    pub fn to_text(&self) -> String {
        let mut text = format!("{MEMORY}\nentry {}\n", self.entry);
        let named = |world: &WorldId| world.opaque_bytes().len() <= MAX_NAMED_WORLD;
        if let Some((index, world)) = &self.superseded {
            let world = world.as_ref().filter(|world| named(world));
            let world = world.map(|world| format!(" {}", to_base64(world.opaque_bytes())));
            text += &format!("superseded {index}{}\n", world.unwrap_or_default());
        }
        let causes = [
            ("forked", self.forked, ""),
            ("forgotten", self.forgotten_actor, " actor"),
            ("forgotten", self.forgotten_global, " global"),
            ("erased", self.erased, ""),
        ];
        for (word, index, detail) in causes {
            if let Some(index) = index {
                // Writing into a text does not fail.
                let _ = writeln!(text, "{word} {index}{detail}");
            }
        }
        text
    }

    /// Returns the standing of `world`, entry `index` of the log, under the root `root` of the map, and if its key is not believed,
    /// the entries by which it is not. `signed_by` is the author with the number of its key, both from the signed header.
    ///
    /// # Errors
    /// [`Refusal::Lookup`] where a lookup does not hold, the memory has no value, or one of another entry, or a value that
    /// is none; [`Refusal::TooMuch`] beyond the limits of a lookup.
    pub fn check(
        root: &Sha256Hash,
        (world, index): (&WorldId, u64),
        signed_by: (&DidKey, u64),
        lookups: &StandingLookups,
    ) -> Result<(Self, Option<KeyMark>), Refusal> {
        let value = lookups.memory.check(&Self::key(world), root)?;
        let standing = Self::parse(value.unwrap_or_default())?;
        if standing.entry != index {
            return Err(Refusal::Lookup { part: "value" });
        }
        let key = KeyMark::key(signed_by.0, signed_by.1);
        let mark = lookups.key.check(&key, root)?;
        let mark = mark.map(KeyMark::parse).transpose()?;
        Ok((standing, mark.filter(|mark| mark.from <= index)))
    }
}

/// Lookups of a memory under one root. They prove nothing until [`MemoryStanding::check`] has verified them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingLookups {
    /// Lookup of [`MemoryStanding::key`].
    pub memory: Lookup,
    /// Lookup of [`KeyMark::key`] for the key that signed the memory: absent as long as it was never in other hands.
    pub key: Lookup,
    /// Lookup of [`LineStanding::key`](super::LineStanding::key), of a claim with a tag in its header.
    pub line: Option<Lookup>,
}

/// Mark of a key that was in other hands.
///
/// ```text
/// counterfoil/map/key/v1
/// from 120
/// record 150
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyMark {
    /// Log index from which on entries signed with the key are not believed.
    pub from: u64,
    /// Log index of the record that says so: the one with the lowest `from`.
    pub record: u64,
}

impl KeyMark {
    /// The key of the mark on the key `number` of an agent.
    pub fn key(agent: &DidKey, number: u64) -> Sha256Hash {
        let (agent, number) = (agent.to_string(), number.to_string());
        key("key", &[agent.as_bytes(), number.as_bytes()])
    }

    /// Reads a value in its one spelling.
    ///
    /// # Errors
    /// [`Refusal::Lookup`] for any other text.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let read = || {
            let mut lines = text.lines().skip(1);
            let mark = Self {
                from: decimal(lines.next()?.strip_prefix("from ")?)?,
                record: decimal(lines.next()?.strip_prefix("record ")?)?,
            };
            (mark.to_text() == text).then_some(mark)
        };
        read().ok_or(Refusal::Lookup { part: "value" })
    }

    /// Writes the value.
    pub fn to_text(&self) -> String {
        format!("{KEY}\nfrom {}\nrecord {}\n", self.from, self.record)
    }
}

/// The key of an agent's head.
pub fn agent_key(agent: &DidKey) -> Sha256Hash {
    key("agent", &[agent.to_string().as_bytes()])
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{EMPTY, MAX_VALUE_BYTES, leaf_hash, node_hash, value_hash};
    use super::*;

    fn full(world: usize) -> MemoryStanding {
        let last = Some(u64::MAX);
        MemoryStanding {
            entry: u64::MAX,
            superseded: Some((u64::MAX, WorldId::new("w".repeat(world)).ok())),
            forked: last,
            forgotten_actor: last,
            forgotten_global: last,
            erased: last,
        }
    }

    #[test]
    fn a_value_is_read_back_and_stays_below_its_limit() {
        let text = full(MAX_NAMED_WORLD).to_text();
        assert!(text.len() <= MAX_VALUE_BYTES, "{}", text.len());
        assert_eq!(MemoryStanding::parse(&text), Ok(full(MAX_NAMED_WORLD)));
        let longer = full(MAX_NAMED_WORLD + 1).to_text();
        let superseded = Some((u64::MAX, None));
        let unnamed = MemoryStanding {
            superseded,
            ..full(1)
        };
        assert_eq!(MemoryStanding::parse(&longer), Ok(unnamed));
        let current = MemoryStanding::new(17);
        assert_eq!(current.to_text(), "counterfoil/map/memory/v1\nentry 17\n");
        assert_eq!(MemoryStanding::parse(&current.to_text()), Ok(current));
    }

    #[test]
    fn each_other_spelling_of_a_value_is_refused() {
        let text = full(3).to_text();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut others = Vec::from([
            String::new(),
            text.trim_end().into(),
            text.replace("/v1", "/v2"),
            text.replace("entry ", "entry 0"),
            text.replace(" actor", ""),
            text.replace(" actor", " all"),
            text.replace('\n', "\r\n"),
            text.clone() + "more 1\n",
        ]);
        others.push(lines.iter().rev().copied().collect());
        for at in 0..lines.len() {
            let twice = lines.iter().enumerate().map(|(it, line)| match it == at {
                true => [*line, *line].concat(),
                false => (*line).into(),
            });
            others.push(twice.collect());
        }
        for other in others {
            assert!(MemoryStanding::parse(&other).is_err(), "{other:?}");
        }
        let mark = KeyMark { from: 1, record: 2 }.to_text();
        assert_eq!(KeyMark::parse(&mark), Ok(KeyMark { from: 1, record: 2 }));
        for other in [
            "",
            "counterfoil/map/key/v1\n",
            &(mark.clone() + "\n"),
            &mark.replace("1\nr", "01\nr"),
        ] {
            assert!(KeyMark::parse(other).is_err(), "{other:?}");
        }
    }

    /// A map of one memory and one mark, with its lookups.
    fn map(
        world: &WorldId,
        agent: &DidKey,
        standing: &MemoryStanding,
        mark: KeyMark,
    ) -> (Sha256Hash, [Lookup; 2]) {
        let leaves = [
            (MemoryStanding::key(world), standing.to_text()),
            (KeyMark::key(agent, 3), mark.to_text()),
        ];
        let hashes = leaves
            .clone()
            .map(|(key, value)| leaf_hash(&key, &value_hash(&value)));
        let differ = (0..256).find(|at| {
            super::super::bit(&leaves[0].0, *at) != super::super::bit(&leaves[1].0, *at)
        });
        let depth = differ.unwrap();
        let mut root = match super::super::bit(&leaves[0].0, depth) {
            false => node_hash(&hashes[0], &hashes[1]),
            true => node_hash(&hashes[1], &hashes[0]),
        };
        for at in (0..depth).rev() {
            root = match super::super::bit(&leaves[0].0, at) {
                false => node_hash(&root, &EMPTY),
                true => node_hash(&EMPTY, &root),
            };
        }
        let lookup = |own: usize| {
            let mut siblings = Vec::from([hashes[1 - own]]);
            siblings.resize(depth + 1, EMPTY);
            Lookup {
                siblings,
                value: Some(leaves[own].1.clone()),
                other: None,
            }
        };
        (root, [lookup(0), lookup(1)])
    }

    #[test]
    fn a_standing_is_that_of_this_memory_and_this_key() {
        let world = WorldId::new("world-1").unwrap();
        let agent: DidKey = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"
            .parse()
            .unwrap();
        let standing = MemoryStanding::new(120);
        for (from, is_compromised) in [(119, true), (120, true), (121, false)] {
            let mark = KeyMark { from, record: 150 };
            let (root, [memory, key]) = map(&world, &agent, &standing, mark);
            let check = |index, number, (memory, key): (&Lookup, &Lookup)| {
                let (memory, key) = (memory.clone(), key.clone());
                let lookups = StandingLookups {
                    memory,
                    key,
                    line: None,
                };
                MemoryStanding::check(&root, (&world, index), (&agent, number), &lookups)
            };
            let expected = Ok((standing.clone(), is_compromised.then_some(mark)));
            assert_eq!(check(120, 3, (&memory, &key)), expected);
            assert!(check(121, 3, (&memory, &key)).is_err(), "another entry");
            assert!(
                check(120, 2, (&memory, &key)).is_err(),
                "the mark of another key"
            );
            assert!(check(120, 3, (&key, &memory)).is_err(), "one for the other");
            let absent = Lookup {
                value: None,
                ..memory.clone()
            };
            assert!(check(120, 3, (&absent, &key)).is_err(), "no value");
        }
    }
}
