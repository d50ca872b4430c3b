//! Short digests of names and values, to sort by numbers instead of texts. Who sorts by them compares the texts too:
//! a collision costs time and nothing else.

/// A digest of eight bytes.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mut state = 0xCBF2_9CE4_8422_2325;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mixed(state, u64::from_le_bytes(*word));
    }
    for byte in rest {
        state = mixed(state, u64::from(*byte) | 0x100);
    }
    state
}

const fn mixed(state: u64, word: u64) -> u64 {
    let state = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state ^ (state >> 29)
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::format;
    use alloc::string::String;

    use super::digest;

    /// Names that differ in one byte, in the first word, the last word or the rest, have different digests.
    #[test]
    fn names_that_differ_in_a_byte_have_different_digests() {
        let names: [fn(char) -> String; 4] = [
            |letter| format!("{letter}"),
            |letter| format!("claim-0{letter}"),
            |letter| format!("{letter}laim-01claim-02"),
            |letter| format!("claim-01claim-02claim{letter}"),
        ];
        for name in names {
            let digests = ('!'..='~').map(|letter| digest(name(letter).as_bytes()));
            assert_eq!(digests.collect::<BTreeSet<u64>>().len(), 94);
        }
    }
}
