//! Reading a trace out of a proposal: `getFromProposal`, `hasTrace` (specification §9.2.3, §10.1, CR-01).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::Proposal;
use counterfoil_types::json::Value;

use crate::{MAX_TRACES, MemoryTrace, TraceError};

/// Member of `trace.context` that holds the trace.
pub const MEMORY_KEY: &str = "memory";
/// Member of `trace.context` that holds the trace of each recall when there were several.
pub const TRACES_KEY: &str = "memoryTraces";
/// Member of `trace.context` that holds witness-cosigned checkpoints beside the trace.
///
/// A cosignature carries a time, so it may not stand inside a proof (M-8).
pub const CHECKPOINTS_KEY: &str = "checkpoints";
/// Member of `trace.context` that names the fields which the proposer keeps back.
pub const WITHHELD_KEY: &str = "withheld";
/// Largest number of withheld fields that a proposal names.
pub const MAX_WITHHELD: usize = 64;
/// Bytes of one JSON pointer among them.
const MAX_POINTER_BYTES: usize = 1024;
/// Largest number of cosigned checkpoints in a proposal.
pub const MAX_CHECKPOINTS: usize = 16;
/// Bytes of one cosigned checkpoint.
const MAX_CHECKPOINT_BYTES: usize = 16 * 1024;

/// The trace of `proposal`, `None` if its context has no `memory`.
///
/// # Errors
/// [`TraceError`] if `context.memory` is there and is not a trace; `null` is not absent.
pub fn from_proposal(proposal: &Proposal) -> Result<Option<MemoryTrace>, TraceError> {
    Ok(member(proposal, MEMORY_KEY)
        .cloned()
        .map(MemoryTrace::try_from)
        .transpose()?)
}

/// Returns true if `proposal` has a `context.memory`, well-formed or not.
pub fn has_trace(proposal: &Proposal) -> bool {
    member(proposal, MEMORY_KEY).is_some()
}

/// The trace of each recall (`context.memoryTraces`), empty if the member is absent.
///
/// # Errors
/// [`TraceError`] if the member is not an array of at most [`MAX_TRACES`] traces.
pub fn traces_of(proposal: &Proposal) -> Result<Vec<MemoryTrace>, TraceError> {
    elements(proposal, TRACES_KEY, MAX_TRACES)?
        .iter()
        .enumerate()
        .map(|(index, value)| {
            MemoryTrace::try_from(value.clone()).map_err(|error| TraceError::Part { index, error })
        })
        .collect()
}

/// The signed notes of `context.checkpoints`, empty if the member is absent. None is verified.
///
/// # Errors
/// [`TraceError`] if the member is not an array of at most [`MAX_CHECKPOINTS`] texts of at most
/// 16 KiB.
pub fn cosigned_checkpoints(proposal: &Proposal) -> Result<Vec<String>, TraceError> {
    elements(proposal, CHECKPOINTS_KEY, MAX_CHECKPOINTS)?
        .iter()
        .enumerate()
        .map(|(index, value)| match value {
            Value::String(note) if note.len() <= MAX_CHECKPOINT_BYTES => Ok(note.clone()),
            _ => Err(TraceError::Checkpoint {
                index,
                limit: MAX_CHECKPOINT_BYTES,
            }),
        })
        .collect()
}

/// The JSON pointers of `context.withheld`, fields that the proposer keeps back; empty if the member is absent.
///
/// # Errors
/// [`TraceError`] if the member is not an array of at most [`MAX_WITHHELD`] JSON pointers of at most 1 KiB.
pub fn withheld(proposal: &Proposal) -> Result<Vec<String>, TraceError> {
    elements(proposal, WITHHELD_KEY, MAX_WITHHELD)?
        .iter()
        .enumerate()
        .map(|(index, value)| match value {
            Value::String(path) if path.len() <= MAX_POINTER_BYTES && path.starts_with('/') => {
                Ok(path.clone())
            }
            _ => Err(TraceError::Withheld {
                index,
                limit: MAX_POINTER_BYTES,
            }),
        })
        .collect()
}

fn member<'a>(proposal: &'a Proposal, key: &str) -> Option<&'a Value> {
    proposal.trace()?.context()?.get(key)
}

fn elements<'a>(
    proposal: &'a Proposal,
    key: &'static str,
    limit: usize,
) -> Result<&'a [Value], TraceError> {
    match member(proposal, key) {
        None => Ok(&[]),
        Some(Value::Array(values)) if values.len() <= limit => Ok(values),
        Some(Value::Array(values)) => Err(TraceError::TooManyElements {
            key,
            found: values.len(),
            limit,
        }),
        Some(_) => Err(TraceError::NotAnArray { key }),
    }
}
