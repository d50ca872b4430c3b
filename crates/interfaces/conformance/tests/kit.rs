//! The kit finds nothing in parts of an application that are sound, and names the rule that a broken one breaks (§13).
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic too"
)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use counterfoil_authority::{Authority, Policy, Preset, Verdict};
use counterfoil_conformance::{
    Report, check_authority, check_prover, check_selector, check_store, check_verifier, worlds,
};
use counterfoil_memory_selector::{MemorySelector, wrap_proof};
use counterfoil_memory_store::{MemoryStore, async_trait};
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_types::{
    ActorKind, ActorRef, BoxError, Confidence, MemoryRef, Proposal, Reason, SelectedMemory,
    SelectionRequest, SelectionResult, UnixMillis, VerificationMethod, VerificationProof, World,
    WorldId,
};
use serde_json::json;

/// Fault of a part; `""` is a sound one.
type Fault = &'static str;

struct Shelf(Fault);

#[async_trait]
impl MemoryStore for Shelf {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        let id = |world: &WorldId| {
            let id = world.to_string();
            match self.0 {
                "trims" => id.trim().to_owned(),
                "folds case" => id.to_lowercase(),
                "cuts" => id.chars().take(255).collect(),
                _ => id,
            }
        };
        let found = worlds()
            .into_iter()
            .find(|world| id(world.world_id()) == id(world_id));
        match (self.0, found) {
            ("throws", None) => Err("no such World".into()),
            ("modifies", Some(world)) => {
                let mut value = world.to_value();
                value["data"]["read"] = json!(1);
                Ok(Some(World::try_from(value)?))
            }
            ("forgets", Some(_)) if world_id.to_string() == "0" => Ok(None),
            (_, found) => Ok(found),
        }
    }

    async fn get_each(&self, world_ids: &[WorldId]) -> Vec<Result<Option<World>, BoxError>> {
        let mut each = Vec::new();
        for world_id in world_ids {
            match (self.get(world_id).await, self.0) {
                (Ok(None), "skips") => {}
                (found, _) => each.push(found),
            }
        }
        if self.0 == "reverses" {
            each.reverse();
        }
        each
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        match self.0 {
            "always there" => Ok(true),
            _ => Ok(self.get(world_id).await.is_ok_and(|world| world.is_some())),
        }
    }
}

/// A prover and verifier of method `hash`: the proof is the content itself.
struct Contents(Fault);

static PROOFS: AtomicU64 = AtomicU64::new(0);
static ANSWERS: AtomicU64 = AtomicU64::new(0);
static REVIEWS: AtomicU64 = AtomicU64::new(0);

impl ProofVerifier for Contents {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        let is_content = proof.proof().is_some_and(|data| {
            let known = worlds()
                .into_iter()
                .any(|world| data["content"] == *world.content_value());
            known || data.get("time").is_some()
        });
        match self.0 {
            "believes" => true,
            "refuses" => false,
            "counts answers" => ANSWERS.fetch_add(1, Ordering::Relaxed).is_multiple_of(7),
            _ => is_content,
        }
    }
}

impl MemoryVerifier for Contents {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        if memory.world_id() != world.world_id() {
            return ProveResult::Invalid("another World".into());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let data = match self.0 {
            "reads the clock" => json!({"content": world.content_value(), "time": now.as_secs()}),
            "counts" => {
                json!({"content": world.content_value(), "n": PROOFS.fetch_add(1, Ordering::Relaxed)})
            }
            "knows its thread" => {
                json!({"content": world.content_value(), "of": format!("{:?}", std::thread::current().id())})
            }
            "proves names" => json!({"content": world.world_id()}),
            "proves nothing" => return ProveResult::Invalid("no".into()),
            _ => json!({"content": world.content_value()}),
        };
        VerificationProof::new(VerificationMethod::Hash, Some(data)).into()
    }
}

struct Words(Fault);

impl Words {
    fn selected(
        &self,
        world: &World,
        request: &SelectionRequest,
    ) -> Result<SelectedMemory, BoxError> {
        let memory = MemoryRef::new(world.world_id().clone());
        let confidence = Confidence::new(0.5)?;
        let reason = Reason::new("says it")?;
        let proof = Contents("")
            .prove(&memory, world)
            .into_proof()
            .ok_or("no proof")?;
        let proof = match self.0 {
            "proves another" => Contents("")
                .prove(
                    &MemoryRef::new(worlds()[7].world_id().clone()),
                    &worlds()[7],
                )
                .into_proof()
                .unwrap(),
            "does not verify" => VerificationProof::new(VerificationMethod::Hash, None)?,
            _ => proof,
        };
        let (by, at) = match self.0 {
            "another actor" => (ActorRef::new("other", ActorKind::Agent)?, 2),
            _ => (request.selector().clone(), 2),
        };
        let evidence = wrap_proof(&proof, UnixMillis::new(at)?, &by)?;
        let selected = SelectedMemory::new(memory, reason, confidence).as_verified();
        Ok(match self.0 {
            "no evidence" => selected,
            _ => selected.with_evidence(evidence),
        })
    }
}

#[async_trait]
impl MemorySelector for Words {
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let word = request.query().as_str();
        let constraints = request.constraints().cloned().unwrap_or_default();
        let mut selected = Vec::new();
        for world in worlds() {
            let says = world.data().unwrap().to_string().contains(word);
            if !says || self.0 == "finds nothing" {
                continue;
            }
            let memory = self.selected(&world, request)?;
            let memory = match self.0 {
                "dangles" => SelectedMemory::new(
                    MemoryRef::new(WorldId::new("gone")?),
                    Reason::new("x")?,
                    Confidence::ONE,
                ),
                _ => memory,
            };
            if self.0 == "ignores constraints" || constraints.admits(&memory, world.created_at()) {
                selected.push(memory);
            }
        }
        if self.0 == "fails on nothing" && selected.is_empty() {
            return Err("nothing found".into());
        }
        if self.0 != "ignores the limit" {
            selected.truncate(constraints.max_results().unwrap_or(10));
        }
        Ok(SelectionResult::new(selected, UnixMillis::new(3)?)?)
    }
}

fn rules(report: &Report) -> BTreeSet<&str> {
    report
        .broken()
        .iter()
        .map(|broken| broken.rule.as_str())
        .collect()
}

/// The named rule is broken; a sound part breaks none.
fn judged(fault: Fault, rule: &str, report: &Report) {
    match rule {
        "" => assert!(report.is_sound(), "{fault}: {report}"),
        rule => assert!(rules(report).contains(rule), "{fault}: {report}"),
    }
}

/// NS-13, NS-14.
#[tokio::test]
async fn a_store_that_breaks_a_rule_is_named_with_it() {
    let faults = [
        ("", ""),
        ("trims", "M-11"),
        ("folds case", "M-11"),
        ("cuts", ""),
        ("throws", "section 6.1"),
        ("always there", "section 6.1"),
        ("modifies", "CR-13"),
        ("forgets", "CR-13"),
        ("skips", "CR-13"),
        ("reverses", "CR-13"),
    ];
    for (fault, rule) in faults {
        judged(fault, rule, &check_store(&Shelf(fault)).await);
    }
}

#[tokio::test]
async fn a_selector_that_breaks_a_rule_is_named_with_it() {
    let faults = [
        ("", ""),
        ("ignores constraints", "section 6.3"),
        ("ignores the limit", "section 6.3"),
        ("dangles", "CR-06"),
        ("another actor", "M-9"),
        ("proves another", "CR-17"),
        ("does not verify", "section 7.1"),
        ("finds nothing", "CR-14"),
        ("fails on nothing", "MR-05"),
    ];
    for (fault, rule) in faults {
        let report = check_selector(&Words(fault), &Shelf(""), &Contents("")).await;
        judged(fault, rule, &report);
    }
    let report = check_selector(&Words(""), &Shelf(""), &Contents("proves nothing")).await;
    judged("verified on its own word", "section 5.1.4", &report);
    let report = check_selector(&Words("no evidence"), &Shelf(""), &Contents("")).await;
    judged("no evidence", "", &report);
}

#[test]
fn a_prover_that_breaks_a_rule_is_named_with_it() {
    let faults = [
        ("", ""),
        ("reads the clock", "CR-16"),
        ("counts", "CR-16"),
        ("knows its thread", "CR-16"),
        ("proves names", "section 7.3"),
        ("proves nothing", "CR-15"),
        ("refuses", "section 7.1"),
    ];
    std::thread::scope(|scope| {
        for (fault, rule) in faults {
            scope.spawn(move || judged(fault, rule, &check_prover(&Contents(fault), &worlds())));
        }
    });
}

#[test]
fn a_verifier_that_breaks_a_rule_is_named_with_it() {
    let prove = |world: &World| {
        Contents("")
            .prove(&MemoryRef::new(world.world_id().clone()), world)
            .into_proof()
            .unwrap()
    };
    let proofs: Vec<VerificationProof> = worlds().iter().map(prove).collect();
    let faults = [
        ("", ""),
        ("believes", "section 7.3"),
        ("refuses", "CR-15"),
        ("counts answers", "CR-16"),
    ];
    for (fault, rule) in faults {
        judged(fault, rule, &check_verifier(&Contents(fault), &proofs));
    }
}

fn approves(policy: &Policy, verifier: Arc<dyn ProofVerifier>, proposal: &Proposal) -> bool {
    let authority = Authority::new(verifier, policy.clone());
    let now = UnixMillis::new(1_701_728_000_010).unwrap();
    authority.review(proposal, now).decision().verdict() == Verdict::Approved
}

/// Appendix D.4 as an authority, with a fault.
fn appendix(fault: Fault, verifier: &dyn ProofVerifier, proposal: &Proposal) -> bool {
    let trace = counterfoil_authority::trace::from_proposal(proposal);
    let Ok(Some(trace)) = trace else {
        return fault == "approves what it cannot read";
    };
    let mut proofs = trace.selected().iter().filter_map(SelectedMemory::evidence);
    match fault {
        "believes the selector" => trace.selected().iter().all(SelectedMemory::verified),
        "asks about all" => proofs.all(|evidence| {
            let whole = json!({"evidence": evidence.proof()});
            let proof = VerificationProof::new(evidence.method().clone(), Some(whole)).unwrap();
            verifier.verify_proof(&proof)
        }),
        "ignores the answer" => proofs
            .next()
            .map(|evidence| verifier.verify_proof(&evidence.to_proof()))
            .is_some(),
        "approves once" => REVIEWS.fetch_add(1, Ordering::Relaxed) == 0,
        "ignores time" => proofs.all(|evidence| verifier.verify_proof(&evidence.to_proof())),
        _ => {
            proofs.all(|evidence| verifier.verify_proof(&evidence.to_proof()))
                && trace.selected_at() <= proposal.submitted_at()
        }
    }
}

/// NS-19.
#[test]
fn an_authority_that_breaks_a_rule_is_named_with_it() {
    let ranked = br#"{"preset": "standard", "require_signed": false, "require_disclosed": [], "require_author": "any", "require_standing": false, "trusted_methods": ["conformance"], "verifier_ranks": {"conformance": "merkle"}}"#;
    for policy in [
        Policy::preset(Preset::Manifesto),
        Policy::from_json(ranked).unwrap(),
    ] {
        let report = check_authority(|verifier, proposal| approves(&policy, verifier, proposal));
        assert!(report.is_sound(), "{report}");
    }
    let faults = [
        ("", ""),
        ("believes the selector", "section 7.4.2"),
        ("ignores the answer", "section 7.4.2"),
        ("asks about all", "CR-21"),
        ("approves once", "CR-12"),
        ("ignores time", "CR-10"),
        ("approves what it cannot read", "CR-08"),
    ];
    for (fault, rule) in faults {
        let report = check_authority(|verifier, proposal| appendix(fault, &*verifier, proposal));
        judged(fault, rule, &report);
    }
}
