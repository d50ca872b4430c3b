//! Upper bounds on foreign input: every loop of this crate ends by one of them (`proof.md` §3, step 1).

/// The most bytes of text that one proof may hold: 512 KiB.
pub const MAX_PROOF_BYTES: usize = counterfoil_types::MAX_PROOF_BYTES;

/// The most bytes of one log proof, or one signed note: 64 KiB.
pub const MAX_NOTE_BYTES: usize = 64 << 10;

/// The largest content of which a proof discloses all fields, in bytes: 64 KiB. Of a larger one it discloses some.
pub const MAX_WHOLE_CONTENT: u64 = 64 << 10;

/// The most hashes in an inclusion path: a tree of 2^62 leaves needs 62.
pub const MAX_INCLUSION_HASHES: usize = 63;

/// The most hashes in a consistency proof.
pub const MAX_CONSISTENCY_HASHES: usize = 65;

/// The most signature lines in a note (C2SP signed-note asks for 16 at least).
pub const MAX_SIGNATURE_LINES: usize = 32;

/// The most leaves in a tree: 2^62, so that no sum of two sizes overflows.
pub const MAX_TREE_SIZE: u64 = 1 << 62;

/// The most cosigned notes that one [`Session`](crate::Session) looks at.
pub const MAX_COSIGNED_NOTES: usize = 16;

/// The most judged checkpoints that one [`Session`](crate::Session) remembers; the oldest goes first.
pub const MAX_REMEMBERED_CHECKPOINTS: usize = 64;

/// The most bytes of foreign text that an error message repeats.
const MAX_QUOTED_BYTES: usize = 64;

/// The beginning of a foreign text, short enough for a message.
pub(crate) fn quoted(text: &str) -> alloc::string::String {
    let mut end = text.len().min(MAX_QUOTED_BYTES);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default().into()
}
