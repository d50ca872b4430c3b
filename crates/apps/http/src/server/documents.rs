//! Routes that take documents: `/mrp/v1/request` and `/mrp/v1/verify`.

use std::net::IpAddr;
use std::time::Duration;

use counterfoil_exchange::answering::Refusal;
use counterfoil_peer::party;
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use tokio::time::{Instant, sleep, timeout_at};

use super::app::App;
use super::{Reply, body, penalties, reply};
use crate::digest;
use crate::problem::{Problem, ProblemWord};

/// Delay of a refusal to a penalised key: a connection of it is refused ten times a second, and not thousands of times.
const REFUSED_AGAIN: Duration = Duration::from_millis(100);

/// Start of the status in a canonical response.
const STATUS: &[u8] = b"\"status\":{\"code\":\"";
const STATUSES: [&str; 5] = ["success", "partial", "no_match", "declined", "error"];

/// Document that a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Request,
    Verify,
}

/// Answers `POST /mrp/v1/request` and `POST /mrp/v1/verify`.
pub(super) async fn answer(
    app: &App,
    taken: Taken,
    from: IpAddr,
    request: Request<Incoming>,
) -> Result<Reply, Problem> {
    let (head, body) = request.into_parts();
    let body = body::read(app, &head.headers, body).await?;
    let key = penalties::key_of(&body).map(|key| (party(from), key));
    if let Some(left) = key.and_then(|key| app.penalties.left(&key)) {
        drop(body);
        sleep(REFUSED_AGAIN).await;
        let retry_after_s = u32::try_from(left.as_secs() + 1).unwrap_or(u32::MAX);
        return Err(Refusal::TooMany { retry_after_s }.into());
    }
    // Waiting for a permit and for the answer together have one time limit.
    let until = Instant::now() + app.settings.answer;
    let answering = async {
        let _permit = app.answers.acquire().await.ok()?;
        let answer = match taken {
            Taken::Request => app.responder.answer(&body, from).await,
            Taken::Verify => app.responder.verify(&body, from).await,
        };
        Some(answer.map(Bytes::from_owner))
    };
    let answered = timeout_at(until, answering).await.ok().flatten();
    let answered = answered.ok_or_else(|| {
        let detail = "too much is being answered at once; try again";
        Problem::new(ProblemWord::Busy, detail).retry_after(1)
    })?;
    let refusal = match answered {
        Ok(answer) => {
            if taken == Taken::Request {
                app.metrics.answered(status(&answer).unwrap_or("unknown"));
            }
            return Ok(document(answer));
        }
        Err(refusal) => refusal,
    };
    match (&refusal, key) {
        (Refusal::TooMany { retry_after_s }, Some(key)) => app.penalties.add(key, *retry_after_s),
        (Refusal::Internal { detail }, _) => tracing::error!(detail, "no answer"),
        _ => {}
    }
    Err(refusal.into())
}

/// Returns a 200 with a document and its digest.
pub(super) fn document(bytes: Bytes) -> Reply {
    let digest = digest::of(&bytes);
    let mut reply = reply(bytes, "application/json");
    if let Some(digest) = digest {
        reply.headers_mut().insert(digest::CONTENT_DIGEST, digest);
    }
    reply
}

/// Returns the status of a canonical response, found without parsing it.
fn status(response: &[u8]) -> Option<&'static str> {
    let at = response
        .windows(STATUS.len())
        .rposition(|window| window == STATUS)?;
    let rest = response.get(at + STATUS.len()..)?;
    let is = |word: &&str| {
        rest.strip_prefix(word.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"\""))
    };
    STATUSES.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_documents_own_and_not_one_that_it_quotes() {
        let response = br#"{"results":[{"x":{"status":{"code":"declined"}}}],"status":{"code":"partial","message":"m"},"type":"t"}"#;
        assert_eq!(status(response), Some("partial"));
        assert_eq!(status(br#"{"status":{"code":"successful"}}"#), None);
        assert_eq!(status(b""), None);
    }
}
