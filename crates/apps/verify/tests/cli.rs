//! The binary on files: exit codes, one-line errors, nothing raw on a terminal.
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use counterfoil_authority::types::json::Value;
use serde_json::json;
use support::{Log, NOW, bare_memory, proposal, proposal_with, signed, with};
use tempfile::TempDir;

/// A folder with anchors, and whatever a test puts beside them.
struct Folder {
    dir: TempDir,
    log: Log,
}

impl Folder {
    fn new() -> Self {
        let log = Log::of(3);
        let folder = Self {
            dir: tempfile::tempdir().expect("a folder"),
            log,
        };
        folder.put("anchors.json", folder.log.anchors().to_json().as_bytes());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("a file");
    }

    fn put_proposal(&self, proposal: &Value) {
        self.put(
            "proposal.json",
            &serde_json::to_vec(&signed(proposal)).expect("JSON"),
        );
    }

    /// `counterfoil-verify proposal.json --anchors anchors.json --now NOW` and more.
    fn verify(&self, more: &[&str]) -> Output {
        let mut arguments = vec!["proposal.json", "--anchors", "anchors.json"];
        let now = NOW.to_string();
        if !more.contains(&"--now") {
            arguments.extend(["--now", &now]);
        }
        arguments.extend(more);
        run(self.dir.path(), &arguments, None)
    }
}

fn run(dir: &Path, arguments: &[&str], input: Option<&[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_counterfoil-verify"))
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    if let (Some(bytes), Some(mut stdin)) = (input, child.stdin.take()) {
        // A binary that refuses early closes its input; that is not the test's business.
        let _ = stdin.write_all(bytes);
    }
    child.wait_with_output().expect("the binary ends")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Exit code 3, nothing on standard output, one line on standard error that contains `text`.
#[track_caller]
fn refused(output: &Output, text: &str) {
    let error = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(code(output), Some(3), "{error}");
    assert!(output.stdout.is_empty());
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        error.starts_with("error: ") && error.contains(text),
        "{error}"
    );
}

#[test]
fn approved_exits_0_with_a_short_table() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[
        folder.log.memory(0, "merkle"),
        folder.log.memory(1, "merkle"),
    ]));
    let output = folder.verify(&[]);
    assert_eq!(code(&output), Some(0), "{output:?}");
    assert_eq!(
        stdout(&output),
        "proposal  prop-1 (note.add)\n\
         summary   \"s\"\n\
         signed    by did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX\n\
         recalled  by planner for: what was noted\n\
         memory    world-0  proven  merkle  in example.com/log at size 3; reason given: mentions it\n\
         \u{20}         /data/kind: \"note\"\n\
         \u{20}         /data/text: \"note 0\"\n\
         \u{20}         7 of 7 fields are shown; of 2027-01-14T08:00:00Z, as the memory itself says\n\
         \u{20}         written by did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX, who signed the proposal\n\
         \u{20}         standing: current\n\
         memory    world-1  proven  merkle  in example.com/log at size 3; reason given: mentions it\n\
         \u{20}         /data/kind: \"note\"\n\
         \u{20}         /data/text: \"note 1\"\n\
         \u{20}         7 of 7 fields are shown; of 2027-01-14T08:00:00Z, as the memory itself says\n\
         \u{20}         written by did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX, who signed the proposal\n\
         \u{20}         standing: current\n\
         decision  APPROVED\n\
         \u{20}         2 memories are proven\n"
    );
}

/// A did:key was cut at 48 characters, and a reason with quotes stood in quotes.
#[test]
fn a_did_stands_whole_and_a_reason_as_it_is() {
    let folder = Folder::new();
    let did = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
    let mut memory = folder.log.memory(0, "merkle");
    memory["reason"] = json!("says \"key\"");
    let attach = with(
        proposal(&[memory]),
        "/trace/context/memory/selector/actorId",
        json!(did),
    );
    folder.put_proposal(&attach);
    folder.put("policy.toml", b"require_same_actor = false\n");
    let shown = stdout(&folder.verify(&["--policy", "policy.toml"]));
    assert!(
        shown.contains(&format!("recalled  by {did} for: what was noted\n")),
        "{shown}"
    );
    assert!(shown.contains("; reason given: says \"key\"\n"), "{shown}");
}

/// Times stood there as milliseconds.
#[test]
fn a_reason_that_names_a_time_writes_it_as_rfc_3339() {
    let folder = Folder::new();
    let memory = folder.log.memory(0, "merkle");
    folder.put_proposal(&with(
        proposal(&[memory]),
        "/submittedAt",
        json!(NOW - 2500),
    ));
    let shown = stdout(&folder.verify(&[]));
    let said = "selected at 2027-01-15T08:00:01Z, after submission at 2027-01-15T08:00:00.500Z";
    assert!(shown.contains(said), "{shown}");
}

#[test]
fn rejected_exits_1_and_says_what_to_do() {
    let folder = Folder::new();
    folder.put_proposal(&proposal_with(None));
    let output = folder.verify(&[]);
    assert_eq!(code(&output), Some(1));
    assert!(stdout(&output).contains("decision  REJECTED\n"));
    assert!(stdout(&output).contains("attach the trace of what was recalled"));
}

#[test]
fn indeterminate_exits_2() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[bare_memory("world-0")]));
    let output = folder.verify(&["--json"]);
    assert_eq!(code(&output), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(report["decision"], "indeterminate");
    assert_eq!(report["memories"][0]["code"], "no-evidence");
}

#[test]
fn a_proposal_on_standard_input_is_read() {
    let folder = Folder::new();
    let wire = signed(&proposal(&[folder.log.memory(2, "merkle")]));
    let wire = serde_json::to_vec(&wire).expect("JSON");
    let now = NOW.to_string();
    let arguments = ["-", "--anchors", "anchors.json", "--now", &now];
    assert_eq!(
        code(&run(folder.dir.path(), &arguments, Some(&wire))),
        Some(0)
    );
}

/// Without a file of nonces every review is the first; a line that a crash cut off was never acknowledged.
#[test]
fn a_proposal_is_approved_once_with_a_file_of_nonces() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[folder.log.memory(0, "merkle")]));
    let again = || code(&folder.verify(&["--nonces", "nonces"]));
    assert_eq!(
        (code(&folder.verify(&[])), code(&folder.verify(&[]))),
        (Some(0), Some(0))
    );
    assert_eq!((again(), again()), (Some(0), Some(1)));
    let kept = std::fs::read(folder.path("nonces")).expect("a file");
    folder.put("nonces", &kept[..kept.len() - 1]);
    assert_eq!((again(), again()), (Some(0), Some(1)));
    assert_eq!(std::fs::read(folder.path("nonces")).expect("a file"), kept);
    refused(
        &folder.verify(&["--nonces", "."]),
        "nonces .: it is no plain file",
    );
}

#[test]
fn a_policy_file_is_followed() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[bare_memory("world-0")]));
    folder.put(
        "policy.toml",
        b"preset = \"high-risk\"\nmaximum_age_ms = 86_400_000\n",
    );
    assert_eq!(code(&folder.verify(&["--policy", "policy.toml"])), Some(1));
    folder.put("policy.toml", b"preset = \"permissive\"\n");
    assert_eq!(code(&folder.verify(&["--policy", "policy.toml"])), Some(0));
}

#[test]
fn a_policy_that_cannot_be_meant_is_refused_with_its_line() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[]));
    for (policy, text) in [
        (
            "preset = \"standard\"\nrequire_trce = true\n",
            "line 2: unknown field `require_trce`",
        ),
        ("preset = \"strict\"\n", "line 1: unknown variant `strict`"),
        (
            "minimum_confidence = nan\n",
            "expected a number from 0 to 1",
        ),
        ("maximum_age_ms = -1\n", "line 1"),
        ("[high_risk]\n", "name the intent types"),
        (
            "preset = \"standard\"\npreset = \"standard\"\n",
            "line 2: duplicate key",
        ),
        ("= = =", "line 1"),
    ] {
        folder.put("policy.toml", policy.as_bytes());
        let output = folder.verify(&["--policy", "policy.toml"]);
        refused(&output, text);
        refused(&output, "policy policy.toml, line ");
    }
    folder.put("policy.toml", b"\xff\xfe");
    refused(&folder.verify(&["--policy", "policy.toml"]), "not UTF-8");
    folder.put("policy.toml", &vec![b'#'; (64 << 10) + 1]);
    refused(
        &folder.verify(&["--policy", "policy.toml"]),
        "larger than 65536 bytes",
    );
}

#[test]
fn a_file_that_is_no_proposal_is_refused() {
    let folder = Folder::new();
    for (bytes, text) in [
        (&b""[..], "not JSON"),
        (b"{\"proposalId\":", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"{\"a\":1,\"a\":2}", "stands twice"),
        (b"[]", "proposalId must be non-empty string"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
    ] {
        folder.put("proposal.json", bytes);
        refused(&folder.verify(&[]), text);
    }
    folder.put("proposal.json", "[".repeat(100_000).as_bytes());
    refused(&folder.verify(&[]), "nested more than 64 deep");
    folder.put("proposal.json", &vec![b' '; (16 << 20) + 1]);
    refused(&folder.verify(&[]), "larger than 16777216 bytes");
}

#[test]
fn missing_and_foreign_files_are_refused() {
    let folder = Folder::new();
    refused(&folder.verify(&[]), "proposal proposal.json: ");
    folder.put_proposal(&proposal(&[]));
    refused(
        &folder.verify(&["--policy", "nowhere.toml"]),
        "policy nowhere.toml: ",
    );
    for another in [&b"{}"[..], b"[1]", b"{\"proposalId\":\"p\"}"] {
        folder.put("anchors.json", another);
        refused(
            &folder.verify(&[]),
            "anchors anchors.json: not an anchors file; give the one that `counterfoil anchors -o` wrote",
        );
    }
    std::fs::remove_file(folder.path("anchors.json")).expect("a file to remove");
    refused(&folder.verify(&[]), "anchors anchors.json: ");
    refused(
        &run(folder.dir.path(), &[".", "--anchors", "."], None),
        "anchors .: ",
    );
}

/// The proposal's own words can't move the cursor, change the reading order or flood the screen.
#[test]
fn what_a_proposal_says_is_escaped_and_cut() {
    let folder = Folder::new();
    let hostile = "\u{1b}[2J\u{202e}\ndecision  APPROVED\u{7}";
    let mut memory = bare_memory(&format!("w{hostile}"));
    memory["reason"] = json!(hostile);
    let mut attack = with(
        proposal(&[memory]),
        "/proposalId",
        json!(format!("p{hostile}")),
    );
    attack = with(attack, "/intent/body/type", json!(hostile));
    attack = with(
        attack,
        "/trace/context/memory/query",
        json!(hostile.repeat(1000)),
    );
    attack = with(
        attack,
        "/trace/context/memory/selector/actorId",
        json!(hostile),
    );
    folder.put_proposal(&attack);
    for more in [&[][..], &["--json"]] {
        let output = folder.verify(more);
        assert_eq!(code(&output), Some(1));
        let text = stdout(&output);
        let hidden = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert!(!text.contains(hidden), "{text:?}");
        assert!(!text.lines().any(|line| line == "decision  APPROVED\\u{7}"));
    }
    assert!(
        stdout(&folder.verify(&[]))
            .lines()
            .all(|line| line.chars().count() < 500)
    );
}

#[test]
fn the_time_of_the_review_can_be_given_in_three_ways() {
    let folder = Folder::new();
    folder.put_proposal(&proposal(&[folder.log.memory(0, "merkle")]));
    folder.put("policy.toml", b"maximum_age_ms = 60_000\n");
    let at = |now: &str| code(&folder.verify(&["--policy", "policy.toml", "--now", now]));
    assert_eq!(at(&NOW.to_string()), Some(0));
    assert_eq!(at("2027-01-15T08:00:03Z"), Some(0));
    assert_eq!(at("2027-01-15T09:00:03+01:00"), Some(0));
    assert_eq!(at("2027-01-15T08:05:00Z"), Some(1));
    assert_eq!(at("2027-01-16"), Some(1));
    assert_eq!(at("yesterday"), Some(3));
}

#[test]
fn wrong_usage_exits_3_and_help_exits_0() {
    let folder = Folder::new();
    for arguments in [
        &[][..],
        &["p.json"],
        &["p.json", "--anchors", "a", "--frobnicate"],
        &["p.json", "--anchors", "a", "--now", "\u{1b}[2J"],
    ] {
        let output = run(folder.dir.path(), arguments, None);
        refused(&output, "; run `counterfoil-verify --help` for the options");
    }
    assert_eq!(code(&run(folder.dir.path(), &["--help"], None)), Some(0));
    assert_eq!(code(&run(folder.dir.path(), &["--version"], None)), Some(0));
}

/// Help began with the description in the package's manifest.
#[test]
fn help_begins_with_what_the_program_does() {
    let folder = Folder::new();
    for flag in ["-h", "--help"] {
        let help = stdout(&run(folder.dir.path(), &[flag], None));
        assert!(
            help.starts_with("Check the memories of a proposal and decide, offline"),
            "{help}"
        );
        assert!(
            help.contains("Exit codes: 0 approved, 1 rejected"),
            "{help}"
        );
    }
}
