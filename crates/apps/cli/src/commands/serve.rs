//! `serve`: answers other agents over HTTP, until Ctrl-C or SIGTERM.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use counterfoil::ServeOptions;
use counterfoil_verify::Form;

use super::share;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;

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
    // No line holds the content of a question or an answer. A subscriber that is there already serves as well.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_writer(io::stderr)
        .try_init();
    let (server, witness) = context.memory.listen(&options).await?;
    if options.tls.is_none() && !options.listen.ip().is_loopback() {
        notice(
            "whoever carries them can read questions and answers; give --cert and --key, or listen on this machine \
             behind a proxy that has TLS",
        );
    }
    share::notice_nothing(context).await?;
    let (address, url) = (server.address(), server.url());
    let line = match context.out.form() {
        Form::Json => {
            let witness = witness.map(|key| format!(",\"witness\":\"{key}\""));
            format!(
                "{{\"address\":\"{address}\",\"url\":{}{}}}\n",
                serde_json::json!(url),
                witness.unwrap_or_default()
            )
        }
        Form::Human => {
            let witness =
                witness.map(|key| format!("witness under {url}/witness with the key {key}\n"));
            format!(
                "listening on {address} as {url}\n{}",
                witness.unwrap_or_default()
            )
        }
    };
    context.out.text(&line)?;
    let embedding = async {
        if let Err(error) = context.memory.keep_embedding().await {
            notice(format_args!("no vectors are made: {error}"));
        }
        std::future::pending().await
    };
    let connections = tokio::select! {
        connections = server.run(stop) => connections,
        never = embedding => never,
    };
    if connections > 0 {
        notice(format_args!(
            "{connections} connections were cut off; who asked there may ask again"
        ));
    }
    Ok(())
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
