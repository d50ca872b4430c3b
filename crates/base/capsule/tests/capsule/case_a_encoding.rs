//! Adversarial cases A of the capsule format: encoding and canonical form.

use counterfoil_capsule::{
    CapsuleDocument, IndeterminateReason, Position, Verdict, World, seal_world,
};

use counterfoil_types::ReadError;
use counterfoil_types::json::JsonError;

use crate::common::{Bytes, NOW, SALT, id, note, seal, signer, stamp};
use crate::forge::{
    LATER, LIMIT, NOT_CANONICAL, SCHEMA, SIGNATURE, pending, signed_by, with_header, world_json,
};

/// Adversarial cases A1, A2, A3 and A4 in a signed header: a duplicate member, an integer that other parsers read as its
/// neighbour, other spellings of a number, and one without a value, which is neither null nor infinite. (C14)
#[test]
fn a_number_of_a_header_stands_once_and_has_one_spelling() {
    for (member, other, verdict) in [
        (r#""seq":0"#, r#""seq":0,"seq":0"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":1,"seq":0"#, NOT_CANONICAL),
        (r#""size":"#, r#""size":1,"size":"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":9007199254740993"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":9007199254740992"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":18446744073709551616"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":0.0"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":-0"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":0E21"#, NOT_CANONICAL),
        (r#""seq":0"#, r#""seq":00"#, SCHEMA),
        (r#""seq":0"#, r#""seq":1e400"#, SCHEMA),
        (r#""seq":0"#, r#""ext":{"a":1E21},"seq":0"#, NOT_CANONICAL),
    ] {
        assert_eq!(with_header(member, other), verdict, "{other}");
    }
}

/// Adversarial case A5: text that is no Unicode text, and an escaped NUL, which is.
#[test]
fn broken_text_is_refused_and_an_escaped_nul_is_text() {
    assert!(World::from_json(&world_json(r#""\ud800""#)).is_err());
    assert!(World::from_json(&world_json("\"\0\"")).is_err());
    let mut overlong = world_json("\"x\"");
    let x = overlong.iter().rposition(|byte| *byte == b'x').unwrap();
    overlong.splice(x..=x, [0xc0, 0x80]);
    assert!(World::from_json(&overlong).is_err());
    let marked = ["\u{feff}".as_bytes(), &world_json("1")].concat();
    assert!(World::from_json(&marked).is_err());
    let world = World::from_json(&world_json(r#""a\u0000b""#)).unwrap();
    assert!(world.content().unwrap().contains(r#""data":"a\u0000b""#));
    assert_eq!(Bytes::of(&seal(&world)).check(), Verdict::Valid);

    let mut marked = Bytes::of(&seal(&note()));
    marked.header.splice(0..0, "\u{feff}".bytes());
    assert_eq!(marked.check(), NOT_CANONICAL);
}

/// Adversarial case A7: names in other cases and with escapes.
#[test]
fn names_are_compared_byte_for_byte() {
    assert_eq!(
        with_header(r#""timestamp""#, r#""Timestamp""#),
        NOT_CANONICAL
    );
    assert_eq!(with_header(r#","world""#, r#","worlD":1,"world""#), SCHEMA);
    assert_eq!(with_header(r#""type""#, r#""t\u0079pe""#), NOT_CANONICAL);
}

/// Adversarial case A8: bombs end at a limit, without a deep stack and without much memory.
/// (C14)
#[test]
fn bombs_end_at_a_limit() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(World::from_json(&world_json(&deep)).is_err());
    let wide = format!("[{}0]", "0,".repeat(10_000));
    assert!(matches!(
        World::from_json(&world_json(&wide)),
        Err(ReadError::Json(JsonError::TooManyValues { limit: 10_000 }))
    ));
    let long = World::from_json(&world_json(&format!("\"{}\"", "x".repeat(1 << 20)))).unwrap();
    assert!(matches!(
        long.content(),
        Err(ReadError::Json(JsonError::TooLarge { .. }))
    ));
    let ext = format!(r#""ext":{{"a":"{}"}},"id""#, "x".repeat(4096));
    assert_eq!(with_header(r#""id""#, &ext), LIMIT);
    let ext = format!(r#""ext":{{"a":{deep}}},"id""#, deep = &deep[9_900..10_100]);
    assert_eq!(with_header(r#""id""#, &ext), LIMIT);
    assert_eq!(with_header(r#""size":"#, r#""size":1048577"#), LIMIT);
}

/// Adversarial case A8: a long name above many fields would make each of their paths long.
#[test]
fn a_content_cannot_multiply_its_paths() {
    let name = "n".repeat(10_000);
    let fields = format!(r#"{{"{name}":[{}0]}}"#, "0,".repeat(5_000));
    let world = World::from_json(&world_json(&fields)).unwrap();
    assert!(world.content().is_ok());
    let sealed = seal_world(&world, &Position::seed(id(1), stamp(NOW)), SALT, &signer());
    assert!(sealed.unwrap_err().to_string().contains("path bytes"));
}

/// Adversarial case A9: a member that the format does not have, signed or not.
#[test]
fn an_unknown_member_is_refused_though_it_is_signed() {
    assert_eq!(
        with_header(r#","world""#, r#","witness":1,"world""#),
        SCHEMA
    );
    let header =
        seal(&note())
            .header
            .canonical()
            .replacen(r#","world""#, r#","witness":1,"world""#, 1);
    assert_eq!(signed_by(&signer(), &header).check(), SCHEMA);
}

/// Adversarial case A10: signatures have one spelling, 64 bytes of padded base64.
#[test]
fn a_signature_has_one_spelling() {
    let text = CapsuleDocument::of(&seal(&note()), None).to_text();
    let start = text.find(r#""signature":""#).unwrap() + 13;
    let signature = &text[start..start + 88];
    assert!(CapsuleDocument::parse(text.as_bytes()).is_ok());
    for other in [
        signature.trim_end_matches('=').to_owned(),
        format!("{signature} "),
        format!("z{signature}"),
        format!("{}AB==", &signature[..84]),
        format!("{}AAAA", &signature[..84]),
        "A".repeat(84),
        "1".repeat(88),
        String::new(),
    ] {
        let spoiled = text.replacen(signature, &other, 1);
        assert!(
            CapsuleDocument::parse(spoiled.as_bytes()).is_err(),
            "accepted {other:?}"
        );
    }
}

/// Adversarial case A10: a signature of another length does not hold.
#[test]
fn a_signature_of_another_length_does_not_hold() {
    let mut bytes = Bytes::of(&seal(&note()));
    for length in [63, 65, 1] {
        bytes.signature.resize(length, 0);
        assert_eq!(bytes.check(), SIGNATURE);
    }
}

/// Adversarial case A11: timestamps that other parsers accept; the whole list stands beside the parser.
#[test]
fn a_header_takes_one_spelling_of_a_timestamp() {
    let written = "2026-02-10T00:00:00.123456Z";
    for other in ["2026-02-10T00:00:00.123456z", "20260210T000000Z"] {
        assert_eq!(with_header(written, other), SCHEMA, "{other}");
    }
}

/// Adversarial case A12: digests in upper case, truncated, and of another algorithm.
/// (C19)
#[test]
fn a_digest_has_one_spelling_and_an_unknown_one_is_for_later() {
    let hash = seal(&note()).header.payload().hash().to_string();
    let upper = format!("blake3:{}", hash[7..].to_uppercase());
    for other in [&*hash.to_uppercase(), &upper, &hash[..70], &hash[7..]] {
        assert_eq!(with_header(&hash, other), SCHEMA, "{other}");
    }
    let other = hash.replacen("blake3", "blake4", 1);
    assert_eq!(with_header(&hash, &other), LATER);
    assert_eq!(with_header(r#""version":"1""#, r#""version":"2""#), LATER);
}

/// Adversarial case A12: a capsule of a kind that is not known is never invalid.
/// (C19)
#[test]
fn an_unknown_kind_is_for_later() {
    let verdict = with_header(r#""id""#, r#""ext":{"kind":"promise"},"id""#);
    assert_eq!(verdict, pending(IndeterminateReason::UnknownKind));
    for ext in [r#""ext":{"kind":"world"},"id""#, r#""ext":{},"id""#] {
        assert_eq!(with_header(r#""id""#, ext), SCHEMA, "{ext}");
    }
}

/// Adversarial case A13: shortest doubles come back as they were; without `float_roundtrip` they would not.
#[test]
fn doubles_survive_the_seal() {
    for double in [
        "9.999999999999997e+22",
        "2.2250738585072014e-308",
        "0.1",
        "1.7976931348623157e+308",
    ] {
        let world = World::from_json(&world_json(double)).unwrap();
        let sealed = seal(&world);
        assert!(
            sealed.payload.contains(&format!(r#""data":{double}"#)),
            "{}",
            sealed.payload
        );
        assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
    }
}
