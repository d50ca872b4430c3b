//! The decision of an authority about a proposal, as a signed document (docs/format/decision.md).
//!
//! ```json
//! {"type":"counterfoil/decision","version":"1","proposalId":"prop-1","proposalDigest":"sha256:…","traceDigest":"sha256:…",
//!  "policyDigest":"sha256:…","authority":"did:key:z6Mk…","authorityName":"payments.example","decidedAt":1767225600000,
//!  "verdict":"approved","reasons":["all-proven"],"memories":[{"worldId":"world-7","outcome":"proven"}],"proof":{…}}
//! ```

use alloc::collections::BTreeSet;
use alloc::string::String;

use counterfoil_types::document::{self, Fault, Line, List, Text};
use counterfoil_types::json::{JsonError, Value, canonical};
use counterfoil_types::{DidKey, Proposal, Sha256Hash, UnixMillis, WorldId, words};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::envelope;
use crate::integrity::{self, Binding, Created, ProofError, verify};

/// Value of the member `type`.
pub const TYPE: &str = "counterfoil/decision";
const VERSION: &str = "1";
/// Members that are read by themselves.
const AROUND: &[&str] = &["type", "version", envelope::PROOF];
/// Bytes of the id of a proposal.
const MAX_ID_BYTES: usize = 1 << 20;
/// Reasons of one decision.
const MAX_REASONS: usize = 64;
/// Memories of one trace.
const MAX_MEMORIES: usize = 1000;
/// Bytes of a code.
const MAX_CODE_BYTES: usize = 64;

words! {
    /// A decision in one word. Ordered: the worse is the greater.
    #[derive(PartialOrd, Ord)]
    pub enum Verdict {
        /// The memories satisfy the policy.
        Approved = "approved",
        /// The policy leaves it to someone else.
        Indeterminate = "indeterminate",
        /// The memories do not satisfy the policy.
        Rejected = "rejected",
    }

    /// Outcome of a memory. Ordered: the worse is the greater.
    #[derive(PartialOrd, Ord)]
    enum Outcome {
        Proven = "proven",
        Accepted = "accepted",
        Unproven = "unproven",
        Refused = "refused",
    }
}

/// Decision of an authority about one proposal, whose signature holds. Made by [`open`] alone.
///
/// It says that the authority decided so. It does not say that a memory is true (M-1), nor that there is no other decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRecord {
    members: Members,
    document: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Members {
    proposal_id: Text<MAX_ID_BYTES>,
    proposal_digest: Sha256Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace_digest: Option<Sha256Hash>,
    policy_digest: Sha256Hash,
    authority: DidKey,
    authority_name: Line<256>,
    decided_at: UnixMillis,
    verdict: Verdict,
    reasons: List<Line<MAX_CODE_BYTES>, 1, MAX_REASONS>,
    memories: List<DecidedMemory, 0, MAX_MEMORIES>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DecidedMemory {
    world_id: WorldId,
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<Line<MAX_CODE_BYTES>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standing: Option<Line<MAX_CODE_BYTES>>,
}

impl DecisionRecord {
    /// The decision in one word.
    pub const fn verdict(&self) -> Verdict {
        self.members.verdict
    }

    /// Key of the authority, which signed, and its name.
    pub fn authority(&self) -> (DidKey, &str) {
        (self.members.authority, self.members.authority_name.as_str())
    }

    /// Time of the review by the authority's clock.
    pub const fn decided_at(&self) -> UnixMillis {
        self.members.decided_at
    }

    /// Each World that the trace selects, once, with its outcome: `proven`, `accepted`, `unproven` or `refused`.
    pub fn memories(&self) -> impl Iterator<Item = (&WorldId, &'static str)> {
        let memories = self.members.memories.iter();
        memories.map(|memory| (&memory.world_id, memory.outcome.name()))
    }

    /// The document as it was signed.
    pub const fn to_value(&self) -> &Value {
        &self.document
    }
}

/// Checks that `document` is a decision that one of `authorities` has signed, whole, about `proposal`. `None` where the
/// proposal is not at hand: the decision is about the one that has its digest.
///
/// # Errors
/// The first [`DecisionError`] in the order of docs/format/decision.md.
pub fn open(
    document: &Value,
    authorities: &[DidKey],
    proposal: Option<&Proposal>,
) -> Result<DecisionRecord, DecisionError> {
    let members = read(document)?;
    // Further proofs are bytes that no signature covers: one decision would have many forms.
    if !document.get(envelope::PROOF).is_some_and(Value::is_object) {
        return Err(ProofError::Proofs { limit: 1 }.into());
    }
    let authority = members.authority;
    if !authorities.contains(&authority) {
        return Err(DecisionError::Authority { authority });
    }
    verify(document, authority, &[authority], &Binding::ASSERTION)?;
    if let Some(proposal) = proposal {
        let (whole, trace) = digests(proposal)?;
        let id = proposal.proposal_id();
        let is_this = (members.proposal_id.as_str(), members.proposal_digest) == (id, whole);
        if !is_this || members.trace_digest != trace {
            return Err(DecisionError::OtherProposal {
                decided: members.proposal_id.as_str().chars().take(64).collect(),
                given: id.chars().take(64).collect(),
            });
        }
    }
    Ok(DecisionRecord {
        members,
        document: document.clone(),
    })
}

/// Signs a decision with the key that it names, dated by its `decidedAt`. `members` are those of
/// docs/format/decision.md, without `type`, `version` and `proof`.
///
/// # Errors
/// [`DecisionError::Document`] for members that [`open`] would refuse.
pub fn sign(
    members: &impl Serialize,
    signature: impl FnOnce(&[u8]) -> [u8; 64],
) -> Result<Value, DecisionError> {
    let mut document = document::write(members);
    if let Some(members) = document.as_object_mut() {
        members.insert("type".into(), TYPE.into());
        members.insert("version".into(), VERSION.into());
    }
    let record = read(&document)?;
    let created = Created::from_micros(record.decided_at.value().saturating_mul(1000));
    let binding = Binding::ASSERTION;
    let signed = integrity::sign(document, record.authority, signature, created, &binding);
    Ok(signed?)
}

/// Digest of a proposal as submitted, and of its trace.
///
/// # Errors
/// [`DecisionError::Proof`] for a proposal without canonical form.
pub fn digests(proposal: &Proposal) -> Result<(Sha256Hash, Option<Sha256Hash>), DecisionError> {
    let document = envelope::document(proposal)?;
    let trace = document.get("trace").map(digest).transpose();
    Ok((
        digest(&document).map_err(ProofError::from)?,
        trace.map_err(ProofError::from)?,
    ))
}

/// SHA-256 of the canonical form of a JSON value.
///
/// # Errors
/// As [`canonical`].
pub fn digest(value: &Value) -> Result<Sha256Hash, JsonError> {
    let digest = Sha256::digest(canonical(value)?);
    Ok(Sha256Hash::from_bytes(digest.into()))
}

/// Reads the members, and checks them against one another.
fn read(document: &Value) -> Result<Members, Fault> {
    for (member, must) in [("type", TYPE), ("version", VERSION)] {
        if document.get(member).and_then(Value::as_str) != Some(must) {
            let at = alloc::format!("/{member}");
            return Err(Fault::new(at, alloc::format!("{must:?}")));
        }
    }
    let record: Members = document::read_without(document, AROUND)?;
    if !envelope::is_audience(record.authority_name.as_str()) {
        return Err(Fault::new("/authorityName", "the name of an authority"));
    }
    let mut seen = BTreeSet::new();
    for (index, memory) in record.memories.iter().enumerate() {
        let at = |member| alloc::format!("/memories/{index}/{member}");
        if !seen.insert(&memory.world_id) {
            return Err(Fault::new(at("worldId"), "there once"));
        }
        let has_cause = matches!(memory.outcome, Outcome::Unproven | Outcome::Refused);
        if memory.code.is_some() != has_cause {
            let must = "there for a memory that is unproven or refused, and for no other";
            return Err(Fault::new(at("code"), must));
        }
    }
    Ok(record)
}

/// Refusal of a decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// The document is no decision.
    #[error("the decision is none that can be read: {0}; ask the authority for it again")]
    Document(#[from] Fault),
    /// An authority that is not trusted here decided.
    #[error(
        "{authority} decided, and is no authority here: if it should be, add its key to the list of authorities"
    )]
    Authority {
        /// Key that the decision names.
        authority: DidKey,
    },
    /// The signature does not hold.
    #[error("the signature of the decision: {0}")]
    Proof(#[from] ProofError),
    /// The decision is about another proposal.
    #[error(
        "the decision is about {decided:?} and not about this proposal {given:?} as it is here: give the proposal that was submitted"
    )]
    OtherProposal {
        /// Id of the proposal that the decision names, up to 64 characters.
        decided: String,
        /// Id of the proposal at hand, up to 64 characters.
        given: String,
    },
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use ed25519_dalek::{Signer, SigningKey};
    use serde_json::json;

    use super::*;

    const AT: u64 = 1_767_225_600_000;

    fn key(seed: u8) -> (DidKey, SigningKey) {
        let secret = SigningKey::from_bytes(&[seed; 32]);
        let public = DidKey::from_public_key(secret.verifying_key().to_bytes());
        (public, secret)
    }

    fn proposal(summary: &str) -> Proposal {
        let wire = json!({"proposalId": "prop-1", "actor": {"actorId": "a", "kind": "agent"}, "baseWorld": "w",
            "intent": {"body": {"type": "t"}, "intentId": "i", "intentKey": "k", "meta": {"origin": {"projectionId": "p",
                "source": {"kind": "agent", "eventId": "e"}, "actor": {"actorId": "a", "kind": "agent"}}}},
            "trace": {"summary": summary}, "submittedAt": AT, "status": "submitted", "more": [1]});
        Proposal::try_from(wire).unwrap()
    }

    fn members() -> Value {
        let (proposal, trace) = digests(&proposal("s")).unwrap();
        json!({"proposalId": "prop-1", "proposalDigest": proposal, "traceDigest": trace,
            "policyDigest": Sha256Hash::from_bytes([1; 32]), "authority": key(1).0, "authorityName": "payments.example",
            "decidedAt": AT, "verdict": "rejected", "reasons": ["memories-refused", "signer-unknown"],
            "memories": [{"worldId": "w1", "outcome": "proven"},
                {"worldId": "w2", "outcome": "refused", "code": "proof-refused", "standing": "current"}]})
    }

    fn signed(members: &Value) -> Result<Value, DecisionError> {
        sign(members, |bytes| key(1).1.sign(bytes).to_bytes())
    }

    fn opened(document: &Value) -> Result<DecisionRecord, DecisionError> {
        open(document, &[key(2).0, key(1).0], Some(&proposal("s")))
    }

    #[test]
    fn a_decision_is_opened_with_its_authority_and_its_proposal() {
        let document = signed(&members()).unwrap();
        let record = opened(&document).unwrap();
        assert_eq!(record.verdict(), Verdict::Rejected);
        assert_eq!(record.authority(), (key(1).0, "payments.example"));
        assert_eq!(record.decided_at().value(), AT);
        assert_eq!(record.to_value(), &document);
        let outcomes: Vec<_> = record.memories().map(|(_, outcome)| outcome).collect();
        assert_eq!(outcomes, ["proven", "refused"]);
        assert_eq!(open(&document, &[key(1).0], None), Ok(record));
        let unknown = open(&document, &[key(2).0], None);
        assert!(matches!(unknown, Err(DecisionError::Authority { .. })));
    }

    /// Each member, at any depth, changed, taken out, or with another beside it.
    #[test]
    fn a_decision_that_was_tampered_with_is_refused() {
        fn mutants(value: &Value) -> Vec<Value> {
            let mut all = match value {
                Value::String(text) => alloc::vec![
                    json!(alloc::format!("{text}x")),
                    json!("rejected"),
                    json!("w3")
                ],
                Value::Number(_) => alloc::vec![json!(AT + 1)],
                _ => Vec::new(),
            };
            if let Value::Object(members) = value {
                for (name, member) in members {
                    let mut without = members.clone();
                    without.remove(name);
                    all.push(without.into());
                    for changed in mutants(member) {
                        let mut one = members.clone();
                        one.insert(name.clone(), changed);
                        all.push(one.into());
                    }
                }
                let mut more = members.clone();
                more.insert("more".into(), json!(1));
                all.push(more.into());
            }
            if let Value::Array(items) = value {
                all.push(json!([]));
                for (index, item) in items.iter().enumerate() {
                    for changed in mutants(item) {
                        let mut one = items.clone();
                        one[index] = changed;
                        all.push(one.into());
                    }
                }
            }
            all
        }
        let document = signed(&members()).unwrap();
        let changed: Vec<_> = mutants(&document)
            .into_iter()
            .filter(|it| *it != document)
            .collect();
        assert!(changed.len() > 60, "{}", changed.len());
        for mutant in changed {
            assert!(opened(&mutant).is_err(), "{mutant}");
        }
    }

    /// Whoever holds another proposal of the same id holds another one.
    #[test]
    fn a_decision_about_another_proposal_is_refused() {
        let document = signed(&members()).unwrap();
        let other = open(&document, &[key(1).0], Some(&proposal("another")));
        assert!(matches!(other, Err(DecisionError::OtherProposal { .. })));
        for (member, value) in [
            ("proposalId", json!("prop-2")),
            ("proposalDigest", json!(Sha256Hash::from_bytes([0; 32]))),
            ("traceDigest", json!(Sha256Hash::from_bytes([0; 32]))),
        ] {
            let mut members = members();
            members[member] = value;
            let other = opened(&signed(&members).unwrap());
            assert!(
                matches!(other, Err(DecisionError::OtherProposal { .. })),
                "{member}"
            );
        }
    }

    #[test]
    fn a_decision_has_one_form() {
        for (at, value) in [
            ("/type", json!("counterfoil/forget-decision")),
            ("/version", json!("2")),
            ("/authorityName", json!("two words")),
            ("/reasons", json!([])),
            ("/memories/1/worldId", json!("w1")),
            ("/memories/0/code", json!("too-weak")),
            ("/memories/1/outcome", json!("good")),
            ("/verdict", json!("maybe")),
        ] {
            let mut members = members();
            members["type"] = TYPE.into();
            members["version"] = VERSION.into();
            assert!(read(&members).is_ok());
            match at.rsplit_once('/') {
                Some((above, name)) => members.pointer_mut(above).unwrap()[name] = value,
                None => unreachable!(),
            }
            assert!(
                matches!(read(&members), Err(fault) if fault.pointer() == at),
                "{at}"
            );
        }
        let mut blamed = members();
        blamed["memories"][1]["outcome"] = "accepted".into();
        assert!(signed(&blamed).is_err());
        let mut twice = signed(&members()).unwrap();
        twice["proof"] = json!([twice["proof"], twice["proof"]]);
        assert!(matches!(opened(&twice), Err(DecisionError::Proof(_))));
        let mut unsigned = signed(&members()).unwrap();
        unsigned.as_object_mut().unwrap().remove("proof");
        assert!(matches!(opened(&unsigned), Err(DecisionError::Proof(_))));
    }

    /// The key that signs is the one that the decision names.
    #[test]
    fn another_key_signs_for_no_authority() {
        let forged = sign(&members(), |bytes| key(2).1.sign(bytes).to_bytes()).unwrap();
        assert!(matches!(opened(&forged), Err(DecisionError::Proof(_))));
    }
}
