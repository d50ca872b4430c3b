//! The schemas that the description refers to: those of the documents, and those of HTTP's own.

use counterfoil_exchange::documents::schemas;
use serde_json::{Map, Value, json};

use crate::problem::{ProblemWord, TYPES};

/// What the file name of a schema ends with.
const FILE: &str = ".schema.json";

pub(super) fn all() -> Value {
    let mut all = Map::new();
    for (kind, schema) in schemas() {
        place(&mut all, kind.name(), schema);
    }
    all.insert("agent_card".into(), agent_card());
    all.insert("health".into(), health());
    all.insert("problem".into(), problem());
    Value::Object(all)
}

/// Puts a schema and its definitions beside the others: in one document, what they are called has to be told apart.
fn place(all: &mut Map<String, Value>, name: &str, mut schema: Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    members.remove("$id");
    members.remove("$schema");
    let definitions = members.remove("$defs");
    if let Some(Value::Object(definitions)) = definitions {
        for (definition, mut schema) in definitions {
            point_here(&mut schema, name);
            all.insert(format!("{name}.{definition}"), schema);
        }
    }
    point_here(&mut schema, name);
    all.insert(name.to_owned(), schema);
}

/// References lead to where the definitions are here. The schemas are our own, and no deeper than they are written.
fn point_here(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = here(reference, name);
            }
            members
                .values_mut()
                .for_each(|member| point_here(member, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point_here(item, name)),
        _ => {}
    }
}

fn here(reference: &str, name: &str) -> String {
    const SCHEMAS: &str = "#/components/schemas/";
    match (
        reference.strip_prefix("#/$defs/"),
        reference.strip_suffix(FILE),
    ) {
        (Some(definition), _) => format!("{SCHEMAS}{name}.{definition}"),
        (None, Some(other)) => format!("{SCHEMAS}{other}"),
        (None, None) => reference.to_owned(),
    }
}

fn health() -> Value {
    json!({
        "type": "object",
        "required": ["status"],
        "properties": { "status": { "const": "ok" } },
        "additionalProperties": false,
    })
}

/// RFC 9457, with what the words add.
fn problem() -> Value {
    let types: Vec<String> = ProblemWord::ALL
        .iter()
        .map(|word| format!("{TYPES}{}", word.as_str()))
        .collect();
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": { "enum": types },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string" },
            "supported": { "type": "array", "items": { "type": "string" } },
        },
        "additionalProperties": false,
    })
}

/// What of A2A's agent card is there.
fn agent_card() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    json!({
        "type": "object",
        "required": [
            "protocolVersion", "name", "description", "url", "version", "capabilities",
            "defaultInputModes", "defaultOutputModes", "skills",
        ],
        "properties": {
            "protocolVersion": text,
            "name": text,
            "description": text,
            "url": text,
            "preferredTransport": text,
            "version": text,
            "capabilities": {
                "type": "object",
                "properties": { "extensions": { "type": "array", "items": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": { "uri": text, "description": text, "required": { "type": "boolean" }, "params": { "type": "object" } },
                } } },
            },
            "defaultInputModes": texts,
            "defaultOutputModes": texts,
            "skills": { "type": "array", "items": {
                "type": "object",
                "required": ["id", "name", "description", "tags"],
                "properties": { "id": text, "name": text, "description": text, "tags": texts },
            } },
        },
    })
}
