//! Log proofs (C2SP tlog-proof): index, inclusion path and checkpoint in one text.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use counterfoil_types::{Sha256Hash, text_form};

use crate::limits::{MAX_INCLUSION_HASHES, MAX_NOTE_BYTES};
use crate::refusal::Refusal;
use crate::text::{base64_array, decimal, to_base64};

/// The first line.
const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// A C2SP log proof, without the optional `extra` line: nothing unsigned travels in a proof.
///
/// ```text
/// c2sp.org/tlog-proof@v1
/// index 123
/// gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
/// ...
///
/// <checkpoint with its signature>
/// ```
///
/// Holding one proves nothing: [`MerkleVerifier`](crate::MerkleVerifier) is what checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlogProof {
    /// Index of the entry in the log, from 0.
    pub index: u64,
    /// Siblings from the leaf up to the root's child, at most 63.
    pub hashes: Vec<Sha256Hash>,
    /// The signed note of the checkpoint, verbatim.
    pub checkpoint: String,
}

impl TlogProof {
    /// Reads a log proof; `Ok` guarantees that [`TlogProof::to_text`] gives the same bytes back.
    ///
    /// # Errors
    /// [`Refusal::TlogProof`] for another form, [`Refusal::TooMuch`] beyond the limits.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_NOTE_BYTES {
            return Err(Refusal::too_much("bytes of text", MAX_NOTE_BYTES));
        }
        let (header, rest) = text.split_once('\n').ok_or(malformed("header"))?;
        if header != HEADER {
            return Err(malformed("header"));
        }
        let (index, rest) = rest.split_once('\n').ok_or(malformed("index"))?;
        let index = index.strip_prefix("index ").and_then(decimal);
        let index = index.ok_or(malformed("index"))?;
        let (hashes, checkpoint) = path(rest)?;
        Ok(Self {
            index,
            hashes,
            checkpoint: checkpoint.to_string(),
        })
    }

    /// Writes the log proof.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for TlogProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}\nindex {}", self.index)?;
        for hash in &self.hashes {
            writeln!(f, "{}", to_base64(hash.as_bytes()))?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}

text_form! {
    TlogProof: "a C2SP tlog-proof", = |text| Self::parse(text).ok();
}

/// The lines up to the empty one, and what follows it.
fn path(mut rest: &str) -> Result<(Vec<Sha256Hash>, &str), Refusal> {
    let mut hashes = Vec::with_capacity(MAX_INCLUSION_HASHES);
    loop {
        let (line, below) = rest.split_once('\n').ok_or(malformed("path"))?;
        rest = below;
        if line.is_empty() {
            return Ok((hashes, rest));
        }
        if hashes.len() == MAX_INCLUSION_HASHES {
            return Err(Refusal::too_much(
                "hashes in an inclusion path",
                MAX_INCLUSION_HASHES,
            ));
        }
        let hash = base64_array(line).ok_or(malformed("path"))?;
        hashes.push(Sha256Hash::from_bytes(hash));
    }
}

const fn malformed(part: &'static str) -> Refusal {
    Refusal::TlogProof { part }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of C2SP tlog-proof, without its extra data.
    const EXAMPLE: &str = "c2sp.org/tlog-proof@v1
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=

example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
";

    #[test]
    fn the_published_example_is_read() {
        let proof = TlogProof::parse(EXAMPLE).unwrap();
        assert_eq!((proof.index, proof.hashes.len()), (73_894, 2));
        assert!(proof.checkpoint.starts_with("example.com/fancylog\n"));
        assert_eq!(proof.to_text(), EXAMPLE);
    }

    #[test]
    fn a_text_has_64_kib() {
        let mut text = String::from(EXAMPLE);
        text.push_str(&"x".repeat(MAX_NOTE_BYTES - text.len()));
        assert_eq!(TlogProof::parse(&text).unwrap().to_text(), text);
        text.push('x');
        let too_much = Refusal::too_much("bytes of text", MAX_NOTE_BYTES);
        assert_eq!(TlogProof::parse(&text), Err(too_much));
    }

    #[test]
    fn other_forms_are_refused() {
        for (text, part) in [
            (EXAMPLE.replace("@v1", "@v2"), "header"),
            (EXAMPLE.replace("@v1\n", "@v1 \n"), "header"),
            (EXAMPLE.replace("@v1\n", "@v1\0\n"), "header"),
            (EXAMPLE.replace("c2sp", "C2SP"), "header"),
            (EXAMPLE.replace("c2sp", "\u{feff}c2sp"), "header"),
            (EXAMPLE.replace("index 73894", "index 73894\0"), "index"),
            (EXAMPLE.replace("index 73894", "index -1"), "index"),
            (EXAMPLE.replace("PlQ=\n", "PlR=\n"), "path"),
            (EXAMPLE.replace("//", "__"), "path"),
            (EXAMPLE.replace("@v1\n", "@v1\n\n"), "index"),
            (EXAMPLE.replace("@v1\n", "@v1\nextra YQ==\n"), "index"),
            (EXAMPLE.replace("index 7", "index  7"), "index"),
            (EXAMPLE.replace("index 7", "index 07"), "index"),
            (EXAMPLE.replace("index", "Index"), "index"),
            (EXAMPLE.replace("PlQ=\n", "PlQ\n"), "path"),
            (EXAMPLE.replace("PlQ=\n", "PlQ= \n"), "path"),
            (EXAMPLE.replace("PlQ=\n", "PlQ=\n \n"), "path"),
            (EXAMPLE.replace("\n\n", "\n"), "path"),
            (EXAMPLE.replace('\n', "\r\n"), "header"),
            (String::new(), "header"),
        ] {
            assert_eq!(TlogProof::parse(&text), Err(malformed(part)), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_log_proof_round_trips(
            index: u64,
            hashes in prop::collection::vec(any::<[u8; 32]>(), 0..=63),
            checkpoint in "[a-z\n]{0,60}",
        ) {
            let hashes = hashes.into_iter().map(Sha256Hash::from_bytes).collect();
            let proof = TlogProof { index, hashes, checkpoint };
            prop_assert_eq!(TlogProof::parse(&proof.to_text()), Ok(proof));
        }
    }
}
