//! A server whose responder follows a script, and a stranger with a bare socket.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{Agent, Capability, CapabilityParts, RequestId, Text};
use counterfoil_http::server::{LogFiles, Responder, Server, ServerSettings};
use counterfoil_peer::PeerError;
use counterfoil_store::log::Tile;
use counterfoil_store::{StoreError, StoreLocation};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) const ANSWER: &str =
    r#"{"results":[],"status":{"code":"no_match"},"type":"memory_response"}"#;

/// A request that keeps its connection.
pub(crate) const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// What the responder does with each request.
pub(crate) type Script = dyn Fn(&[u8]) -> Step + Send + Sync;

pub(crate) enum Step {
    Say(&'static str),
    Refuse(Refusal),
    /// Says it after this long.
    Wait(Duration),
    Panic,
}

/// A responder that follows a script.
pub(crate) struct Scripted {
    script: Box<Script>,
    pub(crate) asked: AtomicUsize,
    pub(crate) from: Mutex<Vec<IpAddr>>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&[u8]) -> Step + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            script: Box::new(script),
            asked: AtomicUsize::new(0),
            from: Mutex::default(),
        })
    }

    pub(crate) fn always() -> Arc<Self> {
        Self::new(|_| Step::Say(ANSWER))
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

pub(crate) fn signer(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

#[async_trait]
impl Responder for Scripted {
    async fn answer(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.from.lock().unwrap().push(from);
        match (self.script)(request) {
            Step::Say(text) => Ok(text.as_bytes().into()),
            Step::Refuse(refusal) => Err(refusal),
            Step::Wait(wait) => {
                tokio::time::sleep(wait).await;
                Ok(ANSWER.as_bytes().into())
            }
            Step::Panic => panic!("a script says so"),
        }
    }

    async fn verify(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal> {
        self.answer(request, from).await
    }

    async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let signer = signer(1);
        let parts = CapabilityParts {
            id: "0190a0e0-0000-7000-8000-000000000001"
                .parse::<RequestId>()
                .unwrap(),
            created_at: Timestamp::from_micros(1_700_000_000_000_000).unwrap(),
            agent: Agent {
                agent_id: Text::new("ann").unwrap(),
                public_key: signer.agent(),
            },
            domains: vec!["gardens/roses".parse().unwrap()],
            description: None,
            signs: true,
            log: None,
            endpoint: endpoint.map(|endpoint| Text::new(endpoint).unwrap()),
        };
        Ok(Capability::sign(parts, &signer)?)
    }
}

/// A log of 300 entries that says which tile was asked for.
pub(crate) struct Log {
    pub(crate) broken: bool,
}

#[async_trait]
impl LogFiles for Log {
    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        if self.broken {
            return Err(StoreError::corrupt(
                StoreLocation::entry("secret", 7),
                "secret",
            ));
        }
        Ok(Some("log\n300\nroot\n\n— log signature\n".to_owned()))
    }

    async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError> {
        let path = tile.to_string();
        Ok(["0/000", "0/001.p/44", "entries/000"]
            .contains(&path.as_str())
            .then(|| path.into_bytes()))
    }
}

/// A server that runs.
pub(crate) struct Rig {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<usize>>,
}

impl Rig {
    pub(crate) async fn new(responder: Arc<Scripted>) -> Self {
        Self::with(responder, |_| {}).await
    }

    pub(crate) async fn with(
        responder: Arc<Scripted>,
        change: impl FnOnce(&mut ServerSettings),
    ) -> Self {
        let mut settings = ServerSettings::at("127.0.0.1:0".parse().unwrap());
        generous(&mut settings);
        change(&mut settings);
        let log = Arc::new(Log { broken: false });
        let server = Server::bind(settings, responder, log).await.unwrap();
        Self::running(server)
    }

    pub(crate) fn running(server: Server) -> Self {
        let (stop, stopped) = oneshot::channel();
        let address = server.address();
        let running = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self {
            address,
            stop: Some(stop),
            running: Some(running),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends these bytes on a connection of their own.
    pub(crate) async fn begin(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        stream
    }

    /// Sends these bytes and reads to the end of the connection.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.begin(bytes).await;
        let mut read = Vec::new();
        // A connection that is reset after its answer has been answered.
        let _ = stream.read_to_end(&mut read).await;
        Reply::of(&read)
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
            .await
    }

    pub(crate) async fn post(&self, more: &str, body: &[u8]) -> Reply {
        self.send(&post("/mrp/v1/request", more, body)).await
    }

    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    pub(crate) async fn ended(&mut self) -> usize {
        self.stop();
        self.running.take().unwrap().await.unwrap()
    }
}

/// Limits that no test meets by accident.
pub(crate) fn generous(settings: &mut ServerSettings) {
    (settings.requests_per_second, settings.burst) = (1_000_000, 1_000_000);
}

/// A POST that ends its connection.
pub(crate) fn post(path: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{more}connection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn of(read: &[u8]) -> Self {
        let end = read.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = end.map_or((read, &[][..]), |end| (&read[..end], &read[end + 4..]));
        let head = String::from_utf8(head.to_vec()).unwrap();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head,
            body: body.to_vec(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Asserts that it is the problem of this word, whole and well-formed.
    #[track_caller]
    pub(crate) fn is_problem(&self, word: &str) -> serde_json::Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{self:?}"
        );
        let problem: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        let uri = format!("https://counterfoil.dev/problems/{word}");
        assert_eq!(problem["type"], uri.as_str(), "{problem}");
        assert_eq!(problem["status"], self.status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        assert_eq!(self.header("cache-control"), Some("no-store"));
        problem
    }
}
