//! Connections: accepted, bounded, served, and drained when the server ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::Request;
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

use super::app::App;
use super::{LogFiles, Responder, ServerSettings, Witness, guard};
use crate::HttpError;

/// Largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// Most headers of a request.
const MAX_HEADERS: usize = 64;
/// Pause after a failure to accept a connection, such as a lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    app: Arc<App>,
    connections: Arc<Semaphore>,
}

impl Server {
    /// Starts to listen; [`run`](Self::run) answers.
    ///
    /// # Errors
    /// [`HttpError::Listen`].
    pub async fn bind(
        settings: ServerSettings,
        responder: Arc<dyn Responder>,
        log: Arc<dyn LogFiles>,
    ) -> Result<Self, HttpError> {
        let failed = |error| HttpError::listen(settings.listen, error);
        let listener = TcpListener::bind(settings.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let scheme = if settings.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let own = settings.url.clone();
        let url = own.unwrap_or_else(|| format!("{scheme}://{address}"));
        Ok(Self {
            listener,
            address,
            tls: settings.tls.clone().map(TlsAcceptor::from),
            connections: Arc::new(Semaphore::new(settings.connections)),
            app: Arc::new(App::new((responder, log), settings, url)),
        })
    }

    /// Answers `/witness/add-checkpoint` with this witness too; the first one that is given counts.
    #[must_use]
    pub fn with_witness(self, witness: Arc<dyn Witness>) -> Self {
        drop(self.app.witness.set(witness));
        self
    }

    /// Address that the server listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// URL by which others reach the server, as in the agent card.
    pub fn url(&self) -> &str {
        &self.app.url
    }

    /// Answers until `stop` ends; then accepts nothing more, and gives the requests under way the time `drain`.
    ///
    /// Returns the number of connections that were cut off after that.
    pub async fn run(self, stop: impl Future<Output = ()>) -> usize {
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
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(self.listener);
        self.app.stopping.store(true, Ordering::Relaxed);
        drop(ending);
        drop(ends);
        let all = async { while tasks.join_next().await.is_some() {} };
        let _ = timeout(self.app.settings.drain, all).await;
        let left = tasks.len();
        tasks.shutdown().await;
        left
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
        let of_a_proxy = self.app.settings.behind_proxy && peer.to_canonical().is_loopback();
        let slot = if of_a_proxy {
            None
        } else {
            self.app.addresses.connect(peer)
        };
        if slot.is_none() && !of_a_proxy {
            self.app.metrics.connection_refused();
            return;
        }
        // Without it small answers are sent a little later.
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            app: Arc::clone(&self.app),
            peer,
            ends,
        };
        let (tls, counted) = (self.tls.clone(), self.app.metrics.connected());
        tasks.spawn(async move {
            let _held = (place, slot, counted);
            match tls {
                None => connection.serve(stream).await,
                Some(tls) => {
                    let shaken = timeout(connection.app.settings.head, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        connection.serve(stream).await;
                    }
                }
            }
        });
    }
}

/// Connection to serve.
struct Connection {
    app: Arc<App>,
    peer: IpAddr,
    ends: watch::Receiver<()>,
}

impl Connection {
    async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let settings = &self.app.settings;
        let (head, life, drain) = (settings.head, settings.connection, settings.drain);
        let (app, peer) = (self.app, self.peer);
        let service = service_fn(move |request: Request<Incoming>| {
            let app = Arc::clone(&app);
            async move { Ok::<_, Infallible>(guard::serve(&app, peer, request).await) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head)
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let mut serving = pin!(serving);
        tokio::select! {
            // Connections break all the time; nothing is logged.
            _ = serving.as_mut() => return,
            // The channel closes when the server ends.
            _ = self.ends.changed() => {}
            () = sleep(life) => {}
        }
        serving.as_mut().graceful_shutdown();
        let _ = timeout(drain, serving).await;
    }
}
