//! Answering other agents: over HTTP, and in a folder (docs/format/transports.md).

use counterfoil_life::Life as _;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use counterfoil_http::HttpError;
use counterfoil_http::server::{LogFiles, Server, ServerSettings, server_config};
use counterfoil_mailbox::{FolderResponder, MailboxError, Round};
use counterfoil_peer::{Answering, Host};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::log::Tile;
use counterfoil_store::{CapsuleLog, StoreError};
use counterfoil_verifier::note::VerifierKey;

use super::settings::ExchangeSettings;
use super::{host, settings};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::{Report, object};
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
    /// Keeps the heads of the logs of peers, as a witness (C2SP tlog-witness).
    pub witness: bool,
}

impl Memory {
    /// Listens for questions of other agents; [`Server::run`] answers them. With [`ServeOptions::witness`] returns the key that
    /// checks the cosignatures, too.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an address, certificate or key that cannot be used.
    pub async fn listen(
        &self,
        options: &ServeOptions,
    ) -> Result<(Server, Option<VerifierKey>), Error> {
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
        server.requests_per_second = options.rate;
        server.burst = options.rate.saturating_mul(BURST_S);
        self.must_exist()?;
        let mut settings = settings::read(self.home())?;
        server.tiles = settings.tiles;
        let answering = &mut settings.answering;
        if answering.log.is_none() {
            answering.log = Some(self.home().log_public()?);
        }
        let (_, answering) = self.answering(settings).await?;
        let log = Arc::new(Files(self.reader()?));
        let witness = match options.witness {
            true => Some(self.log_witness().await?),
            false => None,
        };
        let server = Server::bind(server, Arc::new(answering), log).await?;
        Ok(match witness {
            None => (server, None),
            Some(witness) => {
                let key = witness.key().clone();
                (server.with_witness(Arc::new(witness)), Some(key))
            }
        })
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
        self.must_be_unbound()?;
        self.must_exist()?;
        let (host, answering) = self.answering(settings::read(self.home())?).await?;
        let responder = FolderResponder::open(folder, Arc::new(answering), &host.signer.key())?;
        let (mut known, mut answered, mut trouble) = (BTreeSet::new(), 0, None);
        if !watch {
            each(Ok(round(responder.once().await?, &mut known)?.0));
            return Ok(());
        }
        while !self.interruption().load(Ordering::Relaxed) {
            let goes_on = match responder.once().await {
                Ok(found) => {
                    trouble = None;
                    answered += found.answered.len();
                    let (report, is_empty) = round(found, &mut known)?;
                    is_empty || each(Ok(report))
                }
                Err(error) => {
                    let error = error.to_string();
                    let is_known = trouble.as_ref() == Some(&error);
                    trouble = Some(error.clone());
                    is_known || each(Err(error))
                }
            };
            if !goes_on {
                return Ok(());
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

/// Report of one look at a folder, in which each refused or skipped name is reported once; true if it is empty.
fn round(round: Round, known: &mut BTreeSet<String>) -> Result<(Report, bool), Error> {
    let mut is_new = |name: &str| known.len() < MAX_TOLD && known.insert(name.to_owned());
    let answered = round.answered.into_iter();
    let answered = answered.map(|(id, file)| object().with("requestId", id).with("file", file));
    let answered: Vec<_> = answered.collect();
    // What is refused for now is refused at each look.
    let refused = round.refused.into_iter();
    let refused = refused.filter(|(id, _)| is_new(id.as_str()));
    let refused = refused.map(|(id, refusal)| {
        object()
            .with("requestId", id)
            .with("problem", refusal.word())
            .with("detail", refusal.to_string())
    });
    let refused: Vec<_> = refused.collect();
    let misnamed = "its request_id is not that of its name".to_owned();
    let misnamed = round
        .misnamed
        .into_iter()
        .map(|file| (file, misnamed.clone()));
    let left = round
        .left
        .into_iter()
        .map(|(file, why)| (file, why.to_string()));
    let left = misnamed.chain(left).filter(|(file, _)| is_new(file));
    let left: Vec<_> = left
        .map(|(file, why)| object().with("file", file).with("why", why))
        .collect();
    let is_empty = answered.is_empty() && refused.is_empty() && left.is_empty();
    let report = object()
        .with("answered", answered)
        .with("refused", refused)
        .with("left", left);
    Ok((Report::new(&report)?, is_empty))
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

impl From<HttpError> for Error {
    fn from(error: HttpError) -> Self {
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
