//! Table of routes: dispatch, labels of counts and the description (OpenAPI) follow it.

use std::net::IpAddr;

use counterfoil_web::metrics;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue};
use serde_json::Value;

use super::app::App;
use super::documents::{self, Taken};
use super::{Reply, card, log_files, reply, witness};
use crate::problem::{Problem, ProblemWord};

/// Description of this server (OpenAPI 3.1), the same for every server; a test makes and checks it.
pub(super) const DESCRIPTION: &str = include_str!("../../../../../docs/openapi.json");

/// Function of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    Request,
    Verify,
    Card,
    Checkpoint,
    Tile,
    Witness,
    Health,
    Metrics,
    OpenApi,
}

/// Path and its function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// Path; a last segment in braces matches any rest that is not empty.
    pub(super) path: &'static str,
    pub(super) endpoint: Endpoint,
}

/// Every route.
pub(super) const ROUTES: [Route; 9] = [
    route("/mrp/v1/request", Endpoint::Request),
    route("/mrp/v1/verify", Endpoint::Verify),
    route("/.well-known/agent-card.json", Endpoint::Card),
    route("/log/checkpoint", Endpoint::Checkpoint),
    route("/log/tile/{*tile}", Endpoint::Tile),
    route("/witness/add-checkpoint", Endpoint::Witness),
    route("/healthz", Endpoint::Health),
    route("/metrics", Endpoint::Metrics),
    route("/openapi.json", Endpoint::OpenApi),
];

const fn route(path: &'static str, endpoint: Endpoint) -> Route {
    Route { path, endpoint }
}

impl Endpoint {
    /// Allowed methods, as `Allow` lists them.
    pub(super) const fn methods(self) -> &'static str {
        match self {
            Self::Request | Self::Verify | Self::Witness => "POST",
            _ => "GET,HEAD",
        }
    }
}

/// Returns the route of a path.
pub(super) fn find(path: &str) -> Option<&'static Route> {
    ROUTES
        .iter()
        .find(|route| match route.path.split_once('{') {
            Some((prefix, _)) => path
                .strip_prefix(prefix)
                .is_some_and(|rest| !rest.is_empty()),
            None => path == route.path,
        })
}

/// Answers a request by its route.
pub(super) async fn answer(app: &App, caller: IpAddr, request: Request<Incoming>) -> Reply {
    let Some(route) = find(request.uri().path()) else {
        let detail = "there is nothing here; see /openapi.json";
        return Problem::new(ProblemWord::NotFound, detail).response();
    };
    let mut methods = route.endpoint.methods().split(',');
    if !methods.any(|method| method == request.method().as_str()) {
        let detail = "this method has no meaning here; see /openapi.json";
        let problem = Problem::new(ProblemWord::MethodNotAllowed, detail).closing();
        let mut reply = problem.response();
        let allowed = HeaderValue::from_static(route.endpoint.methods());
        reply.headers_mut().insert(ALLOW, allowed);
        return reply;
    }
    let answered = match route.endpoint {
        Endpoint::Request => documents::answer(app, Taken::Request, caller, request).await,
        Endpoint::Verify => documents::answer(app, Taken::Verify, caller, request).await,
        Endpoint::Card => card::card(app).await,
        Endpoint::Checkpoint => log_files::checkpoint(app).await,
        Endpoint::Tile => log_files::tile(app, request.uri().path()).await,
        Endpoint::Witness => witness::add_checkpoint(app, request.into_body()).await,
        Endpoint::Health => log_files::health(app).await,
        Endpoint::Metrics => Ok(reply(app.metrics.text(&[]), metrics::MEDIA_TYPE)),
        Endpoint::OpenApi => serde_json::from_str::<Value>(DESCRIPTION)
            .map(|description| reply(description.to_string(), "application/json"))
            .map_err(|_| Problem::internal()),
    };
    answered.unwrap_or_else(Problem::response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_one_of_the_table_whatever_is_asked_for() {
        let name = |path| find(path).map_or("other", |route| route.path);
        assert_eq!(name("/healthz"), "/healthz");
        assert_eq!(name("/log/tile/0/000"), "/log/tile/{*tile}");
        assert_eq!(name("/log/tile/"), "other");
        assert_eq!(name("/healthz/x"), "other");
        assert_eq!(name("/did:key:z6Mk"), "other");
    }
}
