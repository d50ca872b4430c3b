//! F120: HTTP message signatures (RFC 9421) are refused, whatever they look like.

use std::sync::Arc;

use crate::rig::{Rig, Scripted};

/// Adversarial case H120: a label renamed, a component that is no header, the digest not covered, a nonce used twice, components of another
/// request: where none is accepted, none can be forged.
#[tokio::test]
async fn each_variant_is_refused() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let input = |label: &str, components: &str| {
        format!(
            "Signature-Input: {label}=({components});created=1618884473;keyid=\"k\";nonce=\"n\"\r\nSignature: {label}=:AAAA:\r\n"
        )
    };
    let variants = [
        input("sig1", "\"@method\" \"@target-uri\" \"content-digest\""),
        input("renamed", "\"@method\" \"@target-uri\" \"content-digest\""),
        input("sig1", "\"@method\""),
        input("sig1", "\"@method\";req \"@status\""),
        "Signature: sig1=:AAAA:\r\n".to_owned(),
        "SIGNATURE-INPUT: sig1=()\r\n".to_owned(),
        "signature:\r\n".to_owned(),
    ];
    for variant in &variants {
        for _ in 0..2 {
            let reply = rig.post(variant, b"{}").await;
            assert_eq!(
                reply.is_problem("http-signature")["status"],
                400,
                "{variant}"
            );
        }
    }
    let injected = rig.post("@method: GET\r\n", b"{}").await;
    assert_eq!(injected.status, 400, "a header of this name is no header");
    assert_eq!(scripted.count(), 0);
}

/// Adversarial case H120: behind the body, too.
#[tokio::test]
async fn a_signature_in_a_trailer_is_refused() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let request = "POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\
        trailer: signature\r\n\r\n2\r\n{}\r\n0\r\nsignature: sig1=:AAAA:\r\n\r\n";
    rig.send(request.as_bytes())
        .await
        .is_problem("http-signature");
    assert_eq!(scripted.count(), 0);
}
