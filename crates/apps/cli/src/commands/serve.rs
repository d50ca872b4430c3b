//! `serve`: answers other agents over HTTP, until Ctrl-C or SIGTERM.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use counterfoil::ServeOptions;
use counterfoil_api::{ApiOptions, Server as Api};
use counterfoil_verify::Form;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::share;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;
use crate::telemetry::Telemetry;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8410")]
    pub(crate) listen: SocketAddr,
    /// The certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// Its private key, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// The URL by which others reach it, for the agent card
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A proxy on this machine ends TLS and names the caller in X-Forwarded-For
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Requests of one address a second, on average
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rate: u32,
    /// Keep the last checkpoints of the logs of peers, as a C2SP witness at URL/witness
    #[arg(long)]
    pub(crate) witness: bool,
    /// Also serve the owner's HTTP API, /v1, and MCP, /mcp, to applications with a key of `key-for`; at an address of this machine
    #[arg(long, value_name = "ADDR")]
    pub(crate) api: Option<SocketAddr>,
    /// A further host name by which the API is called, such as that of a proxy with TLS
    #[arg(long, value_name = "HOST", requires = "api")]
    pub(crate) api_host: Vec<String>,
}

pub(crate) async fn run(context: &Context, args: ServeArgs) -> Result<(), Failure> {
    let options = ServeOptions {
        listen: args.listen,
        tls: args.cert.zip(args.key),
        url: args.url,
        behind_proxy: args.behind_proxy,
        rate: args.rate,
        witness: args.witness,
    };
    let stop = stopped()?;
    let telemetry = Telemetry::begin(&context.memory);
    log_lines(&telemetry);
    let (server, witness) = context.memory.listen(&options).await?;
    if options.tls.is_none() && !options.listen.ip().is_loopback() {
        notice(
            "whoever carries them can read questions and answers; give --cert and --key, or listen on this machine \
             behind a proxy that has TLS",
        );
    }
    share::notice_nothing(context).await?;
    let api = match args.api {
        Some(listen) => {
            let hosts = args.api_host;
            let options = ApiOptions { listen, hosts };
            Some(Api::bind(context.memory.clone(), options).await?)
        }
        None => None,
    };
    let witness = witness.map(|key| key.to_string());
    let at = (server.address(), server.url());
    started(context, at, witness, api.as_ref())?;
    let embedding = async {
        if let Err(error) = context.memory.keep_embedding().await {
            notice(format_args!("no vectors are made: {error}"));
        }
        std::future::pending().await
    };
    let (ending, ends) = tokio::sync::oneshot::channel::<()>();
    let stop = async move {
        stop.await;
        drop(ending);
    };
    let api = async {
        match api {
            // The channel closes when the program is to end.
            Some(api) => api.run(async { drop(ends.await) }).await,
            None => 0,
        }
    };
    let serving = async { tokio::join!(server.run(stop), api) };
    let (exchanges, calls) = tokio::select! {
        connections = serving => connections,
        never = embedding => never,
    };
    telemetry.end();
    if exchanges + calls > 0 {
        notice(format_args!(
            "{} connections were cut off; who asked there may ask again",
            exchanges + calls
        ));
    }
    Ok(())
}

/// Logs to standard error, one JSON object a line.
fn log_lines(telemetry: &Telemetry) {
    // No line holds the content of a question or an answer: the crate that speaks MCP logs messages and sessions, and is left out. A
    // subscriber that is there already serves as well.
    let without_messages = Targets::new()
        .with_default(LevelFilter::INFO)
        .with_target("rmcp", LevelFilter::OFF);
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_writer(io::stderr)
        .finish()
        .with(telemetry.layer())
        .with(without_messages)
        .try_init();
}

/// Prints the addresses.
fn started(
    context: &Context,
    (address, url): (SocketAddr, &str),
    witness: Option<String>,
    api: Option<&Api>,
) -> Result<(), Failure> {
    let api = api.map(|api| format!("http://{}", api.address()));
    let line = match context.out.form() {
        Form::Json => {
            let witness = witness.map(|key| format!(",\"witness\":\"{key}\""));
            let api = api.map(|url| format!(",\"api\":\"{url}/v1\",\"mcp\":\"{url}/mcp\""));
            format!(
                "{{\"address\":\"{address}\",\"url\":{}{}{}}}\n",
                serde_json::json!(url),
                witness.unwrap_or_default(),
                api.unwrap_or_default()
            )
        }
        Form::Human => {
            let witness =
                witness.map(|key| format!("witness under {url}/witness with the key {key}\n"));
            let api = api.map(|url| format!("API under {url}/v1\nMCP under {url}/mcp\n"));
            format!(
                "listening on {address} as {url}\n{}{}",
                witness.unwrap_or_default(),
                api.unwrap_or_default()
            )
        }
    };
    context.out.text(&line)
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
