//! The two routes that take documents.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Request, Response};
use counterfoil_exchange::answering::Refusal;
use counterfoil_peer::Origin;
use tokio::time::{Instant, sleep, timeout_at};

use super::app::App;
use super::guard::Caller;
use super::{addresses, body, cooling};
use crate::digest;
use crate::problem::{Problem, ProblemWord};

/// So long a key waits that asks on although it was refused: a connection of it refuses itself ten times a second, and not
/// thousands of times.
const REFUSED_AGAIN: Duration = Duration::from_millis(100);

/// Which document is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Request,
    Verify,
}

/// `POST /mrp/v1/request`
pub(super) async fn request(
    state: State<Arc<App>>,
    caller: Extension<Caller>,
    request: Request<Body>,
) -> Response<Body> {
    let State(app) = state;
    match answer(&app, Taken::Request, caller.0.0, request).await {
        Ok(answer) => {
            app.metrics.answered(&answer);
            document(answer)
        }
        Err(problem) => problem.response(),
    }
}

/// `POST /mrp/v1/verify`
pub(super) async fn verify(
    state: State<Arc<App>>,
    caller: Extension<Caller>,
    request: Request<Body>,
) -> Response<Body> {
    let State(app) = state;
    match answer(&app, Taken::Verify, caller.0.0, request).await {
        Ok(answer) => document(answer),
        Err(problem) => problem.response(),
    }
}

async fn answer(
    app: &App,
    taken: Taken,
    from: IpAddr,
    request: Request<Body>,
) -> Result<Bytes, Problem> {
    let (head, body) = request.into_parts();
    let body = body::read(app, &head.headers, body).await?;
    let key = cooling::named(&body).map(|key| (addresses::one(from), key));
    if let Some(left) = key.and_then(|key| app.cooling.left(&key)) {
        drop(body);
        sleep(REFUSED_AGAIN).await;
        let retry_after_s = u32::try_from(left.as_secs() + 1).unwrap_or(u32::MAX);
        return Err(Refusal::TooMany { retry_after_s }.into());
    }
    let refusal = match in_turn(app, taken, from, &body).await? {
        Ok(answer) => return Ok(Bytes::from_owner(answer)),
        Err(refusal) => refusal,
    };
    match (&refusal, key) {
        (Refusal::TooMany { retry_after_s }, Some(key)) => app.cooling.refused(key, *retry_after_s),
        (Refusal::Internal { detail }, _) => tracing::error!(detail, "no answer"),
        _ => {}
    }
    Err(refusal.into())
}

/// Waits for a turn and for the answer, both together so long and no longer.
async fn in_turn(
    app: &App,
    taken: Taken,
    from: IpAddr,
    body: &[u8],
) -> Result<Result<Arc<[u8]>, Refusal>, Problem> {
    let until = Instant::now() + app.limits.answer;
    let busy = || {
        Problem::new(
            ProblemWord::Busy,
            "too much is being answered at once; try again",
        )
        .retry_after(1)
    };
    let turn = timeout_at(until, app.answers.acquire())
        .await
        .map_err(|_| busy())?;
    let _turn = turn.map_err(|_| busy())?;
    let origin = Origin::Address(from);
    let answering = async {
        match taken {
            Taken::Request => app.responder.answer(body, origin).await,
            Taken::Verify => app.responder.verify(body, origin).await,
        }
    };
    timeout_at(until, answering).await.map_err(|_| busy())
}

fn document(bytes: Bytes) -> Response<Body> {
    let digest = digest::of(&bytes);
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(digest) = digest {
        headers.insert(digest::CONTENT_DIGEST, digest);
    }
    response
}
