//! Exports: whole, however large, and no faster than they are taken.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::client::{ALL, Api, PROGRAM};

/// Memories of the export, and bytes of each: more than the 64 MiB that an export once had at most.
const MEMORIES: usize = 100;
const BYTES: usize = 700_000;

/// Content of a body that is sent in chunks (RFC 9112, 7.1), and whether it has an end.
fn unchunked(mut body: &[u8]) -> (Vec<u8>, bool) {
    let mut content = Vec::new();
    while let Some(at) = body.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&body[..at]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        body = &body[at + 2..];
        if size == 0 {
            return (content, true);
        }
        let part = &body[..size.min(body.len())];
        content.extend_from_slice(part);
        body = body.get(size + 2..).unwrap_or_default();
    }
    (content, false)
}

/// Memory that the server has in use, in bytes.
#[cfg(target_os = "linux")]
fn resident(api: &Api) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", api.process())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() << 10
}

fn stored() -> (Api, String) {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let record: String = (0..MEMORIES)
        .map(|number| {
            let text = format!("{number} {}", "bread ".repeat(BYTES / 6));
            let turn = json!({"conversation": "c", "time": "2025-03-01T10:15:00Z", "text": text});
            format!("{turn}\n")
        })
        .collect();
    let path = api.store.with_file_name("record.jsonl");
    std::fs::write(&path, record).unwrap();
    api.command(&["import", path.to_str().unwrap()]);
    (api, token)
}

fn ask(api: &Api, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(api.address()).unwrap();
    let wait = Some(Duration::from_secs(60));
    stream.set_read_timeout(wait).unwrap();
    let head = format!(
        "GET /v1/export HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// An export above 64 MiB was refused, and one below it was held in memory.
#[test]
fn a_large_export_is_the_commands_and_is_not_held_in_memory() {
    let (api, token) = stored();
    let mut stream = ask(&api, &token);
    let mut first = vec![0; 1 << 10];
    stream.read_exact(&mut first).unwrap();
    #[cfg(target_os = "linux")]
    {
        let before = resident(&api);
        // Nothing more is taken.
        std::thread::sleep(Duration::from_secs(2));
        let after = resident(&api);
        let all = u64::try_from(MEMORIES * BYTES).unwrap();
        assert!(after < before + all / 4, "{before} {after}");
    }
    stream.read_to_end(&mut first).unwrap();
    let at = first.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&first[..at]).to_lowercase();
    assert!(
        head.starts_with("http/1.1 200") && head.contains("application/jsonl"),
        "{head}"
    );
    let (content, is_whole) = unchunked(&first[at + 4..]);
    assert!(is_whole && content.len() > 64 << 20, "{}", content.len());
    let mut command = Command::new(PROGRAM);
    let exported = command.arg("--dir").arg(&api.store).arg("export");
    let exported = exported.output().unwrap().stdout;
    assert!(content == exported, "{} {}", content.len(), exported.len());
}

/// Exports that nobody takes to their end have places, and give them back when their client leaves.
#[test]
fn exports_are_bounded_in_number() {
    let (api, token) = stored();
    let mut under_way: Vec<_> = (0..4).map(|_| ask(&api, &token)).collect();
    for stream in &mut under_way {
        stream.read_exact(&mut [0; 1 << 10]).unwrap();
    }
    let refused = api.get(&token, "/v1/export");
    assert_eq!((refused.status, refused.code().as_str()), (429, "too-many"));
    under_way.clear();
    let began = std::time::Instant::now();
    loop {
        let mut head = [0; 12];
        ask(&api, &token).read_exact(&mut head).unwrap();
        if head == *b"HTTP/1.1 200" {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
