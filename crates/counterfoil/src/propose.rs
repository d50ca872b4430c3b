//! Proposing: recalls, and a proposal that cannot leave the trace of them behind (M-2, FP-02).

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_actor::{
    Actor, Deliberation, IntentDraft, Recalled, RecalledMemory, SourceKind, signed,
};
use counterfoil_trace::{MAX_WITHHELD, WITHHELD_KEY};
use counterfoil_types::json::{Limits, Map, Value};
use counterfoil_types::{
    IntentBody, IntentInstance, Proposal, ProposalTrace, Query, SelectionConstraints, WorldId,
};
use counterfoil_verifier::TlogProof;
use counterfoil_verifier::attestations::{ATTESTATIONS_KEY, Attestations};
use counterfoil_verifier::field::is_pointer;
use uuid::Uuid;

use crate::attest;
use crate::error::Error;
use crate::floor;
use crate::memory::Memory;
use crate::recall::{RecallOptions, actor_of, failure, query};
use crate::when;

/// Default type of an intent.
const DEFAULT_INTENT: &str = "counterfoil.proposal";
/// Recalls for one proposal, if the log grows between a recall and the lookups of its memories.
const MAX_ATTEMPTS: u32 = 8;

impl Memory {
    /// Makes a proposal with the trace of these recalls, merged. An authority decides on it without this memory.
    ///
    /// The agent's key signs it, every member of it, for the authority of the name `to` and for once; its actor is then named
    /// by that key. With `None` it is not signed, which few policies approve. An authority that has no name of its own is
    /// `"local"`.
    ///
    /// An undecided fork that the log does not have is recorded first, so that the authority sees which memories are forked.
    ///
    /// The proofs disclose the recalled memories, all of it up to 64 KiB for each memory, but for what
    /// [`RecallOptions::withhold`] keeps back.
    ///
    /// `intent` is an intent's body (`type`, `input`, `scopeProposal`) or a whole intent; by default one whose input is
    /// the summary.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty summary or query, an intent that is none, a name that no
    /// authority can have, and a field to disclose or withhold that no recalled memory has; [`ErrorKind::Place`](crate::ErrorKind::Place) without the agent's key, if it is to be signed.
    pub async fn propose(
        &self,
        summary: &str,
        queries: &[impl AsRef<str>],
        intent: Option<Value>,
        to: Option<&str>,
        options: &RecallOptions,
    ) -> Result<Proposal, Error> {
        if summary.trim().is_empty() {
            return Err(Error::input("the summary is empty", "say what is proposed"));
        }
        let constraints = options.constraints()?;
        let queries = queries.iter().map(|text| query(text.as_ref()));
        let queries = queries.collect::<Result<Vec<_>, _>>()?;
        let (whole, options) = (&self.whole(), &self.within(options)?);
        whole.must_exist()?;
        let signer = to.map(|_| self.home().agent()).transpose()?;
        let actor = match &signer {
            Some(signer) => actor_of(signer.key())?,
            None => actor_of(self.home().agent_public()?)?,
        };
        whole.record_forks().await?;
        let mut session = whole
            .session(actor.clone(), options, (&queries, Some(&queries)))
            .await?;
        let intent = self.intent(intent, summary, &session.actor)?;
        let settings = whole.claim_settings().await?;
        let floor = floor::asked(self.home(), options.floor)?;
        let floor = floor.map(floor::Asked::size);
        let mut attempts = 0;
        let (deliberation, attestations) = loop {
            let deliberation = session.actor.deliberate(session.base_world.clone());
            let recalled = recalled(&deliberation, &queries, &constraints, options).await?;
            let beliefs = (Arc::clone(&settings), floor);
            if let Some(attestations) = attest::of(&*whole.any()?, &recalled, beliefs).await? {
                break (deliberation, attestations);
            }
            attempts += 1;
            if attempts == MAX_ATTEMPTS {
                let moves = "the log grew during each of several recalls";
                return Err(Error::place(moves, "propose again when less is written"));
            }
            session = whole
                .session(actor.clone(), options, (&queries, Some(&queries)))
                .await?;
        };
        let id = format!("prop-{}", Uuid::new_v4());
        let proposal = deliberation
            .decide(intent, account(summary, &options.withhold, &attestations))
            .map_err(failure)?;
        let proposal = proposal.submit(id, when::now()?).map_err(failure)?;
        let proposal = match signer.zip(to) {
            Some((signer, to)) => {
                let nonce = Uuid::new_v4().simple().to_string();
                signed(&proposal, &*signer, to, &nonce).map_err(failure)?
            }
            None => proposal,
        };
        must_be_readable(&proposal)?;
        Ok(proposal)
    }

    fn intent(
        &self,
        stated: Option<Value>,
        summary: &str,
        actor: &Actor,
    ) -> Result<IntentInstance, Error> {
        let refused = |error: &dyn core::fmt::Display| {
            Error::input(
                format_args!("the intent cannot be used: {error}"),
                "write {\"type\": \"...\", \"input\": ...}",
            )
        };
        let body = match stated {
            Some(whole) if whole.get("body").is_some() => {
                return IntentInstance::try_from(whole).map_err(|error| refused(&error));
            }
            Some(body) => IntentBody::try_from(body).map_err(|error| refused(&error))?,
            None => {
                let mut input = Map::new();
                input.insert("summary".into(), summary.into());
                let body = IntentBody::new(DEFAULT_INTENT);
                body.map_err(|_| Error::bug("an intent without type"))?
                    .with_input(Value::Object(input))
            }
        };
        let draft = IntentDraft {
            body,
            schema_hash: counterfoil_capsule::memory_schema_hash(),
            intent_id: format!("intent-{}", Uuid::new_v4()),
            projection_id: self.program().to_owned(),
            source: SourceKind::Agent,
            event_id: format!("event-{}", Uuid::new_v4()),
        };
        draft.by(actor.actor_ref()).map_err(failure)
    }
}

/// Recalls for all queries: the memories that were found, each with the checkpoint of its proof.
async fn recalled(
    deliberation: &Deliberation<'_>,
    queries: &[Query],
    constraints: &SelectionConstraints,
    options: &RecallOptions,
) -> Result<BTreeMap<WorldId, Option<String>>, Error> {
    let (mut fields, mut checkpoints) = (Fields::new(options)?, BTreeMap::new());
    for query in queries {
        let recalled = deliberation.recall(query.clone(), Some(constraints.clone()));
        let recalled = recalled.await.map_err(failure)?;
        fields.found_in(&recalled);
        for memory in recalled.memories() {
            let world = memory.world().world_id().clone();
            checkpoints.insert(world, checkpoint_of(memory));
        }
    }
    fields.all_found()?;
    Ok(checkpoints)
}

/// The checkpoint under which a memory is proven, a signed note.
fn checkpoint_of(memory: &RecalledMemory) -> Option<String> {
    let proof = memory.selected().evidence()?.to_proof();
    let receipt = proof.proof()?.get("tlogProof")?.as_str()?;
    Some(TlogProof::parse(receipt).ok()?.checkpoint)
}

/// The summary, the names of the fields that are kept back, and the authors.
fn account(summary: &str, withheld: &[String], attestations: &Attestations) -> ProposalTrace {
    let mut context = Map::new();
    if !withheld.is_empty() {
        context.insert(WITHHELD_KEY.to_owned(), withheld.into());
    }
    if !attestations.is_empty() {
        context.insert(ATTESTATIONS_KEY.to_owned(), attestations.to_value());
    }
    match context.is_empty() {
        true => ProposalTrace::new(summary),
        false => ProposalTrace::new(summary).with_context(context),
    }
}

/// Fields that the options name, each of which some recalled memory must have: a name that was misspelt keeps nothing back.
struct Fields<'o> {
    missing: Vec<&'o str>,
    found: bool,
}

impl<'o> Fields<'o> {
    fn new(options: &'o RecallOptions) -> Result<Self, Error> {
        let (shown, withheld) = (options.disclose.iter(), options.withhold.iter());
        let missing: Vec<&str> = shown.chain(withheld).map(String::as_str).collect();
        let is_field = |path: &&&str| path.starts_with('/') && is_pointer(path);
        match missing.iter().find(|path| !is_field(path)) {
            _ if options.withhold.len() > MAX_WITHHELD => Err(Error::input(
                format_args!("more than {MAX_WITHHELD} fields are kept back"),
                "keep back a field above them",
            )),
            Some(path) => Err(Error::input(
                format_args!("{path:?} is no JSON pointer"),
                "write it as /data/text",
            )),
            None => Ok(Self {
                missing,
                found: false,
            }),
        }
    }

    fn found_in(&mut self, recalled: &Recalled<'_>) {
        self.found |= !recalled.is_empty();
        self.missing.retain(|path| {
            let has =
                |memory: &RecalledMemory| memory.world().content_value().pointer(path).is_some();
            !recalled.memories().any(has)
        });
    }

    fn all_found(&self) -> Result<(), Error> {
        match self.missing.first() {
            Some(path) if self.found => Err(Error::input(
                format_args!("no recalled memory has a field {path:?}"),
                "`show` prints the fields of a memory",
            )),
            _ => Ok(()),
        }
    }
}

/// Authorities read proposals of at most 16 MiB.
fn must_be_readable(proposal: &Proposal) -> Result<(), Error> {
    let bytes = serde_json::to_vec(proposal).map_or(usize::MAX, |text| text.len());
    if bytes <= Limits::DOCUMENT.bytes {
        return Ok(());
    }
    Err(Error::input(
        format_args!("the proposal has {bytes} bytes, more than the 16 MiB that are read"),
        "recall fewer memories, or keep fields back",
    ))
}
