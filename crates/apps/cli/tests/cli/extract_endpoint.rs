//! `extract --with endpoint`: a model on this machine, that answers well, badly or not at all (I5).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::extract::with_chat;
use crate::place::Place;

/// A server that gives each request the same answer.
fn model(status: u16, body: String) -> String {
    serving(move |_, _| (status, body.clone()))
}

/// A server that answers what it is asked, by head and body in lower case and JSON, with status and body.
pub(crate) fn serving(
    mut answers: impl FnMut(&str, &Value) -> (u16, String) + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
            let head = head.to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let mut asked = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            reader.read_exact(&mut asked).unwrap();
            let asked: Value = serde_json::from_slice(&asked).unwrap();
            let (status, body) = answers(&head, &asked);
            let answer = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/v1")
}

fn asks(place: &Place, url: &str) {
    std::fs::write(
        place.dir().join("extract.toml"),
        format!("[endpoint]\nurl = \"{url}\"\nmodel = \"m\"\nretries = 0\n"),
    )
    .unwrap();
}

/// I5: a model that was talked into something proposes it, and that is all.
#[test]
fn a_model_proposes_and_what_is_wrong_is_skipped() {
    let place = with_chat();
    place.run(["claim", "add", "Ada", "lives_in", "Porto"]).ok();
    let claims = json!({"claims": [
        {"turn": 0, "subject": "Ada", "predicate": "lives_in", "value": "Mars", "cardinality": "one", "provenance": "user_asserted"},
        {"turn": 0, "subject": "Ada", "predicate": "", "value": 1},
    ]});
    let message = json!({"choices": [{"message": {"content": claims.to_string()}}]});
    asks(&place, &model(200, message.to_string()));
    let told = place.json(["extract", "--all", "--max", "1", "--with", "endpoint"]);
    // The newest entry is the claim itself, which is no memory.
    assert_eq!((&told["read"], &told["leftOut"]), (&json!(1), &json!(0)));
    let told = place.json(["extract", "--all", "--with", "endpoint"]);
    assert_eq!(
        (
            told["proposals"].as_u64(),
            told["skipped"].as_array().map(Vec::len)
        ),
        (Some(1), Some(1))
    );
    let belief: Value = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(belief["sides"].as_array().unwrap().len(), 1);
    assert_eq!(belief["sides"][0]["value"], "Porto");
    assert_eq!(belief["markers"], json!(["model_dissent"]));
}

/// A model that says of each turn what it heard; it gives no answer about more than two of them.
fn hearing(asked: &Value) -> (u16, String) {
    let turns: Value =
        serde_json::from_str(asked["messages"][1]["content"].as_str().unwrap()).unwrap();
    let turns = turns["turns"].as_array().unwrap();
    if turns.len() > 2 {
        return (200, "too much".into());
    }
    let claim = |turn: &Value| json!({"turn": turn["turn"], "subject": turn["speaker"], "predicate": "said", "value": turn["text"], "cardinality": "many"});
    let claims: Vec<Value> = turns.iter().map(claim).collect();
    let content = json!({ "claims": claims }).to_string();
    let message = json!({"choices": [{"message": {"content": content}}]});
    (200, message.to_string())
}

/// Several memories go in one request, each claim cites its own, and what fails together is asked about in halves. All of it
/// is a model's word.
#[test]
fn memories_are_asked_about_together() {
    let place = with_chat();
    let (sent, asked) = std::sync::mpsc::channel();
    let url = serving(move |_, asked| {
        sent.send(()).unwrap();
        hearing(asked)
    });
    asks(&place, &url);
    let told = place.json(["extract", "--all", "--with", "endpoint"]);
    assert_eq!(
        (told["read"].as_u64(), told["proposals"].as_u64()),
        (Some(4), Some(4))
    );
    assert_eq!(told["became"], json!({"committed_inferred": 4}));
    // Four at once, and two and two.
    assert_eq!(asked.try_iter().count(), 3);
    for proposal in told["listed"].as_array().unwrap() {
        let id = proposal["memory"].as_str().unwrap();
        let memory = place.json(["show", id]).to_string();
        let said = proposal["value"].as_str().unwrap();
        assert!(memory.contains(said), "{memory} {said}");
    }
}

#[test]
fn an_endpoint_that_fails_is_told_and_nothing_is_lost() {
    let place = with_chat();
    asks(&place, &model(401, "no".into()));
    place
        .run(["extract", "--all", "--with", "endpoint"])
        .refused(3, "401");
    asks(&place, &model(200, "<html>".into()));
    let ran = place.run(["--json", "extract", "--all", "--with", "endpoint"]);
    ran.refused(3, "could not be read");
    assert_eq!(ran.json()["unreadable"].as_array().unwrap().len(), 4);
    std::fs::write(
        place.dir().join("extract.toml"),
        "[endpoint]\nurl = \"http://10.0.0.1\"\nmodel = \"m\"\n",
    )
    .unwrap();
    place
        .run(["extract", "--all", "--with", "endpoint"])
        .refused(3, "https");
}
