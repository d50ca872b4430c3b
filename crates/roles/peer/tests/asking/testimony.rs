//! What a responder states of its own memory (docs/format/exchange.md §6; R9).

use async_trait::async_trait;
use counterfoil_exchange::documents::{
    Audience, Party, ResponseHeader, Testimony, Text, VerifyRequest, VerifyResult,
    VerifyResultParts,
};
use counterfoil_peer::{PeerError, Transport};

use crate::answers::{agent, key};
use crate::rig::{Rig, SECOND_US, done};

/// Answers each verification by a script; silent without one.
struct Verifying {
    answer: Option<fn(&VerifyRequest) -> Vec<u8>>,
    sent: Option<VerifyRequest>,
}

#[async_trait]
impl Transport for Verifying {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        self.sent = VerifyRequest::parse(request).ok();
        Ok(())
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        match (&self.sent, self.answer) {
            (Some(sent), Some(answer)) => Ok(answer(sent)),
            _ => std::future::pending().await,
        }
    }
}

fn said_by(number: u8, request: &VerifyRequest) -> Vec<u8> {
    let asked = request.parts();
    let checks = asked.checks_requested.iter();
    let parts = VerifyResultParts {
        header: ResponseHeader {
            request_id: asked.header.request_id.clone(),
            response_id: Some(asked.header.request_id.clone()),
            timestamp: asked.header.timestamp,
        },
        in_response_to: Some(request.hash()),
        audience: Audience::Everyone,
        responder: Party::named(Text::new("somebody").unwrap()),
        attestation_id: asked.attestation_id.clone(),
        checks: checks.map(|check| (*check, Testimony::Pass)).collect(),
    };
    let result = VerifyResult::sign(parts, request, &agent(number)).unwrap();
    result.bytes().to_vec()
}

/// An answer to the same question under another id.
fn to_another_request(request: &VerifyRequest) -> Vec<u8> {
    let mut parts = request.parts().clone();
    parts.attestation_id = Text::new("m2").unwrap();
    said_by(9, &VerifyRequest::sign(parts, &agent(1)).unwrap())
}

/// R1, R3, R9, MRP-40: what a responder states counts as its word only if its key signed it for this request; nothing is stored.
#[test]
fn testimony_is_signed_by_the_asked_agent_for_this_request() {
    let rig = Rig::new();
    let before = rig.size();
    let ask = |answer: Option<fn(&VerifyRequest) -> Vec<u8>>| {
        let mut transport = Verifying { answer, sent: None };
        let id = Text::new("m1").unwrap();
        done_or_error(
            rig.asking()
                .verify(key(9), id, 5 * SECOND_US, &mut transport),
        )
    };
    let result = ask(Some(|request| said_by(9, request))).unwrap();
    assert!(
        result
            .parts()
            .checks
            .values()
            .all(|said| *said == Testimony::Pass)
    );
    let forgeries: [fn(&VerifyRequest) -> Vec<u8>; 4] = [
        changed_on_the_way,
        |request| said_by(8, request),
        to_another_request,
        |_| b"{}".to_vec(),
    ];
    for forged in forgeries {
        assert!(matches!(ask(Some(forged)), Err(PeerError::Refused { .. })));
    }
    assert!(matches!(ask(None), Err(PeerError::Failed { .. })));
    assert_eq!(rig.size(), before);
}

/// The answer of the asked agent, with another result than it has signed.
fn changed_on_the_way(request: &VerifyRequest) -> Vec<u8> {
    let signed = String::from_utf8(said_by(9, request)).unwrap();
    let changed = signed.replacen(Testimony::Pass.name(), Testimony::Fail.name(), 1);
    assert_ne!(changed, signed);
    changed.into_bytes()
}

fn done_or_error(
    task: impl Future<Output = Result<VerifyResult, PeerError>>,
) -> Result<VerifyResult, PeerError> {
    done(async { Ok(task.await) })
}
