//! Keys of the content in a shared ground: held there wrapped, under a key that is not there (docs/format/ground.md).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use counterfoil_store::log::NoteSigner;
use counterfoil_store::{Entropy, StoreError};
use zeroize::Zeroizing;

use crate::ground::GroundTxn;
use crate::sealing::{ContentKey, ContentKeys, NONCE, unwrap, wrap};

/// Context of the key that wraps the others, which is derived from the log's secret key.
const CONTEXT: &str = "counterfoil 2026 keys of content in a shared ground";

/// Keys of content of one log, as far as one commit needs them.
pub struct GroundKeys<'e> {
    log: String,
    wrapping: Zeroizing<[u8; 32]>,
    entropy: &'e dyn Entropy,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// `None` where the key was destroyed.
    known: HashMap<String, Option<Zeroizing<[u8; 32]>>>,
    /// Wrapped keys that were made and are not in the ground yet.
    made: Vec<(String, Vec<u8>)>,
    /// Slots that were asked for while nothing was known, where they are only listed.
    listed: Option<Vec<String>>,
}

impl<'e> GroundKeys<'e> {
    /// Keys of the log of `signer`.
    pub fn new(signer: &NoteSigner, entropy: &'e dyn Entropy) -> Self {
        Self {
            log: signer.verifier_key().to_string(),
            wrapping: signer.derived_key(CONTEXT),
            entropy,
            slots: Mutex::default(),
        }
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists the slots that `job` asks for, loads their keys with one question, and lets the job run with them.
    pub(super) fn prepared<T>(
        &self,
        ground: &mut dyn GroundTxn,
        job: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.slots().listed = Some(Vec::new());
        let listing = job();
        let mut listed = self.slots().listed.take().unwrap_or_default();
        listing?;
        listed.sort_unstable();
        listed.dedup();
        if !listed.is_empty() {
            let found = ground.keys(&listed)?;
            let mut slots = self.slots();
            for (slot, wrapped) in found {
                let key = wrapped.map(|it| unwrap(&self.wrapping, (&self.log, &slot), &it));
                slots.known.insert(slot, key.transpose()?);
            }
        }
        job()
    }

    /// Takes the wrapped keys that were made, and forgets all others.
    pub(super) fn take_made(&self) -> Vec<(String, Vec<u8>)> {
        let mut slots = self.slots();
        slots.known.clear();
        std::mem::take(&mut slots.made)
    }

    /// Forgets the keys that are known.
    pub(super) fn forget(&self) {
        self.slots().known.clear();
    }
}

impl Slots {
    /// Returns the key of a slot. While slots are listed it counts as destroyed.
    fn find(&mut self, slot: &str) -> Option<ContentKey> {
        if let Some(key) = self.known.get(slot) {
            return Some(
                key.clone()
                    .map_or(ContentKey::Destroyed, ContentKey::Present),
            );
        }
        let listed = self.listed.as_mut()?;
        listed.push(slot.to_owned());
        Some(ContentKey::Destroyed)
    }
}

impl Entropy for GroundKeys<'_> {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        self.entropy.fill(bytes)
    }
}

impl ContentKeys for GroundKeys<'_> {
    fn log(&self) -> &str {
        &self.log
    }

    fn key(&self, slot: &str) -> Result<Option<ContentKey>, StoreError> {
        Ok(self.slots().find(slot))
    }

    fn make(&self, slot: &str) -> Result<ContentKey, StoreError> {
        let mut slots = self.slots();
        if let Some(key) = slots.find(slot) {
            return Ok(key);
        }
        let (mut key, mut nonce) = (Zeroizing::new([0; 32]), [0; NONCE]);
        self.entropy.fill(&mut *key)?;
        self.entropy.fill(&mut nonce)?;
        let wrapped = wrap(&self.wrapping, (&self.log, slot), nonce, &key)?;
        slots.made.push((slot.to_owned(), wrapped));
        slots.known.insert(slot.to_owned(), Some(key.clone()));
        Ok(ContentKey::Present(key))
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn destroy(&self, _slots: &[String]) -> Result<u64, StoreError> {
        Err(StoreError::Bug(
            "keys in a ground are destroyed by a commit",
        ))
    }
}
