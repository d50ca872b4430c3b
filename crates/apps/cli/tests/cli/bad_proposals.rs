//! Bad questions and proposals: one clear line and a code, and the store as it was.

use std::ffi::OsStr;
use std::path::Path;

use crate::place::Place;

#[test]
fn an_empty_query_and_one_without_words() {
    let place = Place::with_memories();
    place.refuses(["recall", ""], 3, "empty");
    place.refuses(["recall", "  "], 3, "empty");
    place.refuses(["recall", "?!"], 3, "no word");
    place.refuses(["propose", "--summary", "s", "--recall", ""], 3, "empty");
    place.refuses(["propose", "--summary", " ", "--recall", "x"], 3, "summary");
    place.refuses(["recall", "x", "--max", "0"], 3, "--max");
    place.refuses(
        [
            "recall",
            "x",
            "--after",
            "2025-02-02",
            "--before",
            "2025-02-01",
        ],
        3,
        "--after",
    );
    place.refuses(["recall", "x", "--floor", "99"], 3, "beyond the log");
}

/// Queries are words, never the index's syntax.
#[test]
fn a_query_in_the_syntax_of_the_index_is_only_words() {
    let place = Place::with_memories();
    for query in [
        "heron AND",
        "\"heron",
        "heron*",
        "NEAR(heron key)",
        "body: heron",
        "heron; DROP TABLE body",
    ] {
        let found = place.json(["recall", query, "--max", "1"]);
        assert_eq!(found["selected"].as_array().unwrap().len(), 1, "{query}");
    }
}

#[test]
fn an_unknown_world_id() {
    let place = Place::with_memories();
    place.refuses(["show", "world-0"], 3, "no memory");
    place.refuses(["show", ""], 3, "no memory");
    place.refuses(
        ["log", "consistency", "--from", "7"],
        3,
        "in a log of 6 entries",
    );
    place.refuses(["log", "consistency", "--from", "0"], 3, "no proof from 0");
}

#[test]
fn anchors_of_another_log() {
    let (place, other) = (Place::with_memories(), Place::with_memories());
    let proposal = place.folder().join("proposal.json");
    place
        .run([
            "propose",
            "--summary",
            "s",
            "--recall",
            "heron",
            "-o",
            proposal.to_str().unwrap(),
        ])
        .ok();
    let anchors = other.folder().join("anchors.json");
    other
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let verify = place.run([
        "verify".as_ref(),
        proposal.as_os_str(),
        "--anchors".as_ref(),
        anchors.as_os_str(),
    ]);
    assert!(verify.code(1).stdout().contains("REJECTED"));
    let empty = place.file("empty.json", b"{}");
    place
        .run([
            "verify".as_ref(),
            proposal.as_os_str(),
            "--anchors".as_ref(),
            empty.as_os_str(),
        ])
        .refused(3, "anchors");
}

/// CR-01, M-2: a proposal without its trace is not approved.
#[test]
fn a_proposal_without_trace_and_one_that_is_none() {
    let place = Place::with_memories();
    let mut proposal = place.json(["propose", "--summary", "s", "--recall", "heron"]);
    proposal.as_object_mut().unwrap().remove("trace");
    let bare = place.file("bare.json", proposal.to_string().as_bytes());
    let anchors = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let verify = |path: &Path| {
        place.run([
            "verify".as_ref(),
            path.as_os_str(),
            "--anchors".as_ref(),
            anchors.as_os_str(),
        ])
    };
    assert!(verify(&bare).code(1).stdout().contains("REJECTED"));
    for content in [&b"{}"[..], b"", b"{\"proposalId\":", b"\xff"] {
        verify(&place.file("none.json", content)).refused(3, "proposal");
    }
    verify(Path::new("/no/such/file")).refused(3, "/no/such/file");
}

#[test]
fn an_intent_that_is_none() {
    let place = Place::with_memories();
    for (content, what) in [
        (&b"{}"[..], "type"),
        (b"[", "not JSON"),
        (b"{\"body\":{}}", "type"),
    ] {
        let path = place.file("intent.json", content);
        let args = ["propose", "--summary", "s", "--recall", "heron", "--intent"];
        let mut args: Vec<_> = args.iter().map(AsRef::<OsStr>::as_ref).collect();
        args.push(path.as_os_str());
        place.refuses(args, 3, what);
    }
}
