//! Attestations: whole, raw, and handed on.

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Category, Chain, Claim, ClaimKind, Decay, DocumentKind,
    EvidenceLink, MemoryProvenance, ProvenanceSource, Salience, StructuredClaim,
};
use counterfoil_types::Sha256Hash;
use serde_json::json;

use crate::golden::Golden;
use crate::parts::{BABEL, DJCLAWD, JUST_MOTE, agent, party, second, seed, text, written};

const KIND: DocumentKind = DocumentKind::Attestation;

pub(crate) fn golden() -> Vec<Golden> {
    let whole = Attestation::sign(whole(), &agent(DJCLAWD)).expect("the parts are whole");
    let handed_on = Attestation::sign(handed_on(), &agent(JUST_MOTE)).expect("the parts are whole");
    vec![
        Golden {
            name: "attestation",
            kind: KIND,
            vector: json!({
                "about": "An attestation with all its members but a chain. Inputs: seed; docs/format/exchange.md §4 says the rest.",
                "seed": seed(DJCLAWD),
                "document": bytes(&whole),
                "claimHash": whole.claim_hash().to_string(),
                "documentHash": whole.hash().to_string(),
            }),
        },
        Golden {
            name: "attestation-raw",
            kind: KIND,
            vector: json!({
                "about": "The claim of attestation.json alone, as it is handed out raw: one claim, one hash.",
                "document": bytes(&raw()),
                "claimHash": raw().claim_hash().to_string(),
                "documentHash": raw().hash().to_string(),
            }),
        },
        Golden {
            name: "attestation-handed-on",
            kind: KIND,
            vector: json!({
                "about": "A memory that came through two agents before this one: the hops are signed by hopSeeds, in their order (docs/format/exchange.md §5).",
                "seed": seed(JUST_MOTE),
                "hopSeeds": [seed(BABEL), seed(DJCLAWD), seed(JUST_MOTE)],
                "document": bytes(&handed_on),
                "claimHash": handed_on.claim_hash().to_string(),
                "documentHash": handed_on.hash().to_string(),
            }),
        },
    ]
}

pub(crate) fn raw() -> Attestation {
    Attestation::raw(text("memory-7"), claim(), Vec::new()).expect("a claim is enough")
}

/// What agent 2 remembers, signed.
pub(crate) fn attested() -> Attestation {
    Attestation::sign(whole(), &agent(DJCLAWD)).expect("the parts are whole")
}

fn bytes(attestation: &Attestation) -> String {
    written(attestation.bytes())
}

fn claim() -> Claim {
    let value = json!({ "is": ["identity", 1.5e-7, true, null], "\u{20ac}": "\u{1f600}" });
    Claim {
        kind: ClaimKind::Insight,
        content: text("pruning is identity — what you forget defines who you become"),
        context: Some(text(
            "from a discussion about \"trajectory over snapshots\"\n\u{202e}",
        )),
        references: vec![text("memory-3"), text("https://example.org/note")],
        structured: Some(StructuredClaim {
            subject: Identifier::new("subject", "pruning").expect("a short name"),
            predicate: Identifier::new("predicate", "is").expect("a short name"),
            value: FactValue::new(&value).expect("a small value"),
            valid_from: Boundary::parse("2026-02").ok(),
            valid_until: Boundary::parse("2027-01-01T00:00:00Z").ok(),
        }),
    }
}

fn whole() -> AttestationParts {
    AttestationParts {
        id: text("memory-7"),
        agent: Some(party("djclawd")),
        created_at: Some(second(0)),
        claim: claim(),
        salience: Some(Salience {
            why_kept: Some(text("it changed how I prune")),
            category: Some(Category::Foundational),
            confidence: Some(0.9),
            expected_decay: Some(Decay::TimeBound(second(86_400))),
            supersedes: vec![text("memory-2")],
        }),
        provenance: Some(MemoryProvenance {
            witnesses: vec![text("Babel")],
            ..MemoryProvenance::of_source(ProvenanceSource::DirectExperience)
        }),
        evidence: vec![EvidenceLink {
            url: text("https://example.org/note"),
            media_type: Some(text("text/plain")),
            hash: Some(Sha256Hash::from_bytes([7; 32]).into()),
        }],
        pass_on: false,
    }
}

fn handed_on() -> AttestationParts {
    let claim = Claim::of_text(text("the heron nests by the weir"));
    let hash = claim.hash();
    let hops = [(BABEL, 10), (DJCLAWD, 20), (JUST_MOTE, 30)];
    let chain = hops.into_iter().fold(Chain::default(), |chain, (by, at)| {
        chain
            .handed_on(hash, None, second(at), &agent(by))
            .expect("three hops fit")
    });
    AttestationParts {
        id: text("memory-9"),
        agent: Some(party("JustMote")),
        created_at: Some(second(30)),
        claim,
        salience: Some(Salience {
            expected_decay: Some(Decay::Conditional(Some(text("until the weir is rebuilt")))),
            ..Salience::default()
        }),
        provenance: Some(MemoryProvenance {
            chain: Some(chain),
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        }),
        evidence: Vec::new(),
        pass_on: false,
    }
}
