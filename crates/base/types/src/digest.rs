//! Digests with their algorithm in front: `blake3:<64 hex>`, `sha256:<64 hex>`.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::document::FormError;

/// Exactly 64 lower-case digits: a digest has one spelling.
fn from_lower_hex(digits: &str) -> Result<[u8; 32], FormError> {
    let mut bytes = [0; 32];
    if digits.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(FormError::Digits);
    }
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| FormError::Digits)?;
    Ok(bytes)
}

macro_rules! digest {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Takes the 32 bytes of a digest that was computed elsewhere.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The 32 bytes.
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }

            /// 64 lower-case hexadecimal digits, without the algorithm's name.
            pub fn to_hex(&self) -> String {
                hex::encode(self.0)
            }

            /// Reads 64 lower-case hexadecimal digits.
            ///
            /// # Errors
            /// [`FormError::Digits`] for anything else, upper case included.
            pub fn from_hex(digits: &str) -> Result<Self, FormError> {
                from_lower_hex(digits).map(Self)
            }
        }

        impl FromStr for $name {
            type Err = FormError;

            fn from_str(text: &str) -> Result<Self, FormError> {
                let digits = text
                    .strip_prefix($prefix)
                    .ok_or(FormError::Algorithm { expected: $prefix })?;
                Self::from_hex(digits)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut digits = [0; 64];
                hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
                f.write_str($prefix)?;
                f.write_str(core::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

digest! {
    /// A BLAKE3 digest: the address of content and the links of a chain of capsules.
    Blake3Hash, "blake3:"
}

digest! {
    /// A SHA-256 digest: leaves, nodes and roots of Merkle trees (RFC 6962 §2.1).
    Sha256Hash, "sha256:"
}

crate::text_form! {
    Blake3Hash: "blake3: and 64 lower-case hexadecimal digits";
    Sha256Hash: "sha256: and 64 lower-case hexadecimal digits";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_digest_has_one_spelling() {
        let digest = Sha256Hash::from_bytes([0xab; 32]);
        let text = digest.to_string();
        assert_eq!(text.parse(), Ok(digest));
        for other in [
            text.to_uppercase(),
            text.replace("sha256:", "SHA256:"),
            text.replace("sha256:", "blake3:"),
            text.replace("sha256:", "sha256:0x"),
            text.replace("sha256:", ""),
            text[..text.len() - 1].to_string(),
            text.clone() + "0",
            text.replace('a', "A"),
        ] {
            assert!(other.parse::<Sha256Hash>().is_err(), "{other}");
        }
    }
}
