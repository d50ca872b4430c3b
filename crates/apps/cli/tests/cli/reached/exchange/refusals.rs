//! What a responder is asked for, and what it refuses: a real server, and requests of which one thing is wrong each.

use counterfoil_capsule::Signer;
use counterfoil_exchange::documents::{
    Audience, Nonce, Request, RequestId, RequestParts, RequestedCheck, Text, VerifyParts,
    VerifyRequest,
};
use serde_json::Value;

use super::super::Met;
use super::answers::template;
use super::stage::{Stage, agent, time};
use crate::place::Place;
use crate::serving::server::Served;

/// `ask --format`, in the request that goes out.
pub(super) fn forms(met: &mut Met) {
    let stage = Stage::new();
    for form in ["attestation", "raw", "summary"] {
        let mut asked = None;
        stage.ask(&mut Met::default(), &["--format", form], 0, |request| {
            asked = Some(request.parts().preferences.format);
            vec![stage.answer(request, Vec::new())]
        });
        met.note("format", &serde_json::to_value(asked.unwrap()).unwrap());
    }
}

/// What an agent is asked about a memory of its own, and says.
pub(super) fn checks(met: &mut Met) {
    let (bob, served) = serving("");
    let parts = template();
    let question = VerifyParts {
        header: header(1).header,
        requester: parts.requester,
        audience: Audience::One(key(&bob)),
        attestation_id: Text::new("nothing").unwrap(),
        checks_requested: [
            RequestedCheck::SignatureValid,
            RequestedCheck::EvidenceAccessible,
            RequestedCheck::VouchesPresent,
        ]
        .into(),
    };
    let asked = VerifyRequest::sign(question, &agent(7)).unwrap();
    let reply = served.post_to("/mrp/v1/verify", asked.bytes());
    let said: Value = serde_json::from_str(body(&reply)).unwrap();
    for name in said["checks"].as_object().unwrap().keys() {
        met.note("asked", &name.as_str().into());
    }
}

/// A request of which nothing is wrong, and each of those of which something is.
pub(super) fn words(met: &mut Met) {
    let limits = "[limits]\nseen_per_key = 4\nheld_mib = 0\nanonymous_per_minute = 1\n";
    let (bob, served) = serving(limits);
    let bob_key = key(&bob);
    let good = |number| {
        let mut parts = header(number);
        parts.audience = Audience::One(bob_key);
        parts
    };
    let signed = |parts: RequestParts| Request::sign(parts, &agent(7)).unwrap();
    let mut post = |bytes: &[u8]| refusal(met, &served.post(bytes));

    let first = signed(good(1));
    assert_eq!(post(first.bytes()), None);
    let mut other = good(1);
    other.query.natural = Text::new("what else?").unwrap();
    assert!(post(signed(other).bytes()).is_some());
    assert!(post(b"{}").is_some());
    let text = String::from_utf8(first.bytes().to_vec()).unwrap();
    assert!(
        post(
            text.replace(r#""version":"1""#, r#""version":"2""#)
                .as_bytes()
        )
        .is_some()
    );
    assert!(post(text.replace("what of it?", "what of me?").as_bytes()).is_some());
    let mut relayed = good(2);
    relayed.audience = Audience::One(agent(8).key());
    assert!(post(signed(relayed).bytes()).is_some());
    let mut old = good(3);
    (old.header.timestamp, old.header.expires) = (time(-3600), time(-3500));
    assert!(post(signed(old).bytes()).is_some());
    let mut page = good(4);
    page.preferences.cursor = Some(Text::new("somewhere").unwrap());
    assert!(post(signed(page).bytes()).is_some());
    for number in 5..10 {
        post(signed(good(number)).bytes());
    }
    for number in 10..14 {
        post(Request::anonymous(header(number)).unwrap().bytes());
    }
    assert_eq!(served.get("/healthz").get(..12), Some("HTTP/1.1 200"));
    drop(served);
    let served = Served::new(&bob);
    refusal(met, &served.post(first.bytes()));
    let broken = rusqlite::Connection::open(bob.database()).unwrap();
    broken.execute_batch("DROP TABLE request_seen").unwrap();
    refusal(met, &served.post(signed(good(20)).bytes()));
}

fn serving(settings: &str) -> (Place, Served) {
    let bob = Place::new();
    std::fs::write(bob.dir().join("exchange.toml"), settings).unwrap();
    let served = Served::new(&bob);
    (bob, served)
}

/// A question to everyone, under a name of its own.
fn header(number: u8) -> RequestParts {
    let mut parts = template();
    parts.header.request_id = RequestId::from_bytes([number; 16]);
    parts.header.nonce = Some(Nonce::from_bytes([number; 16]));
    parts
}

fn key(place: &Place) -> counterfoil_types::DidKey {
    let shown = place.json(["key", "show"]);
    shown["key"].as_str().unwrap().parse().unwrap()
}

/// The word of a problem; `None` for an answer.
fn refusal(met: &mut Met, reply: &str) -> Option<String> {
    let said: Value = serde_json::from_str(body(reply)).unwrap();
    let kind = said.get("type")?.as_str()?;
    if kind == "memory_response" {
        return None;
    }
    let word = kind.rsplit(['/', ':', '#']).next()?.to_owned();
    met.note("refusal", &word.as_str().into());
    Some(word)
}

fn body(reply: &str) -> &str {
    reply.split_once("\r\n\r\n").unwrap().1
}
