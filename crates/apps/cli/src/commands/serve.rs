//! `serve`: answers other agents over HTTP, until Ctrl-C or SIGTERM.

use std::io;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_http::server::{LogFiles, Server, ServerError, ServerSettings, server_config};
use counterfoil_peer::Answering;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::log::Tile;
use counterfoil_store::{CapsuleLog, StoreError};
use counterfoil_verify::{Form, read_file};
use serde::Serialize;

use crate::args::ServeArgs;
use crate::context::Context;
use crate::exchange::{host, settings};
use crate::failure::{ErrorKind, Failure};
use crate::home::Home;
use crate::output::notice;

/// No chain of certificates, and no key, is longer, in bytes.
const MAX_PEM: usize = 256 << 10;
/// As many requests of one address may come at once as it has in so many seconds.
const BURST_S: u32 = 2;

#[derive(Serialize)]
struct Listening {
    address: String,
    url: String,
}

pub(crate) async fn run(context: &Context, args: ServeArgs) -> Result<(), Failure> {
    let settings = server_settings(&args)?;
    let in_the_clear = settings.tls.is_none() && !args.listen.ip().is_loopback();
    let log = Arc::new(context.home.reader()?);
    let answering = answering(&context.home, &log).await?;
    let stop = stopped()?;
    // No line holds the content of a question or an answer. A subscriber that is there already serves as well.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_writer(io::stderr)
        .try_init();
    let server = Server::bind(settings, Arc::new(answering), Arc::new(Files(log))).await?;
    if in_the_clear {
        notice(
            "whoever carries them can read questions and answers; give --cert and --key, or listen on this machine \
             behind a proxy that has TLS",
        );
    }
    let listening = Listening {
        address: server.address().to_string(),
        url: server.url().to_owned(),
    };
    let line = match context.out.form() {
        Form::Json => serde_json::to_string(&listening).map_err(io::Error::from)?,
        Form::Human => format!("listening on {} as {}", listening.address, listening.url),
    };
    context.out.text(&format!("{line}\n"))?;
    let connections = server.run(stop).await;
    if connections > 0 {
        notice(format_args!(
            "{connections} connections were cut off; who asked there may ask again"
        ));
    }
    Ok(())
}

async fn answering(home: &Home, log: &Arc<SqliteStore>) -> Result<Answering, Failure> {
    let settings = settings::read(home)?;
    let host = host::open(home, &settings).await?;
    let mut answering = settings.answering;
    if answering.log.is_none() {
        answering.log = Some(home.log_public()?);
    }
    Ok(Answering::new(host, log.clone(), answering).await?)
}

fn server_settings(args: &ServeArgs) -> Result<ServerSettings, Failure> {
    let mut settings = ServerSettings::at(args.listen);
    if let (Some(cert), Some(key)) = (&args.cert, &args.key) {
        if let Ok(found) = std::fs::metadata(key) {
            counterfoil::internal::check_private(key, &found)?;
        }
        settings.tls = Some(server_config(&pem(cert)?, &pem(key)?)?);
    }
    settings.url.clone_from(&args.url);
    settings.behind_proxy = args.behind_proxy;
    settings.limits.requests_per_second = args.rate;
    settings.limits.burst = args.rate.saturating_mul(BURST_S);
    Ok(settings)
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    read_file("file", path, MAX_PEM)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))
}

/// Returns what ends with the first Ctrl-C or SIGTERM; they are watched for from now on.
#[cfg(unix)]
fn stopped() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let watch = |kind| {
        signal(kind).map_err(|error| {
            Failure::place(
                format_args!("Ctrl-C cannot be watched for ({error})"),
                "try again",
            )
        })
    };
    let mut terminate = watch(SignalKind::terminate())?;
    let mut interrupt = watch(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Returns what ends with the first Ctrl-C.
#[cfg(not(unix))]
fn stopped() -> Result<impl Future<Output = ()>, Failure> {
    Ok(async {
        // Without a way to be told, it runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        Self::new(ErrorKind::Input, error)
    }
}

/// The log of the store, as files.
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
