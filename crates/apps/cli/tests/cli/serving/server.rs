//! A `serve` that runs until it is dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::Place;

pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn new(place: &Place) -> Self {
        Self::with(place, &[])
    }

    pub(crate) fn with(place: &Place, more: &[&str]) -> Self {
        let mut child = place
            .command()
            .args(["--json", "serve", "--listen", "127.0.0.1:0"])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        Self {
            child,
            address: text("address"),
            url: text("url"),
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for it to end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + Duration::from_secs(30);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it goes on");
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> String {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n"
        );
        self.send(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
    }

    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        String::from_utf8_lossy(&read).into_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
