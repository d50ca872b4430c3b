//! What is said of each route.

use counterfoil_web::metrics;
use serde_json::{Map, Value, json};

use crate::problem::{MEDIA_TYPE, ProblemWord as Word};
use crate::server::routes::{Endpoint, Route};

/// What any request may meet.
const ANY: [Word; 5] = [
    Word::HttpSignature,
    Word::TooMany,
    Word::Busy,
    Word::Stopping,
    Word::Internal,
];
/// What a document may meet before anybody reads it.
const BODY: [Word; 6] = [
    Word::Malformed,
    Word::DigestMismatch,
    Word::UnsupportedType,
    Word::TooLarge,
    Word::TooSlow,
    Word::UnsupportedVersion,
];
/// What a request may meet in the responder.
const REQUEST: [Word; 7] = [
    Word::BadProof,
    Word::WrongAudience,
    Word::NotInTime,
    Word::RequestReplayed,
    Word::RequestIdConflict,
    Word::BadCursor,
    Word::SeenFull,
];

/// The paths of a route as OpenAPI names them, each with its operation.
pub(super) fn of(route: &Route) -> Vec<(String, Value)> {
    let one = |operation| vec![(route.path.to_owned(), operation)];
    match route.endpoint {
        Endpoint::Request => one(document(
            ("ask", "Answer a memory request"),
            ("memory_request", "memory_response"),
        )),
        Endpoint::Verify => one(document(
            ("verify", "Say what this agent says of its memory"),
            ("memory_verify", "verify_result"),
        )),
        Endpoint::Card => one(reading(
            ("agentCard", "The A2A agent card"),
            json_of(&reference("agent_card")),
            &[],
        )),
        Endpoint::Checkpoint => one(reading(
            ("checkpoint", "The signed checkpoint of the log"),
            text(),
            &[Word::NotFound],
        )),
        Endpoint::Tile => tiles(),
        Endpoint::Witness => one(witness()),
        Endpoint::Health => one(reading(
            ("health", "Whether the store can be read"),
            json_of(&reference("health")),
            &[],
        )),
        Endpoint::Metrics => one(reading(
            ("metrics", "Counts, for Prometheus"),
            json!({ metrics::MEDIA_TYPE: { "schema": { "type": "string" } } }),
            &[],
        )),
        Endpoint::OpenApi => one(reading(
            ("description", "This description"),
            json_of(&json!({ "type": "object" })),
            &[],
        )),
    }
}

fn document((id, summary): (&str, &str), (taken, given): (&str, &str)) -> Value {
    let mut operation = operation(
        (id, summary),
        json_of(&reference(given)),
        &[&BODY, &REQUEST],
    );
    operation.insert(
        "parameters".into(),
        json!([{
            "name": "Content-Digest", "in": "header", "required": false,
            "description": "RFC 9530, with sha-256. Checked where it is there.",
            "schema": { "type": "string", "pattern": "^sha-256=:[A-Za-z0-9+/]{43}=:$" },
        }]),
    );
    operation.insert(
        "requestBody".into(),
        json!({ "required": true, "content": json_of(&reference(taken)) }),
    );
    Value::Object(operation)
}

/// The answers of a witness are texts, and no problems.
fn witness() -> Value {
    let summary = "Keep a checkpoint of another log, and cosign it (C2SP tlog-witness)";
    let words = [Word::NotFound, Word::TooLarge, Word::TooSlow];
    let mut operation = operation(("addCheckpoint", summary), text(), &[&words]);
    let body = json!({ "required": true, "content": text() });
    operation.insert("requestBody".into(), body);
    if let Some(Value::Object(responses)) = operation.get_mut("responses") {
        let size = json!({ "text/x.tlog.size": { "schema": { "type": "string", "pattern": "^(0|[1-9][0-9]*)\\n$" } } });
        for (status, meaning, content) in [
            ("400", "No such request", text()),
            ("403", "Not signed by a known key of this log", text()),
            ("409", "Size of the checkpoint that was cosigned last", size),
            (
                "422",
                "Does not continue the checkpoint of the old size",
                text(),
            ),
        ] {
            let answer = json!({ "description": meaning, "content": content });
            responses.insert(status.into(), answer);
        }
    }
    Value::Object(operation)
}

fn reading(named: (&str, &str), content: Value, words: &[Word]) -> Value {
    Value::Object(operation(named, content, &[words]))
}

fn operation((id, summary): (&str, &str), content: Value, words: &[&[Word]]) -> Map<String, Value> {
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({ "description": "The answer", "content": content }),
    );
    for word in ANY.iter().chain(words.iter().copied().flatten()) {
        let entry = responses
            .entry(word.status().as_str())
            .or_insert_with(|| problem(""));
        let said = entry
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let separator = if said.is_empty() { "" } else { ", " };
        *entry = problem(&format!("{said}{separator}{}", word.as_str()));
    }
    let members = [
        ("operationId", id.into()),
        ("summary", summary.into()),
        ("responses", Value::Object(responses)),
    ];
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The paths of tiles of the first 256,000 entries; beyond, `x001/` and further stand before the number.
fn tiles() -> Vec<(String, Value)> {
    let level = || {
        parameter(
            "level",
            "0, 1, … or entries",
            "^([0-9]|[1-5][0-9]|6[0-3]|entries)$",
        )
    };
    let number = || parameter("number", "Which tile", "^[0-9]{3}$");
    let width = parameter(
        "width",
        "How many hashes or entries it has",
        "^([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$",
    );
    let operation = |id, parameters: Vec<Value>| {
        let summary = "A tile of the log (C2SP tlog-tiles), as far as the host publishes them: none, hashes, or entries too; entries hold no content";
        let mut operation = operation(
            (id, summary),
            json!({ "application/octet-stream": {} }),
            &[&[Word::NotFound]],
        );
        operation.insert("parameters".into(), parameters.into());
        Value::Object(operation)
    };
    vec![
        (
            "/log/tile/{level}/{number}".into(),
            operation("tile", vec![level(), number()]),
        ),
        (
            "/log/tile/{level}/{number}.p/{width}".into(),
            operation("partialTile", vec![level(), number(), width]),
        ),
    ]
}

fn parameter(name: &str, description: &str, pattern: &str) -> Value {
    json!({
        "name": name, "in": "path", "required": true, "description": description,
        "schema": { "type": "string", "pattern": pattern },
    })
}

fn problem(words: &str) -> Value {
    let content = json!({ MEDIA_TYPE: { "schema": reference("problem") } });
    json!({ "description": words, "content": content })
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn json_of(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn text() -> Value {
    json!({ "text/plain; charset=utf-8": { "schema": { "type": "string" } } })
}
