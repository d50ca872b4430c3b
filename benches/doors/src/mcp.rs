//! A client of the Model Context Protocol, as little as asks questions: one line of JSON a message.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::RECALLED;

/// A session with `counterfoil mcp`.
pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Session {
    pub(crate) fn start(store: &Path) -> Result<Self> {
        let mut child = crate::program(store)
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut session = Self {
            input: child.stdin.take().context("no standard input")?,
            output: BufReader::new(child.stdout.take().context("no standard output")?),
            child,
            requests: 0,
        };
        let client = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        });
        session.request("initialize", &client)?;
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(session)
    }

    /// The recall document of a question.
    pub(crate) fn recall(&mut self, question: &str) -> Result<Value> {
        let arguments = json!({"query": question, "max": RECALLED});
        let call = json!({"name": "recall", "arguments": arguments});
        let mut result = self.request("tools/call", &call)?;
        let document = result.get_mut("structuredContent").map(Value::take);
        document.with_context(|| format!("no document: {result}"))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line)?;
            anyhow::ensure!(read > 0, "the server ended");
            let mut answer: Value = serde_json::from_str(&line)?;
            if answer.get("id") == Some(&json!(id)) {
                let result = answer.get_mut("result").map(Value::take);
                return result.with_context(|| format!("{method}: {answer}"));
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
