//! Keys of agents by number, as far as they are known (capsules 4.7: key-at-seq).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use crate::header::Header;

/// Returns the key that signs the capsule of that header; `None` when it is not known. `keys` are those of agents that ever
/// rotated, by number. Number 0 is the key that the agent is named after and needs none.
pub fn key_of(header: &Header, keys: &BTreeMap<DidKey, Vec<DidKey>>) -> Option<DidKey> {
    let agent = header.agent();
    match header.key_number() {
        0 => Some(agent),
        number => {
            let known = keys.get(&agent)?;
            known.get(usize::try_from(number).ok()?).copied()
        }
    }
}
