//! What each request passes before its route, and what is written down after it: no content, no key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use axum::http::{Request, Response};
use axum::middleware::Next;

use super::app::App;
use super::{addresses, body, routes};
use crate::problem::{Problem, ProblemWord};

/// The other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller(pub(super) IpAddr);

/// The outermost layer.
pub(super) async fn guard(
    State(app): State<Arc<App>>,
    mut request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let route = routes::name(request.uri().path());
    let peer = request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::from([0; 4]), |peer| peer.0);
    let caller = addresses::caller(peer, request.headers(), app.behind_proxy);
    request.extensions_mut().insert(Caller(caller));
    let _in_flight = app.metrics.begun();
    let mut response = match admitted(&app, &request, caller) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.response(),
    };
    finish(&mut response);
    let (status, word) = (
        response.status(),
        response.extensions().get::<ProblemWord>().copied(),
    );
    let took = began.elapsed();
    app.metrics.ended(route, status, word, took);
    let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let word = word.map_or("", ProblemWord::as_str);
    tracing::info!(route, status = status.as_u16(), problem = word, us, from = %caller, "request");
    response
}

/// What needs no more than the head.
fn admitted(app: &App, request: &Request<Body>, caller: IpAddr) -> Result<(), Problem> {
    if app.is_stopping() {
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
    if body::signed(request.headers()) {
        return Err(body::signature());
    }
    Ok(())
}

fn finish(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}
