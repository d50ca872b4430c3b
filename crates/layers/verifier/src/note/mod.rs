//! Signed notes (C2SP signed-note) and their keys, byte for byte.

mod key;
mod signed;
mod write;

pub(crate) use key::sound_key;
pub use key::{Algorithm, KeyId, VerifierKey};
pub(crate) use signed::{NoteSignature, SignedNote};
pub use write::{cosignature_line, cosigned_message, signature_line, signed_note};

/// Em dash and space: what a signature line begins with.
const DASH: &str = "— ";

/// Returns true if a text can be a key's name: not empty, no space of any kind, no plus, no control.
pub(crate) fn valid_name(name: &str) -> bool {
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    !name.is_empty() && !name.contains(forbidden)
}

#[cfg(test)]
mod tests {
    use super::valid_name;

    #[test]
    fn a_name_has_no_space_plus_or_control() {
        for name in ["example.com/log", "a", "Ä", "a-b"] {
            assert!(valid_name(name), "{name:?}");
        }
        for name in ["", "a b", "a\u{a0}b", "a+b", "a\u{1}b", "\u{7f}"] {
            assert!(!valid_name(name), "{name:?}");
        }
    }
}
