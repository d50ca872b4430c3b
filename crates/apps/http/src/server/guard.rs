//! Checks that each request passes before its route, and the log line after it, which holds no content and no key.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Instant;

use counterfoil_web::Trace;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use hyper::{Method, Request};

use super::app::App;
use super::{Reply, addresses, body, routes};
use crate::problem::{Problem, ProblemWord};

/// Answers a request of the connection from `peer`, counts it and writes its log line.
pub(super) async fn serve(app: &App, peer: IpAddr, request: Request<Incoming>) -> Reply {
    let began = Instant::now();
    let route = routes::find(request.uri().path()).map_or("other", |route| route.path);
    let caller = addresses::caller(peer, request.headers(), app.settings.behind_proxy);
    let _in_flight = app.metrics.request_begun();
    let trace = Trace::of(request.headers());
    let method = match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        _ => "other",
    };
    let mut reply = match admit(app, &request, caller) {
        Ok(()) => {
            let mut answering = pin!(routes::answer(app, caller, request));
            // A panic is a bug, and the problem `internal` of this one request; its message is not sent.
            std::future::poll_fn(|context| {
                let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(context)));
                polled.unwrap_or_else(|_| {
                    tracing::error!("a request ended in a panic");
                    Poll::Ready(Problem::internal().closing().response())
                })
            })
            .await
        }
        Err(problem) => problem.response(),
    };
    let headers = reply.headers_mut();
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    let (status, word) = (
        reply.status(),
        reply.extensions().get::<ProblemWord>().copied(),
    );
    let took = began.elapsed();
    let word = word.map(ProblemWord::as_str);
    app.metrics.request_ended(route, status, word, took);
    let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let word = word.unwrap_or_default();
    let [trace_id, parent_id, trace_flags] = Trace::fields(trace.as_ref());
    let status = status.as_u16();
    tracing::info!(
        route,
        method,
        status,
        problem = word,
        us,
        from = %caller,
        trace_id,
        parent_id,
        trace_flags,
        "request"
    );
    reply
}

/// Refuses a request by its head alone.
fn admit(app: &App, request: &Request<Incoming>, caller: IpAddr) -> Result<(), Problem> {
    if app.stopping.load(Ordering::Relaxed) {
        return Err(
            Problem::new(ProblemWord::Stopping, "this server is ending; try again")
                .retry_after(5)
                .closing(),
        );
    }
    app.addresses.request(caller).map_err(|wait| {
        let seconds = u32::try_from(wait.as_secs())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let detail = format!("this address asks too often; wait {seconds} s");
        Problem::new(ProblemWord::TooMany, detail)
            .retry_after(seconds)
            .closing()
    })?;
    body::refuse_signatures(request.headers())
}
