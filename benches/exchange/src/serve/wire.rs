//! As much of HTTP as asking takes: one connection that is kept, a request, a response.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::net::TcpSocket;

/// The most bytes of an answer.
const MOST: usize = 2 << 20;

/// A connection that is kept.
pub(super) struct Line {
    stream: std::net::TcpStream,
    read: Vec<u8>,
}

impl Line {
    pub(super) fn open(to: SocketAddr, from: IpAddr) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let stream = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::new(from, 0))?;
            socket.connect(to).await?.into_std()
        })?;
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self {
            stream,
            read: Vec::new(),
        })
    }

    /// Asks, and gives the status of what comes back; [`body`](Self::body) is the rest.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<u16> {
        self.stream.write_all(request)?;
        self.read.clear();
        let mut piece = [0; 32 << 10];
        loop {
            let count = self.stream.read(&mut piece)?;
            ensure!(count > 0, "the server has hung up");
            self.read
                .extend_from_slice(piece.get(..count).unwrap_or_default());
            ensure!(self.read.len() <= MOST, "too long an answer");
            if let Some((status, whole)) = whole(&self.read)?
                && self.read.len() >= whole
            {
                return Ok(status);
            }
        }
    }

    pub(super) fn body(&self) -> &[u8] {
        let head = head(&self.read).unwrap_or_default();
        self.read.get(head..).unwrap_or_default()
    }
}

/// The bytes of a request.
pub(super) fn post(body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn head(read: &[u8]) -> Option<usize> {
    let end = read.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}

/// The status, and how long the whole answer is, once its head is there.
fn whole(read: &[u8]) -> Result<Option<(u16, usize)>> {
    let Some(end) = head(read) else {
        return Ok(None);
    };
    let head = std::str::from_utf8(read.get(..end).unwrap_or_default())?;
    let status = head.split(' ').nth(1).context("a status")?.parse()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then_some(value)
    });
    match length {
        Some(length) => Ok(Some((status, end + length.parse::<usize>()?))),
        None => bail!("an answer without a length: {head}"),
    }
}
