//! What an authority spends on a proposal, beside its Ed25519 verification and its hashes alone.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use counterfoil_authority::{Authority, Policy, Preset, Verdict};
use counterfoil_types::{Proposal, UnixMillis};
use counterfoil_verifier::digest::header_hash;
use counterfoil_verifier::{Checkpoint, VerifierSet, merkle};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde_json::{Map, Value, json};

use crate::log::{LargeLog, START_MILLIS, world};
use crate::measure::{aimed, alternate, heading, line, ratio, us};

const LOG_SIZE: u64 = 1 << 20;

pub(crate) fn report() -> Result<()> {
    let log = LargeLog::new(LOG_SIZE, 11)?;
    let (one, eleven) = (proposal(&log, 1)?, proposal(&log, 11)?);
    // The memories alone: an envelope is one signature and one canonical form more.
    let mut policy = Policy::preset(Preset::Standard);
    policy.require_signed = false;
    let authority = Authority::new(VerifierSet::new(log.anchors()?), policy);
    let now = UnixMillis::new(START_MILLIS + 60_000)?;
    for bytes in [&one, &eleven] {
        let report = authority.review(&Proposal::from_json(bytes)?, now);
        let verdict = report.decision().verdict();
        ensure!(
            verdict == Verdict::Approved,
            "the bench's own proposal: {report:?}"
        );
    }
    let (bare, parsed) = (Bare::of(&log)?, Proposal::from_json(&one)?);
    let [signature, bare_one, review_one, json_one, json_eleven] = alternate(
        101,
        20,
        [
            &mut || bare.signature(),
            &mut || bare.all(),
            &mut || drop(black_box(authority.review(&parsed, now))),
            &mut || from_json(&authority, &one, now),
            &mut || from_json(&authority, &eleven, now),
        ],
    );
    let further = json_eleven.saturating_sub(json_one) / 10;
    let (_, proof) = log.proof(0, false)?;
    let proof = serde_json::to_vec(&proof)?.len();
    let attested = serde_json::to_vec(&log.attested(0)?)?.len();
    let of = |time| us(time);
    let against = |time| format!("{:.2} x", ratio(time, bare_one));

    heading("verify: memories with words, author and standing, of a log of 2^20 entries");
    line("one Ed25519 verification, bare", of(signature));
    line(
        "signatures of log and author, and all hashes, bare",
        of(bare_one),
    );
    line("review of one memory", of(review_one));
    aimed(
        "  against the bare cost",
        against(review_one),
        "at most 1.5",
    );
    line("review of one memory, from JSON", of(json_one));
    line("  against the bare cost", against(json_one));
    line("each further memory, from JSON", of(further));
    aimed("proof as JSON", format!("{proof} B"), "at most 2,500 B");
    let marks = serde_json::to_vec(&log.marks()?)?.len();
    let whole = format!("{} B, and {marks} B once for each key", proof + attested);
    aimed(
        "the same with author and standing",
        whole,
        "at most 4,096 B",
    );
    Ok(())
}

fn from_json(authority: &Authority, bytes: &[u8], now: UnixMillis) {
    let report = Proposal::from_json(bytes).map(|proposal| authority.review(&proposal, now));
    assert!(black_box(report).is_ok(), "the bench's own proposal");
}

/// The work that no verifier can avoid: one signature, and one hash for each level of the tree.
struct Bare {
    key: VerifyingKey,
    text: String,
    signature: Signature,
    levels: u32,
}

impl Bare {
    fn of(log: &LargeLog) -> Result<Self> {
        let text = Checkpoint::from_note(log.checkpoint())?.to_text();
        let key = SigningKey::from_bytes(&[8; 32]);
        Ok(Self {
            key: key.verifying_key(),
            signature: key.sign(text.as_bytes()),
            text,
            levels: LOG_SIZE.ilog2(),
        })
    }

    fn signature(&self) {
        let verdict = self
            .key
            .verify_strict(self.text.as_bytes(), &self.signature);
        assert!(black_box(verdict).is_ok(), "the bench's own signature");
    }

    fn all(&self) {
        self.signature();
        self.signature();
        let leaf = merkle::leaf_hash(black_box(&[1; 330]));
        // One path in the log and two in its map; leaves and nodes of seven fields; the header.
        let levels = 3 * self.levels + 6;
        let root = (0..levels).fold(leaf, |node, _| merkle::node_hash(&node, &leaf));
        let fields = [(); 7].map(|()| merkle::leaf_hash(black_box(&[2; 100])));
        black_box((root, fields, header_hash(black_box(&[3; 480]))));
    }
}

/// A proposal as an actor would have sent it, with `count` proven memories.
pub(crate) fn proposal(log: &LargeLog, count: u64) -> Result<Vec<u8>> {
    let actor = json!({"actorId": "bench", "kind": "agent"});
    let selected: Vec<Value> = (0..count)
        .map(|number| selected(log, number, &actor))
        .collect::<Result<_>>()?;
    let attested = (0..count).map(|number| {
        let world = world(number)?.world_id().to_string();
        Ok((world, log.attested(number)?))
    });
    let attested: Map<String, Value> = attested.collect::<Result<_>>()?;
    let memory = json!({
        "selector": actor, "query": "when does the crate arrive", "selectedAt": START_MILLIS + 2,
        "atWorldId": "world-now", "selected": selected,
    });
    let proposal = json!({
        "proposalId": "prop-1", "actor": actor, "baseWorld": "world-now", "status": "submitted",
        "submittedAt": START_MILLIS + 3,
        "intent": {
            "body": {"type": "delivery.confirm"}, "intentId": "intent-1", "intentKey": "k",
            "meta": {"origin": {"projectionId": "bench", "actor": actor}},
        },
        "trace": {"summary": "Confirm the delivery", "context": {
            "memory": memory,
            "attestations": {
                "type": "counterfoil/attestations", "version": "1", "marks": log.marks()?,
                "memories": attested,
            },
        }},
    });
    Ok(serde_json::to_vec(&proposal)?)
}

fn selected(log: &LargeLog, number: u64, actor: &Value) -> Result<Value> {
    let (memory, proof) = log.proof(number, true)?;
    let mut evidence = serde_json::to_value(&proof)?;
    let members = evidence.as_object_mut().context("a proof is an object")?;
    members.insert("verifiedAt".into(), json!(START_MILLIS + 1));
    members.insert("verifiedBy".into(), actor.clone());
    Ok(json!({
        "ref": serde_json::to_value(&memory)?, "reason": "says \"crate\"", "confidence": 0.75,
        "verified": true, "evidence": evidence,
    }))
}
