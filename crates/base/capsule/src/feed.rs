//! The feed of an agent: commitments to the order of its capsules over all chains, and their openings (docs/format/feed.md).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::document::Fault;
use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use crate::digest::{FEED, FEED_SALT, derived};
use crate::document::{Document, Signed, checked};
use crate::header::Header;
use crate::id::ChainId;
use crate::key::Signer;
use crate::key_error::KeyError;
use crate::timestamp::Timestamp;
use crate::verdict::Code;

/// The most capsules of one document.
pub const MAX_FEED_PART: usize = 4096;

/// Salt of the commitment of a number: `H("feed-salt", secret || number)`.
pub fn feed_salt(secret: &[u8; 32], number: u64) -> [u8; 32] {
    let bytes = [secret.as_slice(), &number.to_be_bytes()].concat();
    *derived(FEED_SALT, &bytes).as_bytes()
}

/// Commitment of a header to its number in its agent's feed and the capsule before it:
/// `H("feed", salt || number || previous)`.
pub fn feed_commitment(salt: &[u8; 32], number: u64, previous: Option<&Blake3Hash>) -> Blake3Hash {
    let previous = previous.map_or(&[0; 32], Blake3Hash::as_bytes);
    let bytes = [salt.as_slice(), &number.to_be_bytes(), previous].concat();
    derived(FEED, &bytes)
}

/// Openings of successive capsules of a feed, and its size by its agent's word.
///
/// ```json
/// {"type":"feed","version":"1","agent":"did:key:…","size":3,"from":0,"previous":null,
///  "capsules":["blake3:…"],"salts":["<b64>"],"proof":{…by the agent…}}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FeedPart {
    /// Owner of the feed.
    pub agent: DidKey,
    /// Number of the first capsule of this part.
    pub from: u64,
    /// Capsule with the number before it.
    #[serde(with = "counterfoil_types::document::nullable")]
    pub previous: Option<Blake3Hash>,
    /// Capsules in the order of their numbers.
    pub capsules: Vec<Blake3Hash>,
    salts: Vec<Salt>,
    /// Number of all capsules of the feed.
    pub size: u64,
    /// Time of signing.
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Salt(#[serde(with = "counterfoil_types::document::base64")] [u8; 32]);

impl Document for FeedPart {
    const TYPE: &'static str = "feed";

    fn check(&self) -> Result<(), Fault> {
        if self.capsules.len() > MAX_FEED_PART || self.salts.len() != self.capsules.len() {
            return Err(Fault::new(
                "/salts",
                "one for each of at most 4096 capsules",
            ));
        }
        if self.previous.is_some() != (self.from > 0) {
            return Err(Fault::new(
                "/previous",
                "null before number 0, and only there",
            ));
        }
        Ok(())
    }
}

impl FeedPart {
    /// Opens `capsules`, which have the numbers from `from` on behind `previous`, of a feed with `size` of them.
    ///
    /// # Errors
    /// [`KeyError::Document`] for more than [`MAX_FEED_PART`] capsules, or a `previous` that does not fit `from`.
    pub fn sign(
        signer: &dyn Signer,
        secret: &[u8; 32],
        (from, previous): (u64, Option<Blake3Hash>),
        capsules: Vec<Blake3Hash>,
        (size, at): (u64, Timestamp),
    ) -> Result<Signed<Self>, KeyError> {
        let numbers = (from..).take(capsules.len());
        let part = Self {
            agent: signer.agent(),
            from,
            previous,
            salts: numbers
                .map(|number| Salt(feed_salt(secret, number)))
                .collect(),
            capsules,
            size,
            at,
        };
        Signed::sign(checked(part)?, &[signer], at)
    }
}

/// Misfit in a feed that is claimed to be complete: number and capsule, where they are known, and the fault.
pub type FeedFault = (Option<u64>, Option<Blake3Hash>, Code);

/// Comparison of a complete feed with the capsules that are shown of it.
#[derive(Debug, Clone)]
pub struct FeedCheck {
    agent: DidKey,
    size: u64,
    /// Latest time at which a part was signed.
    at: Timestamp,
    /// Number of capsules from before the feed, and the last of them.
    first: (u64, Option<Blake3Hash>),
    listed: Vec<(Blake3Hash, [u8; 32])>,
    /// Position in the list by capsule.
    places: BTreeMap<Blake3Hash, usize>,
    /// Time and place of each listed capsule that was shown, and true where it may be earlier than the one before it.
    shown: BTreeMap<usize, (Timestamp, bool, (ChainId, u64))>,
    /// Capsules without a commitment that were shown, with their times.
    earlier: BTreeMap<Blake3Hash, Timestamp>,
    unlisted: BTreeSet<Blake3Hash>,
    faults: Vec<FeedFault>,
}

impl FeedCheck {
    /// Begins with the first part of a list. Its signature is for the caller to check.
    pub fn new(part: &FeedPart) -> Self {
        let mut check = Self {
            agent: part.agent,
            size: part.size,
            at: part.at,
            first: (part.from, part.previous),
            listed: Vec::new(),
            places: BTreeMap::new(),
            shown: BTreeMap::new(),
            earlier: BTreeMap::new(),
            unlisted: BTreeSet::new(),
            faults: Vec::new(),
        };
        check.append(part);
        check
    }

    /// Owner of the feed.
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// Number of all capsules of the feed, by its agent's word.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Adds the next part of the list.
    pub fn append(&mut self, part: &FeedPart) {
        let last = self
            .listed
            .last()
            .map_or(self.first.1, |(capsule, _)| Some(*capsule));
        let follows = (part.agent, part.size) == (self.agent, self.size)
            && (part.from, part.previous) == (self.number(self.listed.len()), last);
        if !follows {
            self.faults.push((Some(part.from), None, Code::FeedLink));
            return;
        }
        self.at = self.at.max(part.at);
        for (capsule, Salt(salt)) in part.capsules.iter().zip(&part.salts) {
            if self.places.insert(*capsule, self.listed.len()).is_some() {
                let number = Some(self.number(self.listed.len()));
                self.faults.push((number, Some(*capsule), Code::FeedLink));
            }
            self.listed.push((*capsule, *salt));
        }
    }

    /// Takes a capsule that is shown with the list. That of another agent says nothing here.
    pub fn show(&mut self, header: &Header) {
        if header.agent() != self.agent {
            return;
        }
        let (capsule, committed) = (header.hash(), header.extensions().feed);
        let Some(&place) = self.places.get(&capsule) else {
            match committed {
                None => drop(self.earlier.insert(capsule, header.timestamp())),
                Some(_) => drop(self.unlisted.insert(capsule)),
            }
            return;
        };
        let (number, salt) = (self.number(place), self.listed.get(place).map(|it| it.1));
        let before = place
            .checked_sub(1)
            .and_then(|before| self.listed.get(before));
        let before = before.map_or(self.first.1, |(capsule, _)| Some(*capsule));
        let opened = salt.map(|salt| feed_commitment(&salt, number, before.as_ref()));
        if committed != opened {
            self.faults
                .push((Some(number), Some(capsule), Code::FeedLink));
        }
        let anew = header.extensions().continues.is_some();
        let stands = (header.chain(), header.seq());
        self.shown.insert(place, (header.timestamp(), anew, stands));
    }

    /// Returns where the listed capsule with a number stands, and its salt; `None` unless it was shown.
    pub fn shown(&self, number: u64) -> Option<(ChainId, u64, [u8; 32])> {
        let place = usize::try_from(number.checked_sub(self.first.0)?).ok()?;
        let (_, _, (chain, seq)) = self.shown.get(&place)?;
        Some((*chain, *seq, self.listed.get(place)?.1))
    }

    /// Takes a capsule that is known from elsewhere: it was sealed before the list was signed, and has to be listed.
    pub fn known(&mut self, header: &Header) {
        let is_listed = self.places.contains_key(&header.hash());
        let numbered = header.extensions().feed.is_some();
        if header.agent() == self.agent && numbered && !is_listed && header.timestamp() <= self.at {
            self.unlisted.insert(header.hash());
        }
    }

    /// Returns all faults; none where what was shown is complete, in its order and in time.
    pub fn faults(&self) -> Vec<FeedFault> {
        let mut faults = self.faults.clone();
        let end = self.number(self.listed.len());
        faults.extend((end != self.size).then_some((Some(end), None, Code::FeedMissing)));
        let earlier = u64::try_from(self.earlier.len()).unwrap_or(u64::MAX);
        let last = self.first.1;
        if earlier < self.first.0 || last.is_some_and(|last| !self.earlier.contains_key(&last)) {
            faults.push((None, last, Code::FeedMissing));
        }
        let begun = self.shown.values().next().map(|(time, ..)| *time);
        let late = self
            .earlier
            .iter()
            .filter(|(_, time)| begun.is_some_and(|at| **time >= at));
        let late: BTreeSet<Blake3Hash> = late.map(|(capsule, _)| *capsule).collect();
        let surplus = earlier > self.first.0 && late.is_empty();
        let unlisted = self
            .unlisted
            .union(&late)
            .map(|it| (None, Some(*it), Code::FeedUnlisted));
        faults.extend(unlisted);
        faults.extend(surplus.then_some((None, None, Code::FeedUnlisted)));
        let mut before = None;
        for (place, (capsule, _)) in self.listed.iter().enumerate() {
            let number = Some(self.number(place));
            let Some((time, anew, _)) = self.shown.get(&place) else {
                faults.push((number, Some(*capsule), Code::FeedMissing));
                continue;
            };
            if !anew && before.is_some_and(|before| *time <= before) {
                faults.push((number, Some(*capsule), Code::Chronology));
            }
            before = Some(*time);
        }
        faults.sort_unstable();
        faults.dedup();
        faults
    }

    /// Number of the capsule at a position of the list.
    fn number(&self, place: usize) -> u64 {
        self.first
            .0
            .saturating_add(u64::try_from(place).unwrap_or(u64::MAX))
    }
}
