//! Witnesses as places of the head (C2SP tlog-witness): one that a peer runs, and ones that answer what a script says.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::heads::{copy, put_back, remembered};
use crate::place::{Place, Ran};
use crate::serving::server::Served;

/// A signature line of some key: whose it is, only those who anchor it can say.
const LINE: &str = "— w.example AAAAAAAA\n";

/// A witness of the log of `place`, run by a peer, and its place as `--head` names it.
fn run_by_a_peer(place: &Place) -> (Place, Served, String) {
    let peer = Place::new();
    let public = |name: &str| {
        let text = fs::read_to_string(place.keys().join(name)).unwrap();
        text.trim().to_owned()
    };
    let (agent, log) = (public("agent.pub"), public("log.pub"));
    peer.run(["peer", "add", "ann", &agent, "--log", &log]).ok();
    let served = Served::with(&peer, &["--witness"]);
    let head = format!("witness:{}/witness", served.url);
    (peer, served, head)
}

fn with(place: &Place, head: &str, command: &[&str]) -> Ran {
    place.run([&["--head", head], command].concat())
}

fn size(place: &Place) -> u64 {
    let checkpoint = place.json(["log", "checkpoint", "--unsafe"]);
    checkpoint["size"].as_u64().unwrap()
}

/// Files about a witness in the state folder.
fn kept(place: &Place, end: &str) -> Option<PathBuf> {
    let heads = fs::read_dir(place.state_folder().join("heads")).ok()?;
    let mut paths = heads.map(|entry| entry.unwrap().path());
    paths.find(|path| path.to_str().unwrap().ends_with(end))
}

/// The whole store and the state folder were put back: the witness is heard before anything is signed, and reading fails from
/// then on.
#[test]
fn a_witness_notices_a_store_that_was_put_back_with_its_state() {
    let place = Place::with_memories();
    let (_peer, _served, head) = run_by_a_peer(&place);
    let export = place.folder().join("all.jsonl");
    put_back(&place, |place| {
        with(place, &head, &["remember", "The heron flew."]).ok();
        let note = fs::read_to_string(kept(place, ".cosigned").unwrap()).unwrap();
        assert!(note.contains("/witness "), "{note}");
        let doctor = with(place, &head, &["check"]);
        assert!(doctor.ok().stdout().contains("witness: up to date"));
        remembered(place);
        let doctor = with(place, &head, &["check"]);
        assert!(doctor.ok().stdout().contains("witness: 1 behind"));
        with(place, &head, &["remember", "It came back."]).ok();
        place.run(["export", "-o", export.to_str().unwrap()]).ok();
    });
    fs::remove_dir_all(place.state_folder()).unwrap();
    with(&place, &head, &["recall", "Nadia"]).ok();
    let before = size(&place);
    for command in [&["remember", "more"][..], &["recall", "Nadia"], &["stats"]] {
        let ran = with(&place, &head, command);
        let said = ran.code(2).stderr();
        assert!(said.contains("counterfoil reconcile --from"), "{said}");
        assert!(said.contains("witness:http://127.0.0.1"), "{said}");
        assert!(ran.stdout().is_empty(), "{}", ran.stdout());
    }
    assert_eq!(size(&place), before, "nothing was signed");
    assert!(
        with(&place, &head, &["check"])
            .code(1)
            .stdout()
            .contains("put back")
    );

    // The command that is named settles it, with the last checkpoint from a copy of the keys.
    let guard = place.folder().join("after/keys/last-checkpoint");
    fs::copy(guard, place.keys().join("last-checkpoint")).unwrap();
    let export = export.to_str().unwrap();
    with(&place, &head, &["reconcile", "--from", export]).ok();
    with(&place, &head, &["remember", "more"]).ok();
    assert_eq!(kept(&place, ".conflict"), None);
    assert!(
        with(&place, &head, &["check"])
            .ok()
            .stdout()
            .contains("up to date")
    );
}

/// With the state folder as it was, what the witness has cosigned is known without a request.
#[test]
fn what_a_witness_has_cosigned_is_known_without_it() {
    let place = Place::with_memories();
    let (_peer, served, head) = run_by_a_peer(&place);
    put_back(&place, |place| {
        drop(with(place, &head, &["remember", "One."]))
    });
    drop(served);
    let state = kept(&place, ".cosigned").unwrap();
    for entry in fs::read_dir(place.state_folder().join("heads")).unwrap() {
        let path = entry.unwrap().path();
        if path != state {
            fs::remove_file(path).unwrap();
        }
    }
    let ran = with(&place, &head, &["recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("reconcile --from"));
    fs::write(&state, "edited").unwrap();
    let ran = with(&place, &head, &["recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("something else"));
}

/// A copy of the store that goes on beside it makes another history, which the witness refuses.
#[test]
fn a_witness_notices_another_history() {
    let place = Place::with_memories();
    let (_peer, _served, head) = run_by_a_peer(&place);
    let other = place.folder().join("other");
    copy(&place.dir(), &other);
    with(&place, &head, &["remember", "The heron flew."]).ok();
    fs::remove_dir_all(place.state_folder()).unwrap();
    fs::rename(place.dir(), place.folder().join("first")).unwrap();
    fs::rename(other, place.dir()).unwrap();
    // Of one size with the log of the witness when it is heard first.
    place.run(["remember", "Another history."]).ok();
    let ran = with(&place, &head, &["remember", "It goes on."]);
    assert!(
        ran.ok().stderr().contains("another history of"),
        "{}",
        ran.stderr()
    );
    let ran = with(&place, &head, &["recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("another history of"));
    with(&place, &head, &["recall", "Nadia", "--unsafe"]).ok();
}

/// A server that takes connections one after the other and answers what the script says.
struct Script {
    head: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn new(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let head = format!("witness:http://{}/w", listener.local_addr().unwrap());
        let asked = Arc::default();
        let seen: Arc<Mutex<Vec<String>>> = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = request(&mut stream);
                let answer = answer(&request);
                seen.lock().unwrap().push(request);
                // Whoever has read enough hangs up.
                let _ = stream.write_all(&answer);
            }
        });
        Self { head, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> String {
    let (mut text, mut some) = (String::new(), [0; 4096]);
    loop {
        let n = stream.read(&mut some).unwrap();
        text.push_str(std::str::from_utf8(&some[..n]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap();
        if body.len() >= length.lines().next().unwrap().parse().unwrap() {
            return text;
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into()
}

fn conflict(size: &str) -> Vec<u8> {
    answer("409 Conflict", "content-type: text/x.tlog.size\r\n", size)
}

/// The bytes of the protocol: the first checkpoint without a proof, the next with one from the size that was cosigned.
#[test]
fn a_checkpoint_is_sent_as_the_protocol_says() {
    let place = Place::with_memories();
    let script = Script::new(|_| answer("200 OK", "", LINE));
    with(&place, &script.head, &["remember", "One."]).ok();
    with(&place, &script.head, &["remember", "Two."]).ok();
    let note = place.run(["log", "checkpoint"]).ok().stdout();
    let asked = script.asked();
    assert_eq!(
        asked.len(),
        3,
        "once before anything is written, and for each entry"
    );
    let bodies = asked.iter().map(|it| it.split_once("\r\n\r\n").unwrap().1);
    let bodies: Vec<&str> = bodies.collect();
    for request in &asked {
        assert!(
            request.starts_with("POST /w/add-checkpoint HTTP/1.1\r\n"),
            "{request}"
        );
    }
    assert!(bodies[0].starts_with("old 0\n\n"), "{}", bodies[0]);
    let sizes: Vec<_> = bodies
        .iter()
        .map(|body| body.lines().next().unwrap())
        .collect();
    let at = size(&place);
    assert_eq!(
        sizes[1..],
        [format!("old {}", at - 2), format!("old {}", at - 1)]
    );
    let (head, sent) = bodies[2].split_once("\n\n").unwrap();
    assert_eq!(sent, note);
    let proof = place.json(["log", "consistency", "--from", &(at - 1).to_string()]);
    let hashes = proof["hashes"].as_array().unwrap().iter();
    let hashes: Vec<&str> = hashes.map(|hash| hash.as_str().unwrap()).collect();
    assert_eq!(head.lines().skip(1).collect::<Vec<_>>(), hashes);
    let cosigned = fs::read_to_string(kept(&place, ".cosigned").unwrap()).unwrap();
    assert_eq!(cosigned, note + LINE);
}

/// A witness that knows more than was submitted behind a commit: the next command fails closed, and so does each until it is settled.
#[test]
fn a_contradiction_behind_a_commit_is_recorded() {
    let place = Place::with_memories();
    let script = Script::new(|request| match request.contains("old 0\n") {
        true => answer("200 OK", "", LINE),
        false => conflict("99\n"),
    });
    let ran = with(&place, &script.head, &["remember", "One."]);
    assert!(
        ran.ok().stderr().contains("has cosigned 99 entries"),
        "{}",
        ran.stderr()
    );
    for command in [
        &["recall", "Nadia"][..],
        &["remember", "more"],
        &["log", "checkpoint"],
    ] {
        let ran = with(&place, &script.head, command);
        let said = ran.code(2).stderr();
        assert!(
            said.contains("reconcile --from") && said.contains("knows 99"),
            "{said}"
        );
    }
    place.run(["recall", "Nadia"]).ok();
    fs::write(kept(&place, ".conflict").unwrap(), "size many\n").unwrap();
    with(&place, &script.head, &["recall", "Nadia"]).code(2);
}

/// A witness that cannot be reached holds up no command, and is named with its lag.
#[test]
fn a_witness_that_is_gone_holds_up_nobody() {
    let place = Place::with_memories();
    let (peer, served, head) = run_by_a_peer(&place);
    with(&place, &head, &["remember", "One."]).ok();
    drop((served, peer));
    let began = Instant::now();
    let ran = with(&place, &head, &["remember", "Two."]);
    let said = ran.ok().stderr();
    assert!(said.contains(&head) && said.contains("lags"), "{said}");
    remembered(&place);
    with(&place, &head, &["recall", "heron"]).ok();
    assert!(began.elapsed() < Duration::from_secs(9));
    let doctor = with(&place, &head, &["check"]);
    assert!(doctor.ok().stdout().contains(&format!("{head}: 2 behind")));
    for wrong in ["witness:", "witness:ftp://x", "witness:http://"] {
        with(&place, wrong, &["recall", "heron"]).code(3);
    }
    let ran = with(&place, "witness:http://10.0.0.1", &["remember", "Three."]);
    assert!(ran.ok().stderr().contains("https"), "{}", ran.stderr());
}

/// Twice ten seconds are the most that it takes: before the first entry and behind it.
#[test]
fn a_witness_that_says_nothing_is_not_waited_for() {
    let place = Place::with_memories();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let head = format!("witness:http://{}", listener.local_addr().unwrap());
    let began = Instant::now();
    let ran = with(&place, &head, &["remember", "One."]);
    assert!(ran.ok().stderr().contains("timed out"), "{}", ran.stderr());
    assert!(began.elapsed() < Duration::from_secs(40));
    with(&place, &head, &["recall", "heron"]).ok();
}

/// Answers that no witness gives keep nothing, record nothing, and are read to a limit.
#[test]
fn answers_that_no_witness_gives_change_nothing() {
    let elsewhere = Script::new(|_| answer("200 OK", "", LINE));
    let target = elsewhere.head.strip_prefix("witness:").unwrap();
    let location = format!("location: {target}/add-checkpoint\r\n");
    let endless = || {
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
        [head, chunk.repeat(400)].concat()
    };
    for (number, (bad, named)) in [
        (endless(), "above 16 KiB"),
        (
            answer("307 Temporary Redirect", &location, ""),
            "status 307",
        ),
        (answer("500 Internal Server Error", "", "x"), "status 500"),
        (answer("200 OK", "", ""), "no signature"),
        (answer("200 OK", "", "a line of text\n"), "no signature"),
        (answer("200 OK", "", "— w.example x\n"), "no signature"),
        (
            answer("200 OK", "content-encoding: gzip\r\n", LINE),
            "encoded",
        ),
        (answer("404 Not Found", "", ""), "does not know this log"),
        (answer("403 Forbidden", "", ""), "another key"),
        (
            answer("422 Unprocessable Entity", "", ""),
            "contradicts itself",
        ),
        (answer("409 Conflict", "", "99\n"), "contradicts itself"),
        (conflict("many\n"), "contradicts itself"),
        (conflict("099\n"), "contradicts itself"),
        (conflict("0\n"), "contradicts itself"),
        (b"no HTTP at all\r\n\r\n".to_vec(), "gives no answer"),
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place::with_memories();
        let script = Script::new(move |_| bad.clone());
        let ran = with(&place, &script.head, &["remember", "One."]);
        let said = ran.ok().stderr();
        assert!(
            said.contains("lags") && said.contains(named),
            "{number}: {said}"
        );
        assert_eq!(
            (kept(&place, ".cosigned"), kept(&place, ".conflict")),
            (None, None),
            "{number}"
        );
        with(&place, &script.head, &["recall", "heron"]).ok();
    }
    assert!(elsewhere.asked().is_empty(), "no redirect is followed");
}

/// The endpoint of a peer, asked by others than this program.
#[test]
fn the_endpoint_answers_as_the_protocol_says() {
    let place = Place::with_memories();
    let (peer, mut served, head) = run_by_a_peer(&place);
    let post = |served: &Served, body: &str| served.post("/witness/add-checkpoint", body);
    let note = place.run(["log", "checkpoint"]).ok().stdout();
    let first = format!("old 0\n\n{note}");
    assert!(post(&served, "old 0\n").starts_with("HTTP/1.1 400"));
    assert!(post(&served, &format!("{first}{}", "x".repeat(40_000))).starts_with("HTTP/1.1 400"));
    let other = Place::new();
    let others = other.run(["log", "checkpoint"]).ok().stdout();
    assert!(post(&served, &format!("old 0\n\n{others}")).starts_with("HTTP/1.1 404"));
    let letter = note.find("counterfoil-map/v1 ").unwrap() + 24;
    let other_letter = if note[letter..].starts_with('A') {
        "B"
    } else {
        "A"
    };
    let forged = format!("{}{other_letter}{}", &note[..letter], &note[letter + 1..]);
    assert!(post(&served, &format!("old 0\n\n{forged}")).starts_with("HTTP/1.1 403"));
    let cosigned = post(&served, &first);
    assert!(
        cosigned.starts_with("HTTP/1.1 200") && cosigned.contains("— "),
        "{cosigned}"
    );
    // It is on disk: after a restart the size is the same, and the client goes on from there.
    served.signal("-TERM");
    served.ended();
    let served = Served::with(&peer, &["--witness"]);
    let again = post(&served, &first);
    assert!(again.starts_with("HTTP/1.1 409"), "{again}");
    assert!(
        again
            .to_lowercase()
            .contains("content-type: text/x.tlog.size\r\n"),
        "{again}"
    );
    assert!(
        again.ends_with(&format!("\r\n\r\n{}\n", size(&place))),
        "{again}"
    );
    let moved = format!("witness:{}/witness", served.url);
    assert_ne!(moved, head);
    with(&place, &moved, &["remember", "One."]).ok();
    assert!(kept(&place, ".cosigned").is_some());
    drop(served);
    // A server that was not asked to be one is no witness.
    let served = Served::new(&peer);
    assert!(post(&served, &first).starts_with("HTTP/1.1 404"));
}
