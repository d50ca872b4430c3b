//! `create` and `attachToProposal` (§10.2; ATTACH-1 to ATTACH-5).

use counterfoil_trace::{MEMORY_KEY, MemoryTrace, Merge, TRACES_KEY, TraceError};
use counterfoil_types::{Proposal, ProposalTrace, SelectionRequest, SelectionResult};
use serde_json::json;

/// The summary of a proposal that had none.
const DEFAULT_SUMMARY: &str = "Memory-enhanced proposal";

/// The trace of one selection. Its time is the selector's: nothing here reads a clock.
///
/// # Errors
/// [`TraceError`] if request and result do not make a trace; values of these types do.
pub fn create(
    request: &SelectionRequest,
    result: &SelectionResult,
) -> Result<MemoryTrace, TraceError> {
    let trace = json!({
        "selector": request.selector(),
        "query": request.query(),
        "selectedAt": result.selected_at(),
        "atWorldId": request.at_world_id(),
        "selected": result.selected(),
    });
    Ok(MemoryTrace::try_from(trace)?)
}

/// A copy of `proposal` with `trace` as its `context.memory`; all else stays.
///
/// # Errors
/// [`TraceError::AlreadyAttached`] if it has a trace: merge first, with [`attach_all`].
pub fn attach_to_proposal(
    proposal: &Proposal,
    trace: &MemoryTrace,
) -> Result<Proposal, TraceError> {
    attach_all(proposal, core::slice::from_ref(trace))
}

/// A copy of `proposal` with the traces of all its recalls: one as `context.memory`; several merged
/// there, and each in `context.memoryTraces`.
///
/// # Errors
/// [`TraceError::AlreadyAttached`] if it has a trace, [`TraceError`] if there is no trace
/// or they can't be joined.
pub fn attach_all(proposal: &Proposal, traces: &[MemoryTrace]) -> Result<Proposal, TraceError> {
    if traces.is_empty() {
        return Err(TraceError::NoTrace);
    }
    let account = match proposal.trace() {
        Some(account) => attached(account, traces)?,
        None => attached(&ProposalTrace::new(DEFAULT_SUMMARY), traces)?,
    };
    Ok(proposal.clone().with_trace(account))
}

/// A copy of `account` with the traces in its context; without a trace, the account as it is.
///
/// # Errors
/// As for [`attach_all`], but for no trace.
pub fn attached(
    account: &ProposalTrace,
    traces: &[MemoryTrace],
) -> Result<ProposalTrace, TraceError> {
    let mut context = account.context().cloned().unwrap_or_default();
    let keys = [MEMORY_KEY, TRACES_KEY];
    if let Some(key) = keys.into_iter().find(|key| context.contains_key(*key)) {
        return Err(TraceError::AlreadyAttached { key });
    }
    match traces {
        [] => return Ok(account.clone()),
        [trace] => {
            context.insert(MEMORY_KEY.into(), json!(trace));
        }
        traces => {
            let merged = MemoryTrace::try_from(json!(Merge::of(traces)?));
            context.insert(MEMORY_KEY.into(), json!(merged?));
            context.insert(TRACES_KEY.into(), json!(traces));
        }
    }
    Ok(account.clone().with_context(context))
}
