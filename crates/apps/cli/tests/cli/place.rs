//! A store in a temporary folder, and the real binary to use it with.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_counterfoil");
pub(crate) const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../samples/record.jsonl");

/// A folder that goes away, with a store in it.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// An empty folder.
    pub(crate) fn bare() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A fresh store.
    pub(crate) fn new() -> Self {
        let place = Self::bare();
        place.run(["init"]).ok();
        place
    }

    /// A store with a little in it.
    pub(crate) fn with_memories() -> Self {
        let place = Self::new();
        let path = place.file("record.jsonl", RECORD.join("\n").as_bytes());
        place.run(["import".as_ref(), path.as_os_str()]).ok();
        place
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.folder().join("store")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir().join("memory.db")
    }

    pub(crate) fn keys(&self) -> PathBuf {
        self.dir().join("keys")
    }

    /// State folder of the account that runs the commands.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.folder().join("state")
    }

    /// Writes a file beside the store.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder().join(name);
        std::fs::write(&path, content).unwrap();
        // It may be a secret, which nobody is warned of.
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        path
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(BINARY);
        command
            .env_remove("COUNTERFOIL_DIR")
            .env("COUNTERFOIL_STATE_DIR", self.state_folder())
            .arg("--dir")
            .arg(self.dir());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran(self
            .command()
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap())
    }

    pub(crate) fn run_with_input<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: &[u8],
    ) -> Ran {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ran(child.wait_with_output().unwrap())
    }

    pub(crate) fn json<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Value {
        let mut all: Vec<std::ffi::OsString> = vec!["--json".into()];
        all.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self.run(all).ok().json()
    }

    /// Number of versions and statements.
    pub(crate) fn size(&self) -> u64 {
        let stats = self.json(["stats"]);
        ["versions", "statements"]
            .map(|it| stats[it].as_u64().unwrap())
            .iter()
            .sum()
    }

    /// What must not change when input is refused: the signed checkpoint, over an audited log.
    pub(crate) fn state(&self) -> (String, String) {
        let audit = self.run(["check"]);
        audit.ok();
        let checkpoint = self.run(["log", "checkpoint"]);
        (checkpoint.stdout(), checkpoint.stderr())
    }

    /// Asserts that a run is refused with this code and one line that says `what`, and that the
    /// store is as it was.
    pub(crate) fn refuses<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        code: i32,
        what: &str,
    ) {
        let before = self.state();
        self.run(args).refused(code, what);
        assert_eq!(self.state(), before);
    }
}

/// What a run of the binary gave.
pub(crate) struct Ran(pub(crate) Output);

impl Ran {
    #[track_caller]
    pub(crate) fn ok(&self) -> &Self {
        self.code(0)
    }

    #[track_caller]
    pub(crate) fn code(&self, code: i32) -> &Self {
        assert_eq!(
            self.0.status.code(),
            Some(code),
            "{}\n{}",
            self.stdout(),
            self.stderr()
        );
        self
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.0.stdout).unwrap()
    }

    /// Exactly one line on standard error, which names `what` and what to do.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, what: &str) {
        self.code(code);
        let said = self.stderr();
        assert_eq!(said.lines().count(), 1, "{said}");
        // With --json an error is a document.
        let is_document = said.starts_with("{\"code\":");
        assert!(is_document || said.starts_with("counterfoil: "), "{said}");
        assert!(said.contains(what), "{said}");
        assert!(said.contains([';', ':']), "says what to do: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

/// A record of five turns in two sessions.
pub(crate) const RECORD: [&str; 5] = [
    r#"{"conversation":"c","session":"1","id":"1:1","speaker":"Ada","time":"2025-03-01T10:15:00Z","text":"The heron key opens the boat shed."}"#,
    r#"{"conversation":"c","session":"1","id":"1:2","speaker":"Bob","time":"2025-03-01T10:16:00Z","text":"And the blue one the cellar."}"#,
    r#"{"conversation":"c","session":"1","id":"1:3","speaker":"Ada","time":"2025-03-01T10:17:00Z","text":"Look at this.","caption":"a lantern on a stone wall"}"#,
    r#"{"conversation":"c","session":"2","id":"2:1","speaker":"Bob","time":"2025-05-09T08:00:00+02:00","text":"The heron key is lost, I had a new one cut in Ghent."}"#,
    r#"{"conversation":"c","session":"2","id":"2:2","speaker":"Ada","time":"2025-05-09T08:01:00+02:00","text":"Then tell Mira."}"#,
];

/// An importable record of `turns` turns.
pub(crate) fn long_record(turns: usize) -> Vec<String> {
    (0..turns)
        .map(|turn| {
            format!(
                r#"{{"conversation":"long","session":"{}","id":"{turn}","speaker":"Ada","time":"2025-03-01T10:15:00Z","text":"turn number {turn}"}}"#,
                turn / 50
            )
        })
        .collect()
}
