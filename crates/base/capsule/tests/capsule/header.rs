//! The header: its size, and what is not looked at.

use counterfoil_capsule::{CapsuleDocument, CapsuleId, Header, Position, Verdict, seal_world};

use crate::common::{Bytes, NOW, SALT, note, seal, signer, stamp};

/// Links cover the header without signature: to sign again makes no fork (case C41). `ext` may hold members with the
/// names of the header's own.
#[test]
fn another_signature_is_the_same_capsule() {
    let ext = r#""ext":{"a":1,"seq":0,"timestamp":"2026-02-10T00:00:00.123456Z"},"id""#;
    let text = seal(&note()).header.canonical().replacen(r#""id""#, ext, 1);
    let header = Header::parse(text.as_bytes()).unwrap();
    let fields = (seal(&note()).entry.field_root, 1);
    let [a, b] = [1, 2].map(|byte| {
        let signed = CapsuleDocument::new(header.clone(), [byte; 64], fields, None, None);
        let read = CapsuleDocument::parse(signed.to_text().as_bytes()).unwrap();
        assert_eq!((read.signature(), &read), (Some(&[byte; 64]), &signed));
        read
    });
    assert_ne!(a.to_text(), b.to_text());
    assert_eq!(a.header().hash(), b.header().hash());
}

/// With `,"signature":"<88>"` it is 4 KiB.
#[test]
fn the_largest_header_has_room_for_its_signature() {
    let text = seal(&note()).header.canonical().to_owned();
    let with = |length: usize| {
        let ext = format!(r#""ext":{{"a":"{}"}},"id""#, "x".repeat(length));
        Header::parse(text.replacen(r#""id""#, &ext, 1).as_bytes())
    };
    let spare = 4096 - 103 - text.len() - r#""ext":{"a":""},"#.len();
    assert_eq!(with(spare).unwrap().canonical().len(), 4096 - 103);
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
