//! `/log/…`: the checkpoint, and the tiles (C2SP tlog-tiles) that the host publishes. Entries hold no content; they name Worlds and
//! tell how long their content is.

use async_trait::async_trait;
use counterfoil_store::StoreError;
use counterfoil_store::log::Tile;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, HeaderValue};

use super::app::App;
use super::{PublicTiles, Reply, reply};
use crate::problem::{Problem, ProblemWord};

/// Prefix of the path of a tile.
const PREFIX: &str = "/log/tile/";

/// Log of the host as files.
#[async_trait]
pub trait LogFiles: Send + Sync {
    /// Returns the signed checkpoint; `None` while the log is empty.
    ///
    /// # Errors
    /// The store fails.
    async fn checkpoint(&self) -> Result<Option<String>, StoreError>;

    /// Returns a tile; `None` beyond the end of the log.
    ///
    /// # Errors
    /// The store fails.
    async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Answers `GET /log/checkpoint`.
pub(super) async fn checkpoint(app: &App) -> Result<Reply, Problem> {
    let note = app.log.checkpoint().await.map_err(|error| failed(&error))?;
    let note = note.ok_or_else(|| not_found("the log is empty"))?;
    Ok(file(note, "text/plain; charset=utf-8", "no-cache"))
}

/// Answers `GET /log/tile/…` as far as tiles are published. A tile never changes, whole or in part.
pub(super) async fn tile(app: &App, path: &str) -> Result<Reply, Problem> {
    let tile = path.strip_prefix(PREFIX).and_then(Tile::parse);
    let tile = tile.ok_or_else(|| not_found("tiles are named as in C2SP tlog-tiles"))?;
    match (app.settings.tiles, tile.is_of_entries()) {
        (PublicTiles::Off, _) => {
            return Err(not_found(
                "this agent publishes no tiles of its log; its operator can (`tiles` under [log] in exchange.toml)",
            ));
        }
        (PublicTiles::Hashes, true) => {
            return Err(not_found(
                "this agent publishes the hashes of its log and not its entries; its operator can (`tiles` under [log] in exchange.toml)",
            ));
        }
        (PublicTiles::Hashes, false) | (PublicTiles::All, _) => {}
    }
    let bytes = app.log.tile(tile).await.map_err(|error| failed(&error))?;
    let bytes = bytes.ok_or_else(|| not_found("the log does not reach so far"))?;
    let cached = "public, max-age=31536000, immutable";
    Ok(file(bytes, "application/octet-stream", cached))
}

/// Answers `GET /healthz`: 200 while the store can be read.
pub(super) async fn health(app: &App) -> Result<Reply, Problem> {
    app.log.checkpoint().await.map_err(|error| failed(&error))?;
    Ok(reply(r#"{"status":"ok"}"#, "application/json"))
}

fn file(body: impl Into<Bytes>, media_type: &'static str, cached: &'static str) -> Reply {
    let mut reply = reply(body, media_type);
    let cached = HeaderValue::from_static(cached);
    reply.headers_mut().insert(CACHE_CONTROL, cached);
    reply
}

fn not_found(detail: &str) -> Problem {
    Problem::new(ProblemWord::NotFound, detail)
}

fn failed(error: &StoreError) -> Problem {
    tracing::error!(%error, "the log cannot be read");
    Problem::internal()
}
