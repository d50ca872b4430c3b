//! Whoever strips, adds or alters a member of a signed document is found out (R2, R10; case 97).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::{Limits, Value, parse};
use proptest::prelude::*;
use serde_json::json;

use super::arbitrary::{attestation, request, signer, vouch};
use super::samples::{answered, asked, bytes};
use crate::documents::{Attestation, DocumentError, Request, Response, Signature, Vouch};

fn value(bytes: &[u8]) -> Value {
    parse(bytes, Limits::DOCUMENT).unwrap()
}

/// The pointers to everything in a document, itself left out.
fn places(document: &Value) -> Vec<String> {
    let under = |name: &str, inner: &Value| {
        let name = name.replace('~', "~0").replace('/', "~1");
        let at = ["/", &name].concat();
        let mut all = Vec::from([at.clone()]);
        all.extend(
            places(inner)
                .iter()
                .map(|place| [&at, place.as_str()].concat()),
        );
        all
    };
    match document {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, inner)| under(name, inner))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(at, inner)| under(&at.to_string(), inner))
            .collect(),
        _ => Vec::new(),
    }
}

/// Takes out what stands there.
fn strip(document: &mut Value, place: &str) {
    let (outer, name) = place.rsplit_once('/').unwrap();
    match document.pointer_mut(outer).unwrap() {
        Value::Object(members) => {
            members
                .remove(&name.replace("~1", "/").replace("~0", "~"))
                .unwrap();
        }
        Value::Array(items) => {
            items.remove(name.parse().unwrap());
        }
        other => panic!("{other}"),
    }
}

/// Another value of the same sort, or one member more.
fn alter(value: &mut Value) {
    match value {
        Value::Null => *value = json!(0),
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => *value = json!(number.as_f64().unwrap() / 2.0 + 0.25),
        Value::String(text) => text.push('x'),
        Value::Array(items) => items.push(json!("x")),
        Value::Object(members) => drop(members.insert("more".to_string(), json!("x"))),
    }
}

/// How a document that somebody has changed is taken: refused, or by its proof.
fn assert_found_out(
    document: &Value,
    examine: &impl Fn(&[u8]) -> Result<Signature, DocumentError>,
) {
    for place in places(document) {
        let mut stripped = document.clone();
        strip(&mut stripped, &place);
        match examine(bytes(&stripped).as_bytes()) {
            Ok(Signature::Absent) => assert_eq!(place, "/proof"),
            Ok(Signature::Broken) | Err(_) => {}
            other => panic!("without {place}: {other:?}"),
        }
        let mut altered = document.clone();
        alter(altered.pointer_mut(&place).unwrap());
        match examine(bytes(&altered).as_bytes()) {
            Ok(Signature::Broken) | Err(_) => {}
            other => panic!("with another {place}: {other:?}"),
        }
    }
}

fn of_request(bytes: &[u8]) -> Result<Signature, DocumentError> {
    Request::parse(bytes).map(|request| request.signature())
}

fn of_attestation(bytes: &[u8]) -> Result<Signature, DocumentError> {
    Attestation::parse(bytes).map(|attestation| attestation.signature())
}

fn of_vouch(bytes: &[u8]) -> Result<Signature, DocumentError> {
    Vouch::parse(bytes).map(|vouch| vouch.signature())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// R2, R10: no member of a signed document can be stripped or altered.
    #[test]
    fn no_member_can_be_stripped_or_altered(asked in request(), attested in attestation(), vouched in vouch()) {
        assert_found_out(&value(Request::sign(asked, &signer(1)).unwrap().bytes()), &of_request);
        assert_found_out(&value(Attestation::sign(attested, &signer(2)).unwrap().bytes()), &of_attestation);
        assert_found_out(&value(Vouch::sign(vouched, &signer(3)).unwrap().bytes()), &of_vouch);
    }
}

/// R2, R10: nor of an answer, however deep it lies.
#[test]
fn no_member_of_an_answer_can_be_stripped_or_altered() {
    let request = asked();
    let examine =
        |bytes: &[u8]| Response::parse(bytes).map(|answer| answer.signature_for(&request));
    assert_found_out(&value(answered().bytes()), &examine);
}

/// R2: no byte of signed documents can be changed; other spellings of the same are none of it either.
#[test]
fn no_byte_can_be_changed() {
    let request = asked();
    let examine =
        |bytes: &[u8]| Response::parse(bytes).map(|answer| answer.signature_for(&request));
    let answer = answered();
    for at in 0..answer.bytes().len() {
        let mut spoilt = answer.bytes().to_vec();
        spoilt[at] ^= 1;
        assert!(
            matches!(examine(&spoilt), Ok(Signature::Broken) | Err(_)),
            "byte {at}"
        );
    }
    for at in 0..request.bytes().len() {
        let mut spoilt = request.bytes().to_vec();
        spoilt[at] ^= 1;
        assert!(
            matches!(of_request(&spoilt), Ok(Signature::Broken) | Err(_)),
            "byte {at}"
        );
    }
    let spaced = [b" ", answer.bytes()].concat();
    assert!(matches!(
        Response::parse(&spaced),
        Err(DocumentError::Json(_))
    ));
}
