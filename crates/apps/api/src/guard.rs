//! Checks that each request passes before its operation: host, route, key, right, body. The log line after it holds no content, no
//! id of a memory and no token (API-1, API-4).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use counterfoil_web::Trace;
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::http::HeaderMap;
use hyper::http::request::Parts;
use tokio::time::timeout;

use crate::app::App;
use crate::body;
use crate::calls::{self, Caller};
use crate::keys::{ApiKey, ApiKeys};
use crate::mcp;
use crate::problem::{Problem, ProblemCode, Reply};
use crate::query::Query;
use crate::routes::{self, Access, Call, Found, Operation};

/// Time for an answer from the end of the body on, waiting included.
const ANSWER: Duration = Duration::from_secs(60);
/// Names of this machine.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Answers a request, and writes its log line.
pub(crate) async fn serve(app: &App, request: Request<Incoming>) -> Reply {
    let began = Instant::now();
    let _in_flight = app.metrics.request_begun();
    let trace = Trace::of(request.headers());
    let method = request.method().as_str();
    let (route, method, operation) = match routes::find(method, request.uri().path()) {
        Found::Operation(found, _) => (found.path, found.method, found.call.memory_operation()),
        Found::Mcp(method) => (routes::MCP, method, None),
        _ => ("other", "other", None),
    };
    let mut key = None;
    let mut reply = {
        let mut answering = pin!(answer(app, request, trace.as_ref(), &mut key));
        // A panic is a bug, and a problem of this one request; its message is not sent.
        std::future::poll_fn(|context| {
            let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(context)));
            polled.unwrap_or_else(|_| {
                tracing::error!("a request ended in a panic");
                Poll::Ready(Err(Problem::internal()))
            })
        })
        .await
        .unwrap_or_else(Problem::into_reply)
    };
    let headers = reply.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    let code = reply.extensions().get::<ProblemCode>().map(|it| it.0);
    let took = began.elapsed();
    let label = format!("{method} {route}");
    app.metrics.request_ended(label, reply.status(), code, took);
    let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let [trace_id, parent_id, trace_flags] = Trace::fields(trace.as_ref());
    let code = code.unwrap_or_default();
    let (status, key) = (reply.status().as_u16(), key.unwrap_or_default());
    tracing::info!(
        route,
        method,
        status,
        problem = code,
        us,
        key,
        operation,
        trace_id,
        parent_id,
        trace_flags,
        "request"
    );
    reply
}

async fn answer(
    app: &App,
    request: Request<Incoming>,
    trace: Option<&Trace>,
    key_id: &mut Option<String>,
) -> Result<Reply, Problem> {
    let (head, incoming) = request.into_parts();
    of_this_server(&app.hosts, &head)?;
    let (operation, open) = match routes::find(head.method.as_str(), head.uri.path()) {
        Found::Operation(operation, open) => (operation, open),
        Found::Mcp(_) => {
            let key = authorized(&app.keys, &head.headers)?;
            *key_id = Some(key.id().to_owned());
            return mcp::answer(app, &key, head, incoming).await;
        }
        Found::Methods(allow) => return Err(Problem::method(allow)),
        Found::Nothing => return Err(Problem::no_route()),
    };
    let key = match operation.access {
        Access::Public => return calls::public(operation.call),
        _ => authorized(&app.keys, &head.headers)?,
    };
    *key_id = Some(key.id().to_owned());
    allowed(&key, operation)?;
    let query = Query::parse(head.uri.query().unwrap_or_default(), operation.query)?;
    let _large = match operation.call {
        Call::Verify => Some(app.large.try_acquire().map_err(|_| Problem::busy())?),
        _ => None,
    };
    let mut caller = Caller {
        memory: app.memory.scoped(key.scope())?,
        whole: &app.memory,
        key: &key,
        jobs: &app.jobs,
        metrics: &app.metrics,
        trace,
        exports: &app.exports,
        open,
        query,
        headers: &head.headers,
        body: Bytes::new(),
        upload: None,
    };
    match (operation.method, operation.call) {
        (_, Call::Import) => caller.upload = Some(calls::receive(&caller, incoming).await?),
        ("POST" | "PATCH", call) => {
            let most = match call {
                Call::Verify => body::MAX_PROOF,
                _ => body::MAX_BODY,
            };
            caller.body = body::read(&head.headers, incoming, most).await?;
        }
        _ => {}
    }
    let answering = async {
        let _permit = app.answers.acquire().await.map_err(|_| Problem::busy())?;
        calls::run(operation.call, caller).await
    };
    let answered = timeout(ANSWER, answering).await;
    app.memory.write_heads();
    answered.map_err(|_| Problem::busy())?
}

/// Refuses a request that a page of another site may have caused: a name that is rebound to this machine, or a foreign origin.
fn of_this_server(hosts: &[String], head: &Parts) -> Result<(), Problem> {
    let mut named = head.headers.get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Err(Problem::one_host());
    };
    let authority = head.uri.authority().map(|it| it.as_str());
    let is_here = |host: &str| is_host(hosts, host);
    let host_fits = host.to_str().is_ok_and(is_here) && authority.is_none_or(is_here);
    let origin_fits = head.headers.get_all(ORIGIN).iter().all(|origin| {
        let host = origin.to_str().ok().and_then(|it| it.split_once("://"));
        host.is_some_and(|(_, host)| is_here(host))
    });
    match host_fits && origin_fits {
        true => Ok(()),
        false => Err(Problem::host()),
    }
}

fn is_host(hosts: &[String], text: &str) -> bool {
    let name = match text.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => text,
    };
    let mut known = LOCAL.into_iter().chain(hosts.iter().map(String::as_str));
    known.any(|known| known.eq_ignore_ascii_case(name))
}

/// The key of the one bearer token.
fn authorized(keys: &ApiKeys, headers: &HeaderMap) -> Result<ApiKey, Problem> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(given), None) = (given.next(), given.next()) else {
        return Err(Problem::unauthorized());
    };
    let given = given.to_str().ok().and_then(|it| it.split_once(' '));
    let token = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let (_, token) = token.ok_or_else(Problem::unauthorized)?;
    keys.of_token(token.trim())?
        .ok_or_else(Problem::unauthorized)
}

fn allowed(key: &ApiKey, operation: &Operation) -> Result<(), Problem> {
    match operation.access {
        Access::With(right) if !key.may(right) => Err(Problem::forbidden(right.name())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(headers: &[(HeaderName, &str)]) -> bool {
        let mut request = Request::builder().uri("/v1/head");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        of_this_server(&["memory.example".to_owned()], &head).is_err()
    }

    /// API-4; mutant `any-host`: a page could reach the API under a name of its own that led to this machine.
    #[test]
    fn a_rebound_name_and_a_foreign_origin_are_refused() {
        for host in [
            "localhost",
            "LOCALHOST:8411",
            "127.0.0.1:1",
            "[::1]:8411",
            "[::1]",
            "memory.example",
        ] {
            assert!(!refused(&[(HOST, host)]), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8411",
            "localhost:99999",
            "::1",
            "a@localhost",
        ] {
            assert!(refused(&[(HOST, host)]), "{host}");
        }
        assert!(refused(&[]) && refused(&[(HOST, "localhost"), (HOST, "localhost")]));
        for origin in ["http://localhost:8411", "https://memory.example"] {
            assert!(
                !refused(&[(HOST, "localhost"), (ORIGIN, origin)]),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "http://evil.example",
            "https://localhost.evil.example",
            "",
        ] {
            assert!(
                refused(&[(HOST, "localhost"), (ORIGIN, origin)]),
                "{origin}"
            );
        }
    }
}
