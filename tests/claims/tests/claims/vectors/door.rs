//! What does not pass the door: it is the same type on every backend, so what it refuses no backend sees.

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{ClaimError, ClaimRef, FactValue, Identifier, Submission};
use counterfoil_claims_tests::answer::{Answer, Disposition, Refused};
use counterfoil_claims_tests::calendar::{DAY, Granule};
use counterfoil_claims_tests::request::{NOBODY, Statement, Who};
use counterfoil_types::{Confidence, DidKey};
use serde_json::{Value, json};

use crate::backend::{Asked, Backend};
use crate::engine::{channel, identifier};
use crate::laws::write;

/// Values and names.
pub(super) fn check(operation: &Value, backend: &mut dyn Backend) {
    match operation["case"].as_str().unwrap() {
        "depth-200 JSON" => {
            let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
            assert!(matches!(
                FactValue::new(&deep),
                Err(ClaimError::Value { .. })
            ));
            what_passes_is_readable(backend);
        }
        "value_confidence 5.0, -3, inf" => {
            for confidence in [5.0, -3.0, f64::INFINITY] {
                assert!(Confidence::new(confidence).is_err());
            }
        }
        "value_confidence NaN" => assert!(Confidence::new(f64::NAN).is_err()),
        "empty subject / predicate / agent" => {
            for what in ["subject", "predicate"] {
                let refused = Identifier::new(what, "").unwrap_err();
                assert!(matches!(refused, ClaimError::Identifier { what: of, .. } if of == what));
            }
            assert!("".parse::<DidKey>().is_err());
        }
        "subject with NUL" => {
            let refused = Identifier::new("subject", "a\0b");
            assert!(matches!(refused, Err(ClaimError::Identifier { .. })));
        }
        "NFC and NFD subject" => {
            assert_eq!(identifier("caf\u{e9}"), identifier("cafe\u{301}"));
        }
        "10 MB value" => {
            let long = Value::from("x".repeat(10_000_000));
            assert!(matches!(
                FactValue::new(&long),
                Err(ClaimError::Value { .. })
            ));
        }
        "derived_from twice the same / unknown" => derived_from(backend),
        other => panic!("nobody knows the case {other}"),
    }
}

fn derived_from(backend: &mut dyn Backend) {
    let name = ClaimRef::new("unit-1").unwrap();
    let said = Submission::new(
        &channel(Who::User),
        identifier("s"),
        identifier("p"),
        FactValue::new(&json!("x")).unwrap(),
    );
    let twice = said.derived_from(vec![name.clone(), name]);
    assert!(matches!(
        twice,
        Err(ClaimError::Twice {
            what: "derivedFrom",
            ..
        })
    ));
    let mut said = Statement::of("s", "p", "\"x\"");
    said.derived_from = vec![NOBODY];
    let unknown = write(backend, Who::User, said);
    assert_eq!(unknown, Answer::Refused(vec![Refused::ClaimNotFound]));
}

/// I1: whatever passes the door is written, and read as it was said.
fn what_passes_is_readable(backend: &mut dyn Backend) {
    let deep = (0..61).fold(json!("x"), |inner, _| json!([inner]));
    let values = [
        "null".to_owned(),
        deep.to_string(),
        format!("\"{}\"", "x".repeat(65_534)),
        r#"{"a":[1,2.5,-3e-7,true],"\u0000":"\ud83d\ude00"}"#.to_owned(),
    ];
    for value in values {
        let canonical = crate::engine::value(&value).canonical().to_owned();
        let mut said = Statement::of("s", "p", &canonical);
        said.predicate = format!("p{}", value.len());
        let line = (said.subject.clone(), said.predicate.clone());
        let Answer::Done(done) = write(backend, Who::User, said) else {
            panic!("{} is refused", value.get(..40).unwrap_or(&value));
        };
        assert_eq!(done.disposition, Disposition::Committed);
        let belief = backend.believe(0, &line, Asked::default());
        assert_eq!(belief.sides[0].value, canonical);
    }
}

/// The peer shows an instant as its day; ours shows the instant, which begins with it.
pub(super) fn parse_date(operation: &Value) {
    let input = operation["input"].as_str().unwrap();
    let boundary = Boundary::parse(input).unwrap();
    let naive = Granule::read(input).unwrap();
    assert_eq!((boundary.begin(), boundary.end()), (naive.begin, naive.end));
    let length = match operation["granularity"].as_str().unwrap() {
        "day" => DAY,
        "instant" => 0,
        other => panic!("granularity {other}"),
    };
    assert_eq!(naive.end - naive.begin, length);
    assert_eq!(boundary.is_instant(), length == 0);
    assert!(
        boundary
            .to_string()
            .starts_with(operation["display"].as_str().unwrap())
    );
}
