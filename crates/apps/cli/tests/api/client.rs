//! A store with `counterfoil serve --api`, its keys, and a client that sends what it is given.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_counterfoil");
/// Every right.
pub(crate) const ALL: &str = "recall,remember,forget,erase,believe,state,prove,export,import";
/// Every right of a key that is not the user's.
pub(crate) const MOST: &str = "recall,remember,forget,believe,state,prove,export,import";

/// A server that runs until it is ended or dropped.
pub(crate) struct Api {
    folder: TempDir,
    pub(crate) store: PathBuf,
    child: Child,
    address: String,
}

/// Answer of the server.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value)
    }
}

impl Api {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// A server with these variables in its environment.
    pub(crate) fn start_with(environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        let made = Command::new(PROGRAM)
            .arg("--dir")
            .arg(&store)
            .arg("init")
            .output();
        assert!(made.unwrap().status.success());
        Self::serve(folder, store, environment)
    }

    /// The same store, whose server is killed and started again.
    pub(crate) fn killed_and_started(mut self) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        Self::serve(folder, self.store.clone(), &[])
    }

    fn serve(folder: TempDir, store: PathBuf, environment: &[(&str, &str)]) -> Self {
        let arguments = [
            "--json",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--api",
            "127.0.0.1:0",
        ];
        let mut child = Command::new(PROGRAM)
            .arg("--dir")
            .arg(&store)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let url = started["api"].as_str().unwrap();
        let address = url
            .strip_prefix("http://")
            .and_then(|it| it.strip_suffix("/v1"));
        Self {
            folder,
            store,
            address: address.unwrap().to_owned(),
            child,
        }
    }

    /// Id of the server's process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Address that the server listens on.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Runs a command on the store; gives its document.
    pub(crate) fn command(&self, arguments: &[&str]) -> Value {
        let done = Command::new(PROGRAM)
            .arg("--dir")
            .arg(&self.store)
            .arg("--json")
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&done.stdout);
        let error = String::from_utf8_lossy(&done.stderr);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {text}{error}"))
    }

    /// Runs a command that is refused; gives the problem.
    pub(crate) fn refused(&self, arguments: &[&str]) -> Value {
        let mut command = Command::new(PROGRAM);
        let done = command.arg("--dir").arg(&self.store).arg("--json");
        let done = done.args(arguments).output().unwrap();
        assert!(!done.status.success(), "{arguments:?}");
        serde_json::from_slice(&done.stderr).unwrap()
    }

    /// Makes a key; gives its token.
    pub(crate) fn key(&self, scope: &str, can: &str, channel: &str) -> String {
        let mut arguments = vec!["key-for", "test", "--can", can, "--channel", channel];
        if !scope.is_empty() {
            arguments.extend(["--scope", scope]);
        }
        let made = self.command(&arguments);
        made["token"].as_str().unwrap().to_owned()
    }

    /// Sends a request with a document, or without one where it is empty.
    pub(crate) fn send(&self, token: &str, line: &str, more: &str, body: &str) -> Answer {
        let authorization = match token {
            "" => String::new(),
            token => format!("authorization: Bearer {token}\r\n"),
        };
        let length = body.len();
        let content = match line.starts_with("POST") || line.starts_with("PATCH") {
            true => format!("content-type: application/json\r\ncontent-length: {length}\r\n"),
            false => String::new(),
        };
        let head = format!("{line} HTTP/1.1\r\nhost: localhost\r\n{authorization}{content}{more}");
        self.raw(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
    }

    pub(crate) fn get(&self, token: &str, path: &str) -> Answer {
        self.send(token, &format!("GET {path}"), "", "")
    }

    pub(crate) fn post(&self, token: &str, path: &str, document: &Value) -> Answer {
        self.send(token, &format!("POST {path}"), "", &document.to_string())
    }

    /// Sends bytes, and reads until the server ends the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let wait = Some(Duration::from_secs(60));
        stream.set_read_timeout(wait).unwrap();
        // A server may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        let text = String::from_utf8_lossy(&read).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        Answer {
            status: status.unwrap_or_default(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Ends the server as a person does.
    pub(crate) fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for the end of the server; gives its exit code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Ends the server; gives what it wrote on standard error.
    pub(crate) fn end(mut self) -> String {
        let mut stderr = self.child.stderr.take().unwrap();
        let _ = self.child.kill();
        let mut written = String::new();
        stderr.read_to_string(&mut written).unwrap();
        written
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
