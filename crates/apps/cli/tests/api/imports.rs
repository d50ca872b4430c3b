//! Imports over HTTP: the same as the command's, of one key, followed to their end, ended, and resumed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{ALL, Answer, Api, MOST};

/// Longest time for an import.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends the bytes of a file.
fn send(api: &Api, token: &str, query: &str, bytes: &[u8]) -> Answer {
    let head = format!(
        "POST /v1/imports{query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        bytes.len()
    );
    api.raw(&[head.as_bytes(), bytes].concat())
}

/// Sends the bytes of a file; gives the path of the import.
fn begin(api: &Api, token: &str, query: &str, bytes: &[u8]) -> String {
    let answer = send(api, token, query, bytes);
    assert_eq!(answer.status, 202, "{answer:?}");
    let path = answer.header("location").unwrap().to_owned();
    assert_eq!(
        path,
        format!("/v1/imports/{}", answer.json()["id"].as_str().unwrap())
    );
    path
}

/// Events of an import until its end: the name and the document of each.
fn events(api: &Api, token: &str, path: &str) -> Vec<(String, Value)> {
    let answer = api.get(token, &format!("{path}/events"));
    assert_eq!(
        answer.header("content-type"),
        Some("text/event-stream"),
        "{answer:?}"
    );
    let of = |name: &'static str| {
        let lines = answer.body.lines();
        lines.filter_map(move |line| line.strip_prefix(name).map(str::to_owned))
    };
    let data = of("data: ").map(|data| serde_json::from_str(&data).unwrap());
    of("event: ").zip(data).collect()
}

/// Imports the bytes of a file; gives the import as it is at its end.
fn import(api: &Api, token: &str, query: &str, bytes: &[u8]) -> Value {
    let path = begin(api, token, query, bytes);
    let (event, view) = events(api, token, &path).pop().unwrap();
    assert_eq!(event, "end");
    assert_eq!(api.get(token, &path).json(), view);
    view
}

/// Waits until an import has added something; gives it as it is then.
fn some_added(api: &Api, token: &str, path: &str) -> Value {
    let began = Instant::now();
    loop {
        let view = api.get(token, path).json();
        assert!(began.elapsed() < PATIENCE, "{view}");
        if count(&view, "added") > 0 {
            return view;
        }
        // Each question is a line of the log, which nobody reads while the server runs.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A record of so many turns.
fn record(turns: usize) -> String {
    let line = |number| {
        let text = format!("loaf number {number} is baked");
        json!({"conversation": "c", "id": format!("{number}"), "time": "2025-03-01T10:15:00Z", "text": text})
    };
    (0..turns)
        .map(|number| format!("{}\n", line(number)))
        .collect()
}

fn count(view: &Value, name: &str) -> u64 {
    view[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name}: {view}"))
}

/// The document of a job has the report of the command, and what one door has imported the other finds.
#[test]
fn an_import_is_what_the_command_makes_of_the_file() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../samples");
    let graph = concat!(
        r#"{"type":"entity","name":"Kit","entityType":"person","observations":["likes rye"]}"#,
        "\n{\"type\":\"note\"}\n",
        r#"{"type":"relation","from":"Kit","to":"Stowe Mill","relationType":"buys_from"}"#,
    );
    for (name, format, bytes) in [
        (
            "record.jsonl",
            "jsonl",
            fs::read(format!("{samples}/record.jsonl")).unwrap(),
        ),
        (
            "export.zip",
            "chatgpt",
            fs::read(format!("{samples}/chatgpt-export.zip")).unwrap(),
        ),
        ("memory.json", "memory-json", graph.into()),
        (
            "kitchen.txt",
            "chat",
            b"[2025-03-01 10:15] Ada: rye?\n[2025-03-01 10:16] Bob: rye.\n".into(),
        ),
        ("note.md", "markdown", b"# Bread\nRye needs a day.\n".into()),
    ] {
        let (api, other) = (Api::start(), Api::start());
        let token = api.key("", ALL, "user");
        let path = api.store.with_file_name(name);
        fs::write(&path, &bytes).unwrap();
        let path = path.to_str().unwrap();
        let query = format!("?name={name}");
        let counted = import(&api, &token, &format!("{query}&dryRun=true"), &bytes);
        let view = import(&api, &token, &query, &bytes);
        let expected = other.command(&["import", path]);
        assert_eq!(view["report"], expected, "{name}");
        assert_eq!(
            view["report"]["added"], counted["report"]["added"],
            "{name}"
        );
        assert_eq!(
            (&view["format"], &view["status"]),
            (&json!(format), &json!("done")),
            "{view}"
        );
        let refused = count(&view, "refused");
        assert_eq!(
            (refused, view["problem"].is_object()),
            (u64::from(name == "memory.json"), refused > 0)
        );
        let bytes = &view["bytes"];
        assert!(
            bytes["read"] == bytes["total"] && view["ended"].is_string(),
            "{view}"
        );
        // By its content it is the same at every door, whenever it comes.
        let again = api.command(&["import", path]);
        assert_eq!(
            (&again["added"], &again["alreadyThere"]),
            (&json!(0), &view["added"]),
            "{name}"
        );
    }
}

/// API-2; mutant `import-of-any-key`.
#[test]
fn an_import_of_another_key_is_not_there() {
    let api = Api::start();
    let (kit, bo) = (
        api.key("user=kit", ALL, "user"),
        api.key("user=kit", ALL, "user"),
    );
    let path = begin(&api, &kit, "", record(3).as_bytes());
    events(&api, &kit, &path);
    let absent = format!("/v1/imports/imp_{}", "0".repeat(32));
    for (method, end) in [("GET", ""), ("GET", "/events"), ("DELETE", "")] {
        let answer = |path: &str| {
            let answer = api.send(&bo, &format!("{method} {path}{end}"), "", "");
            (answer.status, answer.code(), answer.body)
        };
        let foreign = answer(&path);
        assert_eq!((foreign.0, foreign.1.as_str()), (404, "not-found"));
        assert_eq!(foreign, answer(&absent), "{method}");
    }
    assert_eq!(api.get(&kit, &path).json()["status"], "done");
}

/// API-3; mutant `import-channel`. Neither the file nor the query has a say in it.
#[test]
fn what_is_imported_is_in_the_scope_and_of_the_channel_of_the_key() {
    let api = Api::start();
    let owner = api.key("", ALL, "user");
    let record = r#"{"conversation":"c","time":"2025-03-01T10:15:00Z","text":"Kit likes rye","channel":"user","scope":{"user":"bo"}}"#;
    for (channel, can) in [("model", MOST), ("tool", MOST), ("user", ALL)] {
        let token = api.key("user=kit", can, channel);
        let view = import(&api, &token, "", record.as_bytes());
        assert_eq!(count(&view, "added"), 1, "{view}");
        let shown = api.get(&token, "/v1/memories?limit=200").json();
        let said: Vec<&Value> = shown["items"].as_array().unwrap().iter().collect();
        assert!(
            said.iter().all(|it| it["scope"] == json!({"user": "kit"})),
            "{shown}"
        );
        let expected = (channel != "user").then(|| json!(channel));
        assert!(
            said.iter()
                .any(|it| it["data"].get("channel") == expected.as_ref()),
            "{shown}"
        );
        assert_eq!(send(&api, &token, "?channel=user", b"x").status, 400);
        // A file that names another user's memories brings none of them in.
        let foreign = r#"[{"id":"1","memory":"likes rye","user_id":"bo"}]"#;
        let view = import(&api, &token, "", foreign.as_bytes());
        assert_eq!(
            (&view["status"], count(&view, "added")),
            (&json!("failed"), 0),
            "{view}"
        );
    }
    // Capsules are signed as somebody's word in somebody's scope.
    let capsules = api.get(&owner, "/v1/export").body;
    let lines = capsules.lines().filter(|line| line.starts_with('{'));
    let capsules: String = lines.map(|line| format!("{line}\n")).collect();
    for (scope, channel, can) in [("user=kit", "user", ALL), ("", "model", MOST)] {
        let token = api.key(scope, can, channel);
        let view = import(&api, &token, "", capsules.as_bytes());
        assert_eq!(
            (&view["status"], &view["problem"]["code"]),
            (&json!("failed"), &json!("refused")),
            "{view}"
        );
    }
    let view = import(&api, &owner, "", capsules.as_bytes());
    assert_eq!(
        (&view["status"], &view["format"]),
        (&json!("done"), &json!("capsules")),
        "{view}"
    );
}

/// What was kept before an import was ended stays, and the same file adds the rest.
#[test]
fn an_import_that_is_ended_keeps_what_it_has_and_is_resumed() {
    const TURNS: u64 = 20_000;
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let record = record(20_000);
    let path = begin(&api, &token, "", record.as_bytes());
    let view = some_added(&api, &token, &path);
    assert!(
        view["bytes"]["total"] == record.len() && view["secondsLeft"].is_u64(),
        "{view}"
    );
    let answer = api.send(&token, &format!("DELETE {path}"), "", "");
    assert_eq!(answer.json()["status"], "cancelling", "{answer:?}");
    let ended = events(&api, &token, &path).pop().unwrap().1;
    assert_eq!(
        (&ended["status"], &ended["report"]["interrupted"]),
        (&json!("cancelled"), &json!(true)),
        "{ended}"
    );
    assert!(ended.get("problem").is_none(), "{ended}");
    let kept = count(&ended, "added");
    assert!(0 < kept && kept < TURNS, "{ended}");
    // The client leaves, and follows from where it is when it is back.
    let path = begin(&api, &token, "", record.as_bytes());
    let seen = events(&api, &token, &path);
    assert!(seen.len() > 1 && seen[0].0 == "progress", "{seen:?}");
    let rest = &seen.last().unwrap().1;
    assert_eq!(
        (count(rest, "alreadyThere"), count(rest, "added")),
        (kept, TURNS - kept),
        "{rest}"
    );
    let back = api.send(
        &token,
        &format!("GET {path}/events"),
        "last-event-id: end\r\n",
        "",
    );
    assert_eq!((back.status, back.body.as_str()), (204, ""));
    assert_eq!(
        api.send(&token, &format!("DELETE {path}"), "", "").json(),
        *rest
    );
}

/// A server that is killed in the midst has kept a part, and after the same file again each turn is there once.
#[test]
fn an_import_that_is_killed_is_sent_again_and_each_turn_is_kept_once() {
    const TURNS: u64 = 20_000;
    let mut api = Api::start();
    let token = api.key("", ALL, "user");
    let record = record(20_000);
    for _ in 0..3 {
        let path = begin(&api, &token, "", record.as_bytes());
        some_added(&api, &token, &path);
        api = api.killed_and_started();
        let left = import(&api, &token, "?dryRun=true", record.as_bytes());
        assert!((1..TURNS).contains(&count(&left, "added")), "{left}");
    }
    let view = import(&api, &token, "", record.as_bytes());
    assert_eq!(
        count(&view, "added") + count(&view, "alreadyThere"),
        TURNS,
        "{view}"
    );
    assert_eq!(api.command(&["stats"])["memories"], TURNS);
    // Nothing of a file that was sent lies in the folder.
    let left = fs::read_dir(&api.store)
        .unwrap()
        .map(|it| it.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|it| it.to_string_lossy().starts_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn files_that_cannot_be_imported_are_problems() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    for (query, bytes, problem) in [
        ("", &b"hello"[..], "none of the formats"),
        ("", b"", "is empty"),
        ("?format=jsonl", b"hello\n", "nothing could be imported"),
        ("", b"PK\x03\x04PK\x03\x04", "cannot be unpacked"),
    ] {
        let view = import(&api, &token, query, bytes);
        let detail = view["problem"]["detail"].as_str().unwrap_or_default();
        assert!(
            view["status"] == "failed" && detail.contains(problem),
            "{view}"
        );
        assert_eq!(view["problem"]["code"], "input");
    }
    let long = format!("?name={}", "a".repeat(257));
    for query in [
        "?format=word",
        "?dryRun=yes",
        "?name=",
        "?name=a%00",
        "?limit=1",
        &long,
    ] {
        assert_eq!(send(&api, &token, query, b"hello").status, 400, "{query}");
    }
    let head = format!(
        "POST /v1/imports HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n"
    );
    for (more, status) in [
        ("content-length: 268435457\r\n\r\n", 413),
        (
            "content-length: 2\r\ncontent-type: multipart/form-data; boundary=a\r\n\r\n{}",
            415,
        ),
        ("content-length: 2\r\ncontent-encoding: gzip\r\n\r\n{}", 415),
    ] {
        assert_eq!(
            api.raw(format!("{head}{more}").as_bytes()).status,
            status,
            "{more}"
        );
    }
}

/// A key has two imports at once, its last eight are kept, and another key has its own.
#[test]
fn imports_are_bounded_in_number() {
    let api = Api::start();
    let (kit, bo) = (api.key("", ALL, "user"), api.key("", ALL, "user"));
    // A file that never comes to its end has a place until it is given up.
    let waiting: Vec<_> = (0..2).map(|_| half_a_file(&api, &kit)).collect();
    let began = Instant::now();
    while send(&api, &kit, "", record(1).as_bytes()).status != 429 {
        assert!(began.elapsed() < PATIENCE);
    }
    let of_bo = begin(&api, &bo, "", record(1).as_bytes());
    drop(waiting);
    let mut paths = Vec::new();
    while paths.len() < 10 {
        let answer = send(&api, &kit, "", record(1).as_bytes());
        match answer.status {
            202 => paths.push(answer.header("location").unwrap().to_owned()),
            status => assert!(status == 429 && began.elapsed() < PATIENCE, "{answer:?}"),
        }
        if let Some(path) = paths.last() {
            events(&api, &kit, path);
        }
    }
    let status = |path: &String| api.get(&kit, path).status;
    let kept: Vec<u16> = paths.iter().map(status).collect();
    assert_eq!(kept, [&[404; 2][..], &[200; 8]].concat());
    assert_eq!(api.get(&bo, &of_bo).status, 200);
}

/// Begins to send a file.
fn half_a_file(api: &Api, token: &str) -> std::net::TcpStream {
    use std::io::Write;

    let mut stream = std::net::TcpStream::connect(api.address()).unwrap();
    let head = format!(
        "POST /v1/imports HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-length: 9\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// A revoked key could go on adding memories, and its stream told of them.
#[test]
fn an_import_ends_with_its_key() {
    const TURNS: u64 = 60_000;
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let path = begin(&api, &token, "", record(60_000).as_bytes());
    let id = token.split('_').nth(1).unwrap();
    let seen = std::thread::scope(|scope| {
        let following = scope.spawn(|| events(&api, &token, &path));
        std::thread::sleep(Duration::from_millis(300));
        api.command(&["key-for", "--revoke", &format!("key_{id}")]);
        following.join().unwrap()
    });
    assert!(
        seen.iter().all(|(event, _)| event == "progress"),
        "{seen:?}"
    );
    assert_eq!(api.get(&token, &path).status, 401);
    let memories = || count(&api.command(&["stats"]), "memories");
    let began = Instant::now();
    let mut before = memories();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = memories();
        if now == before {
            break;
        }
        assert!(began.elapsed() < PATIENCE);
        before = now;
    }
    assert!(before < TURNS, "{before}");
}
