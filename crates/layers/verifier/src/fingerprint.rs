//! `KeyFingerprint`: names an agent's key in a proof without naming the agent (M-8).

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use counterfoil_types::document::FormError;
use counterfoil_types::{DidKey, Sha256Hash, text_form};
use sha2::{Digest, Sha256};

/// Domain of the fingerprints.
const DOMAIN: &str = "counterfoil/agent-key/v1\n";

/// `SHA-256("counterfoil/agent-key/v1\n" || 32-byte Ed25519 key)`, written as 64 hex digits.
///
/// It is the `keyId` of a proof of method `signature`: a proof may hold no actor (M-8, CR-20),
/// so it holds the hash of a key, which only those who already know the agent can resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyFingerprint(Sha256Hash);

impl KeyFingerprint {
    /// The fingerprint of an agent's key.
    pub fn of(agent: &DidKey) -> Self {
        let digest = Sha256::new()
            .chain_update(DOMAIN)
            .chain_update(agent.public_key());
        Self(Sha256Hash::from_bytes(digest.finalize().into()))
    }

    /// The digest.
    pub const fn digest(&self) -> Sha256Hash {
        self.0
    }

    /// 64 lower-case hexadecimal digits, as on the wire.
    pub fn to_hex(&self) -> String {
        self.0.to_hex()
    }
}

impl FromStr for KeyFingerprint {
    type Err = FormError;

    fn from_str(text: &str) -> Result<Self, FormError> {
        Sha256Hash::from_hex(text).map(Self)
    }
}

impl fmt::Display for KeyFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

text_form! {
    KeyFingerprint: "64 lower-case hexadecimal digits";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_fingerprint_is_neither_the_key_nor_its_bare_hash() {
        let did = DidKey::from_public_key([7; 32]);
        let fingerprint = KeyFingerprint::of(&did);
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        assert_eq!(fingerprint.to_string().len(), 64);
        let bare: [u8; 32] = Sha256::digest([7; 32]).into();
        assert_ne!(fingerprint.digest().as_bytes(), &bare);
    }
}
