//! Anchor: only the anchored key of an origin speaks for a log, in C2SP's one spelling.

use counterfoil_types::DidKey;
use counterfoil_verifier::note::{signature_line, signed_note};
use counterfoil_verifier::{AnchorError, Anchors, LogAnchor, Refusal};

use crate::support::{Case, Log, Witness, sign};

const ORIGIN: &str = "example.com/memory";
/// The order of the group, little-endian (RFC 8032 §5.1).
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn unsigned() -> Refusal {
    Refusal::LogSignatureMissing {
        origin: ORIGIN.into(),
    }
}

fn invalid() -> Refusal {
    Refusal::SignatureInvalid {
        name: ORIGIN.into(),
    }
}

/// The case's note with another signature of the log's key.
fn note_signed(case: &Case, signature: &[u8; 64]) -> String {
    signed_note(&case.text(), &[signature_line(&case.log.key, signature)])
}

#[test]
fn an_attacker_s_key_with_the_right_origin_is_unknown() {
    let case = Case::merkle();
    let mut attacker = Log::new(ORIGIN, 99);
    attacker.leaves = case.log.leaves.clone();
    case.refuses_note(&attacker.note(&case.text()), unsigned());
    let forged = sign(99, case.text().as_bytes());
    case.refuses_note(&note_signed(&case, &forged), invalid());
    // The key id is four bytes, which can be collided; name and key decide.
    let line = case.log.line(&case.text());
    let renamed = line.replace(ORIGIN, "example.com/other");
    case.refuses_note(&signed_note(&case.text(), &[renamed]), unsigned());
}

#[test]
fn witnesses_without_the_log_s_signature_do_not_count() {
    let case = Case::witnessed(2, 2);
    let note = signed_note(&case.text(), &case.cosignatures());
    let name = "witness-0.example".into();
    case.refuses_note(&note, Refusal::CosignatureInProof { name });
    case.refuses_cosigned(vec![note], unsigned());
}

#[test]
fn a_bad_signature_of_a_known_key_beside_a_good_one_refuses_the_note() {
    let case = Case::merkle();
    let good = case.log.line(&case.text());
    let bad = signature_line(&case.log.key, &sign(99, case.text().as_bytes()));
    let twice = Refusal::SignatureTwice {
        name: ORIGIN.into(),
    };
    for lines in [[good.clone(), bad.clone()], [bad, good]] {
        case.refuses_note(&signed_note(&case.text(), &lines), twice.clone());
    }
}

#[test]
fn a_signature_line_twice_refuses_the_note() {
    let case = Case::merkle();
    let good = case.log.line(&case.text());
    let stranger = Log::new("stranger.example", 98).line(&case.text());
    let twice = |name: &str| Refusal::SignatureTwice { name: name.into() };
    let lines = [good.clone(), good.clone()];
    case.refuses_note(&signed_note(&case.text(), &lines), twice(ORIGIN));
    let lines = [good, stranger.clone(), stranger];
    case.refuses_note(
        &signed_note(&case.text(), &lines),
        twice("stranger.example"),
    );
}

/// C2SP signed-note: signatures of unknown keys are ignored, good or bad.
#[test]
fn signatures_of_strangers_change_nothing() {
    let case = Case::merkle();
    let stranger = Log::new("stranger.example", 98);
    let lines = [stranger.line("another text\n"), case.log.line(&case.text())];
    let mut proof = case.proof();
    proof.checkpoint = signed_note(&case.text(), &lines);
    let mut data = case.data.clone();
    data["tlogProof"] = proof.to_text().into();
    assert!(case.with(|it| it.data = data).verdict().is_ok());
}

#[test]
fn an_edited_origin_is_refused() {
    let case = Case::merkle();
    let text = case.text().replace("memory", "memorx");
    let note = signed_note(&text, &[case.log.line(&case.text())]);
    let origin = "example.com/memorx".into();
    case.refuses_note(&note, Refusal::UnknownOrigin { origin });
    for (from, to) in [
        ("example", "Example"),
        ("memory\n", "memory \n"),
        ("memory\n", "memory/\n"),
    ] {
        let note = signed_note(
            &case.text().replace(from, to),
            &[case.log.line(&case.text())],
        );
        assert!(matches!(
            case.refusal_of_note(&note),
            Refusal::UnknownOrigin { .. }
        ));
    }
}

#[test]
fn a_trusted_key_does_not_speak_for_another_trusted_origin() {
    let mut case = Case::merkle();
    let other = Log::new("example.com/other", 2);
    case.anchors = Anchors::new(vec![case.log.anchor(), other.anchor()]).unwrap();
    let text = case.text().replace(ORIGIN, "example.com/other");
    let origin = "example.com/other".into();
    case.refuses_note(
        &case.log.note(&text),
        Refusal::LogSignatureMissing { origin },
    );
    let both = signed_note(&case.text(), &[other.line(&case.text())]);
    case.refuses_note(&both, unsigned());
}

#[test]
fn an_extension_line_is_refused_though_the_log_signed_it() {
    let case = Case::merkle();
    let map = format!("counterfoil-map/v1 {}=\n", "A".repeat(43));
    let [before, behind, twice] = ["x\n".to_owned() + &map, map.clone() + "x\n", map.repeat(2)];
    for extension in ["extension\n", "\n", "x\ny\n", &before, &behind, &twice] {
        let text = case.text() + extension;
        case.refuses_note(&case.log.note(&text), Refusal::ExtensionLine);
    }
}

#[test]
fn a_log_signature_is_not_a_cosignature() {
    let case = Case::witnessed(1, 1);
    let witness = &case.witnesses[0];
    let plain = signature_line(&witness.key, &sign(60, case.text().as_bytes()));
    let note = case.cosigned_note(&[plain]);
    let name = witness.key.name().into();
    case.refuses_cosigned(vec![note], Refusal::SignatureInvalid { name });
}

#[test]
fn a_cosignature_is_not_a_log_signature() {
    let case = Case::merkle();
    let twin = Witness::new(ORIGIN, 1);
    let line = twin.line(1_700_000_000, &case.text());
    let name = ORIGIN.into();
    case.refuses_note(
        &signed_note(&case.text(), &[line]),
        Refusal::CosignatureInProof { name },
    );
    // Without the time, under the log's own key id: another message was signed.
    let message = counterfoil_verifier::note::cosigned_message(1_700_000_000, &case.text());
    let signature = sign(1, message.as_bytes());
    case.refuses_note(&note_signed(&case, &signature), invalid());
}

/// A second valid-looking signature from the first, without the key (RFC 8032 §8.4).
#[test]
fn a_malleated_signature_is_invalid() {
    let case = Case::merkle();
    let mut signature = sign(1, case.text().as_bytes());
    let mut carry = 0_u16;
    for (byte, order) in signature[32..].iter_mut().zip(L) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    assert_eq!(carry, 0);
    case.refuses_note(&note_signed(&case, &signature), invalid());
}

#[test]
fn low_order_keys_are_refused_when_anchors_are_loaded() {
    let mut key = [0; 32];
    key[0] = 1;
    let unsound = AnchorError::KeyUnsound {
        key: hex::encode(key),
    };
    let log = Log::new(ORIGIN, 1);
    let anchors = Anchors::new(vec![log.anchor()]).unwrap();
    let agent = DidKey::from_public_key(key);
    assert_eq!(anchors.with_agents([agent]), Err(unsound));
}

/// Under a low-order key one signature fits every message; `verify_strict` alone refuses it.
#[test]
fn a_signature_with_low_order_or_non_canonical_r_is_invalid() {
    let case = Case::merkle();
    let honest = sign(1, case.text().as_bytes());
    for r in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ] {
        let mut signature = honest;
        hex::decode_to_slice(r, &mut signature[..32]).unwrap();
        case.refuses_note(&note_signed(&case, &signature), invalid());
    }
}

#[test]
fn more_than_32_signatures_are_refused_before_any_is_verified() {
    let case = Case::merkle();
    let lines = |strangers: u8| {
        let strangers = (0..strangers).map(|n| Log::new(&format!("s{n}.example"), 100 + n));
        let mut lines: Vec<String> = strangers.map(|log| log.line(&case.text())).collect();
        lines.push(case.log.line(&case.text()));
        signed_note(&case.text(), &lines)
    };
    let mut proof = case.proof();
    proof.checkpoint = lines(31);
    let mut data = case.data.clone();
    data["tlogProof"] = proof.to_text().into();
    assert!(case.with(|it| it.data = data).verdict().is_ok());
    let refusal = case.refusal_of_note(&lines(32));
    assert!(
        matches!(refusal, Refusal::TooMuch { max: 32, .. }),
        "{refusal}"
    );
}

#[test]
fn anchors_without_a_log_and_an_agent_are_refused() {
    assert_eq!(Anchors::new(vec![]), Err(AnchorError::NoLog));
    assert_eq!(Anchors::of_agents([]), Err(AnchorError::NoLog));
    let empty = br#"{"type":"counterfoil/anchors","version":"1","logs":[],"agents":[]}"#;
    assert_eq!(Anchors::from_json(empty), Err(AnchorError::NoLog));
}

/// Agents alone are anchors: what they signed verifies, and nothing in a log does.
#[test]
fn agents_alone_are_anchors() {
    let (mut signed, mut logged) = (Case::signed(), Case::merkle());
    let anchors = Anchors::of_agents(signed.anchors.agents().copied()).unwrap();
    let read = Anchors::from_json(anchors.to_json().as_bytes());
    assert_eq!(read, Ok(anchors.clone()));
    (signed.anchors, logged.anchors) = (anchors.clone(), anchors);
    assert!(signed.verdict().is_ok());
    let refusal = logged.verdict().unwrap_err();
    assert!(
        matches!(refusal, Refusal::UnknownOrigin { .. }),
        "{refusal}"
    );
}

#[test]
fn two_logs_with_one_key_or_one_origin_are_refused() {
    let one = Log::new("one.example", 1);
    let same_key = LogAnchor::new(one.key.clone())
        .with_origin("two.example")
        .unwrap();
    let twice = AnchorError::LogKeyTwice {
        first: "one.example".into(),
        second: "two.example".into(),
    };
    let build = |second: LogAnchor| Anchors::new(vec![one.anchor(), second]);
    assert_eq!(build(same_key), Err(twice));
    let renamed = Log::new("two.example", 1).anchor();
    assert!(matches!(
        build(renamed),
        Err(AnchorError::LogKeyTwice { .. })
    ));
    let same_origin = Log::new("one.example", 2).anchor();
    let origin = "one.example".into();
    assert_eq!(build(same_origin), Err(AnchorError::OriginTwice { origin }));
    assert!(build(Log::new("two.example", 2).anchor()).is_ok());
}
