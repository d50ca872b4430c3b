//! Answering other agents: over HTTP, and in a folder (docs/format/transports.md).

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use counterfoil_http::server::{LogFiles, Server, ServerError, ServerSettings, server_config};
use counterfoil_mailbox::{FolderResponder, MailboxError, Round};
use counterfoil_peer::{Answering, Host};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::log::Tile;
use counterfoil_store::{CapsuleLog, StoreError};
use serde::Serialize;

use super::settings::ExchangeSettings;
use super::{host, settings};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::Report;
use crate::words::count;
use crate::{files, keys};

/// Largest chain of certificates and largest key, in bytes.
const MAX_PEM: usize = 256 << 10;
/// Seconds of the rate of an address that may come at once.
const BURST_S: u32 = 2;
/// Most file names kept in memory, so that each is reported once.
const MAX_TOLD: usize = 10_000;

/// Address and limits of an HTTP server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Address to listen on; port 0 is any free one.
    pub listen: SocketAddr,
    /// Files of the certificate chain and its private key, in PEM; plain HTTP without them.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// URL by which others reach the server; the address it listens on by default.
    pub url: Option<String>,
    /// Takes the caller from `X-Forwarded-For` of a proxy on this machine.
    pub behind_proxy: bool,
    /// Requests of one address a second, on average.
    pub rate: u32,
}

/// Result of one look at a folder.
#[derive(Serialize)]
struct RoundView {
    answered: Vec<AnsweredView>,
    refused: Vec<RefusedView>,
    left: Vec<LeftView>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnsweredView {
    request_id: String,
    file: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RefusedView {
    request_id: String,
    problem: &'static str,
    detail: String,
}

#[derive(Serialize)]
struct LeftView {
    file: String,
    why: String,
}

impl Memory {
    /// Listens for questions of other agents; [`Server::run`] answers them.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an address, certificate or key that cannot be used.
    pub async fn listen(&self, options: &ServeOptions) -> Result<Server, Error> {
        let mut server = ServerSettings::at(options.listen);
        if let Some((chain, key)) = &options.tls {
            if let Ok(found) = std::fs::metadata(key) {
                keys::check_private(key, &found)?;
            }
            let pem = |path: &Path| files::read("file", path, MAX_PEM, ErrorKind::Input);
            server.tls = Some(server_config(&pem(chain)?, &pem(key)?)?);
        }
        server.url.clone_from(&options.url);
        server.behind_proxy = options.behind_proxy;
        server.limits.requests_per_second = options.rate;
        server.limits.burst = options.rate.saturating_mul(BURST_S);
        self.must_exist()?;
        let mut settings = settings::read(self.home())?;
        let answering = &mut settings.answering;
        if answering.log.is_none() {
            answering.log = Some(self.home().log_public()?);
        }
        let (_, answering) = self.answering(settings).await?;
        let log = Arc::new(Files(self.reader()?));
        Ok(Server::bind(server, Arc::new(answering), log).await?)
    }

    /// Answers the requests in a folder: those that wait, or with `watch` all until the interruption flag is set. Gives
    /// each round that did something to `each`, which ends the watching by `false`; failures to write are given once and tried
    /// again.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a folder that cannot be used, [`ErrorKind::Interrupted`] at the end of watching.
    pub async fn answer_folder(
        &self,
        folder: &Path,
        watch: bool,
        mut each: impl FnMut(Result<Report, String>) -> bool,
    ) -> Result<(), Error> {
        self.must_exist()?;
        let (host, answering) = self.answering(settings::read(self.home())?).await?;
        let responder = FolderResponder::open(folder, Arc::new(answering), &host.signer.key())?;
        let (mut known, mut answered, mut trouble) = (BTreeSet::new(), 0, None);
        if !watch {
            let round = RoundView::of(responder.once().await?, &mut known);
            each(Ok(Report::new(&round)?));
            return Ok(());
        }
        while !self.interruption().load(Ordering::Relaxed) {
            match responder.once().await {
                Ok(round) => {
                    trouble = None;
                    let round = RoundView::of(round, &mut known);
                    answered += round.answered.len();
                    let RoundView {
                        answered,
                        refused,
                        left,
                    } = &round;
                    let is_empty = answered.is_empty() && refused.is_empty() && left.is_empty();
                    if !is_empty && !each(Ok(Report::new(&round)?)) {
                        return Ok(());
                    }
                }
                Err(error) => {
                    let error = Some(error.to_string());
                    if trouble != error && !each(Err(error.clone().unwrap_or_default())) {
                        return Ok(());
                    }
                    trouble = error;
                }
            }
            responder.rest().await;
        }
        let answered = u64::try_from(answered).unwrap_or(u64::MAX);
        let answered = count(answered, "request was answered", "requests were answered");
        Err(Error::new(
            ErrorKind::Interrupted,
            format_args!("ended; {answered}"),
        ))
    }

    /// The answering service of this memory, and the host that it answers with.
    pub(super) async fn answering(
        &self,
        settings: ExchangeSettings,
    ) -> Result<(Host, Answering), Error> {
        let host = host::open(self, &settings).await?;
        let answering = Answering::new(host.clone(), self.reader()?, settings.answering).await?;
        Ok((host, answering))
    }
}

impl RoundView {
    /// Reports each refused or skipped name once.
    fn of(round: Round, known: &mut BTreeSet<String>) -> Self {
        let answered = round.answered.into_iter();
        let answered = answered.map(|(id, file)| AnsweredView {
            request_id: id.to_string(),
            file,
        });
        let mut is_new = |name: &str| known.len() < MAX_TOLD && known.insert(name.to_owned());
        // What is refused for now is refused at each look.
        let refused = round.refused.into_iter();
        let refused = refused.filter(|(id, _)| is_new(id.as_str()));
        let refused = refused.map(|(id, refusal)| RefusedView {
            request_id: id.to_string(),
            problem: refusal.word(),
            detail: refusal.to_string(),
        });
        let refused = refused.collect();
        let misnamed = "its request_id is not that of its name".to_owned();
        let misnamed = round
            .misnamed
            .into_iter()
            .map(|file| (file, misnamed.clone()));
        let left = round.left.into_iter();
        let left = misnamed.chain(left.map(|(file, why)| (file, why.to_string())));
        let left = left.filter(|(file, _)| is_new(file));
        Self {
            answered: answered.collect(),
            refused,
            left: left.map(|(file, why)| LeftView { file, why }).collect(),
        }
    }
}

/// The log of a store as files.
struct Files(Arc<SqliteStore>);

#[async_trait]
impl LogFiles for Files {
    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        self.0.checkpoint().await
    }

    async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.tile(tile).await
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        Error::new(ErrorKind::Input, error)
    }
}

impl From<MailboxError> for Error {
    fn from(error: MailboxError) -> Self {
        match error {
            MailboxError::Folder { .. } | MailboxError::Unsupported => {
                Error::new(ErrorKind::Input, error)
            }
            MailboxError::Bug => Error::bug("a folder could not be read"),
            _ => Error::new(ErrorKind::Place, error),
        }
    }
}
