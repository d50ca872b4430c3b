//! Generator of `docs/openapi.json` (OpenAPI 3.1), which the server serves, from the table of routes and the documents' schemas.

mod operations;
mod schemas;

use serde_json::{Map, Value, json};

use super::routes::{DESCRIPTION, ROUTES};

fn openapi() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Counterfoil memory requests",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Agents ask each other for memories, and verify the answers.",
            "license": { "name": "MIT or Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths(),
        "components": { "schemas": schemas::all() },
    })
}

fn paths() -> Value {
    let mut paths = Map::new();
    for route in &ROUTES {
        for (path, operation) in operations::of(route) {
            let method = route.endpoint.methods().split(',').next().unwrap();
            paths.insert(path, json!({ method.to_lowercase(): operation }));
        }
    }
    Value::Object(paths)
}

/// `COUNTERFOIL_WRITE=1` writes the page again.
#[test]
fn the_page_in_docs_is_the_description() {
    let text = serde_json::to_string_pretty(&openapi()).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/openapi.json");
    if std::env::var_os("COUNTERFOIL_WRITE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert!(
        DESCRIPTION == text,
        "run this test with COUNTERFOIL_WRITE=1"
    );
}

#[test]
fn each_route_is_described_and_each_reference_leads_somewhere() {
    let described = openapi();
    let paths = described.get("paths").and_then(Value::as_object).unwrap();
    for route in &ROUTES {
        let prefix = route.path.split('{').next().unwrap();
        assert!(
            paths.keys().any(|path| path.starts_with(prefix)),
            "{}",
            route.path
        );
    }
    let text = described.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(described.pointer(pointer).is_some(), "{pointer}");
    }
}
