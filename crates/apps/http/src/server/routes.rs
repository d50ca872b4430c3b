//! The table of routes: the router, the labels of counts and the description (OpenAPI) are made from it.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use tower_http::catch_panic::CatchPanicLayer;

use super::app::App;
use super::openapi::openapi;
use super::{card, documents, guard, log_files, metrics};
use crate::problem::{Problem, ProblemWord};

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// Takes a `memory_request`.
    Request,
    /// Takes a `memory_verify`.
    Verify,
    /// The agent card.
    Card,
    /// The signed checkpoint.
    Checkpoint,
    /// A tile.
    Tile,
    /// Whether it runs.
    Health,
    /// Counts.
    Metrics,
    /// The description.
    OpenApi,
}

/// A path, and what is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) endpoint: Endpoint,
}

/// All of them.
pub(super) const ROUTES: [Route; 8] = [
    Route {
        path: "/mrp/v1/request",
        endpoint: Endpoint::Request,
    },
    Route {
        path: "/mrp/v1/verify",
        endpoint: Endpoint::Verify,
    },
    Route {
        path: "/.well-known/agent-card.json",
        endpoint: Endpoint::Card,
    },
    Route {
        path: "/log/checkpoint",
        endpoint: Endpoint::Checkpoint,
    },
    Route {
        path: "/log/tile/{*tile}",
        endpoint: Endpoint::Tile,
    },
    Route {
        path: "/healthz",
        endpoint: Endpoint::Health,
    },
    Route {
        path: "/metrics",
        endpoint: Endpoint::Metrics,
    },
    Route {
        path: "/openapi.json",
        endpoint: Endpoint::OpenApi,
    },
];

/// The name of the route of a path, for labels; strangers do not choose it.
pub(super) fn name(path: &str) -> &'static str {
    let fits = |route: &&Route| match route.path.split_once('{') {
        Some((prefix, _)) => path.starts_with(prefix),
        None => path == route.path,
    };
    ROUTES.iter().find(fits).map_or("other", |route| route.path)
}

pub(super) fn router(app: Arc<App>) -> Router {
    let routes = ROUTES.iter().fold(Router::new(), |router, route| {
        router.route(route.path, method(route.endpoint))
    });
    routes
        .fallback(|| async {
            Problem::new(
                ProblemWord::NotFound,
                "there is nothing here; see /openapi.json",
            )
            .response()
        })
        .method_not_allowed_fallback(|| async {
            let detail = "this method has no meaning here; see /openapi.json";
            Problem::new(ProblemWord::MethodNotAllowed, detail)
                .closing()
                .response()
        })
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

fn method(endpoint: Endpoint) -> MethodRouter<Arc<App>> {
    match endpoint {
        Endpoint::Request => post(documents::request),
        Endpoint::Verify => post(documents::verify),
        Endpoint::Card => get(card::card),
        Endpoint::Checkpoint => get(log_files::checkpoint),
        Endpoint::Tile => get(log_files::tile),
        Endpoint::Health => get(log_files::health),
        Endpoint::Metrics => get(counts),
        Endpoint::OpenApi => get(description),
    }
}

async fn counts(State(app): State<Arc<App>>) -> Response<Body> {
    match app.metrics.text() {
        Some(text) => with_type(text, metrics::MEDIA_TYPE),
        None => Problem::internal().response(),
    }
}

async fn description() -> Response<Body> {
    with_type(openapi().to_string(), "application/json")
}

fn with_type(text: String, media_type: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// A bug: what it says stays here.
fn panicked(_: Box<dyn Any + Send + 'static>) -> Response<Body> {
    tracing::error!("a request ended in a panic");
    Problem::internal().closing().response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_one_of_the_table_whatever_is_asked_for() {
        assert_eq!(name("/healthz"), "/healthz");
        assert_eq!(name("/log/tile/0/000"), "/log/tile/{*tile}");
        assert_eq!(name("/healthz/x"), "other");
        assert_eq!(name("/did:key:z6Mk"), "other");
    }
}
