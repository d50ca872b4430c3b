//! What is needed by something that is kept: evidence against a key, and sources of accepted capsules.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use rusqlite::Connection;

use crate::statement::Statements;

/// Prefix of a written hash.
const PREFIX: &str = "blake3:";
const DIGITS: usize = 64;

/// Hashes in contradictions that accuse a key, in forks, and in `derived_from` of accepted
/// headers. A contradiction without an accused (a bad signature proves nothing) needs no
/// evidence.
pub(super) fn read(connection: &Connection) -> Result<BTreeSet<[u8; 32]>, StoreError> {
    let mut found = BTreeSet::new();
    for sql in [
        "SELECT document FROM event WHERE document ->> '$.attributable' = 1",
        "SELECT document FROM fork",
        "SELECT whole_header(header, packed) ->> '$.ext.derived_from' FROM capsule
         WHERE instr(whole_header(header, packed), '\"derived_from\"') > 0",
    ] {
        connection.each(sql, [], |row| {
            let text: Option<String> = row.get(0)?;
            found.extend(hashes(text.as_deref().unwrap_or_default()));
            Ok(())
        })?;
    }
    Ok(found)
}

/// Every hash that is written in a text.
fn hashes(text: &str) -> impl Iterator<Item = [u8; 32]> {
    text.match_indices(PREFIX).filter_map(|(start, _)| {
        let written = text.get(start..start + PREFIX.len() + DIGITS)?;
        let hash: Blake3Hash = written.parse().ok()?;
        Some(*hash.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_wherever_they_stand() {
        let hash = Blake3Hash::from_bytes([7; 32]);
        let text = format!(r#"{{"a":["{hash}","blake3:short"],"b":"{hash}{hash}"}}"#);
        assert_eq!(hashes(&text).collect::<Vec<_>>(), [[7; 32]; 3]);
    }
}
