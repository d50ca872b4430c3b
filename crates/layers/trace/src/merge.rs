//! Several recalls of one proposal as one trace (ATTACH-1 to ATTACH-4), and the check of that.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::cmp::{Ordering, Reverse};

use counterfoil_types::{ActorRef, MAX_QUERY_BYTES, SelectedMemory, UnixMillis, WorldId, json};
use serde::Serialize;

use crate::{MAX_SELECTED, MemoryTrace, TraceError};

/// Largest number of traces (recalls) of one proposal.
pub const MAX_TRACES: usize = 64;
/// Separator of the queries in the merged one.
const QUERY_SEPARATOR: &str = "; ";

/// Merge of several traces. It borrows from them and serialises as a trace.
///
/// - `selected`: each World once, with the best confidence (at equal confidence the one with
///   evidence, then the one whose canonical JSON sorts first); by falling confidence, then by WorldId;
/// - `query`: the distinct queries in the order of the traces, joined by `"; "`;
/// - `selectedAt`: the latest;
/// - `selector` and `atWorldId`: the same in all.
///
/// All but `query` do not depend on the order of the traces, and merging a merge changes nothing.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Merge<'a> {
    selector: &'a ActorRef,
    query: String,
    selected_at: UnixMillis,
    at_world_id: &'a WorldId,
    selected: Vec<&'a SelectedMemory>,
}

impl<'a> Merge<'a> {
    /// Merges `traces`.
    ///
    /// # Errors
    /// [`TraceError`] if there is none or too many, if they differ in selector or World, or if
    /// together they ask for or select more than one trace can hold.
    pub fn of(traces: &'a [MemoryTrace]) -> Result<Self, TraceError> {
        let first = traces.first().ok_or(TraceError::NoTrace)?;
        if traces.len() > MAX_TRACES {
            return Err(TraceError::TooManyTraces {
                found: traces.len(),
                limit: MAX_TRACES,
            });
        }
        let (selector, at_world_id) = (first.selector(), first.at_world_id());
        let mut selected_at = first.selected_at();
        let mut queries: Vec<&str> = Vec::new();
        for (index, trace) in traces.iter().enumerate() {
            if trace.selector() != selector {
                return Err(TraceError::selectors(index, selector, trace.selector()));
            }
            if trace.at_world_id() != at_world_id {
                return Err(TraceError::WorldsDiffer { index });
            }
            selected_at = selected_at.max(trace.selected_at());
            if !queries.contains(&trace.query().as_str()) {
                queries.push(trace.query().as_str());
            }
        }
        let query = queries.join(QUERY_SEPARATOR);
        if query.len() > MAX_QUERY_BYTES {
            return Err(TraceError::QueryTooLong {
                found: query.len(),
                limit: MAX_QUERY_BYTES,
            });
        }
        Ok(Self {
            selector,
            query,
            selected_at,
            at_world_id,
            selected: best_of_each_world(traces)?,
        })
    }

    /// Returns true if `trace` is exactly this merge.
    pub fn is(&self, trace: &MemoryTrace) -> bool {
        self.selector == trace.selector()
            && self.query == trace.query().as_str()
            && self.selected_at == trace.selected_at()
            && self.at_world_id == trace.at_world_id()
            && self.selected.iter().copied().eq(trace.selected())
    }
}

fn best_of_each_world(traces: &[MemoryTrace]) -> Result<Vec<&SelectedMemory>, TraceError> {
    let mut best: BTreeMap<&WorldId, Candidate<'_>> = BTreeMap::new();
    for memory in traces.iter().flat_map(MemoryTrace::selected) {
        let candidate = Candidate::new(memory);
        best.entry(memory.memory_ref().world_id())
            .and_modify(|kept| {
                // A total order, so that the order of the traces does not matter.
                let rank =
                    |it: &Candidate<'_>| (it.memory.confidence(), it.memory.evidence().is_some());
                let order = rank(&candidate).cmp(&rank(kept));
                if order.then_with(|| kept.text().cmp(candidate.text())) == Ordering::Greater {
                    *kept = candidate.clone();
                }
            })
            .or_insert(candidate);
    }
    if best.len() > MAX_SELECTED {
        return Err(TraceError::TooManySelected {
            found: best.len(),
            limit: MAX_SELECTED,
        });
    }
    let mut selected: Vec<_> = best.into_values().map(|kept| kept.memory).collect();
    // Stable, so that WorldId orders what has the same confidence.
    selected.sort_by_key(|memory| Reverse(memory.confidence()));
    Ok(selected)
}

/// One selection of a World. Its text is written at most once, however many others it meets:
/// merging takes time in proportion to its input.
#[derive(Clone)]
struct Candidate<'a> {
    memory: &'a SelectedMemory,
    text: OnceCell<Option<String>>,
}

impl<'a> Candidate<'a> {
    const fn new(memory: &'a SelectedMemory) -> Self {
        Self {
            memory,
            text: OnceCell::new(),
        }
    }

    fn text(&self) -> &Option<String> {
        let write = || json::canonical(&serde_json::to_value(self.memory).ok()?).ok();
        self.text.get_or_init(write)
    }
}
