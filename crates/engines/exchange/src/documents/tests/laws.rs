//! Laws of all documents: they round-trip, and whoever changes a byte of one is found out.

use counterfoil_capsule::Signer as _;
use proptest::prelude::*;

use super::arbitrary::{
    attestation, capability, claim, request, response, revocation, signer, verify, verify_result,
    vouch,
};
use crate::documents::{
    Attestation, Audience, Capability, Request, Response, Revocation, Signature, Text,
    VerifyRequest, VerifyResult, Vouch,
};

fn asked() -> impl Strategy<Value = Request> {
    (request(), any::<bool>()).prop_map(|(parts, signed)| match signed {
        true => Request::sign(parts, &signer(1)).unwrap(),
        false => Request::anonymous(parts).unwrap(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// R2: a request is read as it was written, and its proof holds.
    #[test]
    fn a_request_is_read_as_it_was_signed(mut parts in request()) {
        let signed = Request::sign(parts.clone(), &signer(1)).unwrap();
        prop_assert_eq!(&Request::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature(), Signature::Holds(signer(1).key()));
        parts.requester.public_key = Some(signer(1).key());
        prop_assert_eq!(signed.parts(), &parts);
        prop_assert_eq!(signed.is_draft(), false);
        parts.requester.public_key = None;
        let unsigned = Request::anonymous(parts.clone()).unwrap();
        prop_assert_eq!(&Request::parse(unsigned.bytes()), &Ok(unsigned.clone()));
        prop_assert_eq!(unsigned.parts(), &parts);
        prop_assert_eq!(unsigned.signature(), Signature::Absent);
    }

    /// R1: an answer is read as it was written, and its proof holds as the answer to that request alone.
    #[test]
    fn a_response_is_read_as_it_was_signed(
        (request, mut parts) in asked().prop_flat_map(|request| (Just(request.clone()), response(request))),
        other in request(),
    ) {
        let signed = Response::sign(parts.clone(), &request, &signer(2)).unwrap();
        prop_assert_eq!(&Response::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature_for(&request), Signature::Holds(signer(2).key()));
        let other = Request::sign(other, &signer(1)).unwrap();
        prop_assert_eq!(signed.signature_for(&other), Signature::Broken);
        parts.header.request_id = request.parts().header.request_id.clone();
        parts.in_response_to = Some(request.hash());
        parts.audience = request.parts().requester.public_key.map_or(Audience::Everyone, Audience::One);
        parts.responder.public_key = Some(signer(2).key());
        prop_assert_eq!(signed.parts(), &parts);
    }

    /// R2: an attestation is read as it was written, and the same parts give the same bytes.
    #[test]
    fn an_attestation_is_read_as_it_was_signed(mut parts in attestation()) {
        let signed = Attestation::sign(parts.clone(), &signer(2)).unwrap();
        prop_assert_eq!(&Attestation::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(&Attestation::sign(parts.clone(), &signer(2)), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature(), Signature::Holds(signer(2).key()));
        parts.agent.as_mut().unwrap().public_key = Some(signer(2).key());
        prop_assert_eq!(signed.parts(), &parts);
        if let Some(chain) = signed.parts().chain() {
            prop_assert_eq!(chain.verify(&signed.claim_hash(), None), Ok(()));
        }
    }

    /// What a claim is known by does not depend on who says it, nor on what else is said.
    #[test]
    fn one_claim_has_one_hash(parts in attestation(), other in claim()) {
        let signed = Attestation::sign(parts.clone(), &signer(2)).unwrap();
        let raw = Attestation::raw(Text::new("another id").unwrap(), parts.claim.clone(), [].into()).unwrap();
        prop_assert_eq!(signed.claim_hash(), raw.claim_hash());
        prop_assert_eq!(signed.claim_hash() == other.hash(), parts.claim == other);
        let said = counterfoil_types::json::canonical(signed.to_value().unwrap().get("claim").unwrap()).unwrap();
        prop_assert_eq!(parts.claim.canonical(), said);
    }

    #[test]
    fn vouches_and_revocations_are_read_as_they_were_signed(mut vouch in vouch(), mut revocation in revocation()) {
        let signed = Vouch::sign(vouch.clone(), &signer(3)).unwrap();
        prop_assert_eq!(&Vouch::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature(), Signature::Holds(signer(3).key()));
        vouch.voucher.public_key = signer(3).key();
        prop_assert_eq!(signed.parts(), &vouch);
        let signed = Revocation::sign(revocation.clone(), &signer(3)).unwrap();
        prop_assert_eq!(&Revocation::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature(), Signature::Holds(signer(3).key()));
        revocation.voucher.public_key = signer(3).key();
        prop_assert_eq!(signed.parts(), &revocation);
    }

    #[test]
    fn a_capability_is_read_as_it_was_signed(mut parts in capability()) {
        let signed = Capability::sign(parts.clone(), &signer(4)).unwrap();
        prop_assert_eq!(&Capability::parse(signed.bytes()), &Ok(signed.clone()));
        prop_assert_eq!(signed.signature(), Signature::Holds(signer(4).key()));
        parts.agent.public_key = signer(4).key();
        prop_assert_eq!(signed.parts(), &parts);
    }

    /// R1, R9: a verification and its result are bound to each other.
    #[test]
    fn a_verification_is_read_as_it_was_signed(
        (asked, said) in verify().prop_flat_map(|asked| (Just(asked.clone()), verify_result(asked))),
        other in verify(),
    ) {
        let request = VerifyRequest::sign(asked, &signer(1)).unwrap();
        prop_assert_eq!(&VerifyRequest::parse(request.bytes()), &Ok(request.clone()));
        prop_assert_eq!(request.signature(), Signature::Holds(signer(1).key()));
        let result = VerifyResult::sign(said.clone(), &request, &signer(2)).unwrap();
        prop_assert_eq!(&VerifyResult::parse(result.bytes()), &Ok(result.clone()));
        prop_assert_eq!(result.signature_for(&request), Signature::Holds(signer(2).key()));
        prop_assert_eq!(&result.parts().checks, &said.checks);
        let other = VerifyRequest::sign(other, &signer(1)).unwrap();
        prop_assert_eq!(result.signature_for(&other), Signature::Broken);
    }
}
