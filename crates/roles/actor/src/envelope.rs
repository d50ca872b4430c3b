//! The actor's signature over a proposal, for one authority and once (docs/format/envelope.md).

use counterfoil_capsule::Signer;
use counterfoil_capsule::integrity::{Created, ProofError, sign};
use counterfoil_types::Proposal;
use counterfoil_verifier::envelope;

use crate::ActError;

/// Signs every member of `proposal` for the authority of the name `audience`, dated by its time of submission. The signer's
/// key must be the actor's where the actor is named by a `did:key`. `nonce` is drawn anew for each proposal: 22 to 128 letters
/// of base64url.
///
/// # Errors
/// [`ActError::Audience`] or [`ActError::Nonce`] for names of another form, [`ActError::Sign`] for a proposal that has a
/// `proof`, or no canonical form.
pub fn signed(
    proposal: &Proposal,
    signer: &dyn Signer,
    audience: &str,
    nonce: &str,
) -> Result<Proposal, ActError> {
    if !envelope::is_audience(audience) {
        let found = audience.to_string();
        return Err(ActError::Audience { found });
    }
    if !envelope::is_nonce(nonce) {
        return Err(ActError::Nonce);
    }
    if proposal.rest().contains_key(envelope::PROOF) {
        return Err(ProofError::Proofs { limit: 1 }.into());
    }
    let submitted_at = proposal.submitted_at().value().saturating_mul(1000);
    let binding = envelope::binding(audience, nonce);
    let unsigned = envelope::document(proposal)?;
    let signed = sign(
        unsigned,
        signer,
        Created::from_micros(submitted_at),
        &binding,
    )?;
    Ok(Proposal::try_from(signed)?)
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::{AgentSigner, SecretKey};
    use counterfoil_verifier::Anchors;

    use super::*;

    #[test]
    fn a_proposal_is_signed_once_for_a_name_under_a_nonce() {
        let wire = r#"{"proposalId":"p","actor":{"actorId":"a","kind":"agent","more":1},"baseWorld":"w",
            "intent":{"body":{"type":"t"},"intentId":"i","intentKey":"k","meta":{}},
            "submittedAt":1700000000000,"status":"submitted","more":[2]}"#;
        let plain = Proposal::from_json(wire.as_bytes()).unwrap();
        let signer = AgentSigner::new(SecretKey::from_seed([3; 32]));
        let (name, nonce) = ("payments.example", "a".repeat(22));
        let once = signed(&plain, &signer, name, &nonce).unwrap();
        let anchors = Anchors::of_agents([signer.agent()]).unwrap();
        let opened = envelope::open(&once, Some(&anchors), name)
            .unwrap()
            .unwrap();
        assert_eq!(
            (opened.signer, opened.nonce),
            (signer.agent(), nonce.clone())
        );
        let refused = |proposal: &Proposal, name: &str, nonce: &str| {
            signed(proposal, &signer, name, nonce)
                .unwrap_err()
                .to_string()
        };
        for (text, said) in [
            (refused(&once, name, &nonce), "1 to 1 objects"),
            (refused(&plain, "two words", &nonce), "name of an authority"),
            (refused(&plain, "", &nonce), "name of an authority"),
            (refused(&plain, name, "short"), "128 bits"),
            (refused(&plain, name, &"a".repeat(129)), "128 bits"),
        ] {
            assert!(text.contains(said), "{text}");
        }
    }
}
