//! Checks of a selector (§6.3; M-6, M-9, CR-06, CR-14, CR-17, MR-05).

use counterfoil_memory_selector::MemorySelector;
use counterfoil_memory_store::MemoryStore;
use counterfoil_memory_verifier::MemoryVerifier;
use counterfoil_types::{SelectedMemory, SelectionRequest, SelectionResult};

use crate::cases::requests;
use crate::report::Report;

/// Checks a selector over a store that holds the Worlds of [`worlds`](crate::worlds), whose memories `verifier` proves.
pub async fn check_selector(
    selector: &dyn MemorySelector,
    store: &dyn MemoryStore,
    verifier: &dyn MemoryVerifier,
) -> Report {
    let mut report = Report::default();
    let mut found = 0;
    for (about, request) in requests() {
        let case = format!("{:?}, {about}", request.query().as_str());
        match selector.select(&request).await {
            Err(error) => report.check(
                "MR-05",
                &case,
                Some(format!("the selection failed: {error}")),
            ),
            Ok(result) => {
                found += result.selected().len();
                check_result(&mut report, &case, &request, &result);
                for memory in result.selected() {
                    check_memory(&mut report, &case, (&request, memory), store, verifier).await;
                }
            }
        }
    }
    report.holds(
        "CR-14",
        "all requests",
        found > 0,
        "no memory was selected for any of them",
    );
    report
}

fn check_result(
    report: &mut Report,
    case: &str,
    request: &SelectionRequest,
    result: &SelectionResult,
) {
    let limit = request.constraints().and_then(|it| it.max_results());
    let within = limit.is_none_or(|limit| result.selected().len() <= limit);
    report.holds("section 6.3", case, within, "more memories than maxResults");
}

async fn check_memory(
    report: &mut Report,
    case: &str,
    (request, memory): (&SelectionRequest, &SelectedMemory),
    store: &dyn MemoryStore,
    verifier: &dyn MemoryVerifier,
) {
    let case = format!("{case}, memory {}", memory.memory_ref().world_id());
    let Ok(Some(world)) = store.get(memory.memory_ref().world_id()).await else {
        report.check("CR-06", &case, Some("the store does not have its World"));
        return;
    };
    let constraints = request.constraints().cloned().unwrap_or_default();
    let admitted = constraints.admits(memory, world.created_at());
    report.holds(
        "section 6.3",
        &case,
        admitted,
        "it does not meet the constraints",
    );
    let evidence = memory.evidence();
    let by_selector = evidence.is_none_or(|it| it.verified_by() == request.selector());
    report.holds(
        "M-9",
        &case,
        by_selector,
        "verifiedBy is not the selector of the request",
    );
    let made = verifier.prove(memory.memory_ref(), &world).into_proof();
    let proof = evidence.map(|evidence| evidence.to_proof());
    let is_proof = proof.is_none() || proof == made;
    report.holds(
        "CR-17",
        &case,
        is_proof,
        "its evidence is not the proof that prove makes",
    );
    // Evidence may be left out (MR-06), so the word of `prove` counts.
    let is_proven = made.is_some() || !memory.verified();
    report.holds(
        "section 5.1.4",
        &case,
        is_proven,
        "verified is true, and prove does not say so",
    );
    let verifies = proof.is_none_or(|proof| verifier.verify_proof(&proof));
    report.holds(
        "section 7.1",
        &case,
        verifies || !memory.verified(),
        "verified is true, and its proof does not verify",
    );
}
