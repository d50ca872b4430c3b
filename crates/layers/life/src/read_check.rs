//! Check of stored data before it is handed out: hashes, signature, and place under the signed checkpoint.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use counterfoil_capsule::dangerous::{check_bodies, check_signature};
use counterfoil_capsule::{Code, StoredParts, Verdict};
use counterfoil_store::log::{Frontier, NodeReader};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::merkle::{leaf_hash, node_hash};
use counterfoil_verifier::note::VerifierKey;

/// Maximum number of subtrees, and of signatures, that are known to hold.
const MAX_KNOWN: usize = 1 << 16;

/// Check of what one store hands out, and the list of what it withheld.
///
/// Verified hashes and signatures are cached by their bytes, so another row is checked again.
#[derive(Debug, Default)]
pub struct ReadCheck {
    log_key: Option<String>,
    shows_withheld: bool,
    withheld: Mutex<WithheldList>,
    known: Mutex<Known>,
}

/// Log that a capsule is compared with.
pub(crate) struct LogView<'t> {
    pub(crate) nodes: &'t dyn NodeReader,
    pub(crate) size: u64,
    pub(crate) checkpoint: String,
    /// Verifier key that the store names.
    pub(crate) key: &'t dyn Fn() -> Result<String, StoreError>,
}

/// Ids of what did not match, each with the check that failed and the number of the read that met it last.
#[derive(Debug, Default)]
struct WithheldList {
    ids: BTreeMap<String, (Code, u64)>,
    reads: u64,
}

/// Data that was verified.
#[derive(Debug, Default)]
struct Known {
    /// Checkpoint of which the signature and the root hold.
    checkpoint: String,
    /// Complete subtrees of that log, by level and number.
    nodes: HashMap<(u32, u64), Sha256Hash>,
    /// Digests of an entry, its key and its signature.
    signatures: HashSet<[u8; 32]>,
}

impl ReadCheck {
    /// Check of a store whose log has this verifier key (C2SP vkey); by default the key that the store names.
    pub fn new(log_key: Option<String>) -> Self {
        Self {
            log_key,
            ..Self::default()
        }
    }

    /// Hands out what does not match all the same, once it is on the list.
    #[must_use]
    pub const fn showing_withheld(mut self) -> Self {
        self.shows_withheld = true;
        self
    }

    /// Returns the ids of what did not match, each with the check that failed.
    pub fn withheld(&self) -> Vec<(String, Code)> {
        self.withheld_since(0)
    }

    /// Returns the ids of what did not match since [`reads`](Self::reads) was `reads`, each with the check that failed.
    pub fn withheld_since(&self, reads: u64) -> Vec<(String, Code)> {
        let withheld = locked(&self.withheld);
        let since = withheld.ids.iter().filter(|(_, (_, read))| *read > reads);
        since.map(|(id, (code, _))| (id.clone(), *code)).collect()
    }

    /// Returns the number of reads so far that met something that does not match.
    pub fn reads(&self) -> u64 {
        locked(&self.withheld).reads
    }

    /// Puts `id` on the list, and returns its error.
    pub fn withhold(&self, id: impl Into<String>, code: Code) -> StoreError {
        let id = id.into();
        let mut withheld = locked(&self.withheld);
        withheld.reads += 1;
        let read = withheld.reads;
        withheld.ids.insert(id.clone(), (code, read));
        drop(withheld);
        StoreError::Withheld { id, code }
    }

    /// Returns the capsule if it matches, or if what does not match is shown. `read` is the one of `log`, or the reason for which
    /// there is none.
    pub(crate) fn admit(
        &self,
        log: LogView<'_>,
        id: impl FnOnce() -> String,
        read: Result<StoredCapsule, Code>,
    ) -> Result<StoredCapsule, StoreError> {
        let (stored, code) = match read {
            Err(code) => return Err(self.withhold(id(), code)),
            Ok(stored) => match self.fault(log, &stored)? {
                None => return Ok(stored),
                Some(code) => (stored, code),
            },
        };
        let error = self.withhold(id(), code);
        self.shows_withheld.then_some(stored).ok_or(error)
    }

    /// Returns the first check that fails; `None` if content, signature and place in the log hold.
    fn fault(&self, log: LogView<'_>, stored: &StoredCapsule) -> Result<Option<Code>, StoreError> {
        let (payload, delta) = (stored.payload.as_ref(), stored.delta.as_ref());
        let parts = StoredParts {
            payload: payload.map(|body| body.text.as_bytes()),
            salt: payload.map(|body| &body.salt),
            delta: delta.map(|body| body.text.as_bytes()),
            delta_salt: delta.map(|body| &body.salt),
            ..StoredParts::default()
        };
        let found = check_bodies(&stored.header, &parts);
        if let Some(Verdict::Invalid { code, .. }) = found.iter().find(|it| it.is_invalid()) {
            return Ok(Some(*code));
        }
        let entry = stored.entry.to_text();
        if let Some(code) = self.signature_fault(stored, &entry) {
            return Ok(Some(code));
        }
        let holds = self.is_in_log(log, stored.index, leaf_hash(entry.as_bytes()))?;
        Ok((!holds).then_some(Code::NotInLog))
    }

    fn signature_fault(&self, stored: &StoredCapsule, entry: &str) -> Option<Code> {
        let mut digest = blake3::Hasher::new();
        digest.update(stored.key.public_key());
        digest.update(&stored.signature);
        digest.update(entry.as_bytes());
        let digest = *digest.finalize().as_bytes();
        if locked(&self.known).signatures.contains(&digest) {
            return None;
        }
        match check_signature(Some(&stored.key), entry.as_bytes(), Some(&stored.signature)) {
            Some(Verdict::Invalid { code, .. }) => Some(code),
            Some(_) => Some(Code::Signature),
            None => {
                let mut known = locked(&self.known);
                known.make_room();
                known.signatures.insert(digest);
                None
            }
        }
    }

    /// Tests whether the checkpoint of the log holds `leaf` at `index`: climbs to a subtree that is known to hold.
    fn is_in_log(
        &self,
        log: LogView<'_>,
        index: u64,
        leaf: Sha256Hash,
    ) -> Result<bool, StoreError> {
        let (nodes, size) = (log.nodes, log.size);
        let mut known = locked(&self.known);
        known.make_room();
        if known.checkpoint != log.checkpoint && !self.begin(&mut known, log)? {
            return Ok(false);
        }
        let (mut level, mut number, mut hash) = (0, index, leaf);
        let mut seen = Vec::new();
        loop {
            match known.nodes.get(&(level, number)) {
                Some(node) if *node == hash => break,
                Some(_) => return Ok(false),
                None => {}
            }
            let parent = number >> 1;
            if index >= size || (parent + 1) << (level + 1) > size {
                return Ok(false);
            }
            let Some(beside) = damaged_is_none(nodes.node(level, number ^ 1))? else {
                return Ok(false);
            };
            seen.extend([((level, number), hash), ((level, number ^ 1), beside)]);
            hash = match number & 1 {
                0 => node_hash(&hash, &beside),
                _ => node_hash(&beside, &hash),
            };
            (level, number) = (level + 1, parent);
        }
        known.nodes.extend(seen);
        Ok(true)
    }

    /// Takes the subtrees that the log of `checkpoint` consists of, if its signature and its root hold.
    fn begin(&self, known: &mut Known, log: LogView<'_>) -> Result<bool, StoreError> {
        let key = match &self.log_key {
            Some(key) => key.clone(),
            None => (log.key)()?,
        };
        let key = key.parse::<VerifierKey>().ok();
        let signed = key.and_then(|key| signed_by(&key, &log.checkpoint));
        let Some(edge) = damaged_is_none(Frontier::load(log.nodes, log.size))? else {
            return Ok(false);
        };
        let is_root = |it: &Checkpoint| (it.size(), it.root()) == (log.size, edge.root());
        if !signed.as_ref().is_some_and(is_root) {
            return Ok(false);
        }
        known.nodes.extend(edge.nodes());
        known.checkpoint = log.checkpoint;
        Ok(true)
    }
}

/// Nodes of the log, those that were verified before without another read.
pub(crate) struct KnownNodes<'t>(
    pub(crate) &'t dyn NodeReader,
    pub(crate) Option<&'t ReadCheck>,
);

impl NodeReader for KnownNodes<'_> {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let known = self
            .1
            .and_then(|it| locked(&it.known).nodes.get(&(level, index)).copied());
        known.map_or_else(|| self.0.node(level, index), Ok)
    }
}

impl Known {
    fn make_room(&mut self) {
        if self.nodes.len() > MAX_KNOWN || self.signatures.len() > MAX_KNOWN {
            *self = Self::default();
        }
    }
}

/// The checkpoint of a note that has exactly the log's own signature, in its one spelling.
pub(crate) fn signed_by(key: &VerifierKey, note: &str) -> Option<Checkpoint> {
    let signed = checkpoint_signed_by(key, note)?;
    let signatures = note.strip_prefix(&signed.to_text())?.trim().lines();
    (signatures.count() == 1 && signed.origin() == key.name()).then_some(signed)
}

fn damaged_is_none<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        read => read.map(Some),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
