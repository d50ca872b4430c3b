//! What stands between two who talk: it holds what comes back, or lets it pass, and keeps what was asked.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub(crate) struct Between {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
    passing: Arc<AtomicBool>,
    came: Arc<AtomicUsize>,
}

impl Between {
    pub(crate) fn before(address: &str, passing: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let between = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            asked: Arc::default(),
            passing: Arc::new(passing.into()),
            came: Arc::default(),
        };
        let (asked, passing, came) = (
            Arc::clone(&between.asked),
            Arc::clone(&between.passing),
            Arc::clone(&between.came),
        );
        let address = address.to_owned();
        thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let request = read(&mut stream);
                let body = request.split_off_body();
                asked.lock().unwrap().push(body);
                came.fetch_add(1, Ordering::SeqCst);
                if passing.load(Ordering::SeqCst) {
                    pass(&mut stream, &address, &request.0);
                } else {
                    held.push(stream);
                }
            }
        });
        between
    }

    pub(crate) fn pass(&self) {
        self.passing.store(true, Ordering::SeqCst);
    }

    /// The documents that were asked with.
    pub(crate) fn asked(&self) -> Vec<Vec<u8>> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn wait_for_a_request(&self) {
        for _ in 0..600 {
            if self.came.load(Ordering::SeqCst) > 0 {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("nobody asked");
    }
}

struct Request(Vec<u8>);

impl Request {
    fn head(&self) -> Option<usize> {
        self.0.windows(4).position(|four| four == b"\r\n\r\n")
    }

    fn is_whole(&self) -> bool {
        let Some(head) = self.head() else {
            return false;
        };
        let text = String::from_utf8_lossy(&self.0[..head]).to_lowercase();
        let length = text.split_once("content-length: ").map_or(0, |(_, rest)| {
            rest.lines().next().unwrap().trim().parse().unwrap()
        });
        self.0.len() >= head + 4 + length
    }

    fn split_off_body(&self) -> Vec<u8> {
        self.head()
            .map_or(Vec::new(), |head| self.0[head + 4..].to_vec())
    }
}

fn read(stream: &mut TcpStream) -> Request {
    let (mut request, mut some) = (Request(Vec::new()), [0; 4096]);
    while !request.is_whole() {
        match stream.read(&mut some) {
            Ok(0) | Err(_) => break,
            Ok(n) => request.0.extend_from_slice(&some[..n]),
        }
    }
    request
}

/// One request and its answer, and the connection ends.
fn pass(stream: &mut TcpStream, address: &str, request: &[u8]) {
    let Ok(mut server) = TcpStream::connect(address) else {
        return;
    };
    let text = String::from_utf8_lossy(request).replacen("\r\n", "\r\nconnection: close\r\n", 1);
    server.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = server.read_to_end(&mut answer);
    let _ = stream.write_all(&answer);
}
