//! Layer 1: appending capsules to the log and reading the log (proof.md 1, capsules 4.4 and C17).

use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::delta::Delta;
use counterfoil_capsule::{
    CapsuleDocument, CapsuleError, ChainId, Extensions, Header, Kind, LogEntry, RecordKind,
    SaltedBody, SealedCapsule, Signer, Timestamp, World, record_content,
};
use counterfoil_claims::Approved;
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, Scope, Sha256Hash, UnixMillis, WorldId};
use counterfoil_verifier::map::{Lookup, StandingLookups};

use crate::version::VersionRow;
use crate::{StoreError, reversible};

/// Most drafts of one append. They are written together or not at all.
pub const MAX_DRAFTS: usize = 4096;

/// Something that is to be sealed and appended.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Content to be sealed.
    pub subject: Subject,
    /// Chain that it extends, and the hash of the last capsule there, which it follows; `None` begins a chain.
    pub expected: Option<(ChainId, Blake3Hash)>,
    /// Change of the whole content of the capsule that it follows, as it is sealed; `None` lets the store compare the two.
    pub delta: Option<Delta>,
    /// Members of its header beyond its place.
    pub extensions: Extensions,
}

/// Content of a draft.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Subject {
    /// A World. Its `metadata` is what a store says about it, so that of a draft is left out.
    World(World),
    /// Claim unit that the gate let in.
    Claim(ApprovedClaim),
    /// A record: a JSON document of its kind.
    Record {
        /// Kind of the record.
        kind: RecordKind,
        /// Content of the record.
        document: Value,
    },
}

/// A World that came through the gate. [`Draft::claim`] makes it from what the gate approved.
#[derive(Debug, Clone)]
pub struct ApprovedClaim {
    world: World,
}

impl ApprovedClaim {
    /// The World.
    pub const fn world(&self) -> &World {
        &self.world
    }
}

impl Draft {
    /// A World in a chain of its own.
    pub fn new(world: World) -> Self {
        Self::of(Subject::World(world))
    }

    /// Makes a draft of an approved unit in a chain of its own: the only way to a claim unit.
    ///
    /// # Errors
    /// [`StoreError::Seal`] when the World would be larger than one may be.
    pub fn claim(
        approved: &Approved,
        world_id: WorldId,
        created_at: UnixMillis,
    ) -> Result<Self, StoreError> {
        let subject = world_id.to_string();
        let world =
            counterfoil_capsule::remember(world_id, created_at, approved.document().clone())
                .map_err(|source| StoreError::Seal { subject, source })?;
        Ok(Self::of(Subject::Claim(ApprovedClaim { world })))
    }

    /// A record in a chain of its own.
    pub fn record(kind: RecordKind, document: Value) -> Self {
        Self::of(Subject::Record { kind, document })
    }

    fn of(subject: Subject) -> Self {
        Self {
            subject,
            expected: None,
            delta: None,
            extensions: Extensions::default(),
        }
    }

    /// As the capsule after `head` in `chain`.
    #[must_use]
    pub fn following(mut self, chain: ChainId, head: Blake3Hash) -> Self {
        self.expected = Some((chain, head));
        self
    }

    /// As made by this delta, which leads from the content of the capsule that it follows to its own.
    #[must_use]
    pub fn by(mut self, delta: Delta) -> Self {
        self.delta = Some(delta);
        self
    }

    /// With what its header says beyond its place.
    #[must_use]
    pub fn with(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Content to be sealed, `metadata` left out.
    pub(crate) const fn value(&self) -> &Value {
        match &self.subject {
            Subject::World(world) => world.content_value(),
            Subject::Claim(claim) => claim.world().content_value(),
            Subject::Record { document, .. } => document,
        }
    }

    /// Canonical JSON of the content to be sealed.
    pub(crate) fn content(&self) -> Result<String, StoreError> {
        let content = match &self.subject {
            Subject::Record { document, .. } => record_content(document),
            Subject::World(world) | Subject::Claim(ApprovedClaim { world }) => {
                world.content().map_err(CapsuleError::from)
            }
        };
        content.map_err(|source| self.refused(source))
    }

    /// Kind of the capsule, and its World.
    pub(crate) const fn kind(&self) -> (Kind<'_>, Option<&WorldId>) {
        match &self.subject {
            Subject::World(world) => (Kind::World, Some(world.world_id())),
            Subject::Claim(claim) => (Kind::Claim, Some(claim.world().world_id())),
            Subject::Record { kind, .. } => (Kind::Record(*kind), None),
        }
    }

    /// The error for a draft that cannot be sealed.
    pub(crate) fn refused(&self, source: CapsuleError) -> StoreError {
        let subject = match &self.subject {
            Subject::World(world) => world.world_id().to_string(),
            Subject::Claim(claim) => claim.world().world_id().to_string(),
            Subject::Record { kind, .. } => format!("{kind} record"),
        };
        StoreError::Seal { subject, source }
    }

    /// Subject, predicate and scope of a claim unit.
    pub(crate) fn line(&self) -> Option<(&str, &str, Scope)> {
        let Subject::Claim(claim) = &self.subject else {
            return None;
        };
        let data = claim.world.data()?;
        let text = |member| data.get(member).and_then(Value::as_str);
        Some((text("subject")?, text("predicate")?, Scope::of(Some(data))))
    }

    /// The World, if it is of one.
    pub const fn world(&self) -> Option<&World> {
        match &self.subject {
            Subject::World(world) => Some(world),
            Subject::Claim(claim) => Some(&claim.world),
            Subject::Record { .. } => None,
        }
    }
}

/// Place of a draft in the log; the entry is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendReport {
    /// The World; `None` for a record.
    pub world_id: Option<WorldId>,
    /// The index of its entry in the log.
    pub index: u64,
    /// The size of the log at the checkpoint that was signed with it.
    pub tree_size: u64,
    /// The hash of its capsule: the expected head of the next one in its chain.
    pub capsule: Blake3Hash,
    /// Chain of the capsule.
    pub chain: ChainId,
    /// Transaction time.
    pub recorded_at: Timestamp,
    /// True if the entry is new; false if the same content was there under the same WorldId, and nothing was written.
    pub is_new: bool,
}

impl AppendReport {
    /// The place of a capsule, its tree size still 0.
    pub(crate) fn of(stored: &StoredCapsule, is_new: bool) -> Self {
        Self {
            world_id: stored.entry.world().cloned(),
            index: stored.index,
            tree_size: 0,
            capsule: stored.header.hash(),
            chain: stored.header.chain(),
            recorded_at: stored.header.recorded(),
            is_new,
        }
    }
}

/// The last capsule of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The agent who writes the chain.
    pub agent: DidKey,
    /// The number of the last capsule; the first has 0.
    pub seq: u64,
    /// The hash of the last capsule.
    pub capsule: Blake3Hash,
    /// The log index of the last capsule.
    pub index: u64,
}

impl Head {
    /// The chain that ends with a capsule.
    pub fn of(last: &StoredCapsule) -> Self {
        Self {
            agent: last.header.agent(),
            seq: last.header.seq(),
            capsule: last.header.hash(),
            index: last.index,
        }
    }
}

/// A capsule as it is kept.
#[derive(Debug, Clone)]
pub struct StoredCapsule {
    /// Its index in the log; of no meaning before it is appended.
    pub index: u64,
    /// The header: what the agent said beside the content.
    pub header: Header,
    /// The entry: the log leaf, and what the agent signed.
    pub entry: LogEntry,
    /// The key that signed: the agent's, or the one that it had rotated to.
    pub key: DidKey,
    /// The Ed25519 signature of that key over the entry.
    pub signature: [u8; 64],
    /// The content; `None` once it is erased.
    pub payload: Option<SaltedBody>,
    /// Delta against the capsule before it; `None` for the first of a chain, or once it is
    /// erased.
    pub delta: Option<SaltedBody>,
}

impl StoredCapsule {
    /// Returns a freshly sealed capsule as stored at `index`.
    pub fn new(index: u64, sealed: SealedCapsule, delta: Option<SaltedBody>) -> Self {
        Self {
            index,
            header: sealed.header,
            entry: sealed.entry,
            key: sealed.key,
            signature: sealed.signature,
            payload: Some(SaltedBody {
                text: sealed.payload,
                salt: sealed.salt,
            }),
            delta,
        }
    }

    /// Returns the capsule of a document that `key` has signed, to be appended ([`CapsuleLog::receive`]).
    ///
    /// # Errors
    /// [`StoreError::Bug`] for a document that no check can have found valid.
    pub fn received(document: &CapsuleDocument, key: DidKey) -> Result<Self, StoreError> {
        let (Ok(entry), Some(signature)) = (document.entry(), document.signature()) else {
            return Err(StoreError::Bug(
                "a judged capsule without entry or signature",
            ));
        };
        Ok(Self {
            index: 0,
            header: document.header().clone(),
            entry,
            key,
            signature: *signature,
            payload: document.payload().cloned(),
            delta: document.delta().cloned(),
        })
    }

    /// Returns the exported form.
    pub fn document(&self) -> CapsuleDocument {
        CapsuleDocument::new(
            self.header.clone(),
            self.signature,
            (self.entry.field_root, self.entry.field_count),
            self.payload.clone(),
            self.delta.clone(),
        )
    }
}

/// How memories stand, all under the map that one checkpoint binds (`docs/format/standing.md`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standings {
    /// The newest checkpoint, a signed note.
    pub checkpoint: String,
    /// Its size.
    pub size: u64,
    /// In the order in which they were asked for; `None` for a memory that is not in the log.
    pub of: Vec<Option<StandingLookups>>,
}

/// Records of trust of an agent, all under the map that one checkpoint binds (`docs/format/trust.md`, "In the log").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntries {
    /// The newest checkpoint, a signed note.
    pub checkpoint: String,
    /// Their log indices, ascending.
    pub indices: Vec<u64>,
    /// Lookup of [`LineStanding::trust_key`](counterfoil_verifier::map::LineStanding::trust_key).
    pub lookup: Lookup,
}

/// Appends to the log and reads it.
#[async_trait]
pub trait CapsuleLog: Send + Sync {
    /// Seals the drafts in the name of `signer` and appends them, all or none. The answer comes
    /// when they are on disk, in the order of the drafts.
    ///
    /// The WorldId is the idempotency key: to repeat an append adds nothing and gives the places
    /// of the first time, whatever the expected head.
    ///
    /// # Errors
    /// [`StoreError::WorldConflict`], [`StoreError::HeadMoved`] and other errors of the caller
    /// leave the log as it was, and so do errors of the store, but
    /// [`StoreError::OutcomeUnknown`] and [`StoreError::NotAcknowledged`], after which the same
    /// append is repeated.
    async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>, StoreError>;

    /// Appends one draft.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    async fn append_one(
        &self,
        signer: Arc<dyn Signer>,
        draft: Draft,
    ) -> Result<AppendReport, StoreError> {
        let mut places = self.append(signer, vec![draft]).await?;
        places
            .pop()
            .ok_or(StoreError::Bug("an append of one draft without a place"))
    }

    /// Appends capsules that were sealed elsewhere, all or none: header and signature stay as they
    /// are, and each follows its predecessor, which is here or earlier in the list. One that is
    /// here already adds nothing. `source` names their origin; their `index` is not read.
    ///
    /// The caller has judged them valid ([`check_capsule`](counterfoil_capsule::check_capsule)): a store does not
    /// repeat that.
    ///
    /// # Errors
    /// [`StoreError::HeadMoved`] when one does not follow the head of its chain,
    /// [`StoreError::WorldConflict`] when its WorldId names another capsule,
    /// [`StoreError::ChainForked`], [`StoreError::KeyChain`], and those of the store as with
    /// [`append`](Self::append).
    async fn receive(
        &self,
        source: &str,
        capsules: Vec<StoredCapsule>,
    ) -> Result<Vec<AppendReport>, StoreError>;

    /// The capsules of a chain, in its order; empty when there is no such chain.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError>;

    /// Returns the chain of a World and its number there; `None` when there is no such World.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn chain_of(&self, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
        let stored = match self.index_of(world_id).await? {
            Some(index) => self.capsule(index).await?,
            None => None,
        };
        Ok(stored.map(|stored| (stored.header.chain(), stored.header.seq())))
    }

    /// The capsule of that number in a chain; `None` when there is none.
    ///
    /// # Errors
    /// [`StoreError::Archived`], and when the store cannot tell.
    async fn version(
        &self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let versions = self.chain(chain).await?;
        match versions.iter().find(|version| version.seq == seq) {
            Some(version) => self.capsule(version.index).await,
            None => Ok(None),
        }
    }

    /// Returns the deltas of those versions of a chain, the newest first; `None` where one is not there, erased, archived or
    /// cannot be undone. A backend that keeps deltas reads no content for it.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn deltas(
        &self,
        chain: &ChainId,
        versions: RangeInclusive<u64>,
    ) -> Result<Option<Vec<Delta>>, StoreError> {
        let mut deltas = Vec::new();
        for seq in versions.rev() {
            let version = match self.version(chain, seq).await {
                Err(StoreError::Archived { .. }) => None,
                read => read?,
            };
            let delta = version.and_then(|it| reversible(&it.header, &it.delta?.text));
            let Some(delta) = delta else { return Ok(None) };
            deltas.push(delta);
        }
        Ok(Some(deltas))
    }

    /// The last capsule of a chain; `None` when there is no such chain.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError>;

    /// The current checkpoint as a signed note; `None` while the log is empty.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn checkpoint(&self) -> Result<Option<String>, StoreError>;

    /// Returns the number of entries of the log.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn size(&self) -> Result<u64, StoreError>;

    /// The capsule at `index`; `None` beyond the end of the log.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>, StoreError>;

    /// Time at which the entry at `index` was recorded, by the last correction of the clock where it is dated later; `None`
    /// beyond the end of the log.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn recorded_at(&self, index: u64) -> Result<Option<Timestamp>, StoreError> {
        let stored = self.capsule(index).await?;
        Ok(stored.map(|stored| stored.header.recorded()))
    }

    /// The log index of a World; `None` when there is no such World.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>, StoreError>;

    /// The inclusion proof of `index` in the log at `size`, lowest first.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] unless `index < size` and the log is that large.
    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError>;

    /// The proof that the log at `to` begins with the log at `from`, lowest first.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] unless `from <= to` and the log is that large.
    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError>;

    /// How these memories stand under the map of the newest checkpoint; `None` while that binds no map. For
    /// [`inclusion`](Self::inclusion) at the same size the proof of a memory stands under the same checkpoint.
    ///
    /// # Errors
    /// [`StoreError::Archived`] for a memory that has to be restored first; [`StoreError::IndexDamaged`] when the map that is kept
    /// is not the one that the checkpoint binds; when the store cannot be read.
    async fn standings(&self, worlds: &[WorldId]) -> Result<Option<Standings>, StoreError> {
        let _ = worlds;
        Ok(None)
    }

    /// The records of trust of an agent, if the map of the newest checkpoint counts exactly those by which trust is read here,
    /// each from the time in its header on; `None` otherwise, and where there is none.
    ///
    /// # Errors
    /// As [`standings`](Self::standings).
    async fn trust_entries(&self, agent: DidKey) -> Result<Option<TrustEntries>, StoreError> {
        let _ = agent;
        Ok(None)
    }

    /// The World that was appended last; `None` while the log holds none.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn latest_world(&self) -> Result<Option<WorldId>, StoreError> {
        for index in (0..self.size().await?).rev() {
            let stored = self.capsule(index).await?;
            let world = stored.and_then(|stored| stored.entry.world().cloned());
            if world.is_some() {
                return Ok(world);
            }
        }
        Ok(None)
    }
}
