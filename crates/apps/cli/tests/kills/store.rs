//! A store in a temporary folder, the real program, and how it is ended.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_counterfoil");

/// SIGKILL.
const KILLED: i32 = 9;

pub(crate) struct Store {
    folder: Arc<TempDir>,
    name: &'static str,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By the signal. What it had printed may be nothing, or an answer that is cut off.
    Killed { printed: String },
    /// By itself.
    Done { printed: String, took: Duration },
    /// By itself, and it refused.
    Refused { complaint: String },
}

impl Store {
    pub(crate) fn new() -> Self {
        let store = Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
            name: "store",
        };
        store.json(&["init"]);
        store
    }

    /// The store of another name in the same folder, which is not made.
    pub(crate) fn beside(&self, name: &'static str) -> Self {
        let folder = Arc::clone(&self.folder);
        Self { folder, name }
    }

    /// Returns the path of a file beside the store.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir().join("memory.db")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .env_remove("COUNTERFOIL_DIR")
            .arg("--dir")
            .arg(self.dir())
            .arg("--json")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs to its end, which must be a good one; what it printed.
    pub(crate) fn run(&self, args: &[&str]) -> Vec<u8> {
        let output = self.command(args).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {complaint}");
        output.stdout
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_slice(&self.run(args)).unwrap()
    }

    /// Whether the program knows a command.
    pub(crate) fn knows(&self, command: &str) -> bool {
        let output = self.command(&["help", command]).output().unwrap();
        output.status.success()
    }

    /// Kills the program after `patience`, unless it has ended by then.
    pub(crate) fn killed_after(&self, patience: Duration, args: &[&str]) -> Ended {
        let start = Instant::now();
        let mut child = self.command(args).spawn().unwrap();
        while start.elapsed() < patience && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(100));
        }
        let took = start.elapsed();
        child.kill().unwrap();
        let status = child.wait().unwrap();
        let (mut printed, mut complaint) = (Vec::new(), String::new());
        child.stdout.unwrap().read_to_end(&mut printed).unwrap();
        child
            .stderr
            .unwrap()
            .read_to_string(&mut complaint)
            .unwrap();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        match (status.signal(), status.success()) {
            (Some(KILLED), _) => Ended::Killed { printed },
            (None, true) => Ended::Done { printed, took },
            _ => Ended::Refused {
                complaint: format!("{args:?} ended with {status}: {complaint}"),
            },
        }
    }
}
