//! MCP over HTTP: a real client with a key, and requests as bytes.

use std::io::{Read, Write};
use std::net::TcpStream as Socket;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, UnixSocketHttpClient};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpStream, UnixListener};

use crate::client::{ALL, Answer, Api, MOST};

/// Media types that a client accepts.
pub(crate) const ACCEPT: &str = "accept: application/json, text/event-stream\r\n";

/// A client whose user agrees, or does not.
#[derive(Clone)]
struct Host {
    agrees: bool,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let mut answer = ElicitResult::new(match self.agrees {
            true => ElicitationAction::Accept,
            false => ElicitationAction::Decline,
        });
        answer.content = Some(json!({"erase": self.agrees}));
        Ok(answer)
    }
}

/// A conversation under a key. The client of `rmcp` that needs no TLS speaks to a socket file, which leads to the server.
struct Agent {
    _folder: TempDir,
    service: RunningService<RoleClient, Host>,
}

impl Agent {
    async fn start(api: &Api, token: &str, agrees: bool, lifecycle: ClientLifecycleMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api");
        let listener = UnixListener::bind(&path).unwrap();
        let address = api.address().to_owned();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut far = TcpStream::connect(&address).await.unwrap();
                tokio::spawn(
                    async move { tokio::io::copy_bidirectional(&mut near, &mut far).await },
                );
            }
        });
        let uri = format!("http://{}/mcp", api.address());
        let mut config = StreamableHttpClientTransportConfig::with_uri(uri.as_str());
        config.auth_header = Some(token.to_owned());
        let client = UnixSocketHttpClient::new(path.to_str().unwrap(), &uri);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let service = Host { agrees }
            .serve_with_lifecycle(transport, lifecycle)
            .await;
        Self {
            _folder: folder,
            service: service.unwrap(),
        }
    }

    async fn tools(&self) -> Vec<String> {
        let tools = self.service.list_all_tools().await.unwrap();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    /// Calls a tool; gives its document, or the words of the protocol's refusal.
    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let arguments = arguments.as_object().unwrap().clone();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(params).await;
        let result = result.map_err(|error| error.to_string())?;
        Ok(result.structured_content.unwrap_or_default())
    }

    async fn done(&self, tool: &str, arguments: Value) -> Value {
        let document = self.call(tool, arguments).await.unwrap();
        assert_ne!(document["type"], "counterfoil/error", "{tool}: {document}");
        document
    }

    async fn refused(&self, tool: &str, arguments: Value) -> String {
        let document = self.call(tool, arguments).await.unwrap();
        assert_eq!(document["type"], "counterfoil/error", "{tool}: {document}");
        document["code"].as_str().unwrap().to_owned()
    }

    async fn reads(&self, uri: &str) -> bool {
        let params = ReadResourceRequestParams::new(uri);
        self.service.read_resource(params).await.is_ok()
    }
}

/// Both ways to begin: without sessions (2026-07-28), and with one.
fn lifecycles() -> [ClientLifecycleMode; 2] {
    let newest = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    [newest, ClientLifecycleMode::Initialize]
}

/// Opens a session; gives its id.
pub(crate) fn open(api: &Api, token: &str) -> Result<String, Answer> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }});
    let answer = api.send(token, "POST /mcp", ACCEPT, &message.to_string());
    match answer.header("mcp-session-id") {
        Some(id) => Ok(id.to_owned()),
        None => Err(answer),
    }
}

/// Sends a message within a session.
fn say(api: &Api, token: &str, session: &str, method: &str) -> Answer {
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": method});
    let more = format!("{ACCEPT}mcp-session-id: {session}\r\n");
    api.send(token, "POST /mcp", &more, &message.to_string())
}

/// Opens the stream of a session, and reads until its head is there.
fn stream(api: &Api, token: &str, session: &str) -> (Socket, String) {
    let mut stream = Socket::connect(api.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         connection: close\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        read.extend(byte);
    }
    (stream, String::from_utf8(read).unwrap())
}

/// MCP-1; mutant `mcp-says-user`: what a model called under the key of a user's application was the word of the user.
#[tokio::test]
async fn what_a_model_calls_under_a_users_key_is_the_word_of_a_model() {
    let api = Api::start();
    let token = api.key("user=kit", ALL, "user");
    for (subject, lifecycle) in ["Kit", "Bo"].into_iter().zip(lifecycles()) {
        let agent = Agent::start(&api, &token, true, lifecycle).await;
        let text = format!("{subject} likes tea");
        let made = agent.done("remember", json!({"text": text})).await;
        let fact = json!({"subject": subject, "predicate": "lives_in", "value": "Porto"});
        let stated = agent.done("state_fact", fact).await;
        assert_eq!(stated["said_by"], "model_derived");
        let line = json!({"subject": subject, "predicate": "lives_in"});
        let believed = agent.done("believe", line).await;
        let value = &believed["beliefs"][0]["values"][0];
        assert_eq!(value["said_by"], json!(["model_derived"]), "{believed}");
        // The same as the other doors see it.
        let path = format!("/v1/memories/{}", made["id"].as_str().unwrap());
        let shown = api.get(&token, &path).json();
        assert_eq!(shown["data"]["channel"], "model", "{shown}");
        assert_eq!(shown["scope"], json!({"user": "kit"}));
        assert_eq!(shown["text"], text);
    }
}

/// MCP-2; mutant `mcp-all-tools`: a key that may recall was offered every tool.
#[tokio::test]
async fn the_rights_of_a_key_decide_its_tools() {
    let api = Api::start();
    let made = api.command(&["remember", "Kit likes tea"]);
    let id = made["id"].clone();
    let hide = json!({"id": id, "reason": "asked", "mode": "hide"});
    let erase = json!({"id": id, "reason": "asked", "mode": "erase"});
    let line = json!({"subject": "Kit", "predicate": "likes"});
    let uses: [(&str, Value, &[&str]); 12] = [
        ("remember", json!({"text": "Bo likes tea"}), &["remember"]),
        ("recall", json!({"query": "tea"}), &["recall"]),
        ("believe", json!({"subject": "Kit"}), &["believe"]),
        (
            "state_fact",
            json!({"subject": "Kit", "predicate": "likes", "value": "tea"}),
            &["state"],
        ),
        ("why", json!({"id": id}), &["recall"]),
        ("why", line.clone(), &["believe"]),
        (
            "correct",
            json!({"id": id, "text": "Kit likes green tea", "reason": "r"}),
            &["remember"],
        ),
        ("prove", json!({"ids": [id], "summary": "tea"}), &["prove"]),
        ("check", json!({"ids": [id]}), &["recall"]),
        (
            "check",
            json!({"proof": {}}),
            &[
                "recall", "remember", "forget", "erase", "believe", "state", "prove", "export",
                "import",
            ],
        ),
        ("forget", hide, &["forget"]),
        ("forget", erase, &["erase"]),
    ];
    for right in ALL.split(',') {
        let token = api.key("", right, "user");
        let newest = lifecycles()[0].clone();
        let agent = Agent::start(&api, &token, false, newest).await;
        let offered = agent.tools().await;
        for (tool, arguments, rights) in &uses {
            let may = rights.contains(&right);
            let is_offered = offered.iter().any(|it| it == tool);
            let called = agent.call(tool, arguments.clone()).await;
            let expected = match (may, is_offered) {
                (true, _) => {
                    is_offered && called.as_ref().is_ok_and(|it| it["code"] != "forbidden")
                }
                (false, true) => called.as_ref().is_ok_and(|it| it["code"] == "forbidden"),
                (false, false) => called.is_err(),
            };
            assert!(expected, "{right} {tool} {arguments} {called:?}");
        }
        let mut tools: Vec<&str> = uses
            .iter()
            .filter(|(.., rights)| rights.contains(&right))
            .map(|it| it.0)
            .collect();
        tools.dedup();
        assert_eq!(offered.len(), tools.len(), "{right} {offered:?}");
        let receipt = format!("counterfoil://receipt/{}", id.as_str().unwrap());
        for (uri, needed) in [
            ("counterfoil://recent", "recall"),
            ("counterfoil://contested", "believe"),
            (receipt.as_str(), "recall"),
        ] {
            assert_eq!(agent.reads(uri).await, right == needed, "{right} {uri}");
        }
    }
}

/// MCP-2: another scope, and the session of another key.
#[tokio::test]
async fn a_key_reaches_neither_another_scope_nor_another_keys_session() {
    let api = Api::start();
    let (kit, ada) = (
        api.key("user=kit", MOST, "model"),
        api.key("user=ada", MOST, "model"),
    );
    for lifecycle in lifecycles() {
        let agent = Agent::start(&api, &kit, true, lifecycle.clone()).await;
        let made = agent
            .done("remember", json!({"text": "The code is 1234"}))
            .await;
        let id = &made["id"];
        let proven = json!({"ids": [id], "summary": "the code"});
        let proof = agent.done("prove", proven.clone()).await;
        assert!(agent.reads(proof["proof"].as_str().unwrap()).await);

        let other = Agent::start(&api, &ada, true, lifecycle).await;
        let found = other.done("recall", json!({"query": "code 1234"})).await;
        assert_eq!(found["items"], json!([]));
        for (tool, arguments) in [
            ("why", json!({"id": id})),
            (
                "correct",
                json!({"id": id, "text": "The code is 1", "reason": "r"}),
            ),
            (
                "forget",
                json!({"id": id, "reason": "asked", "mode": "hide"}),
            ),
            ("prove", proven),
            ("check", json!({"proof": proof["proof"]})),
        ] {
            let unknown = json!({"id": "mem_00000000000000000000000000000000"});
            let mut absent = arguments.clone();
            if absent.get("id").is_some() {
                absent["id"] = unknown["id"].clone();
            }
            let code = other.refused(tool, arguments).await;
            if absent.get("id").is_some() {
                assert_eq!(code, other.refused(tool, absent).await, "{tool}");
            }
        }
        assert!(!other.reads(proof["proof"].as_str().unwrap()).await);
        let receipt = format!("counterfoil://receipt/{}", id.as_str().unwrap());
        assert!(!other.reads(&receipt).await);
    }
    let session = open(&api, &kit).unwrap();
    assert_eq!(say(&api, &ada, &session, "tools/list").status, 404);
    assert_eq!(say(&api, &kit, &session, "tools/list").status, 200);
}

/// AGT-2 over HTTP.
#[tokio::test]
async fn nothing_is_erased_over_http_without_the_users_consent() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    for lifecycle in lifecycles() {
        for (agrees, became) in [(false, "kept"), (true, "erased")] {
            let agent = Agent::start(&api, &token, agrees, lifecycle.clone()).await;
            let text = format!("The code is {agrees} {lifecycle:?}");
            let made = agent.done("remember", json!({"text": text})).await;
            let erase = json!({"id": made["id"], "reason": "asked", "mode": "erase"});
            let done = agent.done("forget", erase).await;
            assert_eq!(done["became"], became, "{lifecycle:?}");
            let path = format!("/v1/memories/{}", made["id"].as_str().unwrap());
            let is_there = api.get(&token, &path).json().get("text").is_some();
            assert_eq!(is_there, !agrees);
        }
    }
    // Only the user's own applications may ask.
    let model = api.key("", MOST, "model");
    let newest = lifecycles()[0].clone();
    let agent = Agent::start(&api, &model, true, newest).await;
    let made = agent
        .done("remember", json!({"text": "The code is 7"}))
        .await;
    let erase = json!({"id": made["id"], "reason": "asked", "mode": "erase"});
    assert_eq!(agent.refused("forget", erase).await, "forbidden");
}

/// MCP-3; mutant `mcp-outlives-its-key`: a stream went on after its key was revoked.
#[test]
fn a_revoked_key_ends_its_sessions_and_streams() {
    let api = Api::start();
    let (token, other) = (api.key("", MOST, "model"), api.key("", MOST, "model"));
    let listed = api.command(&["key-for", "--list"]);
    let session = open(&api, &token).unwrap();
    let others = open(&api, &other).unwrap();
    let (mut left, head) = stream(&api, &token, &session);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (stays, _) = stream(&api, &other, &others);
    assert_eq!(say(&api, &token, &session, "tools/list").status, 200);

    api.command(&[
        "key-for",
        "--revoke",
        listed["items"][0]["id"].as_str().unwrap(),
    ]);
    let refused = say(&api, &token, &session, "tools/list");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (401, "unauthorized")
    );
    // A stream that goes on has a sign of life every 15 seconds.
    left.set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let revoked = Instant::now();
    let ended = left.read_to_string(&mut String::new());
    assert!(
        ended.is_ok() && revoked.elapsed() < Duration::from_secs(10),
        "{ended:?}"
    );
    // The sessions of other keys go on.
    stays
        .set_read_timeout(Some(Duration::from_millis(1_500)))
        .unwrap();
    let more = (&stays).read_to_string(&mut String::new());
    assert!(
        more.is_err(),
        "the stream of a key that is valid has no end"
    );
    assert_eq!(say(&api, &other, &others, "tools/list").status, 200);
}

/// MCP-3; mutant `mcp-sessions-unbounded`.
#[test]
fn a_key_has_32_sessions_and_a_server_64_streams() {
    let api = Api::start();
    let (token, other) = (api.key("", MOST, "model"), api.key("", MOST, "model"));
    let mut sessions = Vec::new();
    let mut streams = Vec::new();
    for _ in 0..32 {
        let session = open(&api, &token).unwrap();
        streams.push(stream(&api, &token, &session).0);
        sessions.push(session);
    }
    // All are in use.
    let refused = open(&api, &token).unwrap_err();
    assert_eq!((refused.status, refused.code().as_str()), (503, "busy"));
    let others = open(&api, &other).unwrap();
    // One that its client left without a word gives way.
    drop(streams.remove(0));
    let left = Instant::now();
    let newest = loop {
        match open(&api, &token) {
            Ok(session) => break session,
            Err(refused) => assert_eq!(refused.status, 503),
        }
        assert!(left.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(say(&api, &token, &sessions[0], "tools/list").status, 404);
    assert_eq!(say(&api, &token, &newest, "tools/list").status, 200);
    let end = format!("mcp-session-id: {newest}\r\n");
    assert_eq!(api.send(&token, "DELETE /mcp", &end, "").status, 204);
    assert_eq!(say(&api, &token, &newest, "tools/list").status, 404);

    while streams.len() < 64 {
        let session = open(&api, &other).unwrap();
        streams.push(stream(&api, &other, &session).0);
        if streams.len() < 64 {
            streams.push(stream(&api, &other, &session).0);
        }
    }
    assert_eq!(say(&api, &other, &others, "tools/list").status, 503);
    assert_eq!(api.get(&token, "/v1/head").status, 200);
}

/// Calls under way were cut off when the server ended, and their clients did not know what had become of them.
#[test]
fn a_call_under_way_is_answered_before_the_server_ends() {
    let mut api = Api::start();
    let token = api.key("", MOST, "model");
    let session = open(&api, &token).unwrap();
    let (mut events, _) = stream(&api, &token, &session);
    // Who else writes makes the call wait.
    let other = rusqlite::Connection::open(api.store.join("memory.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "remember", "arguments": {"text": "The kettle is new"},
    }});
    let more = format!("{ACCEPT}mcp-session-id: {session}\r\n");
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| api.send(&token, "POST /mcp", &more, &call.to_string()));
        std::thread::sleep(Duration::from_millis(700));
        assert!(!asked.is_finished());
        api.terminate();
        std::thread::sleep(Duration::from_millis(700));
        other.execute_batch("ROLLBACK").unwrap();
        asked.join().unwrap()
    });
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("\"became\":\"new\""), "{answer:?}");
    // A stream is no call: it ends with the server, which does not wait for it.
    let ending = Instant::now();
    events.read_to_string(&mut String::new()).unwrap();
    assert_eq!(api.ended(), Some(0));
    assert!(
        ending.elapsed() < Duration::from_secs(4),
        "{:?}",
        ending.elapsed()
    );
    let recalled = api.command(&["recall", "kettle"]);
    assert_eq!(recalled["items"][0]["text"], "The kettle is new");
}

/// API-1, API-4: what is refused before a message is read, and what the log holds.
#[test]
fn requests_to_mcp_are_checked_as_all_others_and_the_log_holds_no_message() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    let session = open(&api, &token).unwrap();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let with = |more: &str| {
        let more = format!("{ACCEPT}mcp-session-id: {session}\r\n{more}");
        api.send(&token, "POST /mcp", &more, &list).status
    };
    assert_eq!(with(""), 200);
    assert_eq!(with("origin: http://localhost:3000\r\n"), 200);
    for origin in [
        "http://evil.example",
        "https://localhost.evil.example",
        "null",
    ] {
        assert_eq!(with(&format!("origin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(with("host: localhost\r\n"), 400);
    let rebound = format!(
        "POST /mcp HTTP/1.1\r\nhost: evil.example\r\nauthorization: Bearer {token}\r\n\
         connection: close\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n"
    );
    assert_eq!(api.raw(rebound.as_bytes()).status, 403);
    for wrong in ["", "x", &token[..token.len() - 1]] {
        assert_eq!(open(&api, wrong).unwrap_err().status, 401);
    }
    let put = api.send(&token, "PUT /mcp", "", "");
    assert_eq!(
        (put.status, put.header("allow")),
        (405, Some("POST, GET, DELETE"))
    );
    assert_eq!(api.send(&token, "GET /mcp/", "", "").status, 404);
    let deep = format!("{}1{}", "[".repeat(99), "]".repeat(99));
    for body in ["", "{", r#"{"method":"a","method":"b"}"#, &deep] {
        let answer = api.send(&token, "POST /mcp", ACCEPT, body);
        assert_eq!((answer.status, answer.code().as_str()), (400, "input"));
    }
    let large = format!("content-length: {}\r\n", 17 << 20);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\n{ACCEPT}{large}\r\n"
    );
    assert_eq!(api.raw(head.as_bytes()).status, 413);

    let message = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params":
        {"name": "remember", "arguments": {"text": "Kit likes marzipan", "who": 7}}});
    for (message, more) in [
        (
            message.to_string(),
            format!("mcp-session-id: {session}\r\n"),
        ),
        (
            message.to_string(),
            "mcp-session-id: marzipan\r\n".to_owned(),
        ),
        (r#"{"marzipan": 1}"#.to_owned(), String::new()),
    ] {
        let more = format!("{ACCEPT}{more}");
        api.send(&token, "POST /mcp", &more, &message);
    }
    let log = api.end();
    let secret = token.rsplit('_').next().unwrap();
    assert!(log.contains("\"/mcp\"") && log.contains("key_"), "{log}");
    for hidden in ["marzipan", secret, &session] {
        assert!(!log.contains(hidden), "{log}");
    }
}
