//! Verifier keys (C2SP signed-note `vkey`): a name, an algorithm and an Ed25519 key that is sound.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};

use super::valid_name;
use crate::error::AnchorError;
use crate::limits::quoted;
use crate::text::{base64_bytes, to_base64};

/// First four bytes of `SHA-256(name || "\n" || algorithm || key)`: an address, not a proof.
pub type KeyId = [u8; 4];

/// Signature scheme of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// `0x01`: Ed25519 over the note's text, as logs sign.
    Ed25519,
    /// `0x04`: Ed25519 over a time and the note's text, as witnesses sign (C2SP tlog-cosignature).
    CosignatureV1,
}

impl Algorithm {
    const fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 0x01,
            Self::CosignatureV1 => 0x04,
        }
    }
}

/// A public key with the name under which it signs: `name+<8 hex key id>+<base64(algorithm || key)>`.
///
/// One that exists can be verified against: it is a canonically encoded point of large order.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    id: KeyId,
    algorithm: Algorithm,
    key: VerifyingKey,
}

impl VerifierKey {
    /// Names a key.
    ///
    /// # Errors
    /// [`AnchorError::KeyName`] for a name that is empty or holds a space, a plus or a control
    /// character; [`AnchorError::KeyUnsound`] for a key that anybody could sign for.
    pub fn new(
        name: impl Into<String>,
        algorithm: Algorithm,
        key: &[u8; 32],
    ) -> Result<Self, AnchorError> {
        let name = name.into();
        if !valid_name(&name) {
            return Err(AnchorError::KeyName {
                name: quoted(&name),
            });
        }
        let key = sound_key(key)?;
        let id = key_id(&name, algorithm, key.as_bytes());
        Ok(Self {
            name,
            id,
            algorithm,
            key,
        })
    }

    /// The name, without spaces and pluses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address of the key among a note's signatures.
    pub const fn key_id(&self) -> KeyId {
        self.id
    }

    /// Signature scheme.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The 32 bytes of RFC 8032 §5.1.5.
    pub fn public_key(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Strictly: no malleated S, no low-order R, no encoding but the canonical one.
    pub(crate) fn signed(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        self.key.verify_strict(message, &signature).is_ok()
    }
}

/// A canonically encoded point of large order, or none.
pub(crate) fn sound_key(bytes: &[u8; 32]) -> Result<VerifyingKey, AnchorError> {
    let unsound = || AnchorError::KeyUnsound {
        key: hex::encode(bytes),
    };
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| unsound())?;
    let canonical = key.to_edwards().compress();
    if key.is_weak() || canonical.as_bytes() != bytes {
        return Err(unsound());
    }
    Ok(key)
}

fn key_id(name: &str, algorithm: Algorithm, key: &[u8; 32]) -> KeyId {
    let digest: [u8; 32] = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', algorithm.byte()])
        .chain_update(key)
        .finalize()
        .into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}

impl FromStr for VerifierKey {
    type Err = AnchorError;

    fn from_str(text: &str) -> Result<Self, AnchorError> {
        let malformed = || AnchorError::KeyText {
            found: quoted(text),
        };
        let (name, rest) = text.split_once('+').ok_or_else(malformed)?;
        let (id, material) = rest.split_once('+').ok_or_else(malformed)?;
        let material = base64_bytes(material).ok_or_else(malformed)?;
        let (algorithm, key) = material.split_first().ok_or_else(malformed)?;
        let algorithm = match *algorithm {
            0x01 => Algorithm::Ed25519,
            0x04 => Algorithm::CosignatureV1,
            found => return Err(AnchorError::KeyAlgorithm { found }),
        };
        let key: &[u8; 32] = key.try_into().map_err(|_| malformed())?;
        let key = Self::new(name, algorithm, key)?;
        let expected = hex::encode(key.id);
        if id != expected {
            return Err(AnchorError::KeyId {
                expected,
                found: quoted(id),
            });
        }
        Ok(key)
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut material = alloc::vec![self.algorithm.byte()];
        material.extend_from_slice(self.key.as_bytes());
        let id = hex::encode(self.id);
        write!(f, "{}+{id}+{}", self.name, to_base64(&material))
    }
}

counterfoil_types::text_form! {
    VerifierKey: "the verifier key of a log, name+id+key as in a signed note",
        like "^[^ +]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]+$",
        = |text| text.parse().ok().filter(|key: &Self| key.to_string() == text);
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// The key of the tests of golang.org/x/mod/sumdb/note.
    const PUBLISHED: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    #[test]
    fn the_published_key_is_read_and_written_alike() {
        let key: VerifierKey = PUBLISHED.parse().unwrap();
        assert_eq!(key.name(), "PeterNeumann");
        assert_eq!(key.algorithm(), Algorithm::Ed25519);
        assert_eq!(key.to_string(), PUBLISHED);
    }

    #[test]
    fn other_spellings_are_refused() {
        let refused = |text: &str| text.parse::<VerifierKey>().unwrap_err();
        for text in [
            "",
            "PeterNeumann",
            "PeterNeumann+c74f20a3",
            &PUBLISHED[..PUBLISHED.len() - 1],
            &PUBLISHED.replace("10TW", "10T="),
        ] {
            assert!(
                matches!(refused(text), AnchorError::KeyText { .. }),
                "{text}"
            );
        }
        for id in ["C74F20A3", "c74f20a4", "c74f20a", ""] {
            let text = PUBLISHED.replace("c74f20a3", id);
            assert!(
                matches!(refused(&text), AnchorError::KeyId { .. }),
                "{text}"
            );
        }
        for name in ["", "Peter Neumann", "Peter\u{a0}Neumann", "Peter\nNeumann"] {
            let text = PUBLISHED.replace("PeterNeumann", name);
            assert!(
                matches!(refused(&text), AnchorError::KeyName { .. }),
                "{text}"
            );
        }
        let text = PUBLISHED.replace("+AR", "+Ah");
        assert_eq!(refused(&text), AnchorError::KeyAlgorithm { found: 2 });
    }

    /// All encodings of points of order 1, 2, 4 and 8, and y = p + 3 for a point of large order.
    #[test]
    fn keys_that_anybody_can_sign_for_are_refused() {
        for unsound in [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000080",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            let mut key = [0; 32];
            hex::decode_to_slice(unsound, &mut key).unwrap();
            assert_eq!(
                VerifierKey::new("log", Algorithm::Ed25519, &key),
                Err(AnchorError::KeyUnsound {
                    key: unsound.into()
                })
            );
        }
    }
}
