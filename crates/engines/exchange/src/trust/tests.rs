//! A hundred thousand vouches, whose proofs are not looked at here (case 98).

use alloc::format;
use alloc::string::String;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::json::{self, Limits};

use super::record::RecordBody;
use super::{Level, LocalRecord, Record, Records, TrustSettings};
use crate::documents::{
    Agent, Competence, Domain, RequestId, Text, Vouch, VouchConfidence, VouchParts,
};

const NOW: u64 = 1_800_000_000_000_000;
const K: u32 = 1;

/// Any 32 bytes are a key for whoever only counts.
fn key(agent: u32) -> DidKey {
    let mut bytes = [9; 32];
    for (to, from) in bytes.iter_mut().zip(agent.to_be_bytes()) {
        *to = from;
    }
    DidKey::from_public_key(bytes)
}

fn me() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

fn trust(agent: u32) -> Record {
    let direct = LocalRecord::DirectTrust {
        key: key(agent),
        domain: None,
        expires: None,
    };
    Record::local(direct, Timestamp::from_micros(NOW).unwrap(), &me()).unwrap()
}

/// Writes vouches that are well formed, with the proof of another one.
struct Forger {
    template: String,
    voucher: String,
    subject: String,
}

impl Forger {
    fn new() -> Self {
        let name = || Text::new("agent").unwrap();
        let subject = key(u32::MAX);
        let parts = VouchParts {
            id: RequestId::from_bytes([0; 16]),
            created_at: Timestamp::from_micros(NOW).unwrap(),
            voucher: Agent {
                agent_id: name(),
                public_key: subject,
            },
            subject: Agent {
                agent_id: name(),
                public_key: subject,
            },
            capability_id: None,
            domain: "memory-systems".parse().unwrap(),
            statement: Text::new("knows").unwrap(),
            level: Competence::Expert,
            context: None,
            interaction_refs: [].into(),
            outcome: None,
            confidence: VouchConfidence::Medium,
            reason: None,
            valid_until: None,
            conditions: None,
        };
        let vouch = Vouch::sign(parts, &me()).unwrap();
        let mut value = json::parse(vouch.bytes(), Limits::PROOF).unwrap();
        value["proof"]["verificationMethod"] = "did:key:z#z".into();
        Self {
            template: json::canonical(&value).unwrap(),
            voucher: format!("{}", me().key()),
            subject: format!("{subject}"),
        }
    }

    fn vouch(&self, voucher: u32, subject: u32) -> Record {
        let text = self
            .template
            .replace(&self.voucher, &format!("{}", key(voucher)));
        let text = text.replace(&self.subject, &format!("{}", key(subject)));
        let vouch = Vouch::parse(text.as_bytes()).unwrap();
        Record::of(RecordBody::Vouch(vouch), String::new(), NOW)
    }
}

fn level(records: &Records, hops: u8, threshold_ppm: u64) -> super::TrustReport {
    let domain: Domain = "memory-systems".parse().unwrap();
    let settings = TrustSettings {
        max_hops: hops,
        threshold_ppm,
        ..TrustSettings::default()
    };
    records.level(&key(K), Some(&domain), NOW, &settings)
}

/// Adversarial case G98: 60,000 strangers vouch for the key and 39,000 in a circle, a friend of a root vouches for 1,000 of them: what
/// the roots reach is found, and the strangers are not looked at.
#[test]
fn a_hundred_thousand_vouches_end() {
    let forger = Forger::new();
    let strangers = (0..60_000).map(|at| forger.vouch(1_000 + at, K));
    let circle = (0..39_000).map(|at| forger.vouch(1_000 + at, 1_000 + (at + 1) % 39_000));
    let crowd = (0..1_000).map(|at| forger.vouch(4, 1_000 + at));
    let roots = [
        trust(2),
        trust(3),
        forger.vouch(2, 4),
        forger.vouch(3, 5),
        forger.vouch(5, K),
    ];
    let records = Records::gather(strangers.chain(circle).chain(crowd).chain(roots));
    let two = level(&records, 2, 600_000);
    assert_eq!(
        (two.level, two.paths.len(), two.left_out),
        (Level::Identified, 1, 0)
    );
    let three = level(&records, 3, 600_000);
    assert_eq!((three.level, three.paths.len()), (Level::Identified, 2));
    assert_eq!(three.left_out, 0);
}

/// Adversarial case G98: 100 roots, each of which vouches for the same 100 who vouch for the key: 10,000 ways to choose from.
#[test]
fn ten_thousand_ways_are_weighed() {
    let forger = Forger::new();
    let (roots, friends) = (10..110_u32, 1_000..1_100_u32);
    let first = roots.clone().flat_map(|root| {
        let friends = friends.clone();
        friends.map(move |friend| (root, friend))
    });
    let edges = first.chain(friends.clone().map(|friend| (friend, K)));
    let vouches = edges.map(|(voucher, subject)| forger.vouch(voucher, subject));
    let records = Records::gather(vouches.chain(roots.clone().map(trust)));
    let found = level(&records, 2, 600_000);
    assert_eq!((found.level, found.paths.len()), (Level::Vouched, 3));
    let most = level(&records, 2, u64::MAX);
    assert_eq!((most.paths.len(), most.score_ppm), (100, 100 * 288_000));
}
