//! Identifiers of capsules and chains: UUIDv7 text (RFC 9562), opaque, never compared with a time.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::error::CapsuleError;

/// Name of one capsule. The time inside a UUIDv7 helps an index and is never trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CapsuleId([u8; 16]);

/// Name of one chain of capsules: the id of its seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId([u8; 16]);

impl CapsuleId {
    /// A UUIDv7 of a time in milliseconds since the epoch (its low 48 bits are used) and ten random
    /// bytes (74 bits of them are used). The caller brings both: there is no clock here.
    pub const fn from_parts(unix_ms: u64, random: [u8; 10]) -> Self {
        let [_, _, t0, t1, t2, t3, t4, t5] = unix_ms.to_be_bytes();
        let [r0, r1, r2, r3, r4, r5, r6, r7, r8, r9] = random;
        let (version, variant) = ((r0 & 0x0f) | 0x70, (r2 & 0x3f) | 0x80);
        Self([
            t0, t1, t2, t3, t4, t5, version, r1, variant, r3, r4, r5, r6, r7, r8, r9,
        ])
    }
}

impl ChainId {
    /// The chain that begins with this capsule.
    pub const fn of_seed(seed: CapsuleId) -> Self {
        Self(seed.0)
    }
}

macro_rules! uuid {
    ($($name:ident)+) => {$(
        impl $name {
            /// Takes the 16 bytes of a UUIDv7.
            ///
            /// # Errors
            /// [`CapsuleError::Id`] when version or variant are others.
            pub fn from_bytes(bytes: [u8; 16]) -> Result<Self, CapsuleError> {
                checked(bytes).map(Self)
            }

            /// The 16 bytes.
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_uuid(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = CapsuleError;

            fn from_str(text: &str) -> Result<Self, CapsuleError> {
                read_uuid(text).map(Self)
            }
        }

        counterfoil_types::text_form! { $name: "a UUIDv7 of 36 lower-case characters with hyphens (RFC 9562)"; }
    )+};
}

uuid! { CapsuleId ChainId }

/// Lengths of the groups between hyphens, in hexadecimal digits.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

fn write_uuid(bytes: &[u8; 16], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let digits = hex::encode(bytes);
    let (mut rest, mut hyphen) = (digits.as_str(), "");
    for length in GROUPS {
        let (group, after) = rest.split_at_checked(length).ok_or(fmt::Error)?;
        f.write_str(hyphen)?;
        f.write_str(group)?;
        (rest, hyphen) = (after, "-");
    }
    Ok(())
}

/// 36 bytes, lower case, hyphens in their places: written again it must be the same text.
fn read_uuid(text: &str) -> Result<[u8; 16], CapsuleError> {
    let refused = || CapsuleError::Id {
        text: text.chars().take(48).collect(),
    };
    if text.len() != 36 {
        return Err(refused());
    }
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let mut bytes = [0; 16];
    hex::decode_to_slice(&digits, &mut bytes).map_err(|_| refused())?;
    let id = checked(bytes)?;
    if alloc::format!("{}", CapsuleId(id)) != text {
        return Err(refused());
    }
    Ok(id)
}

fn checked(bytes: [u8; 16]) -> Result<[u8; 16], CapsuleError> {
    let [_, _, _, _, _, _, version, _, variant, ..] = bytes;
    if version >> 4 != 7 || variant >> 6 != 0b10 {
        return Err(CapsuleError::Id {
            text: hex::encode(bytes),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_rfc_9562_is_read_and_written() {
        let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
        let id: CapsuleId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(ChainId::of_seed(id).to_string(), text);
        assert_eq!(id.as_bytes()[..6], 0x017F_22E2_79B0_u64.to_be_bytes()[2..]);
    }

    /// CAP-7.
    #[test]
    fn other_spellings_and_other_versions_are_refused() {
        for text in [
            "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
            "017f22e279b07cc398c4dc0c0c07398f",
            "{017f22e2-79b0-7cc3-98c4-dc0c0c07398}",
            "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
            "017f22e27-9b0-7cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f ",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
            "00000000-0000-0000-0000-000000000000",
            "",
        ] {
            assert!(text.parse::<CapsuleId>().is_err(), "accepted {text:?}");
            assert!(text.parse::<ChainId>().is_err(), "accepted {text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_id_survives_text_and_bytes(ms in 0..(1_u64 << 48), random: [u8; 10]) {
            let id = CapsuleId::from_parts(ms, random);
            prop_assert_eq!(id.to_string().parse::<CapsuleId>().unwrap(), id);
            prop_assert_eq!(CapsuleId::from_bytes(*id.as_bytes()).unwrap(), id);
        }
    }
}
