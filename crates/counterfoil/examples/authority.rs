//! An authority: it has the anchors and a policy, and decides on proposals without any memory. What became of an
//! approved proposal is the next World, on which the actor proposes next.

use std::error::Error;
use std::time::SystemTime;

use counterfoil::blocking::Memory;
use counterfoil::{FloorChoice, Proposal, RecallOptions, UnixMillis};
use counterfoil_authority::verifier::{Anchors, VerifierSet};
use counterfoil_authority::{Authority, Policy, Preset, ReviewReport};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::create(folder.path().join("memory"))?;
    memory.remember("Kit must not eat sesame")?;
    // Given out once; it holds public keys and no memory.
    let (anchors, _floor) = memory.anchors(FloorChoice::Kept)?;
    // The name of an authority whose policy gives it none.
    let (to, options) = (Some("local"), RecallOptions::default());
    let proposal = memory.propose("A lemon cake, no halva", &["sesame"], None, to, &options)?;

    let message = serde_json::to_vec(&proposal)?;
    let signer = AgentSigner::new(SecretKey::from_seed([7; 32]));
    let (report, decision) = decide(&anchors, &message, &signer)?;
    println!("{:?}", report.decision().verdict());

    // The actor's operator pins the authority once.
    let authorities = folder.path().join("memory/authorities");
    std::fs::write(authorities, format!("{} local\n", signer.key()))?;
    memory.record_decision(&proposal, &decision)?;
    let outcome = memory.record_outcome(&proposal, &decision, "The lemon cake is baked")?;
    let next = memory.propose("Serve the cake", &["cake"], None, to, &options)?;
    println!("{} is made on {}", next.proposal_id(), outcome.id);
    Ok(())
}

/// The service: bytes of a proposal in, a report and a signed decision out.
fn decide(
    anchors: &str,
    message: &[u8],
    signer: &AgentSigner,
) -> Result<(ReviewReport, Value), Box<dyn Error>> {
    let proposal = Proposal::from_json(message)?;
    let trusted = VerifierSet::new(Anchors::from_json(anchors.as_bytes())?);
    let authority = Authority::new(trusted, Policy::preset(Preset::Standard));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let now = UnixMillis::new(now.as_millis().try_into()?)?;
    Ok(authority.decide(&proposal, now, signer.key(), |bytes| signer.sign(bytes))?)
}
