//! `/log/…`: checkpoint and tiles (C2SP tlog-tiles), so that anybody can follow the log. No content of entries is in them.

use std::sync::Arc;

use async_trait::async_trait;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::http::{Response, Uri};
use counterfoil_store::StoreError;
use counterfoil_store::log::Tile;

use super::app::App;
use crate::problem::{Problem, ProblemWord};

/// What stands before the path of a tile.
const PREFIX: &str = "/log/tile/";

/// The log as files. The host's store has them.
#[async_trait]
pub trait LogFiles: Send + Sync {
    /// The signed checkpoint; `None` while the log is empty.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn checkpoint(&self) -> Result<Option<String>, StoreError>;

    /// A tile; `None` beyond the end of the log.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError>;
}

/// `GET /log/checkpoint`
pub(super) async fn checkpoint(State(app): State<Arc<App>>) -> Response<Body> {
    match app.log.checkpoint().await {
        Ok(Some(note)) => file(note.into(), "text/plain; charset=utf-8", "no-cache"),
        Ok(None) => nothing("the log is empty").response(),
        Err(error) => failed(&error).response(),
    }
}

/// `GET /log/tile/…`. A tile that is there never changes, whole or in part.
pub(super) async fn tile(State(app): State<Arc<App>>, uri: Uri) -> Response<Body> {
    let tile = uri.path().strip_prefix(PREFIX).and_then(Tile::parse);
    let Some(tile) = tile else {
        return nothing("tiles are named as in C2SP tlog-tiles").response();
    };
    match app.log.tile(tile).await {
        Ok(Some(bytes)) => file(
            bytes.into(),
            "application/octet-stream",
            "public, max-age=31536000, immutable",
        ),
        Ok(None) => nothing("the log does not reach so far").response(),
        Err(error) => failed(&error).response(),
    }
}

/// `GET /healthz`: the store can be read.
pub(super) async fn health(State(app): State<Arc<App>>) -> Response<Body> {
    match app.log.checkpoint().await {
        Ok(_) => file("{\"status\":\"ok\"}".into(), "application/json", "no-store"),
        Err(error) => failed(&error).response(),
    }
}

fn file(body: Body, media_type: &'static str, cached: &'static str) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cached));
    response
}

fn nothing(detail: &str) -> Problem {
    Problem::new(ProblemWord::NotFound, detail)
}

fn failed(error: &StoreError) -> Problem {
    tracing::error!(%error, "the log cannot be read");
    Problem::internal()
}
