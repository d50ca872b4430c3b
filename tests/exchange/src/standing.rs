//! Vouches, revocations and capabilities: who stands for whom, and for what.

use counterfoil_capsule::Signer as _;
use counterfoil_exchange::documents::{
    Agent, Capability, CapabilityParts, Competence, DocumentKind, Domain, Revocation,
    RevocationParts, Vouch, VouchConfidence, VouchParts,
};
use counterfoil_verifier::note::{Algorithm, VerifierKey};
use serde_json::json;

use crate::golden::Golden;
use crate::parts::{DJCLAWD, JUST_MOTE, agent, id, second, seed, text, written};

pub(crate) fn golden() -> Vec<Golden> {
    let (vouch, revocation, capability) = (vouch(), revocation(), capability());
    vec![
        Golden {
            name: "vouch",
            kind: DocumentKind::Vouch,
            vector: json!({
                "about": "A vouch with all its members. Inputs: seed, of the voucher.",
                "seed": seed(JUST_MOTE),
                "document": written(vouch.bytes()),
                "documentHash": vouch.hash().to_string(),
            }),
        },
        Golden {
            name: "vouch_revocation",
            kind: DocumentKind::Revocation,
            vector: json!({
                "about": "The revocation of that vouch, which it names by id and hash.",
                "seed": seed(JUST_MOTE),
                "vouch": written(vouch.bytes()),
                "document": written(revocation.bytes()),
                "documentHash": revocation.hash().to_string(),
            }),
        },
        Golden {
            name: "capability",
            kind: DocumentKind::Capability,
            vector: json!({
                "about": "What an agent says of itself. Inputs: seed.",
                "seed": seed(DJCLAWD),
                "document": written(capability.bytes()),
            }),
        },
    ]
}

pub(crate) fn vouch() -> Vouch {
    let parts = VouchParts {
        id: id(0x33),
        created_at: second(0),
        voucher: named("JustMote", JUST_MOTE),
        subject: named("djclawd", DJCLAWD),
        capability_id: Some(text("pruning")),
        domain: domain("memory-systems/pruning"),
        statement: text("knows what to forget"),
        level: Competence::Expert,
        context: Some(text("we ran a store together")),
        interaction_refs: vec![text("exchange-1"), text("exchange-2")],
        outcome: Some(text("nothing was lost")),
        confidence: VouchConfidence::High,
        reason: Some(text("four months of it")),
        valid_until: Some(second(86_400 * 30)),
        conditions: Some(text("while it keeps its own log")),
    };
    Vouch::sign(parts, &agent(JUST_MOTE)).expect("the parts are whole")
}

fn revocation() -> Revocation {
    let vouch = vouch();
    let parts = RevocationParts {
        id: id(0x44),
        created_at: second(100),
        vouch_id: vouch.parts().id.clone(),
        vouch_hash: vouch.hash(),
        voucher: named("JustMote", JUST_MOTE),
        reason: Some(text("it no longer keeps a log")),
        effective_from: Some(second(50)),
    };
    Revocation::sign(parts, &agent(JUST_MOTE)).expect("the parts are whole")
}

fn capability() -> Capability {
    let log = VerifierKey::new(
        "djclawd.example",
        Algorithm::Ed25519,
        agent(9).key().public_key(),
    );
    let parts = CapabilityParts {
        id: id(0x55),
        created_at: second(0),
        agent: named("djclawd", DJCLAWD),
        domains: vec![domain("memory-systems"), domain("music/mixing")],
        description: Some(text("remembers how stores are kept")),
        signs: true,
        log: log.ok(),
        endpoint: Some(text("https://djclawd.example/mrp")),
    };
    Capability::sign(parts, &agent(DJCLAWD)).expect("the parts are whole")
}

pub(crate) fn domain(text: &str) -> Domain {
    text.parse().expect("a domain of a vector is well spelled")
}

fn named(name: &str, number: u8) -> Agent {
    Agent {
        agent_id: text(name),
        public_key: agent(number).key(),
    }
}
