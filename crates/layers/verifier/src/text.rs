//! Texts with one spelling: canonical decimals and RFC 4648 §4 base64, strictly.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Longest fixed-width value that is read: key id, time and Ed25519 signature are 76 bytes.
const SCRATCH: usize = 96;

/// A decimal without sign, space or leading zero that fits 64 bits.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let canonical = match text.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if canonical { text.parse().ok() } else { None }
}

/// Exactly `N` bytes in padded standard base64 without trailing bits.
pub(crate) fn base64_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != N.div_ceil(3).checked_mul(4)? {
        return None;
    }
    let mut scratch = [0; SCRATCH];
    let length = STANDARD.decode_slice(text, &mut scratch).ok()?;
    scratch.get(..length)?.try_into().ok()
}

/// Any number of bytes, as strictly.
pub(crate) fn base64_bytes(text: &str) -> Option<alloc::vec::Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Padded standard base64.
pub(crate) fn to_base64(bytes: &[u8]) -> alloc::string::String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        for text in ["0", "7", "10", "18446744073709551615"] {
            assert_eq!(decimal(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "00",
            "0123",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1.0",
            "1e3",
            "0x1",
            "18446744073709551616",
            "١",
            "1\n",
        ] {
            assert_eq!(decimal(text), None, "{text:?}");
        }
    }

    #[test]
    fn base64_has_one_spelling() {
        assert_eq!(base64_array::<2>("AAE="), Some([0, 1]));
        for text in [
            "AAE", "AAF=", "AAE==", "AA E=", "AAE=\n", "", "AAA-", "AA_=",
        ] {
            assert_eq!(base64_array::<2>(text), None, "{text:?}");
        }
        assert_eq!(base64_array::<3>("-_-_"), None);
        assert_eq!(base64_array::<3>("+/+/"), Some([0xfb, 0xff, 0xbf]));
    }

    proptest! {
        #[test]
        fn every_value_round_trips(number: u64, key: [u8; 32], bytes: Vec<u8>) {
            prop_assert_eq!(decimal(&number.to_string()), Some(number));
            prop_assert_eq!(base64_array(&to_base64(&key)), Some(key));
            prop_assert_eq!(base64_bytes(&to_base64(&bytes)), Some(bytes));
        }

        #[test]
        fn what_is_read_is_written_back_alike(text in "[A-Za-z0-9+/=_-]{44}") {
            if let Some(bytes) = base64_array::<32>(&text) {
                prop_assert_eq!(to_base64(&bytes), text);
            }
        }
    }
}
