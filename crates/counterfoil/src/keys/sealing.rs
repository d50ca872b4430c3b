//! A seed under a passphrase: Argon2id (RFC 9106) makes the key, XChaCha20-Poly1305 seals.
//!
//! ```text
//! sealed argon2id m=65536,t=3,p=4 <salt, 16 bytes> <nonce, 24 bytes> <sealed seed, 48 bytes>
//! ```
//! Bytes are in padded base64. The lines of the file before this one are authenticated with it, so
//! that a sealed key cannot be passed off for another use. Memory is in KiB.

use core::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine, engine::general_purpose::STANDARD};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use counterfoil_capsule::SecretKey;
use zeroize::Zeroizing;

/// Cost of one passphrase guess: RFC 9106 §4, the second recommended choice.
const COST: Cost = Cost {
    memory: 64 * 1024,
    passes: 3,
    lanes: 4,
};
/// No file makes us take more than this: 1 GiB, 16 passes, 16 lanes.
const MOST: Cost = Cost {
    memory: 1024 * 1024,
    passes: 16,
    lanes: 16,
};

/// Work of one key derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// KiB.
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// A seed that only its passphrase opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    cost: Cost,
    salt: [u8; 16],
    nonce: [u8; 24],
    bytes: [u8; 48],
}

impl Sealed {
    /// Seals under `passphrase`, bound to `heading`. `random` is 40 fresh random bytes. `None` when
    /// the machine has not the memory for it.
    pub(crate) fn new(
        secret: &SecretKey,
        passphrase: &str,
        heading: &str,
        random: [u8; 40],
    ) -> Option<Self> {
        let (salt, nonce) = random.split_first_chunk::<16>()?;
        let (salt, nonce) = (*salt, <[u8; 24]>::try_from(nonce).ok()?);
        let seed = secret.expose_seed();
        let payload = Payload {
            msg: seed.as_slice(),
            aad: heading.as_bytes(),
        };
        let sealed = cipher(COST, passphrase, &salt)?.encrypt(&XNonce::from(nonce), payload);
        Some(Self {
            cost: COST,
            salt,
            nonce,
            bytes: sealed.ok()?.try_into().ok()?,
        })
    }

    /// Opens it; `None` when the passphrase is another one, or the file was changed.
    pub(crate) fn open(&self, passphrase: &str, heading: &str) -> Option<SecretKey> {
        let payload = Payload {
            msg: self.bytes.as_slice(),
            aad: heading.as_bytes(),
        };
        let cipher = cipher(self.cost, passphrase, &self.salt)?;
        let seed = Zeroizing::new(cipher.decrypt(&XNonce::from(self.nonce), payload).ok()?);
        let seed = Zeroizing::new(<[u8; 32]>::try_from(seed.as_slice()).ok()?);
        Some(SecretKey::from_seed(*seed))
    }
}

fn cipher(cost: Cost, passphrase: &str, salt: &[u8; 16]) -> Option<XChaCha20Poly1305> {
    let params = Params::new(cost.memory, cost.passes, cost.lanes, Some(32)).ok()?;
    let mut key = Zeroizing::new([0_u8; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), salt, key.as_mut())
        .ok()?;
    Some(XChaCha20Poly1305::new(&Key::from(*key)))
}

impl fmt::Display for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost {
            memory,
            passes,
            lanes,
        } = self.cost;
        write!(
            f,
            "sealed argon2id m={memory},t={passes},p={lanes} {} {} {}",
            STANDARD.encode(self.salt),
            STANDARD.encode(self.nonce),
            STANDARD.encode(self.bytes)
        )
    }
}

impl Sealed {
    /// Reads the line of a sealed seed; `None` for another text, and for one that would cost too much to open.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut parts = line.strip_prefix("sealed argon2id ")?.split(' ');
        let sealed = Self {
            cost: cost(parts.next()?)?,
            salt: bytes(parts.next()?)?,
            nonce: bytes(parts.next()?)?,
            bytes: bytes(parts.next()?)?,
        };
        (parts.next().is_none() && sealed.to_string() == line).then_some(sealed)
    }
}

fn cost(text: &str) -> Option<Cost> {
    let mut parts = text.split(',');
    let mut number = |name: &str, most: u32| {
        let number = parts.next()?.strip_prefix(name)?.parse().ok()?;
        (number <= most).then_some(number)
    };
    Some(Cost {
        memory: number("m=", MOST.memory)?,
        passes: number("t=", MOST.passes)?,
        lanes: number("p=", MOST.lanes)?,
    })
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "counterfoil/secret-key/v1\nuse agent\n";

    fn sealed() -> Sealed {
        let secret = SecretKey::from_seed([7; 32]);
        Sealed::new(&secret, "correct horse", HEADING, [5; 40]).unwrap()
    }

    #[test]
    fn the_passphrase_opens_it_and_nothing_else_does() {
        let sealed = Sealed::parse(&sealed().to_string()).unwrap();
        let opened = sealed.open("correct horse", HEADING).unwrap();
        assert_eq!(*opened.expose_seed(), [7; 32]);
        assert!(sealed.open("correct horse ", HEADING).is_none());
        let other_use = HEADING.replace("agent", "log");
        assert!(sealed.open("correct horse", &other_use).is_none());
        let mut changed = sealed;
        changed.bytes[0] ^= 1;
        assert!(changed.open("correct horse", HEADING).is_none());
    }

    #[test]
    fn the_seed_does_not_stand_in_the_line() {
        let line = sealed().to_string();
        assert!(!line.contains(&STANDARD.encode([7; 32])));
        assert!(line.starts_with("sealed argon2id m=65536,t=3,p=4 "));
    }

    #[test]
    fn anything_but_the_format_is_refused_before_it_costs_anything() {
        let good = sealed().to_string();
        for (from, to) in [
            ("m=65536", "m=1048577"),
            ("m=65536", "m=065536"),
            ("t=3", "t=17"),
            ("p=4", "p=99"),
            ("argon2id", "argon2i"),
            ("sealed", "Sealed"),
            (",p=4", ""),
            ("p=4 ", "p=4  "),
        ] {
            assert!(Sealed::parse(&good.replace(from, to)).is_none(), "{to}");
        }
        assert!(Sealed::parse(&format!("{good} ")).is_none());
        assert!(Sealed::parse(&format!("{good} AAAA")).is_none());
    }
}
