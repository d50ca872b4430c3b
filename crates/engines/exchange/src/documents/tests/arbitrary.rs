//! Documents of every kind, as anyone could have written them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer as _, Timestamp};
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Sha256Hash, VerificationMethod, VerificationProof};
use counterfoil_verifier::KeyFingerprint;
use counterfoil_verifier::opened::{EntrySignature, OpenedCapsule};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::documents::{
    Agent, Attestation, AttestationParts, Audience, CapabilityParts, Category, Chain, Claim,
    ClaimHash, ClaimKind, Competence, Decay, DocumentHash, Domain, EvidenceLink, Filters, Format,
    MemoryProvenance, MemoryQuery, Meta, Nonce, OriginClass, Party, Preferences, ProvenanceSource,
    Referral, Request, RequestHeader, RequestId, RequestParts, RequestedCheck, ResponseHeader,
    ResponseParts, ResultParts, Retraction, RetractionAct, RevocationParts, Salience, Status,
    StatusCode, StructuredClaim, Testimony, Text, VerifyParts, VerifyResultParts, Vouch,
    VouchConfidence, VouchParts,
};

/// An agent of a fixed seed.
pub(super) fn signer(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

fn text<const MAX: usize>() -> impl Strategy<Value = Text<MAX>> {
    "[a-zé世\u{1f600}\"\\\\/\u{202e}\n][ -~]{0,11}".prop_map(|text| Text::new(text).unwrap())
}

fn some<T: core::fmt::Debug>(
    of: impl Strategy<Value = T>,
    most: usize,
) -> impl Strategy<Value = Vec<T>> {
    vec(of, 0..=most)
}

fn id() -> impl Strategy<Value = RequestId> {
    any::<[u8; 16]>().prop_map(RequestId::from_bytes)
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0..253_000_000_000_000_000_u64).prop_map(|micros| Timestamp::from_micros(micros).unwrap())
}

fn key() -> impl Strategy<Value = DidKey> {
    (1..9_u8).prop_map(|seed| signer(seed).key())
}

fn hash() -> impl Strategy<Value = DocumentHash> {
    any::<[u8; 32]>().prop_map(|hash| Sha256Hash::from_bytes(hash).into())
}

fn domain() -> impl Strategy<Value = Domain> {
    "[a-z0-9-]{1,9}(/[a-z0-9-]{1,9}){0,7}".prop_map(|text| text.parse().unwrap())
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64]
}

fn agent() -> impl Strategy<Value = Agent> {
    text().prop_map(|agent_id| Agent {
        agent_id,
        public_key: signer(1).key(),
    })
}

fn audience() -> impl Strategy<Value = Audience> {
    prop_oneof![1 => Just(Audience::Everyone), 4 => key().prop_map(Audience::One)]
}

fn party() -> impl Strategy<Value = Party> {
    text().prop_map(Party::named)
}

prop_compose! {
    fn request_header()(
        request_id in id(), nonce in any::<[u8; 16]>(), timestamp in time(), wait in 0..=300_000_000_u64,
    ) -> RequestHeader {
        let expires = Timestamp::from_micros(timestamp.micros() + wait).unwrap();
        RequestHeader { request_id, nonce: Some(Nonce::from_bytes(nonce)), timestamp, expires }
    }
}

prop_compose! {
    fn response_header()(request_id in id(), response_id in id(), timestamp in time()) -> ResponseHeader {
        ResponseHeader { request_id, response_id: Some(response_id), timestamp }
    }
}

fn window() -> impl Strategy<Value = (Option<Timestamp>, Option<Timestamp>)> {
    (option::of(time()), option::of(time())).prop_map(|(one, other)| match (one, other) {
        (Some(from), Some(until)) if from >= until => (one, None),
        window => window,
    })
}

prop_compose! {
    fn filters()(
        min_trust_level in option::of(0..=3_u8), require_evidence in any::<bool>(), require_vouches in any::<bool>(),
    ) -> Filters {
        Filters { min_trust_level, require_evidence, require_vouches }
    }
}

prop_compose! {
    fn preferences()(
        format in select(Format::ALL.to_vec()), include_evidence in any::<bool>(), include_vouches in any::<bool>(),
        include_referrals in any::<bool>(), max_results in 1..=100_u8, cursor in option::of(text()), held in some(text(), 16),
    ) -> Preferences {
        Preferences { format, include_evidence, include_vouches, include_referrals, max_results, cursor, held }
    }
}

prop_compose! {
    pub(super) fn request()(
        header in request_header(), requester in party(), audience in audience(),
        natural in text(), domain in option::of(domain()), keywords in some(text(), 16),
        time_range in option::of(window()), filters in filters(),
        preferences in prop_oneof![Just(Preferences::default()), preferences()],
    ) -> RequestParts {
        let query = MemoryQuery { natural, domain, keywords, time_range, filters };
        RequestParts { header, requester, audience, query, preferences }
    }
}

fn fact() -> impl Strategy<Value = FactValue> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .prop_map(|value| FactValue::new(&value).unwrap())
}

fn name() -> impl Strategy<Value = Identifier> {
    "[a-zé世][a-z .]{0,8}[a-z]".prop_map(|text| Identifier::new("subject", &text).unwrap())
}

fn boundary() -> impl Strategy<Value = Boundary> {
    prop_oneof![
        "20[0-9]{2}(-0[1-9](-1[0-9])?)?".prop_map(|text| Boundary::parse(&text).unwrap()),
        (0..1_000_000_000_000_000_i64).prop_map(Boundary::instant),
    ]
}

prop_compose! {
    fn structured()(
        subject in name(), predicate in name(), value in fact(),
        valid_from in option::of(boundary()), valid_until in option::of(boundary()),
    ) -> StructuredClaim {
        StructuredClaim { subject, predicate, value, valid_from, valid_until }
    }
}

fn kind() -> impl Strategy<Value = ClaimKind> {
    select(ClaimKind::ALL.to_vec())
}

prop_compose! {
    pub(super) fn claim()(
        kind in kind(), content in text(), context in option::of(text()), references in some(text(), 16),
        structured in option::of(structured()),
    ) -> Claim {
        Claim { kind, content, context, references, structured }
    }
}

fn decay() -> impl Strategy<Value = Decay> {
    prop_oneof![
        Just(Decay::Permanent),
        time().prop_map(Decay::TimeBound),
        option::of(text()).prop_map(Decay::Conditional),
    ]
}

prop_compose! {
    fn salience()(
        why_kept in option::of(text()), confidence in option::of(share()), expected_decay in option::of(decay()),
        category in option::of(select(Category::ALL.to_vec())),
        supersedes in some(text(), 16),
    ) -> Salience {
        Salience { why_kept, category, confidence, expected_decay, supersedes }
    }
}

prop_compose! {
    /// Hops that hold.
    fn chain(claim: ClaimHash)(hops in vec((1..9_u8, time()), 1..=16)) -> Chain {
        hops.iter().fold(Chain::default(), |chain, (seed, at)| chain.handed_on(claim, None, *at, &signer(*seed)).unwrap())
    }
}

prop_compose! {
    fn evidence()(url in text(), media_type in option::of(text()), hash in option::of(hash())) -> EvidenceLink {
        EvidenceLink { url, media_type, hash }
    }
}

prop_compose! {
    pub(super) fn attestation()(
        claim in claim(),
    )(
        chain in option::of(chain(claim.hash())), claim in Just(claim), source in option::of(select(ProvenanceSource::ALL.to_vec())),
        witnesses in some(text(), 16), id in text(), agent in party(), created_at in time(),
        salience in option::of(salience()), evidence in some(evidence(), 3), pass_on in any::<bool>(),
        class in option::of(select(OriginClass::ALL.to_vec())), first in option::of(1..9_u8),
    ) -> AttestationParts {
        let origin = first.map(|seed| {
            let parts = AttestationParts { agent: Some(agent.clone()), created_at: Some(created_at), ..AttestationParts::of_claim(id.clone(), claim.clone()) };
            Box::new(Attestation::sign(parts, &signer(seed)).unwrap())
        });
        let provenance = source.map(|source| MemoryProvenance { source, class, witnesses, chain, origin });
        AttestationParts { id, agent: Some(agent), created_at: Some(created_at), claim, salience, provenance, evidence, pass_on }
    }
}

prop_compose! {
    pub(super) fn vouch()(
        (id, created_at, voucher) in (id(), time(), agent()), (agent_id, public_key) in (text(), key()),
        capability_id in option::of(text()), domain in domain(), statement in text(),
        level in select(Competence::ALL.to_vec()), confidence in select(VouchConfidence::ALL.to_vec()),
        reason in option::of(text()), (context, outcome) in (option::of(text()), option::of(text())),
        interaction_refs in some(text(), 16), valid_until in option::of(time()), conditions in option::of(text()),
    ) -> VouchParts {
        VouchParts {
            id, created_at, voucher, subject: Agent { agent_id, public_key }, capability_id, domain, statement, level,
            context, interaction_refs, outcome, confidence, reason, valid_until, conditions,
        }
    }
}

prop_compose! {
    pub(super) fn revocation()(
        (id, vouch_id) in (id(), id()), created_at in time(), vouch_hash in hash(), voucher in agent(),
        reason in option::of(text()), effective_from in option::of(time()),
    ) -> RevocationParts {
        RevocationParts { id, created_at, vouch_id, vouch_hash, voucher, reason, effective_from }
    }
}

prop_compose! {
    pub(super) fn capability()(
        id in id(), created_at in time(), agent in agent(), domains in some(domain(), 64), signs in any::<bool>(),
        description in option::of(text()), endpoint in option::of(text()), log in option::of("[a-z]{1,9}"),
    ) -> CapabilityParts {
        let log = log.map(|name| super::log_key(&name));
        CapabilityParts { id, created_at, agent, domains, description, signs, log, endpoint }
    }
}

fn checks() -> impl Strategy<Value = Vec<RequestedCheck>> {
    prop::sample::subsequence(RequestedCheck::ALL.to_vec(), 1..=3)
}

prop_compose! {
    pub(super) fn verify()(
        header in request_header(), requester in party(), audience in audience(), attestation_id in text(),
        checks_requested in checks(),
    ) -> VerifyParts {
        VerifyParts { header, requester, audience, attestation_id, checks_requested }
    }
}

prop_compose! {
    /// What is said of such checks, in their order.
    pub(super) fn verify_result(of: VerifyParts)(
        header in response_header(), responder in party(),
        said in vec(select(Testimony::ALL.to_vec()), 3),
    ) -> VerifyResultParts {
        let checks = of.checks_requested.iter().copied().zip(said).collect();
        let attestation_id = of.attestation_id.clone();
        VerifyResultParts { header, in_response_to: None, audience: Audience::Everyone, responder, attestation_id, checks }
    }
}

prop_compose! {
    /// A receipt as it may look; it holds for nothing.
    fn receipt()(
        header in ".{0,20}", content in ".{0,20}", salt in any::<[u8; 32]>(), key in key(), half in any::<[u8; 32]>(),
        index in 0..1_000_u32,
    ) -> OpenedCapsule {
        let data = json!({ "index": index });
        OpenedCapsule {
            header, content, salt,
            signature: EntrySignature { key_id: KeyFingerprint::of(&key), value: [half, half].concat().try_into().unwrap() },
            proof: VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap(),
        }
    }
}

fn any_attestation() -> impl Strategy<Value = Attestation> {
    let signed = attestation().prop_map(|parts| Attestation::sign(parts, &signer(2)).unwrap());
    let raw =
        (text(), claim()).prop_map(|(id, claim)| Attestation::raw(id, claim, Vec::new()).unwrap());
    prop_oneof![signed, raw]
}

prop_compose! {
    fn result()(
        memory_id in text(), attestation in any_attestation(), relevance in option::of(share()), context in option::of(text()),
        receipt in option::of(receipt()),
        vouches in vec(vouch().prop_map(|parts| Vouch::sign(parts, &signer(3)).unwrap()), 0..3),
    ) -> ResultParts {
        ResultParts { memory_id, attestation, relevance, context, receipt, vouches }
    }
}

prop_compose! {
    fn status()(
        code in select(StatusCode::ALL.to_vec()), message in text(), says in any::<bool>(), problem in text(),
    ) -> Status {
        let message = (says || code == StatusCode::Partial).then_some(message);
        Status { code, message, problem: (code == StatusCode::Error).then_some(problem) }
    }
}

prop_compose! {
    fn retraction()(
        id in text(), act in select(RetractionAct::ALL.to_vec()), at in time(), reason in option::of(text()),
    ) -> Retraction {
        Retraction { id, act, at, reason }
    }
}

prop_compose! {
    fn referral()(
        public_key in key(), addresses in vec(text(), 1..=2), domain in domain(),
    ) -> Referral {
        Referral { public_key, addresses, domain }
    }
}

prop_compose! {
    /// An answer to such a request.
    pub(super) fn response(to: Request)(
        header in response_header(), responder in party(), status in status(),
        results in vec(result(), 0..=usize::from(to.parts().preferences.max_results).min(4)),
        more in option::of(0..1_000_u64), processing_time_ms in option::of(0..=9_007_199_254_740_991_u64),
        cursor in option::of(text()), retractions in some(retraction(), 3), referrals in vec(referral(), 0..=4),
    ) -> ResponseParts {
        let answered = matches!(status.code, StatusCode::Success | StatusCode::Partial);
        let results = if answered { results } else { Vec::new() };
        let count = u64::try_from(results.len()).unwrap();
        let meta = Meta {
            returned: count,
            total_matches: more.map(|more| count + more),
            processing_time_ms,
            cursor: cursor.filter(|_| status.code == StatusCode::Partial),
            retractions,
        };
        ResponseParts { header, in_response_to: None, audience: Audience::Everyone, responder, status, results, meta, referrals }
    }
}
