//! Short hashes under which claims are looked up. Whoever finds something by one compares what was meant itself.

use counterfoil_claims::{FactValue, Line};
use counterfoil_types::WorldId;

const NAME: &str = "counterfoil sqlite v3 tag of a name";
const KEY: &str = "counterfoil sqlite v3 tag of a key";
const TEXT: &str = "counterfoil sqlite v8 tag of a text";

/// Of the name of a unit.
pub(super) fn of_name(name: &WorldId) -> i64 {
    hashed(NAME, [name.opaque_bytes()])
}

/// Of an idempotency key.
pub(super) fn of_key(key: &str) -> i64 {
    hashed(KEY, [key.as_bytes()])
}

/// Tag of the name of an agent, a subject or a predicate.
pub(super) fn of_text(text: &str) -> i64 {
    hashed(TEXT, [text.as_bytes()])
}

/// Of the subject of a line, and of its predicate with its scope.
pub(super) fn of_line(line: &Line) -> [i64; 2] {
    let predicate = line.predicate.as_str();
    let rest = match line.scope.is_empty() {
        true => of_text(predicate),
        false => hashed(
            TEXT,
            [predicate.as_bytes(), line.scope.to_string().as_bytes()],
        ),
    };
    [of_text(line.subject.as_str()), rest]
}

/// Of a value: four bytes, as there is one for each claim.
pub(super) fn of_value(value: &FactValue) -> i64 {
    let [a, b, c, d, ..] = value.tag();
    i64::from(i32::from_be_bytes([a, b, c, d]))
}

fn hashed<'p>(context: &str, parts: impl IntoIterator<Item = &'p [u8]>) -> i64 {
    let mut hash = blake3::Hasher::new_derive_key(context);
    for part in parts {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        hash.update(&length.to_le_bytes());
        hash.update(part);
    }
    let hash = hash.finalize();
    hash.as_bytes()
        .first_chunk()
        .copied()
        .map_or(0, i64::from_be_bytes)
}
