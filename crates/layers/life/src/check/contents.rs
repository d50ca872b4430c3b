//! The contents of evolving Worlds: each version is made from the one before by its delta (CAP-3, C3).
//!
//! The calling thread reads what versions need of earlier entries, several threads judge chain by chain.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::thread;

use counterfoil_capsule::dangerous::{check_bodies, check_content, check_transition};
use counterfoil_capsule::delta::{self, Delta};
use counterfoil_capsule::{ChainId, Check, Code, Header, Surroundings, Verdict};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::{self, Limits, Value};

use super::examine::{Entry, ExaminedCapsule, parts};
use super::known::instead;
use super::links::{ARCHIVED, Before, Links, MISSING, Place, invalid};
use crate::entries;
use crate::port::Txn;

/// No content is more deltas away from a whole one; a few more, for chains of other stores.
const MAX_STEPS: usize = 128;
/// Least number of versions in a chunk whose contents are made on several threads.
const MIN_SHARED: usize = 48;
/// Maximum bytes of contents that are cached for the versions after them.
const MAX_KEPT_BYTES: usize = 64 << 20;
/// About so many bytes of earlier contents are read before the versions that need them are judged.
const MAX_READ_BYTES: usize = 64 << 20;

const WRONG_DELTA: Verdict = invalid(Check::Body, Code::DeltaHash);
const WRONG_CONTENT: Verdict = invalid(Check::Body, Code::State);

/// The last content of each chain that goes on.
pub(super) struct Contents {
    threads: usize,
    last: HashMap<ChainId, Last>,
    bytes: usize,
}

impl Contents {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            last: HashMap::new(),
            bytes: 0,
        }
    }

    /// Judges the bodies of all later versions among `entries`.
    pub(super) fn judge(
        &mut self,
        txn: &dyn Txn,
        links: &Links,
        entries: &mut [Entry],
    ) -> Result<(), StoreError> {
        let mut chains: HashMap<ChainId, Versions<'_>> = HashMap::new();
        let mut count = 0;
        for entry in entries {
            let (index, before) = (entry.judged.index, entry.before);
            let seen = entry.seen.as_deref_mut();
            let Some(seen) = seen.filter(|seen| seen.is_later()) else {
                continue;
            };
            count += 1;
            let chain = seen.header.chain();
            let versions = chains.entry(chain).or_insert_with(|| Versions {
                last: self.take(&chain),
                ..Versions::default()
            });
            versions
                .waiting
                .push_back(Version::new(seen, index, before));
        }
        let threads = if count < MIN_SHARED { 1 } else { self.threads };
        while !chains.is_empty() {
            let mut room = MAX_READ_BYTES;
            for (chain, versions) in &mut chains {
                versions.read(txn, links, chain, &mut room)?;
            }
            judge_all(&mut chains, threads);
            for (chain, done) in chains.extract_if(|_, versions| versions.waiting.is_empty()) {
                self.keep(chain, done.last);
            }
        }
        Ok(())
    }

    fn take(&mut self, chain: &ChainId) -> Last {
        let last = self.last.remove(chain).unwrap_or_default();
        self.bytes = self.bytes.saturating_sub(last.bytes);
        last
    }

    fn keep(&mut self, chain: ChainId, last: Last) {
        if self.bytes > MAX_KEPT_BYTES {
            self.last.clear();
            self.bytes = 0;
        }
        self.bytes += last.bytes;
        self.last.insert(chain, last);
    }
}

fn judge_all(chains: &mut HashMap<ChainId, Versions<'_>>, threads: usize) {
    let others = threads.min(chains.len()).saturating_sub(1);
    let waiting = Mutex::new(chains.values_mut());
    let next = || {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    let part = || {
        while let Some(versions) = next() {
            versions.judge();
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            // Without a thread the others do its part.
            drop(thread::Builder::new().spawn_scoped(scope, part));
        }
        part();
    });
}

/// The content of a chain's last version.
#[derive(Default)]
struct Last {
    index: u64,
    content: Option<Value>,
    bytes: usize,
}

/// Versions of one chain that are to be judged, in their order.
#[derive(Default)]
struct Versions<'c> {
    waiting: VecDeque<Version<'c>>,
    last: Last,
    /// The content before the next version, where `last` is not it.
    prior: Option<Source>,
}

impl Versions<'_> {
    /// Tests whether the next version follows a content that is not at hand.
    fn lacks_prior(&self, next: &Version<'_>) -> bool {
        next.is_linked() && !self.has_prior(next) && self.prior.is_none()
    }

    /// Tests whether the content before the next version just went by.
    fn has_prior(&self, next: &Version<'_>) -> bool {
        self.last.content.is_some() && next.before.index == Some(self.last.index)
    }

    /// Reads contents of earlier entries for the versions, while there is `room` for bytes.
    fn read(
        &mut self,
        txn: &dyn Txn,
        links: &Links,
        chain: &ChainId,
        room: &mut usize,
    ) -> Result<(), StoreError> {
        if let Some(next) = self.waiting.front()
            && self.lacks_prior(next)
            && *room > 0
        {
            let prior = Source::read(txn, links.back_from(chain, next.index))?;
            *room = room.saturating_sub(prior.bytes());
            self.prior = Some(prior);
        }
        for version in &mut self.waiting {
            if version.lacks_target() && *room > 0 {
                let target = Target::read(txn, links, version)?;
                *room = room.saturating_sub(target.source.bytes());
                version.target = Some(target);
            }
        }
        Ok(())
    }

    /// Judges versions up to the first that needs more of earlier entries than was read.
    fn judge(&mut self) {
        while let Some(next) = self.waiting.pop_front() {
            if next.lacks_target() || self.lacks_prior(&next) {
                self.waiting.push_front(next);
                return;
            }
            let read = self.prior.take();
            let prior = match self.has_prior(&next) {
                true => self.last.content.take(),
                false => read.and_then(|read| read.content()),
            };
            self.last = next.judge(prior);
        }
    }
}

/// A version that is to be judged.
struct Version<'c> {
    seen: &'c mut ExaminedCapsule,
    index: u64,
    before: Before,
    /// Hash of the version that it says it restores.
    restores: Option<Blake3Hash>,
    target: Option<Target>,
}

impl<'c> Version<'c> {
    fn new(seen: &'c mut ExaminedCapsule, index: u64, before: Before) -> Self {
        let extended = Some(&seen.header).filter(|header| !header.ext().is_empty());
        Self {
            restores: extended.and_then(|header| header.extensions().rollback_to),
            seen,
            index,
            before,
            target: None,
        }
    }

    /// Tests whether it names the capsule before it in its chain.
    fn is_linked(&self) -> bool {
        let before = self.before.tip.map(|tip| tip.hash);
        before.is_some() && before == self.seen.header.previous()
    }

    const fn lacks_target(&self) -> bool {
        self.restores.is_some() && self.target.is_none()
    }

    /// Checks the bodies, and returns the content for the next version.
    fn judge(self, prior: Option<Value>) -> Last {
        let (linked, seen) = (self.is_linked(), self.seen);
        let prior = prior.filter(|_| linked);
        let rebuilt = seen.body.payload.is_none() && seen.body.salt.is_some();
        let content = match (rebuilt, seen.body.payload.as_deref()) {
            (true, _) => applied(seen, prior.as_ref()),
            (_, payload) => payload.and_then(|it| json::parse(it, Limits::CONTENT).ok()),
        };
        seen.lost.payload = seen.body.payload.is_none() || seen.body.salt.is_none();
        let target = self.target.as_ref();
        let restored = target.and_then(|target| target.source.content());
        let around = Surroundings {
            tip: self.before.tip,
            before: prior.as_ref(),
            restored: target
                .and_then(|target| target.header.as_ref())
                .map(|header| (header, restored.as_ref())),
            ..Surroundings::default()
        };
        let mut found = findings(seen, rebuilt, content.as_ref(), &around);
        if rebuilt && (seen.lost.delta || found.contains(&WRONG_DELTA)) {
            // The content is not to be had without the delta: the delta alone is reported.
            seen.lost.payload = false;
            found.retain(|verdict| *verdict != WRONG_CONTENT);
        }
        seen.found.extend(found);
        if let Some(target) = target {
            target.explain(&mut seen.found);
            if target.header.is_some() && restored.is_none() {
                seen.lost.explain_target(&mut seen.found);
            }
        }
        Last {
            index: self.index,
            bytes: seen.body.payload.as_ref().map_or(0, Vec::len),
            content,
        }
    }
}

fn findings(
    seen: &ExaminedCapsule,
    rebuilt: bool,
    content: Option<&Value>,
    around: &Surroundings<'_>,
) -> Vec<Verdict> {
    let (header, parts) = (&seen.header, parts(&seen.body));
    if seen.signed {
        return check_content(header, &seen.entry, &parts, around);
    }
    let mut found = check_bodies(header, &parts);
    // A content that was just made by the delta needs no second application: its hash decides.
    let made = rebuilt && content.is_some();
    let delta = parts.delta.filter(|_| !made);
    found.extend(check_transition(header, delta, content, around));
    found
}

/// Makes the content that is not kept whole; the hash in the header says whether it is the right one.
fn applied(seen: &mut ExaminedCapsule, prior: Option<&Value>) -> Option<Value> {
    let delta = Delta::parse(seen.body.delta.as_deref()?).ok()?;
    let content = delta.apply(prior?).ok()?;
    seen.body.payload = Some(json::canonical(&content).ok()?.into_bytes());
    Some(content)
}

/// A version that another one restores.
struct Target {
    /// False if the chain has none of this hash.
    known: bool,
    header: Option<Header>,
    source: Source,
}

impl Target {
    fn read(txn: &dyn Txn, links: &Links, version: &Version<'_>) -> Result<Self, StoreError> {
        let chain = version.seen.header.chain();
        let mut way = links.back_from(&chain, version.index);
        let found = way.find(|place| Some(place.hash) == version.restores);
        Ok(match found {
            None => Self {
                known: false,
                header: None,
                source: Source::default(),
            },
            Some(place) => Self {
                known: true,
                header: entries::header(txn, place.index)?,
                source: Source::read(txn, std::iter::once(place).chain(way))?,
            },
        })
    }

    /// Explains a missing version. The whole chain is here, so anything else is no version of it; an entry without
    /// header is in an archive.
    fn explain(&self, found: &mut [Verdict]) {
        let with = match (self.known, &self.header) {
            (false, _) => invalid(Check::State, Code::Rollback),
            (true, None) => ARCHIVED,
            _ => return,
        };
        instead(found, MISSING, with);
    }
}

/// The stored texts that a content follows from.
#[derive(Default)]
struct Source {
    /// The last content that is kept whole; `None` when it is erased, archived or damaged.
    whole: Option<Vec<u8>>,
    /// Changes since then, the newest first.
    deltas: Vec<Vec<u8>>,
}

impl Source {
    /// Reads the texts of the first of these versions, from the latest back.
    fn read<'p>(txn: &dyn Txn, way: impl Iterator<Item = &'p Place>) -> Result<Self, StoreError> {
        let mut source = Self::default();
        for place in way.take(MAX_STEPS) {
            let body = match txn.body(place.index) {
                Err(StoreError::Corrupt { .. }) => None,
                read => read?,
            };
            let body = body.unwrap_or_default();
            source.whole = body.payload;
            match body.delta {
                Some(delta) if source.whole.is_none() && body.salt.is_some() => {
                    source.deltas.push(delta);
                }
                _ => break,
            }
        }
        Ok(source)
    }

    fn bytes(&self) -> usize {
        let texts = self.deltas.iter().chain(&self.whole);
        texts.map(Vec::len).sum()
    }

    fn content(&self) -> Option<Value> {
        let whole = json::parse(self.whole.as_deref()?, Limits::CONTENT).ok()?;
        let deltas = self.deltas.iter().rev().map(|text| Delta::parse(text).ok());
        let deltas: Vec<Delta> = deltas.collect::<Option<_>>()?;
        delta::apply_all(&whole, &deltas).ok()
    }
}
