//! One transaction of receiving: judge, keep, and judge again the capsules that waited for it.

use std::collections::{HashMap, VecDeque};

use counterfoil_capsule::documents::Source;
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{
    CapsuleDocument, ChainId, IndeterminateReason, Kind, RecordKind, Signed, Timestamp,
};
use counterfoil_store::collect::HeldClass;
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Blake3Hash, DidKey};
use counterfoil_verifier::merkle;

use super::judge::JudgeContext;
use super::judgement::{Judgement, Missing};
use super::redactions::{self, Redactions};
use super::report::{LineReport, ReceiveReport};
use crate::entries::{Sides, capsule_here, chain_head, index_of};
use crate::held::{self, Room};
use crate::keys::{KeyChain, is_of_keys, key_chain};
use crate::port::rows::HeldRow;
use crate::port::{Select, Txn};
use crate::records::content_of;
use crate::{Unit, forks};

/// Maximum number of waiting capsules that are judged again in one transaction.
const MAX_CASCADE: usize = 4096;
/// Maximum bytes of their documents.
const MAX_CASCADE_BYTES: usize = 16 << 20;
/// Maximum number of contents that are cached for the capsules after them.
const MAX_CONTENTS: usize = 256;

/// Source of capsules, and the agent that detects contradictions.
#[derive(Debug, Clone)]
pub(crate) struct ReceiveContext {
    pub(super) detector: DidKey,
    pub(super) source: Source,
}

impl ReceiveContext {
    pub(crate) fn from(detector: DidKey, source: &str) -> Self {
        Self {
            detector,
            source: Source::way(source),
        }
    }

    /// From this store itself.
    pub(crate) fn local(detector: DidKey) -> Self {
        Self::from(detector, "store")
    }
}

/// The receiving of some capsules inside of one transaction.
pub(super) struct Receiver<'u, 't> {
    pub(super) unit: &'u mut Unit<'t>,
    pub(super) txn: &'t dyn Txn,
    pub(super) receiving: ReceiveContext,
    now: Timestamp,
    pub(super) now_us: u64,
    keys: HashMap<DidKey, Option<KeyChain>>,
    /// Read when a capsule without a body comes.
    redactions: Option<Redactions>,
    /// The content of the last accepted capsule of a chain.
    contents: HashMap<ChainId, (Blake3Hash, Value)>,
    pub(super) pending: Room,
    pub(super) quarantine: Room,
    queue: VecDeque<[u8; 32]>,
    cascaded: usize,
    cascaded_bytes: usize,
    batch: ReceiveReport,
}

impl<'u, 't> Receiver<'u, 't> {
    pub(super) fn new(
        unit: &'u mut Unit<'t>,
        receiving: ReceiveContext,
    ) -> Result<Self, StoreError> {
        let now_us = unit.now_micros();
        Ok(Self {
            now: Timestamp::from_micros(now_us).map_err(StoreError::ClockImplausible)?,
            now_us,
            keys: HashMap::new(),
            redactions: None,
            contents: HashMap::new(),
            pending: Room::of(HeldClass::Pending),
            quarantine: Room::of(HeldClass::Quarantine),
            queue: VecDeque::new(),
            cascaded: 0,
            cascaded_bytes: 0,
            batch: ReceiveReport::default(),
            txn: unit.txn(),
            unit,
            receiving,
        })
    }

    pub(super) fn finish(mut self) -> ReceiveReport {
        self.batch.more = !self.queue.is_empty();
        self.batch
    }

    /// Takes one line, and then the capsules that waited for it.
    pub(super) fn take(&mut self, number: u64, line: &[u8]) -> Result<(), StoreError> {
        let (outcome, hash) = match CapsuleDocument::judge(line) {
            Ok(document) => {
                let hash = document.header().hash();
                (self.offer(&document, None)?, Some(hash))
            }
            Err(verdict) => (self.unreadable(line, verdict)?, None),
        };
        self.batch.outcomes.push((number, outcome, hash));
        self.cascade()
    }

    /// Judges the waiting capsules that may be decidable by now.
    pub(super) fn settle(&mut self) -> Result<(), StoreError> {
        let from = merkle::leaf_hash(&self.now_us.to_be_bytes());
        let ripe = held::ripe(self.txn, from.as_bytes(), MAX_CASCADE)?;
        let mut ripe = ripe.into_iter();
        while self.cascaded < MAX_CASCADE && self.cascaded_bytes < MAX_CASCADE_BYTES {
            let Some(hash) = ripe.next() else { break };
            self.queue.push_back(hash);
            self.cascade()?;
        }
        self.queue.extend(ripe);
        if self.batch.settled.is_empty() && self.batch.refused.is_empty() {
            // Nothing came of it: the rest would not either.
            self.queue.clear();
        }
        Ok(())
    }

    fn cascade(&mut self) -> Result<(), StoreError> {
        while self.cascaded < MAX_CASCADE && self.cascaded_bytes < MAX_CASCADE_BYTES {
            let Some(hash) = self.queue.pop_front() else {
                return Ok(());
            };
            let Some(held) = held::waiting(self.txn, &hash)? else {
                continue;
            };
            self.cascaded += 1;
            self.cascaded_bytes += held.document.len();
            let outcome = match CapsuleDocument::judge(held.document.as_bytes()) {
                Ok(document) => self.offer(&document, Some(&held))?,
                Err(verdict) => self.unreadable(held.document.as_bytes(), verdict)?,
            };
            let hash = held.capsule.unwrap_or(Blake3Hash::from_bytes(held.hash));
            match outcome {
                LineReport::Refused { code, .. } => self.batch.refused.push((hash, code)),
                LineReport::Pending { .. } | LineReport::NoRoom { .. } => {}
                _ => self.batch.settled.push(hash),
            }
        }
        Ok(())
    }

    fn offer(
        &mut self,
        document: &CapsuleDocument,
        held: Option<&HeldRow>,
    ) -> Result<LineReport, StoreError> {
        let hash = document.header().hash();
        match self.judge(document)? {
            Judgement::Known => {
                held::release(self.txn, hash)?;
                Ok(LineReport::AlreadyThere)
            }
            Judgement::Accept => match self.accept(document)? {
                true => Ok(LineReport::Accepted),
                false => self.wait(document, Missing::Place, held),
            },
            Judgement::Pending(missing) => self.wait(document, missing, held),
            Judgement::Stray(accepted) => {
                self.stray(document, &accepted, held)?;
                self.wait(document, Missing::Branch, held)
            }
            Judgement::Refuse(refusal) => self.refuse(document, &refusal, held),
            Judgement::Fork(slot) => {
                let stored = capsule_here(self.txn, slot.index)?;
                let accepted = stored.as_ref().map(StoredCapsule::document);
                self.beside(document, Some((&slot, accepted.as_ref())))
            }
            Judgement::OfBranch => self.beside(document, None),
        }
    }

    fn judge(&mut self, document: &CapsuleDocument) -> Result<Judgement, StoreError> {
        let header = document.header();
        self.know_keys(header.agent())?;
        let decides = resolution(document);
        if let Some(resolution) = &decides {
            self.know_keys(resolution.agent)?;
        }
        self.know_content(header.chain(), header.previous())?;
        let whole = document.payload().is_some()
            && (header.previous().is_none() || document.delta().is_some());
        if !whole && self.redactions.is_none() {
            self.redactions = Some(Redactions::load(self.txn)?);
        }
        let owner = decides.and_then(|resolution| self.keys_of(&resolution.agent));
        let content = self.contents.get(&header.chain());
        JudgeContext {
            txn: self.txn,
            keys: self.keys_of(&header.agent()),
            owner_keys: owner.map(|keys| &keys.history),
            content_before: content
                .filter(|(hash, _)| Some(*hash) == header.previous())
                .map(|(_, content)| content),
            redactions: self.redactions.as_ref(),
            now: self.now,
        }
        .judge(document)
    }

    fn know_keys(&mut self, agent: DidKey) -> Result<(), StoreError> {
        if !self.keys.contains_key(&agent) {
            let keys = key_chain(Sides::both(self.txn), &agent)?;
            self.keys.insert(agent, keys);
        }
        Ok(())
    }

    fn keys_of(&self, agent: &DidKey) -> Option<&KeyChain> {
        self.keys.get(agent).and_then(Option::as_ref)
    }

    /// Caches the content of the end of the chain, if the capsule follows it.
    fn know_content(
        &mut self,
        chain: ChainId,
        previous: Option<Blake3Hash>,
    ) -> Result<(), StoreError> {
        let known = self.contents.get(&chain).map(|(hash, _)| *hash);
        if previous.is_none() || known == previous {
            return Ok(());
        }
        let head = chain_head(self.txn, &chain)?;
        let Some(head) = head.filter(|head| Some(head.capsule) == previous) else {
            return Ok(());
        };
        let payload = capsule_here(self.txn, head.index)?.and_then(|stored| stored.payload);
        if let Some(payload) = payload {
            self.cache_content(chain, head.capsule, &payload.text);
        }
        Ok(())
    }

    fn cache_content(&mut self, chain: ChainId, hash: Blake3Hash, content: &str) {
        if self.contents.len() >= MAX_CONTENTS {
            self.contents.clear();
        }
        if let Ok(value) = parse(content.as_bytes(), Limits::CONTENT) {
            self.contents.insert(chain, (hash, value));
        }
    }

    /// Appends it, and queues the capsules that waited for it. `false` when the log does not take it after all.
    fn accept(&mut self, document: &CapsuleDocument) -> Result<bool, StoreError> {
        let header = document.header();
        let (chain, seq, hash) = (header.chain(), header.seq(), header.hash());
        let decides = resolution(document);
        if !self.append(document, decides.as_ref())? {
            return Ok(false);
        }
        held::release(self.txn, hash)?;
        let queued = self.queue.len();
        self.wake(&chain, seq)?;
        // The content of a seed is of use if something waits to follow it.
        if let Some(payload) = document.payload()
            && (seq > 0 || self.queue.len() > queued)
        {
            self.cache_content(chain, hash, &payload.text);
        }
        if let Some(erased) = redactions::named(header, document.payload()) {
            if let Some(redactions) = &mut self.redactions {
                redactions.add(header.agent(), erased);
            }
            self.wake_with(rows().with("capsule", erased))?;
        }
        if let Kind::Record(kind) = header.kind() {
            self.wake_by_record(kind, header.agent(), decides.as_ref())?;
        }
        Ok(true)
    }

    /// One line that the log refuses does not take the others with it.
    fn append(
        &mut self,
        document: &CapsuleDocument,
        decides: Option<&Signed<ForkResolution>>,
    ) -> Result<bool, StoreError> {
        let header = document.header();
        let key = self.keys_of(&header.agent());
        let key = key.and_then(|keys| keys.history.key_at(header.key_number()));
        let capsule = StoredCapsule::received(document, key.unwrap_or_else(|| header.agent()))?;
        let source = self.receiving.source.key();
        self.txn.begin()?;
        let kept = decides.map_or(Ok(()), |it| forks::keep_whole(self.txn, &it.chain, it.seq));
        match kept.and_then(|()| self.unit.receive(&source, &mut [capsule])) {
            Ok(_) => self.txn.keep().map(|()| true),
            Err(error) if is_of_the_line(&error) => self.txn.undo().map(|()| false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn wake(&mut self, chain: &ChainId, seq: u64) -> Result<(), StoreError> {
        self.wake_with(rows().with("chain", *chain).with("seq", seq + 1))
    }

    fn wake_with(&mut self, rows: Select) -> Result<(), StoreError> {
        self.queue.extend(held::woken(self.txn, rows)?);
        Ok(())
    }

    fn wake_by_record(
        &mut self,
        kind: RecordKind,
        agent: DidKey,
        decides: Option<&Signed<ForkResolution>>,
    ) -> Result<(), StoreError> {
        if is_of_keys(kind) {
            self.keys.remove(&agent);
            let code = Missing::Of(IndeterminateReason::MissingKey).code();
            self.wake_with(rows().with("agent", agent).with("code", code))?;
        }
        if let Some(resolution) = decides {
            let chain = resolution.chain;
            continue_chain(self.unit, self.receiving.clone(), &chain)?;
            self.contents.remove(&chain);
            for code in [Missing::Key.code(), Missing::Resolution.code()] {
                self.wake_with(rows().with("chain", chain).with("code", code))?;
            }
        }
        Ok(())
    }
}

/// Appends the capsules of a kept branch behind the end of its chain. Returns their number.
pub(crate) fn continue_chain(
    unit: &mut Unit<'_>,
    receiving: ReceiveContext,
    chain: &ChainId,
) -> Result<u64, StoreError> {
    let txn = unit.txn();
    let mut continued = 0;
    for branch in forks::to_continue(txn, chain)? {
        let header = branch.header();
        let frozen = forks::frozen_at(txn, chain)?;
        // Where another capsule has its WorldId by now it stays beside the chain.
        let world = header.world();
        let named = world.map(|world| index_of(txn, world));
        let named = named.transpose()?.flatten();
        if frozen.is_some_and(|at| at <= header.seq()) || named.is_some() {
            break;
        }
        let keys = key_chain(Sides::both(txn), &header.agent())?;
        let key = keys.and_then(|keys| keys.history.key_at(header.key_number()));
        let capsule =
            StoredCapsule::received(&branch.document, key.unwrap_or_else(|| header.agent()))?;
        let source = match branch.source.as_str() {
            "" => receiving.source.key(),
            source => source.to_owned(),
        };
        unit.receive(&source, &mut [capsule])?;
        // The log holds its content now, and erasure finds it there.
        forks::keep_header(txn, &branch.document)?;
        continued += 1;
    }
    Ok(continued)
}

/// Rows of held documents.
fn rows() -> Select {
    Select::of::<HeldRow>()
}

/// Tests whether a line is in the way, and not the store.
const fn is_of_the_line(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::KeyChain { .. }
            | StoreError::WorldConflict { .. }
            | StoreError::HeadMoved { .. }
            | StoreError::ForeignChain { .. }
            | StoreError::ChainForked { .. }
            | StoreError::Archived { .. }
            | StoreError::Seal { .. }
    )
}

/// The owner's decision that a capsule holds, if it is one.
fn resolution(document: &CapsuleDocument) -> Option<Signed<ForkResolution>> {
    let kind = RecordKind::ForkResolution;
    let value = content_of(document.header(), document.payload(), kind)?;
    let resolution = ForkResolution::parse(&value).ok()?;
    resolution.recovery.is_some().then_some(resolution)
}
