//! From recall to proposal (M-2, M-3, CR-01, CR-10, FP-02).

use crate::support::{SELECTED_AT, actor_ref, id, intent_of, millis, planner, query, ready};
use counterfoil_actor::ActError;
use counterfoil_actor::trace::{MemoryTrace, TraceError, from_proposal, has_trace, traces_of};
use counterfoil_actor::types::{
    Confidence, Proposal, ProposalTrace, SelectedMemory, SelectionConstraints, TimeRange, json::Map,
};
use counterfoil_trace::Merge;
use serde_json::json;

fn proposed_after(recalls: &[&str]) -> Proposal {
    let actor = planner();
    let deliberation = actor.deliberate(id("base"));
    for recall in recalls {
        ready(deliberation.recall(query(recall), None)).expect("a recall");
    }
    let proposal = deliberation.propose(intent_of("planner"), "why", "prop-1", millis(SELECTED_AT));
    proposal.expect("a proposal")
}

fn trace_of(proposal: &Proposal) -> MemoryTrace {
    let trace = from_proposal(proposal).expect("well-formed");
    trace.expect("a trace")
}

/// M-2, CR-01: what was recalled stands in the proposal, nobody having to remember it.
#[test]
fn a_proposal_after_a_recall_has_its_trace() {
    let proposal = proposed_after(&["a b"]);
    let trace = trace_of(&proposal);
    assert_eq!(trace.query().as_str(), "a b");
    assert_eq!(trace.selector(), proposal.actor());
    assert_eq!(trace.at_world_id(), proposal.base_world());
    assert_eq!(trace.selected_at(), millis(SELECTED_AT));
    assert_eq!(trace.selected().len(), 2);
    assert_eq!(traces_of(&proposal), Ok(vec![]));
    assert_eq!(proposal.trace().map(ProposalTrace::summary), Some("why"));
}

/// §6.3: the constraints hold although this selector knows none of them, in the trace as in the memories.
/// (NS-15)
#[test]
fn a_recall_holds_the_constraints_whatever_the_selector_answers() {
    let recalled = |constraints: SelectionConstraints| {
        let actor = planner();
        let deliberation = actor.deliberate(id("base"));
        let recalled = ready(deliberation.recall(query("a b c"), Some(constraints)));
        let recalled = recalled.expect("a recall");
        let memories = recalled.memories().map(|memory| memory.selected().clone());
        let memories: Vec<_> = memories.collect();
        assert_eq!(memories, recalled.trace().selected());
        memories.len()
    };
    let none = SelectionConstraints::default;
    let least = |value| none().with_min_confidence(Confidence::new(value).expect("a number"));
    let after = |value| TimeRange::new(Some(millis(value)), None).expect("a range");
    assert_eq!(recalled(none()), 3);
    assert_eq!(recalled(least(0.5)), 2);
    assert_eq!(recalled(least(0.99)), 1);
    assert_eq!(recalled(none().with_max_results(2).expect("a limit")), 2);
    assert_eq!(recalled(none().with_required_verification()), 0);
    assert_eq!(recalled(none().with_required_evidence()), 0);
    assert_eq!(
        recalled(none().with_time_range(after(SELECTED_AT - 1001))),
        3
    );
    assert_eq!(
        recalled(none().with_time_range(after(SELECTED_AT - 1000))),
        0
    );
}

/// §11: selector and proposer are two where a memory service selects.
/// (NS-23)
#[test]
fn a_memory_service_stands_as_selector() {
    let actor = planner().selected_by(actor_ref("service"));
    let deliberation = actor.deliberate(id("base"));
    ready(deliberation.recall(query("a"), None)).expect("a recall");
    let proposal = deliberation.propose(intent_of("planner"), "why", "p", millis(SELECTED_AT));
    let proposal = proposal.expect("a proposal");
    assert_eq!(trace_of(&proposal).selector(), &actor_ref("service"));
    assert_eq!(proposal.actor(), &actor_ref("planner"));
}

/// A recall that found nothing is a recall all the same (MR-05).
#[test]
fn a_recall_that_found_nothing_leaves_its_trace_too() {
    let proposal = proposed_after(&[" "]);
    let trace = trace_of(&proposal);
    assert!(trace.selected().is_empty());
}

#[test]
fn a_proposal_without_recall_has_no_trace() {
    assert!(!has_trace(&proposed_after(&[])));
}

/// ATTACH-1 to ATTACH-4: one merged trace, and each recall beside it.
#[test]
fn several_recalls_are_merged_and_kept() {
    let proposal = proposed_after(&["a b", "b c", "c"]);
    let trace = trace_of(&proposal);
    let parts = traces_of(&proposal).expect("well-formed");
    assert_eq!(parts.len(), 3);
    assert!(Merge::of(&parts).expect("they merge").is(&trace));
    assert_eq!(trace.query().as_str(), "a b; b c; c");
    let mut confidences = trace.selected().iter().map(SelectedMemory::confidence);
    assert!(trace.selected().len() == 3 && confidences.all(|it| it == Confidence::ONE));
}

/// Several recalls can be looked at together while the deliberation lasts.
#[test]
fn what_is_recalled_comes_with_its_content() {
    let actor = planner();
    let deliberation = actor.deliberate(id("base"));
    let first = ready(deliberation.recall(query("a"), None)).expect("a recall");
    let second = ready(deliberation.recall(query("b"), None)).expect("a recall");
    let texts: Vec<_> = first
        .memories()
        .chain(second.memories())
        .map(|memory| memory.world().data().cloned().expect("data"))
        .collect();
    assert_eq!(texts, [json!({"text": "a"}), json!({"text": "b"})]);
    assert_eq!((first.len(), first.is_empty()), (1, false));
}

/// A reference that leads nowhere is noticed, and nothing is recorded.
#[test]
fn a_dangling_selection_is_an_error() {
    let actor = planner();
    let deliberation = actor.deliberate(id("base"));
    let error = ready(deliberation.recall(query("a nowhere"), None)).expect_err("dangling");
    assert!(matches!(error, ActError::Dangling { world } if world == id("nowhere")));
    let proposal = deliberation.propose(intent_of("planner"), "s", "p", millis(SELECTED_AT));
    assert!(!has_trace(&proposal.expect("a proposal")));
}

/// M-3, CR-10: a time of submission before the selection is refused.
#[test]
fn submission_before_selection_is_refused() {
    let actor = planner();
    let deliberation = actor.deliberate(id("base"));
    ready(deliberation.recall(query("a"), None)).expect("a recall");
    let settled = deliberation.decide(intent_of("planner"), ProposalTrace::new("s"));
    let early = settled
        .expect("settled")
        .submit("p", millis(SELECTED_AT - 1));
    let error = early.expect_err("too early");
    assert!(matches!(error, ActError::SubmittedBeforeSelection { .. }));
}

/// World Protocol P-3.
#[test]
fn an_intent_of_another_actor_is_refused() {
    let actor = planner();
    let error = actor
        .deliberate(id("base"))
        .propose(intent_of("mallory"), "s", "p", millis(1));
    let Err(ActError::IntentOfAnother { expected, found }) = error else {
        panic!("it was accepted");
    };
    assert_eq!((expected.as_str(), found.as_str()), ("planner", "mallory"));
}

/// ATTACH-5: members of others stay, a trace that is there already is not overwritten.
/// (NS-21)
#[test]
fn an_account_keeps_its_context_and_its_trace() {
    let actor = planner();
    let context = |wire| match wire {
        serde_json::Value::Object(members) => members,
        _ => Map::new(),
    };
    let deliberate = |account: ProposalTrace| {
        let deliberation = actor.deliberate(id("base"));
        ready(deliberation.recall(query("a"), None)).expect("a recall");
        deliberation.decide(intent_of("planner"), account)
    };
    let account = ProposalTrace::new("s")
        .with_reasoning("because")
        .with_context(context(json!({"systemAtWorldId": "w"})));
    let settled = deliberate(account).expect("settled");
    let proposal = settled
        .submit("p", millis(SELECTED_AT))
        .expect("a proposal");
    let trace = proposal.trace().expect("an account");
    assert_eq!(trace.reasoning(), Some("because"));
    assert_eq!(trace.context().expect("a context")["systemAtWorldId"], "w");
    assert!(has_trace(&proposal));

    let hiding = ProposalTrace::new("s").with_context(context(json!({"memory": {}})));
    assert!(matches!(
        deliberate(hiding).err(),
        Some(ActError::Trace(TraceError::AlreadyAttached {
            key: "memory"
        }))
    ));
}

/// The request carries the caller's constraints, the base World and the actor to the selector.
#[test]
fn constraints_are_accepted_with_a_recall() {
    let actor = planner();
    let deliberation = actor.deliberate(id("base"));
    let constraints = SelectionConstraints::default().with_max_results(1).ok();
    let recalled = ready(deliberation.recall(query("a"), constraints)).expect("a recall");
    assert_eq!(recalled.trace().at_world_id(), deliberation.base_world());
}
