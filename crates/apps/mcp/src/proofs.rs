//! Proofs that this session made, by their uris: at most the last 16.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rmcp::model::Resource;

use crate::failure::Failure;

/// Most proofs that a session keeps.
const MAX_PROOFS: usize = 16;
/// Begin of the uri of a proof.
pub(crate) const PROOF: &str = "counterfoil://proof/";

/// A proof as it was made.
#[derive(Debug, Clone)]
pub(crate) struct KeptProof {
    pub(crate) uri: String,
    pub(crate) kind: &'static str,
    pub(crate) json: String,
}

/// The proofs of a session, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    kept: Mutex<(u64, VecDeque<KeptProof>)>,
}

impl Proofs {
    /// Keeps a proof, and lets the oldest go.
    pub(crate) fn keep(&self, kind: &'static str, json: String) -> KeptProof {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let proof = KeptProof {
            uri: format!("{PROOF}{kind}-{}", kept.0),
            kind,
            json,
        };
        kept.1.push_back(proof.clone());
        if kept.1.len() > MAX_PROOFS {
            kept.1.pop_front();
        }
        proof
    }

    pub(crate) fn find(&self, uri: &str) -> Option<KeptProof> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1.iter().find(|proof| proof.uri == uri).cloned()
    }

    /// The proofs as resources, the oldest first.
    pub(crate) fn resources(&self) -> Vec<Resource> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1.iter().map(KeptProof::resource).collect()
    }
}

impl KeptProof {
    pub(crate) fn resource(&self) -> Resource {
        let size = u64::try_from(self.json.len()).unwrap_or(u64::MAX);
        Resource::new(self.uri.clone(), format!("proof of a {}", self.kind))
            .with_description("For `check`, and for an authority that has the anchors of this log")
            .with_mime_type("application/json")
            .with_size(size)
    }
}

/// Failure for a proof that is gone, or never was.
pub(crate) fn no_proof() -> Failure {
    Failure::arguments(
        "this session has no such proof",
        "make it again with `prove`; a session keeps the last 16",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_proof_goes_and_each_uri_names_one() {
        let proofs = Proofs::default();
        let first = proofs.keep("belief", "1".to_owned());
        assert_eq!(proofs.find(&first.uri).unwrap().json, "1");
        for number in 0..MAX_PROOFS {
            proofs.keep("proposal", number.to_string());
        }
        assert!(proofs.find(&first.uri).is_none());
        assert_eq!(proofs.resources().len(), MAX_PROOFS);
    }
}
