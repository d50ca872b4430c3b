//! Clients of the HTTP API, each on one connection that stays open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::RECALLED;

/// Clients that ask at the same time.
const CLIENTS: usize = 4;
/// Time that is measured.
const MEASURED: Duration = Duration::from_secs(10);
/// Requests before it, which fill the caches.
const FIRST: usize = 100;

/// A server that is ended with its value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Requests a second that a server on one core answers.
pub(crate) fn rate(store: &Path, questions: &[String], proofs: bool) -> Result<f64> {
    let key = crate::run(store, &["key-for", "bench", "--can", "recall"])?;
    let token = key
        .get("token")
        .and_then(Value::as_str)
        .context("no token")?;
    let child = crate::program_on_one_core(store)
        .args([
            "--json",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--api",
            "127.0.0.1:0",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut server = Server(child);
    let mut line = String::new();
    let output = server.0.stdout.take().context("no standard output")?;
    BufReader::new(output).read_line(&mut line)?;
    let started: Value = serde_json::from_str(&line)?;
    let url = started
        .get("api")
        .and_then(Value::as_str)
        .context("no address")?;
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    let ask = |from: usize| -> Result<usize> {
        let mut client = Client::connect(address, token)?;
        let mut questions = questions.iter().cycle().skip(from * 37);
        let mut next = || questions.next().context("no questions");
        for _ in 0..FIRST {
            client.recall(next()?, proofs)?;
        }
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < MEASURED {
            client.recall(next()?, proofs)?;
            count += 1;
        }
        Ok(count)
    };
    let counts = thread::scope(|scope| {
        let spawned: Vec<_> = (0..CLIENTS)
            .map(|it| scope.spawn(move || ask(it)))
            .collect();
        let joined = spawned.into_iter().map(|it| it.join().ok());
        joined
            .map(|it| it.context("a client panicked")?)
            .collect::<Result<Vec<usize>>>()
    })?;
    Ok(crate::per_second(counts.into_iter().sum(), MEASURED))
}

/// One connection.
struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    fn connect(address: &str, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            head: format!(
                "POST /v1/recall HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n"
            ),
        })
    }

    fn recall(&mut self, question: &str, proofs: bool) -> Result<()> {
        let body = json!({"query": question, "max": RECALLED, "proofs": proofs}).to_string();
        let request = format!("{}content-length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status)?;
        ensure!(status.contains(" 200 "), "{status}");
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            match line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = value.parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        Ok(self.stream.read_exact(&mut answer)?)
    }
}
