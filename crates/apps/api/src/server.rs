//! Connections: accepted on this machine alone, bounded, served, and drained when the server ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use counterfoil::{Error, Memory};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout, timeout_at};

use crate::app::App;
use crate::calls::Long;
use crate::guard;
use crate::keys::ApiKeys;

/// Largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// Most headers of a request.
const MAX_HEADERS: usize = 64;
/// Connections at once; further ones wait to be accepted.
const CONNECTIONS: usize = 128;
/// Time for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Time for a connection, which then ends after the current request.
const LIFE: Duration = Duration::from_secs(300);
/// Time for an export, beyond that of its connection.
const EXPORT: Duration = Duration::from_secs(3_600);
/// Time for the requests under way when the server or a connection ends.
const DRAIN: Duration = Duration::from_secs(10);
/// Part of it for calls over MCP, before their sessions and streams end.
const CALLS: Duration = Duration::from_secs(5);
/// Pause after a failure to accept a connection, such as a lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Time between two looks at the keys of open sessions: a revoked key ends them within it.
const LOOK: Duration = Duration::from_secs(1);

/// Address of the API and the names by which it is called.
#[derive(Debug, Clone)]
pub struct ApiOptions {
    /// Address to listen on, of this machine alone; port 0 is any free one.
    pub listen: SocketAddr,
    /// Names in `Host` and `Origin` beside those of this machine, such as that of a proxy with TLS.
    pub hosts: Vec<String>,
}

/// Server of the API.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    connections: Arc<Semaphore>,
}

impl Server {
    /// Starts to listen; [`run`](Self::run) answers.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) for an address that is not of this machine or not free, and
    /// [`ErrorKind::Place`](counterfoil::ErrorKind::Place) for a file of keys that cannot be used.
    pub async fn bind(memory: Memory, options: ApiOptions) -> Result<Self, Error> {
        memory.must_exist()?;
        if !options.listen.ip().is_loopback() {
            return Err(Error::input(
                format_args!("{} is not an address of this machine alone", options.listen),
                "listen on 127.0.0.1, behind a proxy that has TLS, and name its host with --api-host",
            ));
        }
        let keys = ApiKeys::in_folder(memory.dir());
        keys.list()?;
        let failed = |error: io::Error| {
            Error::input(
                format_args!("{} cannot be listened on ({error})", options.listen),
                "choose another address with --api",
            )
        };
        let listener = TcpListener::bind(options.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            app: Arc::new(App::new(memory, keys, options.hosts)),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
        })
    }

    /// Address that the server listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` ends; then accepts nothing more, and gives the requests under way 10 seconds, of which calls over MCP have 5.
    ///
    /// Returns the number of connections that were cut off after that.
    pub async fn run(self, stop: impl Future<Output = ()>) -> usize {
        let mut stop = pin!(stop);
        let (ending, ends) = watch::channel(());
        let mut tasks = JoinSet::new();
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                _ = looks.tick() => self.app.end_with_their_keys(),
                accepted = self.accept() => match accepted {
                    Ok((stream, permit)) => {
                        let (app, ends) = (Arc::clone(&self.app), ends.clone());
                        tasks.spawn(async move {
                            let _held = (permit, app.metrics.connected());
                            serve(app, stream, ends).await;
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "nothing can be accepted");
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(self.listener);
        // Each connection ends with the request under way; a stream does with its session.
        drop(ending);
        drop(ends);
        let until = Instant::now() + DRAIN;
        let _ = timeout(CALLS, self.app.mcp.finish()).await;
        self.app.end();
        let all = async { while tasks.join_next().await.is_some() {} };
        let _ = timeout_at(until, all).await;
        let left = tasks.len();
        tasks.shutdown().await;
        left
    }

    async fn accept(&self) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let permit = Arc::clone(&self.connections).acquire_owned().await;
        let permit = permit.map_err(io::Error::other)?;
        let (stream, _) = self.listener.accept().await?;
        Ok((stream, permit))
    }
}

async fn serve(app: Arc<App>, stream: TcpStream, mut ends: watch::Receiver<()>) {
    // Without it small answers are sent a little later.
    let _ = stream.set_nodelay(true);
    let is_long = Arc::new(AtomicBool::new(false));
    let last = Arc::clone(&is_long);
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, last) = (Arc::clone(&app), Arc::clone(&last));
        async move {
            let reply = guard::serve(&app, request).await;
            last.store(
                reply.extensions().get::<Long>().is_some(),
                Ordering::Relaxed,
            );
            Ok::<_, Infallible>(reply)
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    tokio::select! {
        // Connections break all the time; nothing is logged.
        _ = serving.as_mut() => return,
        // The channel closes when the server ends.
        _ = ends.changed() => {}
        () = sleep(LIFE) => {}
    }
    serving.as_mut().graceful_shutdown();
    if is_long.load(Ordering::Relaxed) {
        tokio::select! {
            _ = timeout(EXPORT, serving.as_mut()) => return,
            _ = ends.changed() => {}
        }
    }
    let _ = timeout(DRAIN, serving).await;
}
