//! The tag of a line of claims in the headers of its units, and that of records of trust in theirs: the log counts both by it without
//! their contents (docs/format/claims.md §9, docs/format/trust.md).

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_types::{Blake3Hash, Scope};

use crate::digest::{LINE, derived};

/// Tag of the line of `subject` and `predicate` in `scope`: `H("line", secret || subject || predicate || scope)`, each text behind its
/// length as four bytes, and nothing for the empty scope. `secret` is that of the agent's feed in the store that seals the unit.
pub fn line_tag(secret: &[u8; 32], subject: &str, predicate: &str, scope: &Scope) -> Blake3Hash {
    let mut bytes = Vec::from(*secret);
    let scope = (!scope.is_empty()).then(|| scope.to_string());
    for text in [Some(subject), Some(predicate), scope.as_deref()]
        .into_iter()
        .flatten()
    {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend(text.as_bytes());
    }
    derived(LINE, &bytes)
}

/// Tag of records of trust, the same for all agents: `H("line", "trust")`. It is that of no line, whose names stand behind a secret.
pub fn trust_tag() -> Blake3Hash {
    derived(LINE, b"trust")
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    /// `docs/format/claims.md` §9 names this tag.
    #[test]
    fn the_tag_of_the_page_is_made() {
        assert_eq!(
            line_tag(&[7; 32], "alice", "lives in", &Scope::new()).to_string(),
            "blake3:5e315c7669c1c939cfe2ea991d8808dc292c898c405ee92e1494dcdaf8c25b80"
        );
    }

    /// `docs/format/trust.md` names this tag.
    #[test]
    fn the_tag_of_records_of_trust_is_made() {
        assert_eq!(
            trust_tag().to_string(),
            "blake3:e9938cb924bb7c28f00b83c7c9411d7aaef20caaaca70e78db82cc52ce8bceaa"
        );
    }

    proptest! {
        /// No byte moves between subject and predicate, and the tag says nothing without the secret: another one gives another tag.
        #[test]
        fn a_tag_is_that_of_one_line(ours: ([u8; 32], String, String), cut in 0..8_usize) {
            let (secret, subject, predicate) = &ours;
            let tag = line_tag(secret, subject, predicate, &Scope::new());
            let joined = [subject.as_str(), predicate.as_str()].concat();
            for (at, _) in joined.char_indices().skip(cut) {
                let (left, right) = joined.split_at(at);
                let is_same = (left, right) == (subject.as_str(), predicate.as_str());
                prop_assert_eq!(line_tag(secret, left, right, &Scope::new()) == tag, is_same);
            }
            let mut other = *secret;
            other[cut] ^= 1;
            prop_assert_ne!(line_tag(&other, subject, predicate, &Scope::new()), tag);
            let scope = "user=kit".parse().unwrap();
            prop_assert_ne!(line_tag(secret, subject, predicate, &scope), tag);
        }
    }
}
