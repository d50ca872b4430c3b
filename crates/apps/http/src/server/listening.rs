//! Connections: accepted, bounded, served, and drained when the server ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::app::App;
use super::guard::Peer;
use super::{LogFiles, Responder, ServerError, ServerSettings, routes};

/// The most bytes of the head of a request.
const MAX_HEAD: usize = 16 << 10;
/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// How long nothing is accepted when the system has no more to give.
const BREATHER: Duration = Duration::from_millis(100);

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    app: Arc<App>,
    router: Router,
    connections: Arc<Semaphore>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// All that was under way has ended.
    Whole,
    /// So many connections were cut off.
    CutOff(usize),
}

impl Server {
    /// Listens. Nothing is answered before [`run`](Self::run).
    ///
    /// # Errors
    /// [`ServerError::Listen`].
    pub async fn bind(
        settings: ServerSettings,
        responder: Arc<dyn Responder>,
        log: Arc<dyn LogFiles>,
    ) -> Result<Self, ServerError> {
        let failed = |error| ServerError::listen(settings.listen, error);
        let listener = TcpListener::bind(settings.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let scheme = if settings.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let url = settings
            .url
            .unwrap_or_else(|| format!("{scheme}://{address}"));
        let app = Arc::new(App::new(
            (responder, log),
            settings.limits,
            (url, settings.behind_proxy),
        ));
        Ok(Self {
            listener,
            address,
            tls: settings.tls.map(TlsAcceptor::from),
            router: routes::router(Arc::clone(&app)),
            connections: Arc::new(Semaphore::new(settings.limits.connections)),
            app,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL by which others reach it, as the agent card has it.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.app.url
    }

    /// Answers until `stop`; then accepts nothing more, lets what is under way end for as long as `drain` allows, and ends.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Drained {
        let mut stop = pin!(stop);
        let (ending, ends) = watch::channel(());
        let mut tasks = JoinSet::new();
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                accepted = self.accept() => match accepted {
                    Ok((stream, peer, place)) => self.begin(&mut tasks, (stream, peer, place), ends.clone()),
                    Err(error) => {
                        tracing::warn!(%error, "nothing can be accepted");
                        sleep(BREATHER).await;
                    }
                },
            }
        }
        drop(self.listener);
        self.app.stop();
        drop(ending);
        drop(ends);
        let all = async { while tasks.join_next().await.is_some() {} };
        let _ = timeout(self.app.limits.drain, all).await;
        let left = tasks.len();
        tasks.shutdown().await;
        if left == 0 {
            Drained::Whole
        } else {
            Drained::CutOff(left)
        }
    }

    async fn accept(&self) -> io::Result<(TcpStream, IpAddr, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.connections)
            .acquire_owned()
            .await
            .map_err(io::Error::other)?;
        let (stream, peer) = self.listener.accept().await?;
        Ok((stream, peer.ip(), place))
    }

    fn begin(
        &self,
        tasks: &mut JoinSet<()>,
        (stream, peer, place): (TcpStream, IpAddr, OwnedSemaphorePermit),
        ends: watch::Receiver<()>,
    ) {
        let of_a_proxy = self.app.behind_proxy && peer.to_canonical().is_loopback();
        let slot = if of_a_proxy {
            None
        } else {
            self.app.addresses.connect(peer)
        };
        if slot.is_none() && !of_a_proxy {
            self.app.metrics.turned_away();
            return;
        }
        // What is small is sent at once; where that cannot be said, it is sent a little later.
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            app: Arc::clone(&self.app),
            router: self.router.clone(),
            peer,
            ends,
        };
        let (tls, counted) = (self.tls.clone(), self.app.metrics.connected());
        tasks.spawn(async move {
            let _held = (place, slot, counted);
            match tls {
                None => connection.serve(stream).await,
                Some(tls) => {
                    let shaken = timeout(connection.app.limits.head, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        connection.serve(stream).await;
                    }
                }
            }
        });
    }
}

impl core::fmt::Debug for Server {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// One connection.
struct Connection {
    app: Arc<App>,
    router: Router,
    peer: IpAddr,
    ends: watch::Receiver<()>,
}

impl Connection {
    async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let limits = self.app.limits;
        let (router, peer) = (self.router, Peer(self.peer));
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            let router = router.clone();
            async move {
                Ok::<_, Infallible>(
                    router
                        .oneshot(request)
                        .await
                        .unwrap_or_else(|never| match never {}),
                )
            }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let mut serving = pin!(serving);
        tokio::select! {
            // How a connection breaks is no news.
            _ = serving.as_mut() => return,
            // The channel closes when the server ends.
            _ = self.ends.changed() => {}
            () = sleep(limits.connection) => {}
        }
        serving.as_mut().graceful_shutdown();
        let _ = timeout(limits.drain, serving).await;
    }
}
