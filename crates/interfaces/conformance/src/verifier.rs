//! Checks of a verifier (§6.2, §7.3; M-8, CR-16).

use std::thread;

use counterfoil_memory_verifier::ProofVerifier;
use counterfoil_types::VerificationProof;
use counterfoil_types::json::Value;

use crate::prover::{LATER, binds_content};
use crate::report::Report;

/// Checks a verifier with proofs that it accepts. Takes two seconds: an answer must not know the time.
pub fn check_verifier(verifier: &dyn ProofVerifier, proofs: &[VerificationProof]) -> Report {
    let mut report = Report::default();
    for (number, proof) in proofs.iter().enumerate() {
        let case = format!("proof {number}, method {}", proof.method());
        report.holds(
            "CR-15",
            &case,
            verifier.verify_proof(proof),
            "it is refused",
        );
        let broken = proof.proof().map(mutants).unwrap_or_default();
        for (place, data) in broken.into_iter().filter(|_| binds_content(proof.method())) {
            let Ok(mutant) = VerificationProof::new(proof.method().clone(), Some(data)) else {
                continue;
            };
            let refused = !verifier.verify_proof(&mutant);
            report.holds(
                "section 7.3",
                format!("{case}, changed at {place}"),
                refused,
                "it is accepted",
            );
        }
    }
    let ask = || -> Vec<bool> {
        proofs
            .iter()
            .map(|proof| verifier.verify_proof(proof))
            .collect()
    };
    let first = ask();
    thread::sleep(LATER);
    let later = ask();
    let elsewhere = thread::scope(|scope| scope.spawn(ask).join().unwrap_or_default());
    for (how, run) in [("a second later", later), ("in another thread", elsewhere)] {
        report.holds(
            "CR-16",
            how,
            run == first,
            "verify_proof gave another answer",
        );
    }
    report
}

/// The data with each of its values changed, by place; at most 1,000.
fn mutants(data: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    leaves(data, &mut String::new(), &mut places);
    places.truncate(1_000);
    let changed = places.into_iter().filter_map(|place| {
        let mut mutant = data.clone();
        let value = mutant.pointer_mut(&place)?;
        *value = other(value);
        Some((place, mutant))
    });
    changed.collect()
}

fn leaves(value: &Value, place: &mut String, places: &mut Vec<String>) {
    let length = place.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                place.push('/');
                place.push_str(&name.replace('~', "~0").replace('/', "~1"));
                leaves(member, place, places);
                place.truncate(length);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                place.push_str(&format!("/{index}"));
                leaves(element, place, places);
                place.truncate(length);
            }
        }
        _ => places.push(place.clone()),
    }
}

/// Another value of the same kind.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(value) => (!value).into(),
        Value::Number(number) => number.as_u64().map_or(0, |number| number ^ 1).into(),
        Value::String(text) => {
            let last = text.chars().next_back();
            let other = if last == Some('0') { '1' } else { '0' };
            let kept = text.len() - last.map_or(0, char::len_utf8);
            format!("{}{other}", text.get(..kept).unwrap_or_default()).into()
        }
        _ => true.into(),
    }
}
