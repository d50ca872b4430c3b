//! Content under a key of its own (docs/format/sealing.md): to destroy the key is to destroy each copy of the content.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use counterfoil_store::{Entropy, StoreError};
use zeroize::Zeroizing;

use crate::port::rows::{
    EXCHANGE, EXCHANGE_ANSWER, EXCHANGE_ITEM, EXCHANGE_SECRET, EarlierTrustRow, EventRow, ForkRow,
    HeldRow,
};
use crate::port::{Row, Table};

/// Columns of rows beside the log that hold words of memories and of exchanges, or a secret. All others stay plain.
pub const SEALED_COLUMNS: [(&Table, &str); 9] = [
    (HeldRow::TABLE, "document"),
    (ForkRow::TABLE, "document"),
    (EventRow::TABLE, "document"),
    (EarlierTrustRow::TABLE, "document"),
    (EXCHANGE, "request"),
    (EXCHANGE, "terms"),
    (EXCHANGE_ANSWER, "document"),
    (EXCHANGE_ITEM, "report"),
    (EXCHANGE_SECRET, "secret"),
];

/// Returns the columns whose values name the slot of a row: its key, and the time of a held document, as one that came again
/// is another one.
pub fn slot_columns(table: &Table) -> impl Iterator<Item = &'static str> {
    let at = (*table == *HeldRow::TABLE).then_some("at");
    table.columns.iter().take(table.key).copied().chain(at)
}

/// Bytes before the ciphertext.
pub(crate) const NONCE: usize = 24;

/// Key of a slot.
pub enum ContentKey {
    /// The key: 256 random bits.
    Present(Zeroizing<[u8; 32]>),
    /// The key was destroyed, and none is made for the slot again.
    Destroyed,
}

/// Keys of the sealed content of one log, each under a slot: a path of words and numbers. As a random source it draws nonces.
///
/// Implemented by a backend.
pub trait ContentKeys: Entropy {
    /// Returns the verifier key (C2SP vkey) of the log.
    fn log(&self) -> &str;

    /// Returns the key of a slot; `None` where there was never one.
    ///
    /// # Errors
    /// When it cannot be read.
    fn key(&self, slot: &str) -> Result<Option<ContentKey>, StoreError>;

    /// Returns the key of a slot, and makes one where there was never one: it is on disk after [`ContentKeys::sync`].
    ///
    /// # Errors
    /// When it cannot be written.
    fn make(&self, slot: &str) -> Result<ContentKey, StoreError>;

    /// Puts the keys that were made on disk. Called before the bytes that they seal are written.
    ///
    /// # Errors
    /// When it cannot be written: none of them is kept then.
    fn sync(&self) -> Result<(), StoreError>;

    /// Destroys the keys of the slots and of those below them (`slot/…`), also where there is none yet. When it returns,
    /// the keys are not in the file any more. Returns the number of keys that were there.
    ///
    /// # Errors
    /// When it cannot be written, or another process keeps old bytes in use: to be repeated.
    fn destroy(&self, slots: &[String]) -> Result<u64, StoreError>;
}

/// Returns `content` sealed for `slot`: the nonce, then the ciphertext of XChaCha20-Poly1305. `None` when its key was destroyed.
///
/// # Errors
/// When no key can be made.
pub fn seal(
    keys: &dyn ContentKeys,
    slot: &str,
    content: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    let ContentKey::Present(key) = keys.make(slot)? else {
        return Ok(None);
    };
    let mut nonce = [0; NONCE];
    keys.fill(&mut nonce)?;
    let place = bound_to(keys.log(), slot);
    let sealed = cipher(&key).encrypt(&XNonce::from(nonce), place.payload(content));
    let sealed = sealed.map_err(|_| refused(slot, "it is too large"))?;
    Ok(Some([nonce.as_slice(), &sealed].concat()))
}

/// Returns the content that was sealed for `slot`; `None` when its key was destroyed.
///
/// # Errors
/// [`StoreError::Sealed`] when there is no key, and for bytes that were changed or sealed for another log or slot.
pub fn open(
    keys: &dyn ContentKeys,
    slot: &str,
    sealed: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    let key = match keys.key(slot)? {
        Some(ContentKey::Present(key)) => key,
        Some(ContentKey::Destroyed) => return Ok(None),
        None => {
            return Err(refused(
                slot,
                "its key is missing, and was not destroyed: name the folder that holds the newest keys",
            ));
        }
    };
    let place = bound_to(keys.log(), slot);
    let opened = sealed
        .split_first_chunk::<NONCE>()
        .and_then(|(nonce, text)| {
            cipher(&key)
                .decrypt(&XNonce::from(*nonce), place.payload(text))
                .ok()
        });
    match opened {
        Some(content) => Ok(Some(content)),
        None => Err(refused(
            slot,
            "it was changed, or was sealed for another place or under another key: take it from another copy",
        )),
    }
}

/// Returns `key` of a slot, wrapped under `wrapping`: sealed as a content is, for the slot of the key.
pub(crate) fn wrap(
    wrapping: &[u8; 32],
    (log, slot): (&str, &str),
    nonce: [u8; NONCE],
    key: &[u8; 32],
) -> Result<Vec<u8>, StoreError> {
    let place = Place(format!("counterfoil/wrapped-key/1\n{log}\n{slot}"));
    let wrapped = cipher(wrapping).encrypt(&XNonce::from(nonce), place.payload(key));
    let wrapped = wrapped.map_err(|_| refused(slot, "its key cannot be wrapped"))?;
    Ok([nonce.as_slice(), &wrapped].concat())
}

/// Returns the key that was wrapped under `wrapping`.
///
/// # Errors
/// [`StoreError::Sealed`] for bytes that were changed, or wrapped under another key.
pub(crate) fn unwrap(
    wrapping: &[u8; 32],
    (log, slot): (&str, &str),
    wrapped: &[u8],
) -> Result<Zeroizing<[u8; 32]>, StoreError> {
    let place = Place(format!("counterfoil/wrapped-key/1\n{log}\n{slot}"));
    let opened = wrapped.split_first_chunk::<NONCE>();
    let opened = opened.and_then(|(nonce, text)| {
        let key = cipher(wrapping).decrypt(&XNonce::from(*nonce), place.payload(text));
        Zeroizing::new(key.ok()?).as_slice().try_into().ok()
    });
    opened.map(Zeroizing::new).ok_or_else(|| {
        refused(
            slot,
            "its key was changed, or is that of a log with another secret key",
        )
    })
}

/// Additional data of a slot's content.
struct Place(String);

impl Place {
    const fn payload<'p>(&'p self, msg: &'p [u8]) -> Payload<'p, 'p> {
        let aad = self.0.as_bytes();
        Payload { msg, aad }
    }
}

fn bound_to(log: &str, slot: &str) -> Place {
    Place(format!("counterfoil/sealed-content/1\n{log}\n{slot}"))
}

fn cipher(key: &[u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(<&Key>::from(key))
}

fn refused(slot: &str, obstacle: &'static str) -> StoreError {
    StoreError::Sealed {
        subject: format!("the content at {slot}"),
        obstacle,
    }
}
