//! The agent's key and what it can do: sign. The secret never prints and is wiped when dropped.

use core::fmt;

use counterfoil_types::DidKey;
use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::{Zeroize, Zeroizing};

/// An Ed25519 secret (RFC 8032). Signing is deterministic, as M-8 asks of everything a proof holds.
///
/// Memory is wiped on drop; the only way to see the seed is [`SecretKey::expose_seed`].
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// The key of a 32-byte seed. Wipes the array it was given; copies made before are the caller's.
    pub fn from_seed(mut seed: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&seed);
        seed.zeroize();
        Self(key)
    }

    /// The signature of `message`.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// The public half.
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// The seed, to be written into a key file. Wiped when the returned value is dropped.
    pub fn expose_seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(redacted)")
    }
}

/// Someone who signs entries as one agent: a key in memory, or a device that never gives it away.
pub trait Signer: Send + Sync {
    /// In whose name it signs: the agent, named after its first key.
    fn agent(&self) -> DidKey;

    /// The key that signs. Another one than the agent's name after a rotation (capsules 4.7).
    fn key(&self) -> DidKey {
        self.agent()
    }

    /// The number of that key in the agent's key chain; 0 is the first.
    fn key_number(&self) -> u64 {
        0
    }

    /// The Ed25519 signature of `message` by that agent's key.
    fn sign(&self, message: &[u8]) -> [u8; 64];
}

/// An agent whose key is in memory: its first one, or the one that it has rotated to.
#[derive(Debug)]
pub struct AgentSigner {
    key: SecretKey,
    agent: DidKey,
    public: DidKey,
    number: u64,
}

impl AgentSigner {
    /// The agent that this key is the inception key of.
    pub fn new(key: SecretKey) -> Self {
        let agent = DidKey::from_public_key(key.public_key());
        Self::rotated(agent, 0, key)
    }

    /// The agent `agent` with the `number`-th key of its key chain.
    pub fn rotated(agent: DidKey, number: u64, key: SecretKey) -> Self {
        let public = DidKey::from_public_key(key.public_key());
        Self {
            key,
            agent,
            public,
            number,
        }
    }
}

impl Signer for AgentSigner {
    fn agent(&self) -> DidKey {
        self.agent
    }

    fn key(&self) -> DidKey {
        self.public
    }

    fn key_number(&self) -> u64 {
        self.number
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// RFC 8032 section 7.1, test 1.
    #[test]
    fn the_rfc_8032_vector_is_signed() {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = SecretKey::from_seed(hex::decode(seed).unwrap().try_into().unwrap());
        assert_eq!(
            hex::encode(key.public_key()),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        assert_eq!(
            hex::encode(key.sign(b"")),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        );
    }

    #[test]
    fn the_secret_is_never_printed() {
        let signer = AgentSigner::new(SecretKey::from_seed([0x5a; 32]));
        let shown = format!("{signer:?}");
        assert!(shown.contains("redacted"));
        assert!(!shown.contains("5a5a") && !shown.contains("90, 90"));
    }

    #[test]
    fn one_message_has_one_signature() {
        let key = SecretKey::from_seed([7; 32]);
        assert_eq!(
            key.sign(b"entry"),
            SecretKey::from_seed(*key.expose_seed()).sign(b"entry")
        );
    }
}
