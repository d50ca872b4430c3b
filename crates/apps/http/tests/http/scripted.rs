//! A peer that answers what a script says, byte for byte.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{Duration, sleep};

/// What is answered to one connection.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Bytes(Vec<u8>),
    /// A body without end.
    Endless,
    /// A byte now and then.
    Drips,
    Silent,
}

impl Answer {
    pub(crate) fn with(status: u16, headers: &str, body: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}connection: close\r\n\r\n",
            body.len()
        );
        Self::Bytes([head.as_bytes(), body].concat())
    }

    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::with(
            status,
            "content-type: application/json\r\n",
            body.as_bytes(),
        )
    }
}

pub(crate) struct Peer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    pub(crate) async fn answering(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                seen.lock().unwrap().push(request);
                tokio::spawn(give(stream, answer));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A request, as far as its own length says.
async fn read(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut text = String::new();
    let mut some = [0; 4096];
    loop {
        let n = stream.read(&mut some).await.unwrap();
        text.push_str(&String::from_utf8_lossy(&some[..n]));
        let length = text
            .to_lowercase()
            .split_once("content-length: ")
            .and_then(|(_, rest)| rest.split("\r\n").next()?.parse::<usize>().ok());
        let whole = text
            .split_once("\r\n\r\n")
            .is_some_and(|(_, body)| body.len() >= length.unwrap_or(0));
        if n == 0 || whole {
            return text;
        }
    }
}

async fn give(mut stream: impl AsyncWriteExt + Unpin, answer: Answer) {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match answer {
        Answer::Bytes(bytes) => drop(stream.write_all(&bytes).await),
        Answer::Endless => {
            let _ = stream
                .write_all(&[HEAD, b"transfer-encoding: chunked\r\n\r\n"].concat())
                .await;
            let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
            while stream.write_all(&chunk).await.is_ok() {}
        }
        Answer::Drips => {
            let _ = stream
                .write_all(&[HEAD, b"content-length: 1000\r\n\r\n"].concat())
                .await;
            while stream.write_all(b" ").await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
        }
        Answer::Silent => sleep(Duration::from_secs(60)).await,
    }
}
