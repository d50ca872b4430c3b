//! `did:key` of an Ed25519 public key: who signs a capsule (W3C did:key, Multibase, Multicodec).

use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;
use core::{fmt, iter};

use crate::document::FormError;

/// Multicodec `ed25519-pub` as an unsigned varint.
const ED25519_PUB: [u8; 2] = [0xed, 0x01];
/// `z`, the Multibase letter for base58btc.
const PREFIX: &str = "did:key:z";
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// 58 to the power of 5.
const FIVE_DIGITS: u64 = 656_356_768;
/// 34 bytes in base58 are at most 47 letters; longer texts are not decoded at all.
const MAX_BASE58: usize = 48;

/// An agent's identity: the `did:key` form of its Ed25519 public key (`capsules.md` 4.7).
///
/// Self-certifying, and that is all: the verifier checks that the key is a point of the curve, and the owner of the
/// anchors decides whether it is trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DidKey([u8; 32]);

impl DidKey {
    /// The identity of the holder of this Ed25519 public key (RFC 8032 §5.1.5 encoding).
    pub const fn from_public_key(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The public key.
    pub const fn public_key(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for DidKey {
    type Err = FormError;

    fn from_str(text: &str) -> Result<Self, FormError> {
        let encoded = text.strip_prefix(PREFIX).ok_or(FormError::Method)?;
        if encoded.contains(['#', '?', '/']) {
            return Err(FormError::Method);
        }
        if encoded.len() > MAX_BASE58 {
            return Err(FormError::KeyType);
        }
        let bytes = bs58::decode(encoded)
            .into_vec()
            .map_err(|_| FormError::Base58)?;
        let key = bytes.strip_prefix(&ED25519_PUB).ok_or(FormError::KeyType)?;
        key.try_into().map(Self).map_err(|_| FormError::KeyType)
    }
}

impl fmt::Display for DidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", base58(&self.0))
    }
}

/// Base58 of the multicodec and a key. Five digits are one number, so that words of 32 bits go in at once: a did:key is written
/// with each capsule.
fn base58(key: &[u8; 32]) -> String {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    let mut fives: Vec<u64> = Vec::with_capacity(10);
    for mut carry in iter::once(word(&ED25519_PUB)).chain(key.chunks(4).map(word)) {
        for five in &mut fives {
            let shifted = *five << 32 | carry;
            (*five, carry) = (shifted % FIVE_DIGITS, shifted / FIVE_DIGITS);
        }
        while carry > 0 {
            fives.push(carry % FIVE_DIGITS);
            carry /= FIVE_DIGITS;
        }
    }
    let divisors = (0..5).rev().map(|place| 58_u64.pow(place));
    let of_five = |five: u64| divisors.clone().map(move |divisor| five / divisor % 58);
    let digits = fives.into_iter().rev().flat_map(of_five);
    let digits = digits.skip_while(|digit| *digit == 0);
    let letter = |digit| ALPHABET.get(usize::try_from(digit).ok()?).copied();
    digits.filter_map(letter).map(char::from).collect()
}

impl fmt::Debug for DidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

crate::text_form! {
    DidKey: "the did:key of an Ed25519 key", like "^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    /// The first test vector of the did:key method for Ed25519.
    #[test]
    fn the_published_example_is_read() {
        let text = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
        let did: DidKey = text.parse().unwrap();
        assert_eq!(
            hex::encode(did.public_key()),
            "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
        );
        assert_eq!(did.to_string(), text);
    }

    /// Capsules B16: keys of other kinds, and things appended to a key.
    #[test]
    fn other_keys_and_spellings_are_refused() {
        let refusal = |text: &str| text.parse::<DidKey>().unwrap_err();
        let good = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
        assert_eq!(refusal(&[good, "#other"].concat()), FormError::Method);
        assert_eq!(refusal(&good.replace(":z", ":Z")), FormError::Method);
        assert_eq!(refusal(&good.replace(":z", ":f")), FormError::Method);
        assert_eq!(refusal(&[good, " "].concat()), FormError::Base58);
        assert_eq!(refusal(&good[..good.len() - 1]), FormError::KeyType);
        // X25519, P-256, secp256k1.
        for multicodec in [[0xec, 0x01], [0x80, 0x24], [0xe7, 0x01]] {
            let encoded = bs58::encode([&multicodec[..], &[7; 32]].concat()).into_string();
            assert_eq!(refusal(&[PREFIX, &encoded].concat()), FormError::KeyType);
        }
        assert_eq!(
            refusal(&[PREFIX, &"1".repeat(1 << 20)].concat()),
            FormError::KeyType
        );
    }

    proptest! {
        #[test]
        fn every_key_round_trips(key: [u8; 32]) {
            let did = DidKey::from_public_key(key);
            prop_assert_eq!(did.to_string().parse::<DidKey>(), Ok(did));
        }
    }
}
