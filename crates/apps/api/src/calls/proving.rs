//! Proposals, their check, and the head of the log.

use counterfoil::{FloorChoice, RecallOptions, UnixMillis, WorldId};
use hyper::StatusCode;

use super::{Caller, VERSION, document, of_memory, typed};
use crate::body;
use crate::keys;
use crate::problem::{Problem, Reply};
use crate::requests::{ProposalRequest, VerifyRequest};
use crate::views::VerdictView;

/// Authority that a proposal is for when its caller does not say.
const LOCAL: &str = "local";
/// Most ids of a proposal.
const MAX_IDS: usize = 64;
/// Most recalls of a proposal.
const MAX_QUERIES: usize = 16;
/// Decisions that are listed when the caller does not say.
const LISTED: usize = 100;
/// Most of them.
const MOST: usize = 1_000;

/// `POST /v1/proposals`: the proposal itself, which an authority checks without this memory.
pub(super) async fn propose(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: ProposalRequest = body::document(&caller.body)?;
    let memory = &caller.memory;
    let mut options = RecallOptions::default();
    let queries = match (request.ids.as_slice(), request.queries.as_slice()) {
        (ids @ [_, ..], []) if ids.len() <= MAX_IDS => {
            options.max = ids.len();
            for id in ids {
                // Of a memory outside of the scope nothing is proposed, as of one that is not there.
                let shown = memory.show(id).await.map_err(of_memory)?;
                let id = WorldId::new(shown.detail("name").as_str().unwrap_or_default());
                options.only.push(id.map_err(|_| Problem::absent())?);
            }
            vec![request.summary.clone()]
        }
        ([], queries @ [_, ..]) if queries.len() <= MAX_QUERIES => queries.to_vec(),
        _ => {
            return Err(Problem::input(
                "either 1 to 64 `ids` or 1 to 16 `queries` are given",
                "give one of the two",
            ));
        }
    };
    let to = request.to.as_deref().unwrap_or(LOCAL);
    let proposal = memory.propose(&request.summary, &queries, None, Some(to), &options);
    document(StatusCode::CREATED, &proposal.await?)
}

/// `GET /v1/decisions`: those about proposals whose memories are all in the scope, the newest first.
pub(super) async fn decisions(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let max = caller.query.limit("limit", LISTED, MOST)?;
    typed("decisions", caller.memory.decisions(max).await?.value())
}

/// `POST /v1/verify`: as an authority does that has the anchors of this log and nothing else.
pub(super) async fn verify(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: VerifyRequest = body::with_proof(&caller.body)?;
    let proof = serde_json::to_vec(&request.proof).map_err(|_| Problem::internal())?;
    let (anchors, _floor) = caller.whole.anchors(FloorChoice::Kept).await?;
    let now = UnixMillis::new(keys::now()? / 1_000).map_err(|_| Problem::internal())?;
    let checked = counterfoil_verify::check(&proof, anchors.as_bytes(), now);
    let (report, verdict) = checked.map_err(|error| {
        let next = "give a document of POST /v1/proposals or of a belief's /proof";
        Problem::input(error.to_string(), next)
    })?;
    let view = VerdictView {
        kind: "counterfoil/verdict",
        version: VERSION,
        verdict: verdict.name().to_owned(),
        report,
    };
    document(StatusCode::OK, &view)
}

/// `GET /v1/head`: the signed checkpoint of the log, which every receipt holds too.
pub(super) async fn head(caller: &Caller<'_>) -> Result<Reply, Problem> {
    typed("head", caller.whole.checkpoint().await?.value())
}
