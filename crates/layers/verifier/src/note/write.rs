//! Writing a signed note: the bytes around signatures that a log or a witness made.

use alloc::format;
use alloc::string::String;

use super::{DASH, VerifierKey};
use crate::text::to_base64;

/// Message that a witness signs: a fixed line, a time and the checkpoint (C2SP tlog-cosignature).
///
/// `time_s` is in seconds since 1970. `text` is the checkpoint without signatures.
pub fn cosigned_message(time_s: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {time_s}\n{text}")
}

/// A signature line, newline included, for a signature over a note's text.
pub fn signature_line(key: &VerifierKey, signature: &[u8; 64]) -> String {
    line(key, &[key.key_id().as_slice(), signature].concat())
}

/// A signature line, newline included, for a signature over [`cosigned_message`].
pub fn cosignature_line(key: &VerifierKey, time_s: u64, signature: &[u8; 64]) -> String {
    let time = time_s.to_be_bytes();
    line(key, &[key.key_id().as_slice(), &time, signature].concat())
}

/// A note of a text, which ends with a newline, and signature lines.
pub fn signed_note(text: &str, lines: &[String]) -> String {
    format!("{text}\n{}", lines.concat())
}

fn line(key: &VerifierKey, bytes: &[u8]) -> String {
    format!("{DASH}{} {}\n", key.name(), to_base64(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::{Algorithm, SignedNote};
    use super::*;

    const BASEPOINT: [u8; 32] = [
        0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
        0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
        0x66, 0x66,
    ];

    #[test]
    fn what_is_written_is_read_back() {
        let log = VerifierKey::new("log", Algorithm::Ed25519, &BASEPOINT).unwrap();
        let witness = VerifierKey::new("w", Algorithm::CosignatureV1, &BASEPOINT).unwrap();
        let lines = [
            signature_line(&log, &[7; 64]),
            cosignature_line(&witness, 1, &[8; 64]),
        ];
        let note = signed_note("text\n", &lines);
        let note = SignedNote::parse(&note).unwrap();
        assert_eq!(note.text, "text\n");
        let lengths: alloc::vec::Vec<_> = note
            .signatures
            .iter()
            .map(|line| line.signature.len())
            .collect();
        assert_eq!(lengths, [64, 72]);
        assert_ne!(log.key_id(), witness.key_id());
    }
}
