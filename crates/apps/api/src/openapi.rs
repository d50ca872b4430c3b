//! Generator of `docs/openapi-v1.json` (OpenAPI 3.1), which the server serves, from the table of operations and the types.

use counterfoil::{ImportFormat, RecallDocument};
use counterfoil_web::metrics::MEDIA_TYPE;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::calls::DESCRIPTION;
use crate::problem::ProblemView;
use crate::requests::{
    ErasureRequest, FactRequest, ProposalRequest, RecallRequest, RememberRequest, UpdateRequest,
    VerifyRequest,
};
use crate::routes::{Access, Call, OPERATIONS, Operation};
use crate::views::{
    BeliefsView, FactView, ForgottenView, FormatView, HealthView, ImportView, MemoriesView,
    MemoryView, RememberedView, UpdatedView, VerdictView, VersionsView,
};

/// `COUNTERFOIL_WRITE=1` writes the page again.
#[test]
fn the_page_in_docs_is_the_description() {
    let text = serde_json::to_string_pretty(&description()).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/openapi-v1.json");
    if std::env::var_os("COUNTERFOIL_WRITE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert!(
        DESCRIPTION == text,
        "run this test with COUNTERFOIL_WRITE=1"
    );
}

#[test]
fn each_reference_leads_somewhere_and_each_right_is_named() {
    let described = description();
    let text = described.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(described.pointer(pointer).is_some(), "{pointer}");
    }
    for operation in &OPERATIONS {
        let pointer = format!(
            "/paths/{}/{}/summary",
            operation.path.replace('/', "~1"),
            operation.method.to_lowercase()
        );
        assert!(described.pointer(&pointer).is_some(), "{pointer}");
    }
}

fn description() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    // A member that may be absent is required of no answer, and a default is required of no request.
    let mut requests = settings.clone().for_deserialize().into_generator();
    let mut answers = settings.for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for operation in &OPERATIONS {
        let described = described(operation, &mut requests, &mut answers);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.to_lowercase()] = described;
    }
    let mut schemas = requests.take_definitions(true);
    schemas.extend(answers.take_definitions(true));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Counterfoil: the owner's API",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Memories with receipts, facts and beliefs, for applications that hold a key.",
            "license": { "name": "MIT or Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Token of `counterfoil key-for`. The key has a scope, rights and a channel.",
                },
            },
        },
    })
}

fn described(
    operation: &Operation,
    requests: &mut SchemaGenerator,
    answers: &mut SchemaGenerator,
) -> Value {
    let (summary, statuses) = (summary(operation.call), statuses(operation.call));
    let right = match operation.access {
        Access::Public => "No key.".to_owned(),
        Access::AnyKey => "Any key.".to_owned(),
        Access::With(right) => format!("A key with the right `{right}`."),
    };
    let problem = json!({
        "description": "A problem (RFC 9457)",
        "content": { "application/problem+json": { "schema": of::<ProblemView>(answers) } },
    });
    let mut responses = Map::new();
    for status in statuses {
        let schemas = match operation.call {
            // The facade publishes its schema so.
            Call::Recall => &mut *requests,
            _ => &mut *answers,
        };
        let response = match *status {
            "204" => json!({ "description": "Nothing more will come" }),
            _ => success(operation.call, schemas),
        };
        responses.insert((*status).to_owned(), response);
    }
    responses.insert("default".to_owned(), problem);
    let mut described = json!({
        "operationId": format!("{:?}", operation.call),
        "summary": summary,
        "description": right,
        "parameters": parameters(operation),
        "responses": responses,
        "security": match operation.access {
            Access::Public => json!([]),
            _ => json!([{ "key": [] }]),
        },
    });
    if operation.call == Call::Import {
        let schema = json!({ "type": "string", "contentMediaType": "application/octet-stream" });
        let about = "The bytes of the file, at most 256 MiB; of any type but a form";
        described["requestBody"] = json!({
            "required": true,
            "description": about,
            "content": { "application/octet-stream": { "schema": schema } },
        });
    }
    if let Some(schema) = request(operation.call, requests) {
        described["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema } },
        });
    }
    described
}

/// Statuses of an operation that succeeds.
const fn statuses(call: Call) -> &'static [&'static str] {
    match call {
        Call::Remember | Call::State => &["200", "201"],
        Call::Propose => &["201"],
        Call::Import => &["202"],
        Call::ImportEvents => &["200", "204"],
        _ => &["200"],
    }
}

/// The sentence about an operation.
const fn summary(call: Call) -> &'static str {
    match call {
        Call::Remember => "Store a memory: 201 for a new one, 200 for one that was there",
        Call::List => "List current memories, as they were when the first page was read",
        Call::Show => "Read the current version of a memory; its ETag is its id",
        Call::Update => {
            "Write a new version: 428 without If-Match, 412 for a version that is not the newest"
        }
        Call::Hide => "Hide a memory from every recall; nothing is taken away",
        Call::Versions => "List the versions of a memory, and what changed",
        Call::Receipt => "Read the receipt of a memory, with its proof",
        Call::Uses => "List the proposals that used a memory, by the decisions about them",
        Call::Recall => "Recall memories: the document counterfoil/recall, version 2",
        Call::State => "State a fact: 201 where a claim was written, 200 where it said nothing new",
        Call::Believe => "Read what is believed",
        Call::Why => "Read the claims that decide a belief, and its changes",
        Call::History => "List the claims about a subject and a predicate",
        Call::Proof => "Prove a belief",
        Call::Contested => "List contested beliefs",
        Call::Propose => "Make a signed proposal with the proofs of its memories",
        Call::Decisions => "List the decisions about proposals",
        Call::Verify => "Check a proposal or a proof of a belief with the anchors of this log",
        Call::Erase => "Erase all versions of a memory for good",
        Call::Head => "Read the signed checkpoint of the log",
        Call::Export => "Export capsules, one a line",
        Call::Import => {
            "Import the file that is the body, of any format that `counterfoil import` reads; it goes on after the answer"
        }
        Call::ImportState => "Read how far an import is",
        Call::ImportEvents => {
            "Follow an import by Server-Sent Events, `progress` and `end`: each has the document of the import. 204 after `Last-Event-ID: end`"
        }
        Call::ImportEnd => {
            "End an import; what was added stays, and the same file sent again adds the rest"
        }
        Call::Metrics => {
            "Read numbers of the server and of the store (OpenMetrics): none of them is of a scope, a text or an id"
        }
        Call::OpenApi => "Read this description",
        Call::Health => "Learn that the server answers",
    }
}

fn success(call: Call, schemas: &mut SchemaGenerator) -> Value {
    let schema = match call {
        Call::Export => {
            return json!({
                "description": "Capsules (docs/format/capsule.md)",
                "content": { "application/jsonl": { "schema": { "type": "string" } } },
            });
        }
        Call::Metrics => {
            return json!({
                "description": "Metrics",
                "content": { (MEDIA_TYPE): { "schema": { "type": "string" } } },
            });
        }
        Call::ImportEvents => {
            let event = json!({
                "type": "object",
                "properties": {
                    "event": { "enum": ["progress", "end"] },
                    "id": { "type": "string" },
                    "data": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "contentSchema": of::<ImportView>(schemas),
                    },
                },
                "required": ["event", "id", "data"],
            });
            return json!({
                "description": "Events",
                "content": { "text/event-stream": { "schema": event } },
            });
        }
        Call::Import | Call::ImportState | Call::ImportEnd => of::<ImportView>(schemas),
        Call::OpenApi | Call::Propose | Call::Proof => json!({ "type": "object" }),
        Call::Remember => of::<RememberedView>(schemas),
        Call::List => of::<MemoriesView>(schemas),
        Call::Show => of::<MemoryView>(schemas),
        Call::Versions => of::<VersionsView>(schemas),
        Call::Update => of::<UpdatedView>(schemas),
        Call::Hide | Call::Erase => of::<ForgottenView>(schemas),
        Call::Recall => of::<RecallDocument>(schemas),
        Call::State => of::<FactView>(schemas),
        Call::Contested => of::<BeliefsView>(schemas),
        Call::Verify => of::<VerdictView>(schemas),
        Call::Health => of::<HealthView>(schemas),
        Call::Receipt
        | Call::Uses
        | Call::Believe
        | Call::Why
        | Call::History
        | Call::Decisions
        | Call::Head => of::<FormatView>(schemas),
    };
    let mut success = json!({
        "description": "Done",
        "content": { "application/json": { "schema": schema } },
    });
    if call == Call::Import {
        success["headers"] = json!({
            "Location": { "description": "The import", "schema": { "type": "string" } },
        });
    }
    if matches!(call, Call::Remember | Call::Show | Call::Update) {
        success["headers"] = json!({
            "ETag": { "description": "The current version", "schema": { "type": "string" } },
        });
    }
    success
}

fn request(call: Call, schemas: &mut SchemaGenerator) -> Option<Value> {
    Some(match call {
        Call::Remember => of::<RememberRequest>(schemas),
        Call::Update => of::<UpdateRequest>(schemas),
        Call::Recall => of::<RecallRequest>(schemas),
        Call::State => of::<FactRequest>(schemas),
        Call::Propose => of::<ProposalRequest>(schemas),
        Call::Verify => of::<VerifyRequest>(schemas),
        Call::Erase => of::<ErasureRequest>(schemas),
        _ => return None,
    })
}

fn parameters(operation: &Operation) -> Value {
    let named = |name: &str, place: &str, description: &str, schema: Value| json!({ "name": name, "in": place, "required": place == "path", "description": description, "schema": schema });
    let text = json!({ "type": "string" });
    let open = operation.path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        let schema = json!({ "type": "string", "minLength": 1 });
        Some(named(name, "path", "Percent-encoded", schema))
    });
    let mut parameters: Vec<Value> = open.collect();
    let most = match operation.call {
        Call::List | Call::Versions => 200,
        _ => 1_000,
    };
    for name in operation.query {
        let (description, schema) = match *name {
            "limit" => (
                "Most that are listed",
                json!({ "type": "integer", "minimum": 1, "maximum": most }),
            ),
            "cursor" => ("nextCursor of the page before", text.clone()),
            "at" => (
                "Time that the question is about: 2023, 2023-05, 2023-05-01 or RFC 3339; now by default",
                text.clone(),
            ),
            "asOf" => ("As known at this time; now by default", text.clone()),
            "format" => (
                "Format of the file; found from its content by default",
                json!({ "enum": ImportFormat::ALL }),
            ),
            "name" => (
                "Name of the file, which is the conversation where it names none; `import` by default",
                json!({ "type": "string", "minLength": 1, "maxLength": 256 }),
            ),
            "dryRun" => (
                "Counts what would be added, and writes nothing; not for capsules",
                json!({ "type": "boolean" }),
            ),
            "reason" => ("Reason, which the log keeps; 1 to 512 bytes", text.clone()),
            _ => (
                "Id of one memory; all without one, which a key without a scope alone may",
                text.clone(),
            ),
        };
        parameters.push(named(name, "query", description, schema));
    }
    match operation.call {
        Call::Remember | Call::State => {
            let about =
                "Key of this request, 1 to 128 bytes. Repeated under it nothing is stored twice";
            let schema = json!({ "type": "string", "minLength": 1, "maxLength": 128 });
            parameters.push(named("Idempotency-Key", "header", about, schema));
        }
        Call::ImportEvents => {
            let about = "Id of the last event that was received";
            parameters.push(named("Last-Event-ID", "header", about, text));
        }
        Call::Update => {
            let mut tag = named(
                "If-Match",
                "header",
                "The ETag of the version that is changed",
                text,
            );
            tag["required"] = true.into();
            parameters.push(tag);
        }
        _ => {}
    }
    parameters.into()
}

/// A reference to the schema of a type.
fn of<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Value {
    schemas.subschema_for::<T>().to_value()
}
