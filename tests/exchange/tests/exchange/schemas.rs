//! The published schemas are those of the types that read documents, and golden documents fit them (JSON Schema 2020-12).

use std::fs;
use std::path::Path;

use counterfoil_exchange::documents::{DocumentKind, schemas};
use counterfoil_exchange_tests::{Golden, golden};
use jsonschema::Validator;
use serde_json::{Value, json};

fn validator(kind: DocumentKind) -> Validator {
    let (_, schema) = schemas().into_iter().find(|(of, _)| *of == kind).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn document(golden: &Golden) -> Value {
    serde_json::from_str(golden.vector["document"].as_str().unwrap()).unwrap()
}

/// MRP-41: `docs/schemas` holds a schema of each document, which `cargo xtask schemas` writes.
#[test]
fn the_published_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let mut names = Vec::new();
    for (kind, schema) in schemas() {
        let name = format!("{kind}.schema.json");
        let stands = fs::read(folder.join(&name)).unwrap_or_default();
        let stands: Value = serde_json::from_slice(&stands).unwrap_or_default();
        assert_eq!(schema, stands, "{name}: run cargo xtask schemas");
        names.push(name);
    }
    // Of the facade, which compares it itself.
    names.push("recall.schema.json".to_owned());
    names.sort();
    let mut found: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    found.sort();
    assert_eq!(found, names);
}

/// MRP-41: each golden document fits the schema of its kind, and no other.
#[test]
fn golden_documents_fit_the_schema_of_their_kind_alone() {
    for kind in DocumentKind::ALL {
        let validator = validator(kind);
        let of = |golden: &Golden| golden.kind == kind;
        assert!(golden().iter().any(of), "no golden {kind}");
        for golden in golden() {
            let document = document(&golden);
            let fits = validator.validate(&document);
            assert_eq!(
                fits.is_ok(),
                of(&golden),
                "{} as {kind}: {fits:?}",
                golden.name
            );
        }
    }
}

/// R20, R22: what a schema can say of a document, it says.
#[test]
fn what_is_out_of_range_does_not_fit() {
    let golden = golden();
    let named = |name: &str| golden.iter().find(|golden| golden.name == name).unwrap();
    for wrong in wrongs().as_array().unwrap() {
        let golden = named(wrong[0].as_str().unwrap());
        let (outer, last) = wrong[1].as_str().unwrap().rsplit_once('/').unwrap();
        let mut document = document(golden);
        document.pointer_mut(outer).unwrap()[last] = wrong[2].clone();
        assert!(!validator(golden.kind).is_valid(&document), "{wrong}");
    }
    let mut unsigned = document(named("vouch"));
    unsigned.as_object_mut().unwrap().remove("proof");
    assert!(
        !validator(DocumentKind::Vouch).is_valid(&unsigned),
        "a vouch without proof"
    );
    let mut half = document(named("attestation"));
    half["claim"].as_object_mut().unwrap().remove("value");
    assert!(
        !validator(DocumentKind::Attestation).is_valid(&half),
        "half of a structured claim"
    );
}

/// Golden documents, and what must not stand where in them.
fn wrongs() -> Value {
    json!([
        ["memory_request", "/type", "memory_response"],
        ["memory_request", "/version", "0.1"],
        ["memory_request", "/more", 1],
        ["memory_request", "/audience", "Babel"],
        ["memory_request", "/header/nonce", "AAAA"],
        ["memory_request", "/header/expires", "2026-02-10T00:00:00Z"],
        ["memory_request", "/query/natural", ""],
        ["memory_request", "/query/natural", null],
        ["memory_request", "/query/keywords", []],
        ["memory_request", "/query/filters/min_trust_level", 4],
        ["memory_request", "/preferences/max_results", 101],
        ["memory_request", "/proof/cryptosuite", "eddsa-rdfc-2022"],
        ["memory_response", "/results/0/relevance", 1.5],
        ["memory_response", "/results/0/relevance", null],
        ["memory_response", "/results/0/attestation/version", "2"],
        ["memory_response", "/results/0/receipt", {}],
        ["memory_response", "/results/0/vouches/0/subject", { "agent_id": "a name alone" }],
        ["memory_response", "/meta/returned", -1],
        ["memory_response", "/status/code", "ok"],
        ["attestation", "/claim/subject", null],
        ["attestation", "/salience/expected_decay", { "type": "time-bound" }],
        ["attestation", "/salience/expected_decay/until", "never"],
        ["attestation", "/evidence/0/hash", "sha256:00"],
        ["vouch", "/proof", null],
        ["vouch", "/claim/domain", "Memory Systems"],
        ["capability", "/signs", "yes"],
    ])
}
