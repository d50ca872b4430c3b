//! A checkpoint on its way to a witness (C2SP tlog-witness, `add-checkpoint`), and the witness's answer.

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_types::Sha256Hash;

/// Largest signed checkpoint, in bytes.
const MAX_NOTE_BYTES: usize = 16 << 10;
/// Most hashes of a consistency proof.
const MAX_HASHES: usize = 63;
/// Media type of the size in a conflict.
pub(crate) const SIZE_TYPE: &str = "text/x.tlog.size";

/// Request of `add-checkpoint`:
/// ```text
/// old 20852014
/// PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
/// jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
///
/// example.com/behind-the-sofa
/// 20852163
/// …
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// Size of the checkpoint that the witness has cosigned last; 0 for none.
    pub old: u64,
    /// Consistency proof from `old` to the checkpoint (RFC 6962 §2.1.2).
    pub hashes: Vec<Sha256Hash>,
    /// Signed checkpoint, 1 to 16,384 bytes.
    pub note: String,
}

/// Answer of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessAnswer {
    /// The checkpoint is kept: signature lines of the witness. Nothing about them was verified.
    Cosigned(String),
    /// The last checkpoint that the witness has cosigned is not the one of size `old`. Its size, where the answer has one.
    Conflict(Option<u64>),
    /// The checkpoint does not continue the one of size `old` that the witness has cosigned.
    Inconsistent,
    /// The witness has no log of this origin.
    UnknownLog,
    /// No key that the witness has for this origin signed the checkpoint.
    NotSigned,
    /// The request is none, or the witness takes no such checkpoint.
    Malformed,
}

impl AddCheckpoint {
    /// The body of the request.
    pub fn to_text(&self) -> String {
        let line = |hash: &Sha256Hash| STANDARD.encode(hash.as_bytes()) + "\n";
        let hashes: String = self.hashes.iter().map(line).collect();
        format!("old {}\n{hashes}\n{}", self.old, self.note)
    }

    /// Reads a body; `Ok` guarantees that [`to_text`](Self::to_text) gives the same bytes, and says nothing about the note.
    /// `None` for any other text.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let (head, note) = text.split_once("\n\n")?;
        let mut lines = head.split('\n');
        let old = decimal(lines.next()?.strip_prefix("old ")?)?;
        let hashes: Vec<Sha256Hash> = lines
            .take(MAX_HASHES + 1)
            .map(hash)
            .collect::<Option<_>>()?;
        let fits = hashes.len() <= MAX_HASHES && (1..=MAX_NOTE_BYTES).contains(&note.len());
        fits.then(|| Self {
            old,
            hashes,
            note: note.to_owned(),
        })
    }
}

fn hash(line: &str) -> Option<Sha256Hash> {
    let bytes: [u8; 32] = STANDARD.decode(line).ok()?.try_into().ok()?;
    Some(Sha256Hash::from_bytes(bytes))
}

/// Reads a decimal without sign and leading zeroes.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of C2SP tlog-witness.
    const EXAMPLE: &str = "old 20852014\n\
        PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\
        jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\
        5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n\
        /6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\
        \n\
        example.com/behind-the-sofa\n\
        20852163\n\
        CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
        \n\
        — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

    #[test]
    fn the_published_example_is_read_and_written_alike() {
        let read = AddCheckpoint::parse(EXAMPLE.as_bytes()).unwrap();
        assert_eq!((read.old, read.hashes.len()), (20_852_014, 4));
        assert!(read.note.starts_with("example.com/behind-the-sofa\n"));
        assert_eq!(read.to_text(), EXAMPLE);
        let first = EXAMPLE.split_once("\n\n").unwrap().1;
        let first = format!("old 0\n\n{first}");
        let read = AddCheckpoint::parse(first.as_bytes()).unwrap();
        assert_eq!((read.old, read.hashes.len()), (0, 0));
        assert_eq!(read.to_text(), first);
    }

    #[test]
    fn other_forms_are_refused() {
        let hash = "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n";
        for body in [
            "",
            "old 1\n",
            "old 1\n\n",
            &EXAMPLE.replace("old 2", "old 02"),
            &EXAMPLE.replace("old 2", "old +2"),
            &EXAMPLE.replace("old 2", "old  2"),
            &EXAMPLE.replace("old 2", "Old 2"),
            &EXAMPLE.replace("old 2", "old 99999999999999999999"),
            &EXAMPLE.replace("kaw=", "kaw"),
            &EXAMPLE.replace("kaw=", "kax="),
            &EXAMPLE.replace(hash, &format!("{hash}AAAA\n")),
            &EXAMPLE.replace('\n', "\r\n"),
            &EXAMPLE.replace(hash, &hash.repeat(61)),
            &format!("{EXAMPLE}{}", "x".repeat(MAX_NOTE_BYTES)),
        ] {
            assert_eq!(AddCheckpoint::parse(body.as_bytes()), None, "{body}");
        }
        let most = EXAMPLE.replace(hash, &hash.repeat(60));
        assert!(AddCheckpoint::parse(most.as_bytes()).is_some());
        assert!(AddCheckpoint::parse(b"old 1\n\n\xff").is_none());
    }
}
