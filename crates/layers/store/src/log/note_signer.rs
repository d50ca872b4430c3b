//! Signs checkpoints (C2SP tlog-checkpoint) as signed notes (C2SP signed-note), Ed25519 only.

use counterfoil_capsule::SecretKey;
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::note::{Algorithm, VerifierKey, signature_line, signed_note};
use zeroize::Zeroizing;

use crate::StoreError;

/// The log's name and secret key. The name is the origin of its checkpoints.
///
/// Trusted for: the one history of the log. A holder of the key can sign another one, so
/// it is kept apart from the database.
pub struct NoteSigner {
    key: VerifierKey,
    secret: SecretKey,
}

impl NoteSigner {
    /// A signer under `name`.
    ///
    /// # Errors
    /// [`StoreError::LogName`] when the name cannot stand in a signature line.
    pub fn new(name: &str, secret: SecretKey) -> Result<Self, StoreError> {
        let key =
            VerifierKey::new(name, Algorithm::Ed25519, &secret.public_key()).map_err(|_| {
                StoreError::LogName {
                    name: name.to_owned(),
                }
            })?;
        Ok(Self { key, secret })
    }

    /// The signer of heads of the journal beside the log: the same secret under the name with `/journal` behind it, so that
    /// none of its notes is a checkpoint of the log.
    ///
    /// # Errors
    /// As [`NoteSigner::new`].
    pub fn of_journal(&self) -> Result<Self, StoreError> {
        let secret = SecretKey::from_seed(*self.secret.expose_seed());
        Self::new(&format!("{}/journal", self.key.name()), secret)
    }

    /// Returns a secret key for another purpose, derived from this one for `context` (BLAKE3 `derive_key`).
    pub fn derived_key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key(context, &*self.secret.expose_seed()))
    }

    /// Key with which others check the signatures.
    pub const fn verifier_key(&self) -> &VerifierKey {
        &self.key
    }

    /// The signed checkpoint of the log at `size` with the root `root`. Signing is deterministic:
    /// the same log gives the same bytes.
    ///
    /// # Errors
    /// [`StoreError::Bug`] when the verifier's format cannot express the checkpoint.
    pub fn checkpoint(&self, size: u64, root: Sha256Hash) -> Result<String, StoreError> {
        let checkpoint = Checkpoint::new(self.key.name(), size, root)
            .map_err(|_| StoreError::Bug("a checkpoint that has no text"))?;
        Ok(self.note(&checkpoint))
    }

    /// The signed checkpoint of the log at `size` with the root `root`, which binds the root of the log's map at that size.
    ///
    /// # Errors
    /// As [`NoteSigner::checkpoint`].
    pub fn checkpoint_with_map(
        &self,
        (size, root): (u64, Sha256Hash),
        map_root: Sha256Hash,
    ) -> Result<String, StoreError> {
        let checkpoint = Checkpoint::new(self.key.name(), size, root)
            .map_err(|_| StoreError::Bug("a checkpoint that has no text"))?;
        Ok(self.note(&checkpoint.with_map_root(map_root)))
    }

    fn note(&self, checkpoint: &Checkpoint) -> String {
        let text = checkpoint.to_text();
        let signature = self.secret.sign(text.as_bytes());
        signed_note(&text, &[signature_line(&self.key, &signature)])
    }

    /// The checkpoint in a note that this signer has signed; `None` for any other text. Signing is
    /// deterministic, so the note is signed again and compared.
    pub fn recognise(&self, note: &str) -> Option<Checkpoint> {
        let checkpoint = Checkpoint::from_note(note).ok()?;
        let is_own = checkpoint.origin() == self.key.name() && self.note(&checkpoint) == note;
        is_own.then_some(checkpoint)
    }
}

impl core::fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("NoteSigner")
            .field("key", &self.key.to_string())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(seed: u8) -> NoteSigner {
        NoteSigner::new("example.org/log", SecretKey::from_seed([seed; 32])).unwrap()
    }

    #[test]
    fn a_checkpoint_is_a_signed_note_of_one_spelling() {
        let root = Sha256Hash::from_bytes([7; 32]);
        let note = signer(1).checkpoint(12, root).unwrap();
        assert!(note.starts_with("example.org/log\n12\nBwcH"), "{note}");
        assert_eq!(note, signer(1).checkpoint(12, root).unwrap());
        let read = signer(1).recognise(&note).unwrap();
        assert_eq!((read.size(), read.root()), (12, root));
    }

    #[test]
    fn a_checkpoint_with_a_map_is_recognised_with_this_map_alone() {
        let [root, map] = [7, 8].map(|byte| Sha256Hash::from_bytes([byte; 32]));
        let note = signer(1).checkpoint_with_map((12, root), map).unwrap();
        let read = signer(1).recognise(&note).unwrap();
        assert_eq!(
            (read.size(), read.root(), read.map_root()),
            (12, root, Some(map))
        );
        assert!(signer(1).recognise(&note.replace("CAgI", "CAgJ")).is_none());
        let line = note.lines().nth(3).unwrap().to_owned() + "\n";
        assert!(signer(1).recognise(&note.replace(&line, "")).is_none());
        assert_ne!(note, signer(1).checkpoint(12, root).unwrap());
    }

    #[test]
    fn notes_of_other_keys_and_edited_notes_are_not_recognised() {
        let note = signer(1)
            .checkpoint(12, Sha256Hash::from_bytes([7; 32]))
            .unwrap();
        assert!(signer(2).recognise(&note).is_none());
        assert!(signer(1).recognise(&note.replace("12", "13")).is_none());
        assert!(signer(1).recognise(&format!("{note}\n")).is_none());
        assert!(signer(1).recognise("").is_none());
    }

    #[test]
    fn a_name_that_breaks_a_signature_line_is_refused() {
        for name in ["", "two words", "a+b", "a\nb"] {
            let made = NoteSigner::new(name, SecretKey::from_seed([1; 32]));
            assert!(matches!(made, Err(StoreError::LogName { .. })), "{name:?}");
        }
    }
}
