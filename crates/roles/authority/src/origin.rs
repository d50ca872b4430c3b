//! Origin of a memory: its verified author, the proposal's signer, and the words by which it is another agent's.

use counterfoil_trace::types::DidKey;
use counterfoil_trace::types::json::Value;
use counterfoil_verifier::Proven;
use counterfoil_verifier::attestations::{Attestations, Author};

/// Origin of a memory, as far as signatures and disclosed words show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryOrigin {
    /// The agent that signed the proposal wrote it.
    Own,
    /// Another agent wrote it.
    Imported,
    /// Its author wrote down the word of another agent, at the trust level of that agent at the time, 0 to 3. Both are the
    /// author's statement; `None` where it makes none.
    Peer {
        /// The other agent.
        agent: Option<DidKey>,
        /// Its level.
        level: Option<u64>,
    },
}

impl MemoryOrigin {
    /// The origin of a memory with this author; `None` where no signature or word shows it.
    pub(crate) fn of(
        proven: &Proven,
        author: Option<&Author>,
        signer: Option<&DidKey>,
        attestations: &Attestations,
    ) -> Option<Self> {
        if let Some(peer) = word_of_a_peer(proven) {
            return Some(peer);
        }
        let keys = attestations.keys_of(&author?.agent);
        Some(match keys.contains(signer?) {
            true => Self::Own,
            false => Self::Imported,
        })
    }
}

/// What an agent keeps of another one's answer says so in its data (docs/format/exchange.md §11, claims.md).
fn word_of_a_peer(proven: &Proven) -> Option<MemoryOrigin> {
    let of = |path: &str| {
        let found = proven.disclosed().iter().find(|(own, _)| own == path);
        found.map(|(_, value)| value)
    };
    let text = |path| of(path).and_then(Value::as_str);
    let (agent, level) = if text("/data/kind") == Some("received") {
        ("/data/from", "/data/level")
    } else if text("/data/provenance/class") == Some("peer") {
        ("/data/provenance/agent", "/data/provenance/level")
    } else {
        return None;
    };
    Some(MemoryOrigin::Peer {
        agent: text(agent).and_then(|agent| agent.parse().ok()),
        level: of(level)
            .and_then(Value::as_u64)
            .filter(|level| *level <= 3),
    })
}
