//! `/openapi.json`: OpenAPI 3.1, made from the table of routes and the schemas of the documents.

mod operations;
mod schemas;

use serde_json::{Map, Value, json};

use super::routes::{Endpoint, ROUTES};

/// The description of this server: the same for each, and the text of `docs/openapi.json`.
#[must_use]
pub fn openapi() -> Value {
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
            let method = if is_post(route.endpoint) {
                "post"
            } else {
                "get"
            };
            paths.insert(path, json!({ method: operation }));
        }
    }
    Value::Object(paths)
}

const fn is_post(endpoint: Endpoint) -> bool {
    matches!(endpoint, Endpoint::Request | Endpoint::Verify)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is checked in is what is served. `COUNTERFOIL_WRITE=1` writes it again.
    #[test]
    fn the_page_in_docs_is_what_is_served() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/openapi.json");
        let text = serde_json::to_string_pretty(&openapi()).unwrap() + "\n";
        if std::env::var_os("COUNTERFOIL_WRITE").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(path).unwrap() == text,
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
}
