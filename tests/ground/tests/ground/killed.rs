//! Nodes as processes of their own, which are killed or stopped at any moment.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use counterfoil_ground_tests::signal;
use counterfoil_store::StoreError;

use crate::faults::{Answered, cycles, is_one_history};
use crate::rig::{Node, Shared};

const FOLDER: &str = "COUNTERFOIL_NODE_FOLDER";
const URL: &str = "COUNTERFOIL_NODE_URL";
const PREFIX: &str = "COUNTERFOIL_NODE_PREFIX";
const LIMIT: &str = "COUNTERFOIL_NODE_LIMIT";

/// A process that appends until it is killed, and prints each id that was answered for.
struct Writer {
    process: Child,
    prefix: String,
}

impl Writer {
    fn start(shared: &Shared<'_>, folder: &Path, prefix: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args([
                "killed::writer",
                "--exact",
                "--ignored",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(FOLDER, folder)
            .env(URL, &shared.settings.url)
            .env(PREFIX, prefix)
            .env(LIMIT, shared.settings.statement.as_secs().to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        Self {
            process: command.spawn().unwrap(),
            prefix: prefix.to_owned(),
        }
    }

    fn send(&self, name: &str) {
        signal(name, &self.process.id().to_string());
    }

    /// Kills it, and returns what it was answered for.
    fn killed(mut self) -> BTreeSet<String> {
        self.send("KILL");
        self.process.wait().unwrap();
        let lines = BufReader::new(self.process.stdout.take().unwrap()).lines();
        let ids = lines.map_while(Result::ok).filter_map(|line| {
            // The end of the last line may be missing.
            let (id, end) = line.split_once(' ')?;
            (end == "kept" && id.starts_with(&self.prefix)).then(|| id.to_owned())
        });
        ids.collect()
    }
}

#[test]
#[ignore = "a process of another test"]
fn writer() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let mut shared = Shared::at(std::env::var(URL).unwrap());
    let limit = std::env::var(LIMIT).unwrap().parse().unwrap();
    shared.settings.statement = Duration::from_secs(limit);
    let node = shared.node_in(Path::new(&folder), "killed");
    let prefix = std::env::var(PREFIX).unwrap();
    for number in 0.. {
        let id = format!("{prefix}-{number}");
        node.append(&id, "a memory").unwrap();
        println!("{id} kept");
    }
}

/// RCH-4: a node is killed at any moment and starts again: what it was answered for is there, once, and its file is brought
/// forward.
#[test]
fn a_node_that_is_killed_loses_nothing() {
    let Some(shared) = Shared::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let other = shared.node("other");
    let mut all = Answered::default();
    for cycle in 0..cycles() {
        let writer = Writer::start(&shared, folder.path(), &format!("k{cycle}"));
        std::thread::sleep(Duration::from_millis(150 + u64::from(cycle) * 37 % 150));
        all.append(&other, &format!("other-{cycle}"));
        all.ids.extend(writer.killed());
    }
    assert!(
        all.ids.len() > 2 * usize::try_from(cycles()).unwrap(),
        "{}",
        all.ids.len()
    );
    let again = shared.node_in(folder.path(), "killed");
    again.append("after", "it goes on").unwrap();
    is_one_history(&shared, &[other, again], &all.ids);
}

/// RCH-5: a node that stops in the middle of a commit does not stop the others for longer than the limit, and writes nothing
/// that does not follow when it goes on.
#[test]
fn a_node_that_pauses_writes_no_second_history() {
    let Some(mut shared) = Shared::new() else {
        return;
    };
    shared.settings.lock = Duration::from_secs(5);
    let folder = tempfile::tempdir().unwrap();
    let other = shared.node("other");
    let mut all = Answered::default();
    let writer = Writer::start(&shared.impatient(), folder.path(), "p");
    std::thread::sleep(Duration::from_millis(500));
    for pause in 0..cycles().div_ceil(5) {
        writer.send("STOP");
        let id = format!("other-{pause}");
        // It may hold the head until the server ends its transaction.
        while let Err(error) = other.append(&id, "a memory") {
            assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
        }
        all.ids.insert(id);
        writer.send("CONT");
        std::thread::sleep(Duration::from_millis(120));
    }
    let written = writer.killed();
    assert!(written.len() > 1, "the node has not written");
    all.ids.extend(written);
    let again: Node = shared.node_in(folder.path(), "killed");
    again.follow().unwrap();
    is_one_history(&shared, &[other, again], &all.ids);
}
