//! Reading a signed note: text, then signature lines. Nothing here says that a signature is good.

use alloc::vec::Vec;

use super::{DASH, KeyId, valid_name};
use crate::limits::{MAX_NOTE_BYTES, MAX_SIGNATURE_LINES, quoted};
use crate::refusal::Refusal;
use crate::text::base64_bytes;

/// A signed note (C2SP signed-note), split but not verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedNote<'a> {
    /// The signed text, final newline included.
    pub(crate) text: &'a str,
    /// The signature lines in order, of known and unknown keys.
    pub(crate) signatures: Vec<NoteSignature<'a>>,
}

/// One signature line: `— <name> <base64(key id || signature)>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteSignature<'a> {
    /// The name of the key.
    pub(crate) name: &'a str,
    /// The address of the key.
    pub(crate) key_id: KeyId,
    /// The signature without the key id.
    pub(crate) signature: Vec<u8>,
}

impl<'a> SignedNote<'a> {
    /// Splits a note into text and signatures.
    ///
    /// `Ok` guarantees the form alone: at most 64 KiB, no control characters but newlines, 1 to
    /// 32 signature lines, each with a valid name and strict base64, none twice. It does **not**
    /// say that any signature is valid; the text must not be believed before a verifier has
    /// checked it.
    ///
    /// # Errors
    /// [`Refusal::Note`], [`Refusal::TooMuch`] or [`Refusal::SignatureTwice`].
    pub(crate) fn parse(note: &'a str) -> Result<Self, Refusal> {
        if note.len() > MAX_NOTE_BYTES {
            return Err(Refusal::too_much("bytes of text", MAX_NOTE_BYTES));
        }
        if note.bytes().any(|byte| byte < b' ' && byte != b'\n') {
            return Err(malformed("character"));
        }
        // The last empty line separates; the text keeps its own newline.
        let (text, lines) = note.rsplit_once("\n\n").ok_or(malformed("separation"))?;
        let text = note.get(..=text.len()).unwrap_or_default();
        let line = malformed("signature line");
        let lines = lines.strip_suffix('\n').ok_or_else(|| line.clone())?;
        let mut signatures: Vec<NoteSignature<'_>> = Vec::new();
        for written in lines.split('\n') {
            if signatures.len() == MAX_SIGNATURE_LINES {
                return Err(Refusal::too_much("signature lines", MAX_SIGNATURE_LINES));
            }
            let signature = read_line(written).ok_or_else(|| line.clone())?;
            if signatures.contains(&signature) {
                let name = quoted(signature.name);
                return Err(Refusal::SignatureTwice { name });
            }
            signatures.push(signature);
        }
        Ok(Self { text, signatures })
    }
}

fn read_line(line: &str) -> Option<NoteSignature<'_>> {
    let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
    let bytes = base64_bytes(encoded)?;
    let (key_id, signature) = bytes.split_first_chunk()?;
    if signature.is_empty() || !valid_name(name) {
        return None;
    }
    Some(NoteSignature {
        name,
        key_id: *key_id,
        signature: signature.to_vec(),
    })
}

const fn malformed(part: &'static str) -> Refusal {
    Refusal::Note { part }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::super::VerifierKey;
    use super::*;

    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    /// The note of the tests of golang.org/x/mod/sumdb/note.
    const PUBLISHED: &str = "If you think cryptography is the answer to your problem,\n\
        then you don't know what your problem is.\n\n\
        — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    #[test]
    fn the_published_note_is_read_and_its_signature_verifies() {
        let note = SignedNote::parse(PUBLISHED).unwrap();
        assert!(note.text.ends_with("what your problem is.\n"));
        let [signature] = note.signatures.as_slice() else {
            panic!("one signature");
        };
        let key: VerifierKey = KEY.parse().unwrap();
        assert_eq!(signature.name, key.name());
        assert_eq!(signature.key_id, key.key_id());
        let bytes = signature.signature.as_slice().try_into().unwrap();
        assert!(key.signed(note.text.as_bytes(), bytes));
        assert!(!key.signed(b"another text\n", bytes));
    }

    #[test]
    fn the_text_may_hold_empty_lines() {
        let note = PUBLISHED.replacen('\n', "\n\n", 1);
        let note = SignedNote::parse(&note).unwrap();
        assert!(note.text.contains("problem,\n\nthen"));
    }

    #[test]
    fn other_forms_are_refused() {
        let line = malformed("signature line");
        for (note, refusal) in [
            (PUBLISHED.replace('—', "-"), line.clone()),
            (PUBLISHED.replace('—', "–"), line.clone()),
            (PUBLISHED.replace("— ", "—"), line.clone()),
            (
                PUBLISHED.replace("PeterNeumann", "Peter+Neumann"),
                line.clone(),
            ),
            (
                PUBLISHED.replace("PeterNeumann", "Peter Neumann"),
                line.clone(),
            ),
            (
                PUBLISHED.replace("PeterNeumann", "Peter\u{2009}Neumann"),
                line.clone(),
            ),
            (
                PUBLISHED.replace("PeterNeumann", "Peter\nNeumann"),
                line.clone(),
            ),
            (PUBLISHED.replace("PeterNeumann", ""), line.clone()),
            (PUBLISHED.replace("nAM=", "nAM"), line.clone()),
            (PUBLISHED.replace("nAM=", "nAN="), line.clone()),
            (PUBLISHED.replace("nAM=", "nAM= "), line.clone()),
            (PUBLISHED.trim_end().to_string(), line.clone()),
            (PUBLISHED.to_string() + "\n", line.clone()),
            (PUBLISHED.to_string() + "more\n", line),
            (PUBLISHED.replace("\n\n", "\n"), malformed("separation")),
            (PUBLISHED.replace('\n', "\r\n"), malformed("character")),
            (PUBLISHED.replace("If", "If\0"), malformed("character")),
            (String::new(), malformed("separation")),
            ("text\n".into(), malformed("separation")),
            ("text\n\n".into(), malformed("signature line")),
        ] {
            assert_eq!(SignedNote::parse(&note), Err(refusal), "{note:?}");
        }
    }
}
