//! A server on this machine that gives one prepared reply to each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Whole {
        status: u16,
        location: Option<String>,
        body: String,
    },
    /// Says that more comes than does.
    BreaksOff,
    /// A body without end.
    Endless,
    /// Nothing at all.
    Silent,
    /// A byte now and then.
    Drips,
}

impl Reply {
    pub(crate) fn ok(body: &str) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Whole {
            status,
            location: None,
            body: body.to_owned(),
        }
    }

    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::Whole {
            status,
            location: Some(to.to_owned()),
            body: String::new(),
        }
    }
}

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                answer(stream, reply, &seen);
            }
        });
        Self { address, requests }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// Whoever asked may be gone by the time of the answer.
fn answer(stream: TcpStream, reply: Reply, seen: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head
        .lines()
        .find_map(|line| {
            line.to_lowercase()
                .strip_prefix("content-length: ")
                .map(str::to_owned)
        })
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    seen.lock().unwrap().push(Request { head, body });
    let _ = write(stream, reply);
}

fn write(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    const OPEN: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
    match reply {
        Reply::Whole {
            status,
            location,
            body,
        } => {
            let location = location.map_or(String::new(), |to| format!("location: {to}\r\n"));
            write!(
                stream,
                "HTTP/1.1 {status} X\r\nconnection: close\r\n{location}content-length: {}\r\n\r\n{body}",
                body.len()
            )
        }
        Reply::BreaksOff => write!(stream, "{OPEN}content-length: 500\r\n\r\n{{\"choices\":["),
        Reply::Endless => {
            write!(stream, "{OPEN}\r\n")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
        Reply::Silent => {
            thread::sleep(Duration::from_secs(3));
            Ok(())
        }
        Reply::Drips => {
            write!(stream, "{OPEN}\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}
