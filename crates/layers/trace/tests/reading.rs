//! Reading traces out of proposals, limits, and what is preserved on the way through (CR-01, §10.1).
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic too"
)]

mod support;

use counterfoil_trace::types::{Proposal, json::Value};
use counterfoil_trace::{
    MAX_CHECKPOINTS, MAX_SELECTED, MAX_TRACES, MAX_WITHHELD, MemoryTrace, TraceError,
    cosigned_checkpoints, from_proposal, has_trace, traces_of, withheld,
};
use serde_json::json;
use support::{memory, trace_wire};

fn proposal(context: Option<Value>) -> Proposal {
    let actor = json!({"actorId": "planner", "kind": "agent"});
    let mut wire = json!({
        "proposalId": "prop-1", "actor": actor, "baseWorld": "world-0", "submittedAt": 2000,
        "status": "submitted",
        "intent": {"body": {"type": "note.add"}, "intentId": "i", "intentKey": "k", "meta": {}},
    });
    if let Some(context) = context {
        wire["trace"] = json!({"summary": "s", "context": context});
    }
    Proposal::try_from(wire).expect("a proposal")
}

/// CR-01: what is attached comes out as it went in.
#[test]
fn an_attached_trace_is_read_back() {
    let wire = trace_wire("q", 1000, &[memory("world-1", 0.5)]);
    let proposal = proposal(Some(json!({"memory": wire, "other": 1})));
    assert!(has_trace(&proposal));
    let trace = from_proposal(&proposal).unwrap().unwrap();
    assert_eq!(serde_json::to_value(&trace).unwrap(), wire);
}

#[test]
fn a_proposal_without_memory_has_no_trace() {
    for context in [None, Some(json!({})), Some(json!({"other": {"memory": 1}}))] {
        let proposal = proposal(context);
        assert!(!has_trace(&proposal));
        assert_eq!(from_proposal(&proposal), Ok(None));
        assert_eq!(traces_of(&proposal), Ok(vec![]));
        assert_eq!(cosigned_checkpoints(&proposal), Ok(vec![]));
    }
}

/// `null` is not absent: a proposal that says it has a trace must have one.
#[test]
fn a_null_memory_is_a_malformed_trace_and_not_none() {
    let proposal = proposal(Some(json!({"memory": null})));
    assert!(has_trace(&proposal));
    assert!(matches!(
        from_proposal(&proposal),
        Err(TraceError::Shape(_))
    ));
}

/// A million selected memories are refused before any of them is read.
#[test]
fn more_memories_than_the_limit_are_refused_by_count() {
    let at_limit = vec![memory("w", 0.5); MAX_SELECTED];
    assert!(MemoryTrace::try_from(trace_wire("q", 1, &at_limit)).is_ok());
    let above = vec![Value::Null; 100 * MAX_SELECTED];
    let error = MemoryTrace::try_from(trace_wire("q", 1, &above)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "selected must be at most 1000 memories, not 100000"
    );
}

#[test]
fn more_traces_than_the_limit_are_refused() {
    let wire = trace_wire("q", 1, &[]);
    let traces = |count| proposal(Some(json!({"memoryTraces": vec![&wire; count]})));
    assert_eq!(traces_of(&traces(MAX_TRACES)).unwrap().len(), MAX_TRACES);
    assert_eq!(
        traces_of(&traces(MAX_TRACES + 1)),
        Err(TraceError::TooManyElements {
            key: "memoryTraces",
            found: 65,
            limit: 64
        })
    );
}

#[test]
fn a_bad_element_is_named_by_its_position() {
    let good = trace_wire("q", 1, &[]);
    let proposal = proposal(Some(json!({"memoryTraces": [good, {}]})));
    let error = traces_of(&proposal).unwrap_err().to_string();
    assert!(
        error.starts_with("memoryTraces[1]: selector must be valid ActorRef; "),
        "{error}"
    );
}

#[test]
fn checkpoints_are_texts_of_bounded_number_and_size() {
    let read = |value| cosigned_checkpoints(&proposal(Some(json!({"checkpoints": value}))));
    assert_eq!(read(json!(["a\n"])), Ok(vec!["a\n".to_string()]));
    assert!(matches!(
        read(json!("a\n")),
        Err(TraceError::NotAnArray { .. })
    ));
    assert!(matches!(
        read(json!([1])),
        Err(TraceError::Checkpoint { index: 0, .. })
    ));
    assert_eq!(read(json!(["x".repeat(16_384)])).unwrap().len(), 1);
    assert!(matches!(
        read(json!(["x".repeat(16_385)])),
        Err(TraceError::Checkpoint { .. })
    ));
    let many = vec!["a"; MAX_CHECKPOINTS + 1];
    assert!(matches!(
        read(json!(many)),
        Err(TraceError::TooManyElements { .. })
    ));
}

#[test]
fn withheld_fields_are_pointers_of_bounded_number_and_size() {
    let read = |value| withheld(&proposal(Some(json!({"withheld": value}))));
    assert_eq!(withheld(&proposal(None)), Ok(vec![]));
    assert_eq!(read(json!(["/a"])), Ok(vec!["/a".to_string()]));
    let pointer = |bytes: usize| format!("/{}", "x".repeat(bytes - 1));
    assert_eq!(read(json!([pointer(1024)])).unwrap().len(), 1);
    for refused in [json!("a"), json!(""), json!(1), json!(pointer(1025))] {
        let refusal = read(json!(["/a", refused]));
        let expected = TraceError::Withheld {
            index: 1,
            limit: 1024,
        };
        assert_eq!(refusal, Err(expected));
    }
    assert_eq!(read(json!(vec!["/a"; MAX_WITHHELD])).unwrap().len(), 64);
    assert!(matches!(
        read(json!(vec!["/a"; MAX_WITHHELD + 1])),
        Err(TraceError::TooManyElements { .. })
    ));
}
