//! `create` and `attachToProposal` (§10.2), and the key of an intent.

use crate::support::{ByName, actor_ref, id, query, ready};
use counterfoil_actor::intent_key;
use counterfoil_actor::trace::{attach_all, attach_to_proposal, create, from_proposal, traces_of};
use counterfoil_actor::types::{
    IntentBody, Proposal, ProposalTrace, SelectionRequest, SelectionResult, json::Value,
};
use counterfoil_trace::Merge;
use proptest::prelude::*;
use serde_json::json;

use counterfoil_actor::selector::MemorySelector;
use counterfoil_actor::trace::{MemoryTrace, TraceError};

fn selection(text: &str) -> (SelectionRequest, SelectionResult) {
    let request = SelectionRequest::new(query(text), id("base"), actor_ref("planner"));
    let result = ready(ByName.select(&request)).expect("a selection");
    (request, result)
}

fn trace_of(text: &str) -> MemoryTrace {
    let (request, result) = selection(text);
    create(&request, &result).expect("a trace")
}

fn proposal(more: Value) -> Proposal {
    let mut wire = json!({
        "proposalId": "prop-1", "actor": {"actorId": "planner", "kind": "agent"},
        "intent": {"body": {"type": "t"}, "intentId": "i", "intentKey": "k", "meta": {}},
        "baseWorld": "base", "submittedAt": 1, "status": "submitted", "epoch": 3,
    });
    if let (Some(wire), Value::Object(more)) = (wire.as_object_mut(), more) {
        wire.extend(more);
    }
    Proposal::try_from(wire).expect("a proposal")
}

#[test]
fn a_trace_says_what_request_and_result_say() {
    let (request, result) = selection("a b");
    let trace = create(&request, &result).expect("a trace");
    assert_eq!(trace.selector(), request.selector());
    assert_eq!(trace.query(), request.query());
    assert_eq!(trace.at_world_id(), request.at_world_id());
    assert_eq!(trace.selected_at(), result.selected_at());
    assert_eq!(trace.selected(), result.selected());
}

/// Upstream's default summary; the input is not touched and unknown members stay.
/// (NS-22)
#[test]
fn attaching_makes_a_copy_with_the_trace() {
    let before = proposal(json!({}));
    let untouched = before.clone();
    let trace = trace_of("a");
    let after = attach_to_proposal(&before, &trace).expect("attached");
    assert_eq!(before, untouched);
    assert_eq!(from_proposal(&after), Ok(Some(trace)));
    assert_eq!(
        after.trace().map(ProposalTrace::summary),
        Some("Memory-enhanced proposal")
    );
    assert_eq!(after.rest()["epoch"], 3);
}

/// ATTACH-5: a second attach would hide the first.
#[test]
fn attaching_twice_is_refused() {
    let once = attach_to_proposal(&proposal(json!({})), &trace_of("a")).expect("attached");
    let parts = json!({"trace": {"summary": "s", "context": {"memoryTraces": []}}});
    for (attached, name) in [(once, "memory"), (proposal(parts), "memoryTraces")] {
        let again = attach_to_proposal(&attached, &trace_of("b"));
        assert!(matches!(again, Err(TraceError::AlreadyAttached { key }) if key == name));
    }
    assert!(matches!(
        attach_all(&proposal(json!({})), &[]),
        Err(TraceError::NoTrace)
    ));
}

proptest! {
    /// Whatever is attached is what an authority reads, and the merge of its parts.
    #[test]
    fn what_is_attached_is_read_back(queries in prop::collection::vec("[a-c]( [a-c]){0,3}", 1..5)) {
        let traces: Vec<MemoryTrace> = queries.iter().map(|text| trace_of(text)).collect();
        let attached = attach_all(&proposal(json!({})), &traces).expect("attached");
        let wire = attached.to_json().expect("JSON");
        let read = Proposal::from_json(&wire).expect("a proposal");
        prop_assert_eq!(&read, &attached);
        let memory = from_proposal(&read).expect("well-formed").expect("a trace");
        let parts = traces_of(&read).expect("well-formed");
        if traces.len() == 1 {
            prop_assert_eq!(&memory, &traces[0]);
            prop_assert!(parts.is_empty());
        } else {
            prop_assert!(Merge::of(&parts).expect("they merge").is(&memory));
            prop_assert_eq!(parts, traces);
        }
    }
}

/// Intent & Projection §6: the preimage is `schema:type:input:scope`, absent parts are null.
#[test]
fn equal_intents_share_a_key_and_others_do_not() {
    let body = |wire: Value| IntentBody::try_from(wire).expect("a body");
    let key = |wire| intent_key("schema", &body(wire)).expect("a key");
    // printf 'schema:note.add:null:null' | sha256sum
    let plain = "38d9fc630f1a987c7dfbce372fcc82e62d5040bfdc2756ec6785e488b011cf76";
    assert_eq!(key(json!({"type": "note.add"})), plain);
    // printf 'schema:t:{"a":[1,true],"b":1}:{"allowedPaths":["x"]}' | sha256sum
    let full = json!({"type": "t", "input": {"b": 1.0, "a": [1, true]},
                      "scopeProposal": {"allowedPaths": ["x"]}});
    let scoped = "bd6e8e23b8264375b82388820f35d80c42a23336c5fe59fd6aef847fed6f1df5";
    assert_eq!(key(full), scoped);
    let bare = key(json!({"type": "t"}));
    assert_eq!(bare, key(json!({"type": "t", "input": null})));
    assert_ne!(bare, key(json!({"type": "t", "input": {}})));
    assert_ne!(bare, key(json!({"type": "u"})));
}
