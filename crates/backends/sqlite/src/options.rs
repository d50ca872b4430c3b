//! Options of a store: access, keys, guard, clock and random numbers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use counterfoil_life::ground::Ground;
use counterfoil_life::sealing::ContentKeys;
use counterfoil_life::{KnownHead, ReadCheck};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{Clock, Entropy, StoreError};

use crate::schema;
use crate::sealed::Keys;

/// Default of [`Options::with_patience`].
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(5);

/// Path, access and environment of a store.
#[derive(Clone)]
pub struct Options {
    pub(crate) path: PathBuf,
    pub(crate) access: Access,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) floor: Option<u64>,
    pub(crate) patience: Duration,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) keys: Keys,
    pub(crate) check: Arc<ReadCheck>,
    pub(crate) outside: Option<PathBuf>,
    pub(crate) heads: Vec<KnownHead>,
    pub(crate) ground: Option<Arc<dyn Ground>>,
}

/// Operations that the store allows.
#[derive(Clone)]
pub(crate) enum Access {
    ReadOnly {
        guard: Option<PathBuf>,
    },
    ReadWrite {
        signer: Arc<NoteSigner>,
        guard: PathBuf,
    },
}

impl Options {
    /// To read and to append. `guard` is the file that keeps the last signed checkpoint: it
    /// belongs with the keys, apart from the database, so that a restored backup is noticed.
    pub fn writable(
        path: impl Into<PathBuf>,
        signer: NoteSigner,
        guard: impl Into<PathBuf>,
    ) -> Self {
        Self::new(
            path,
            Access::ReadWrite {
                signer: Arc::new(signer),
                guard: guard.into(),
            },
        )
    }

    /// Options for reading only: needs no key, and changes nothing.
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Access::ReadOnly { guard: None })
    }

    /// As [`read_only`](Self::read_only), where `guard` is the file of [`writable`](Self::writable), which is only read: where
    /// it names the head of the database, that head is on disk, and opening syncs nothing.
    pub fn read_only_guarded(path: impl Into<PathBuf>, guard: impl Into<PathBuf>) -> Self {
        let guard = Some(guard.into());
        Self::new(path, Access::ReadOnly { guard })
    }

    fn new(path: impl Into<PathBuf>, access: Access) -> Self {
        Self {
            path: path.into(),
            access,
            clock: Arc::new(System),
            entropy: Arc::new(System),
            floor: None,
            patience: DEFAULT_PATIENCE,
            max_bytes: None,
            keys: None,
            check: Arc::default(),
            outside: None,
            heads: Vec::new(),
            ground: None,
        }
    }

    /// Another clock than the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Lets the clock be up to `micros` microseconds ahead of the last entry; 365 days by default.
    #[must_use]
    pub fn with_max_leap_micros(self, micros: u64) -> Self {
        self.leaping(micros, 0)
    }

    /// Accepts the clock as it is, however far it is ahead of the last entry: a person has looked at it. Once it has gone on by
    /// as much as it may leap, the acceptance ends.
    #[must_use]
    pub fn accept_clock(self) -> Self {
        let micros = self.clock.max_leap_micros();
        let until_us = self.clock.now_micros().saturating_add(micros);
        self.leaping(micros, until_us)
    }

    fn leaping(mut self, micros: u64, accepted_until_us: u64) -> Self {
        let clock = Arc::clone(&self.clock);
        self.clock = Arc::new(Leaping {
            clock,
            micros,
            accepted_until_us,
        });
        self
    }

    /// Other randomness than the system's.
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Receipts carry a consistency proof from the log's size `floor`, as an authority asks for
    /// whose anchor names that floor.
    #[must_use]
    pub const fn with_floor(mut self, floor: u64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// Lets `check` decide which entries are handed out, and keep the list of those withheld.
    #[must_use]
    pub fn with_read_check(mut self, check: Arc<ReadCheck>) -> Self {
        self.check = check;
        self
    }

    /// Writes the last checkpoint into the file at `outside` as well, apart from the store. It is not synced, and a commit does
    /// not fail because it cannot be written.
    #[must_use]
    pub fn with_head_outside(mut self, outside: impl Into<PathBuf>) -> Self {
        self.outside = Some(outside.into());
        self
    }

    /// Refuses to open a store, also for reading, that does not continue the checkpoints that other places hold.
    #[must_use]
    pub fn with_heads(mut self, heads: Vec<KnownHead>) -> Self {
        self.heads = heads;
        self
    }

    /// Makes the store a node of a shared ground: each write is committed there first, and those of other nodes
    /// come into the store (docs/format/ground.md).
    #[must_use]
    pub fn with_ground(mut self, ground: Arc<dyn Ground>) -> Self {
        self.ground = Some(ground);
        self
    }

    /// Sets the time to wait for another process before [`Locked`](counterfoil_store::StoreError).
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The most bytes that the database file may take, rounded down to whole pages. Beyond it an
    /// append is refused with [`DiskFull`](counterfoil_store::StoreError).
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// Seals the content of a store that is made with these options under `keys`, which are needed again each time that it is
    /// opened (`docs/format/database.md`). Of any other store they are not used.
    #[must_use]
    pub fn sealed(mut self, keys: Arc<dyn ContentKeys>) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Puts keys that were made on disk: called before what they seal is committed.
    pub(crate) fn sync_keys(&self) -> Result<(), StoreError> {
        self.keys.as_ref().map_or(Ok(()), |keys| keys.sync())
    }

    /// Mark of a database that is made with these options.
    pub(crate) const fn kind(&self) -> i64 {
        match self.keys {
            Some(_) => schema::SEALED_ID,
            None => schema::APPLICATION_ID,
        }
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("path", &self.path)
            .field("writable", &matches!(self.access, Access::ReadWrite { .. }))
            .field("floor", &self.floor)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// A clock with another limit of its leaps.
struct Leaping {
    clock: Arc<dyn Clock>,
    micros: u64,
    /// Time until which every leap is accepted; 0 for none.
    accepted_until_us: u64,
}

impl Clock for Leaping {
    fn now_micros(&self) -> u64 {
        self.clock.now_micros()
    }

    fn max_leap_micros(&self) -> u64 {
        match self.now_micros() < self.accepted_until_us {
            true => u64::MAX,
            false => self.micros,
        }
    }
}

/// Clock and random numbers of the operating system: the only place of the backend that reads either.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Clock for System {
    /// Returns 0 when the system's clock is before 1970, which no store accepts as a time.
    fn now_micros(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|since| u64::try_from(since.as_micros()).ok())
            .unwrap_or(0)
    }
}

impl Entropy for System {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        getrandom::fill(bytes).map_err(|error| StoreError::NoRandomness {
            detail: error.to_string(),
        })
    }
}
