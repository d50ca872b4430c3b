//! The header in its exported form, with the signature inside.

use counterfoil_capsule::{CapsuleId, Header, Position, SignedHeader, Verdict, seal_world};

use crate::common::{Bytes, NOW, SALT, note, seal, signer, stamp};

/// `ext` may hold members with the names of the header's own.
#[test]
fn the_signature_stands_in_the_header_and_not_in_an_extension() {
    let ext = r#""ext":{"a":1,"seq":0,"timestamp":"2026-02-10T00:00:00.123456Z"},"id""#;
    let text = seal(&note()).header.canonical().replacen(r#""id""#, ext, 1);
    let header = Header::parse(text.as_bytes()).unwrap();
    assert_eq!(header.ext().len(), 3);
    let signed = SignedHeader::new(header, [5; 64]);
    assert_eq!(
        SignedHeader::parse(signed.to_text().as_bytes()).unwrap(),
        signed
    );
    assert_eq!(signed.signature(), &[5; 64]);
}

/// Links cover the header without signature: to sign again makes no fork (case C41).
#[test]
fn another_signature_is_the_same_capsule() {
    let header = seal(&note()).header;
    let (a, b) = (
        SignedHeader::new(header.clone(), [1; 64]),
        SignedHeader::new(header, [2; 64]),
    );
    assert_ne!(a.to_text(), b.to_text());
    assert_eq!(a.header().hash(), b.header().hash());
}

#[test]
fn the_largest_header_has_room_for_its_signature() {
    let text = seal(&note()).header.canonical().to_owned();
    let with = |length: usize| {
        let ext = format!(r#""ext":{{"a":"{}"}},"id""#, "x".repeat(length));
        Header::parse(text.replacen(r#""id""#, &ext, 1).as_bytes())
    };
    let spare = 4096 - 103 - text.len() - r#""ext":{"a":""},"#.len();
    let largest = SignedHeader::new(with(spare).unwrap(), [5; 64]).to_text();
    assert_eq!(largest.len(), 4096);
    assert!(SignedHeader::parse(largest.as_bytes()).is_ok());
    assert!(with(spare + 1).is_err());
}

/// C13: an id holds a time of its own, and nothing compares it with the timestamp.
#[test]
fn the_time_in_an_id_is_not_looked_at() {
    for millis in [0, NOW / 1000 + 400 * 31_557_600_000] {
        let id = CapsuleId::from_parts(millis, [1; 10]);
        let position = Position::seed(id, stamp(NOW));
        let sealed = seal_world(&note(), &position, SALT, &signer()).unwrap();
        assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
    }
}
