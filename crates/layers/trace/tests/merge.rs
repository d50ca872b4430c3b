//! Merging the recalls of one proposal (ATTACH-1 to ATTACH-4).
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic too"
)]

mod support;

use counterfoil_trace::types::{MAX_QUERY_BYTES, json::Value};
use counterfoil_trace::{MAX_SELECTED, MAX_TRACES, MemoryTrace, Merge, TraceError};
use proptest::prelude::*;
use serde_json::json;
use support::{memory, trace_wire};

fn trace(query: &str, selected_at: u64, selected: &[Value]) -> MemoryTrace {
    MemoryTrace::try_from(trace_wire(query, selected_at, selected)).expect("a trace")
}

fn merged(traces: &[MemoryTrace]) -> MemoryTrace {
    let merge = Merge::of(traces).expect("they merge");
    MemoryTrace::try_from(serde_json::to_value(merge).expect("JSON")).expect("a trace")
}

#[test]
fn a_world_of_several_recalls_stands_once_with_the_best_confidence() {
    let first = trace("a", 10, &[memory("w1", 0.5), memory("w2", 0.9)]);
    let second = trace("b", 30, &[memory("w1", 0.7), memory("w3", 0.7)]);
    let wire = serde_json::to_value(merged(&[first, second])).unwrap();
    let expected = [memory("w2", 0.9), memory("w1", 0.7), memory("w3", 0.7)];
    assert_eq!(wire, trace_wire("a; b", 30, &expected));
}

#[test]
fn at_equal_confidence_the_memory_with_evidence_is_kept() {
    let bare = memory("w", 0.5);
    let mut with = bare.clone();
    with["evidence"] = json!({"method": "hash", "proof": 1, "verifiedAt": 5,
                              "verifiedBy": {"actorId": "planner", "kind": "agent"}});
    let traces = [trace("a", 10, &[bare]), trace("b", 10, &[with])];
    assert!(merged(&traces).selected()[0].evidence().is_some());
}

#[test]
fn a_query_that_was_asked_twice_is_joined_once() {
    let traces = [trace("a", 1, &[]), trace("b", 2, &[]), trace("a", 3, &[])];
    assert_eq!(merged(&traces).query().as_str(), "a; b");
}

#[test]
fn recalls_of_two_selectors_do_not_merge() {
    let mut other = trace_wire("b", 2, &[]);
    other["selector"]["actorId"] = json!("mallory");
    let traces = [trace("a", 1, &[]), MemoryTrace::try_from(other).unwrap()];
    assert_eq!(
        Merge::of(&traces).unwrap_err(),
        TraceError::SelectorsDiffer {
            index: 1,
            expected: "planner".into(),
            found: "mallory".into()
        }
    );
}

#[test]
fn recalls_at_two_worlds_do_not_merge() {
    let mut other = trace_wire("b", 2, &[]);
    other["atWorldId"] = json!("world-9");
    let traces = [trace("a", 1, &[]), MemoryTrace::try_from(other).unwrap()];
    assert_eq!(
        Merge::of(&traces).unwrap_err(),
        TraceError::WorldsDiffer { index: 1 }
    );
}

#[test]
fn as_much_merges_as_a_trace_can_hold() {
    let worlds = |range: std::ops::Range<usize>| -> Vec<Value> {
        range.map(|n| memory(&format!("w{n}"), 0.5)).collect()
    };
    let mut traces = vec![trace("a", 1, &[]); MAX_TRACES];
    traces[0] = trace("a", 1, &worlds(0..MAX_SELECTED / 2));
    traces[1] = trace("a", 1, &worlds(MAX_SELECTED / 2..MAX_SELECTED));
    // With their separator the two queries have as many bytes as one may have.
    traces[2] = trace(&"b".repeat(MAX_QUERY_BYTES - 3), 1, &[]);
    let merge = serde_json::to_value(merged(&traces)).unwrap();
    assert_eq!(merge["selected"].as_array().unwrap().len(), MAX_SELECTED);
    assert_eq!(merge["query"].as_str().unwrap().len(), MAX_QUERY_BYTES);
}

#[test]
fn what_no_trace_could_hold_does_not_merge() {
    assert_eq!(Merge::of(&[]).unwrap_err(), TraceError::NoTrace);
    let many = vec![trace("a", 1, &[]); MAX_TRACES + 1];
    assert!(matches!(
        Merge::of(&many),
        Err(TraceError::TooManyTraces { found: 65, .. })
    ));
    let worlds = |prefix: &str| -> Vec<Value> {
        (0..MAX_SELECTED)
            .map(|n| memory(&format!("{prefix}{n}"), 0.5))
            .collect()
    };
    let full = [trace("a", 1, &worlds("a")), trace("b", 1, &worlds("b"))];
    assert!(matches!(
        Merge::of(&full),
        Err(TraceError::TooManySelected { found: 2000, .. })
    ));
    let long = |letter: &str| trace(&letter.repeat(MAX_QUERY_BYTES - 1), 1, &[]);
    assert!(matches!(
        Merge::of(&[long("a"), long("b")]),
        Err(TraceError::QueryTooLong { .. })
    ));
}

#[test]
fn a_trace_that_differs_from_the_merge_in_anything_is_not_it() {
    let parts = [
        trace("a", 10, &[memory("w1", 0.5)]),
        trace("b", 20, &[memory("w2", 0.6)]),
    ];
    let merge = serde_json::to_value(merged(&parts)).unwrap();
    let merged = Merge::of(&parts).expect("they merge");
    let is_merge = |wire: Value| merged.is(&MemoryTrace::try_from(wire).unwrap());
    assert!(is_merge(merge.clone()));
    for (pointer, value) in [
        ("/selector/actorId", json!("mallory")),
        ("/selector/name", json!("Planner")),
        ("/query", json!("a;b")),
        ("/selectedAt", json!(21)),
        ("/atWorldId", json!("world-1")),
        ("/selected/0/confidence", json!(0.61)),
        ("/selected/0/verified", json!(true)),
        ("/selected/0/reason", json!("R")),
        ("/selected", json!([])),
    ] {
        let mut changed = merge.clone();
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[last.to_string()] = Value::Null;
        *changed.pointer_mut(pointer).unwrap() = value;
        assert!(!is_merge(changed), "{pointer}");
    }
}

/// Traces of few Worlds and confidences, so that they overlap.
fn traces() -> impl Strategy<Value = Vec<MemoryTrace>> {
    let selected = (0u8..6, 0u8..4, any::<bool>()).prop_map(|(world, confidence, verified)| {
        let mut memory = memory(&format!("w{world}"), f64::from(confidence) / 3.0);
        memory["verified"] = json!(verified);
        memory
    });
    let trace = ("[a-c]", 1u64..5, prop::collection::vec(selected, 0..6))
        .prop_map(|(query, at, selected)| trace(&query, at, &selected));
    prop::collection::vec(trace, 1..6)
}

proptest! {
    /// All but the query is the same in whatever order the recalls came.
    #[test]
    fn the_order_of_recalls_does_not_matter(traces in traces(), by in 0usize..6) {
        let forth = merged(&traces);
        let mut turned = traces.clone();
        turned.rotate_left(by % traces.len());
        turned.reverse();
        let back = merged(&turned);
        prop_assert_eq!(forth.selected(), back.selected());
        prop_assert_eq!(forth.selected_at(), back.selected_at());
        prop_assert_eq!(forth.query().as_str().len(), back.query().as_str().len());
    }

    #[test]
    fn merging_a_merge_changes_nothing(traces in traces()) {
        let once = merged(&traces);
        prop_assert_eq!(&merged(core::slice::from_ref(&once)), &once);
        let twice: Vec<_> = traces.iter().chain(&traces).cloned().collect();
        prop_assert_eq!(&merged(&twice), &once);
        prop_assert!(Merge::of(&traces).unwrap().is(&once));
    }

    #[test]
    fn the_merge_has_each_world_once_and_best_first(traces in traces()) {
        let merge = merged(&traces);
        for pair in merge.selected().windows(2) {
            let key = |at: usize| (
                core::cmp::Reverse(pair[at].confidence()),
                pair[at].memory_ref().world_id(),
            );
            prop_assert!(key(0) < key(1));
        }
        for memory in traces.iter().flat_map(MemoryTrace::selected) {
            let kept = merge.selected().iter().find(|it| it.memory_ref() == memory.memory_ref());
            prop_assert!(kept.is_some_and(|kept| kept.confidence() >= memory.confidence()));
        }
    }

    #[test]
    fn what_is_written_is_read_back(traces in traces()) {
        for trace in traces {
            let wire = serde_json::to_vec(&trace).unwrap();
            prop_assert_eq!(MemoryTrace::from_json(&wire).unwrap(), trace);
        }
    }
}
