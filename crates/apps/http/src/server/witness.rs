//! `/witness/add-checkpoint` (C2SP tlog-witness): checkpoints of other logs, for a host that keeps their heads.

use async_trait::async_trait;
use hyper::StatusCode;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::app::App;
use super::{Reply, body, reply};
use crate::problem::{Problem, ProblemWord};
use crate::witness::{AddCheckpoint, SIZE_TYPE, WitnessAnswer};

const TEXT: &str = "text/plain; charset=utf-8";

/// Witness of other logs.
#[async_trait]
pub trait Witness: Send + Sync {
    /// Cosigns a checkpoint that continues the last one, which it replaces on disk before this returns.
    ///
    /// # Errors
    /// The reason, for the operator, for which its state cannot be read or written.
    async fn add_checkpoint(&self, request: AddCheckpoint) -> Result<WitnessAnswer, String>;
}

/// Answers `POST /witness/add-checkpoint`.
pub(super) async fn add_checkpoint(app: &App, taken: Incoming) -> Result<Reply, Problem> {
    let Some(witness) = app.witness.get() else {
        let detail = "this server is no witness; see /openapi.json";
        return Err(Problem::new(ProblemWord::NotFound, detail).closing());
    };
    let collected = timeout(app.settings.body, body::collect(app, taken)).await;
    let taken = collected.map_err(|_| {
        let detail = "the body did not come in time; send it at once";
        Problem::new(ProblemWord::TooSlow, detail).closing()
    })??;
    let answer = match AddCheckpoint::parse(&taken) {
        None => WitnessAnswer::Malformed,
        Some(request) => witness.add_checkpoint(request).await.map_err(|error| {
            tracing::error!(error, "the witness cannot keep a checkpoint");
            Problem::internal()
        })?,
    };
    Ok(match answer {
        WitnessAnswer::Cosigned(lines) => reply(lines, TEXT),
        WitnessAnswer::Conflict(size) => {
            let size = size.unwrap_or_default();
            with(StatusCode::CONFLICT, reply(format!("{size}\n"), SIZE_TYPE))
        }
        WitnessAnswer::Inconsistent => {
            let detail = "it does not continue the checkpoint of the old size\n";
            with(StatusCode::UNPROCESSABLE_ENTITY, reply(detail, TEXT))
        }
        WitnessAnswer::UnknownLog => {
            let detail = "no log of this origin is witnessed here\n";
            with(StatusCode::NOT_FOUND, reply(detail, TEXT))
        }
        WitnessAnswer::NotSigned => {
            let detail = "no key that is known of this log signed it\n";
            with(StatusCode::FORBIDDEN, reply(detail, TEXT))
        }
        WitnessAnswer::Malformed => {
            let detail = "send it as in C2SP tlog-witness\n";
            with(StatusCode::BAD_REQUEST, reply(detail, TEXT))
        }
    })
}

fn with(status: StatusCode, mut reply: Reply) -> Reply {
    *reply.status_mut() = status;
    reply
}
