//! A server that is killed between a request and its answer: repeated with its key, the memory is stored once.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{PROGRAM, place};

/// Sessions that are killed, each a little later than the one before.
const KILLS: u64 = 12;

struct Server {
    requests: u64,
    child: Child,
    stdin: ChildStdin,
    answers: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start(store: &Path) -> Self {
        let mut child = Command::new(PROGRAM)
            .arg("--dir")
            .arg(store)
            .args(["mcp", "--init"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self {
            requests: 0,
            child,
            stdin,
            answers,
        };
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }}));
        server.answer();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
        self.stdin.flush().unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        self.requests += 1;
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.requests, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }));
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// AGT-3; mutant `request-key`: a request that was repeated after a lost answer stored its memory twice.
#[test]
fn a_request_that_is_repeated_with_its_key_is_stored_once() {
    let (_folder, store) = place();
    let memory = json!({"text": "The spare key hangs behind the clock", "key": "request-1"});
    let fact = json!({"subject": "key", "predicate": "hangs", "value": "behind the clock", "key": "request-2"});
    Server::start(&store).kill();
    for number in 0..KILLS {
        let mut server = Server::start(&store);
        server.call("remember", &memory);
        server.call("state_fact", &fact);
        std::thread::sleep(Duration::from_millis(3 * number));
        server.kill();
    }
    let mut server = Server::start(&store);
    server.call("remember", &memory);
    let again = server.answer();
    assert_eq!(again["result"]["isError"], json!(false), "{again}");
    let id = &again["result"]["structuredContent"]["id"];
    server.call("why", &json!({ "id": id }));
    let why = server.answer();
    // Nothing at all is written under a key that is known, no confirmation either.
    let versions = why["result"]["structuredContent"]["versions"].as_array();
    assert_eq!(versions.map(Vec::len), Some(1), "{why}");
    server.call("state_fact", &fact);
    server.answer();
    server.call("remember", &json!({"text": "Another", "key": "request-3"}));
    assert_ne!(
        server.answer()["result"]["structuredContent"]["id"],
        again["result"]["structuredContent"]["id"]
    );
    server.call("recall", &json!({"query": "Where hangs the spare key?"}));
    let found = server.answer();
    let items = found["result"]["structuredContent"]["items"]
        .as_array()
        .unwrap();
    let same = |text: &str| items.iter().filter(|it| it["text"] == text).count();
    assert_eq!(same("The spare key hangs behind the clock"), 1, "{found}");
    server.kill();
}
