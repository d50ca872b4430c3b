//! `extract`: reads claims out of memories. What comes out are proposals of a model's standing, anchored in the memory
//! that they were read from; the gate decides (I5).

mod passages;
mod reader;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_claims::ports::{ClaimProposal, Passage};
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{Channels, Submission};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{ClaimRequest, ClaimStore};
use counterfoil_types::WorldId;

use self::passages::Found;
use self::reader::{Ended, Reader};
use self::report::Report;
use crate::args::ExtractArgs;
use crate::claims::access::ClaimWriter;
use crate::claims::bulk::{self, BATCH, Hints};
use crate::claims::refusals::refused;
use crate::context::Context;
use crate::failure::Failure;

/// Domain of the keys under which proposals are submitted.
const KEY_CONTEXT: &str = "counterfoil 2026-11-21 extracted-claim";

pub(crate) async fn run(context: &Context, args: ExtractArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let store = context.home.reader()?;
    let ids = passages::named(&store, &context.home.agent_public()?, &args).await?;
    let reader = Reader::open(args.with, &context.home).await?;
    let agent = context.home.agent_public()?;
    let hints = Hints::over(store.predicates(agent, None).await?);
    let pen = match args.dry_run {
        true => None,
        false => Some(ClaimWriter::open(&context.memory)?),
    };
    let interrupted = crate::interrupt::interruption()?;
    let mut extraction = Extraction {
        store,
        pen,
        reader,
        batch: Vec::new(),
        report: Report::new(args.dry_run, args.with, hints),
    };
    // One memory that was named is told why it is left out; of all, those that can be read are read.
    let ended = extraction.read_all(&ids, &interrupted, !args.all).await;
    extraction.report.finish(context, ended)
}

/// A proposal, and where it was read.
struct Read {
    world: WorldId,
    proposal: ClaimProposal,
}

struct Extraction {
    store: SqliteStore,
    /// `None`: nothing is written.
    pen: Option<ClaimWriter>,
    reader: Reader,
    batch: Vec<Read>,
    report: Report,
}

impl Extraction {
    async fn read_all(
        &mut self,
        ids: &[WorldId],
        interrupted: &AtomicBool,
        named: bool,
    ) -> Result<(), Ended> {
        for id in ids {
            if interrupted.load(Ordering::Relaxed) {
                return Err(Ended::Interrupted);
            }
            match passages::passage(&self.store, id).await? {
                Found::Passage(passage) => self.read(passage).await?,
                Found::Nothing(why) if named => return Err(why.failure(id).into()),
                Found::Nothing(_) => self.report.left_out(),
            }
            if self.batch.len() >= BATCH {
                self.submit().await?;
            }
        }
        self.submit().await
    }

    async fn read(&mut self, passage: Passage) -> Result<(), Ended> {
        let world = passage.world.clone();
        match self.reader.read(passage).await {
            Ok(read) => {
                self.report.read(&world, &read.skipped);
                let proposals = read.proposals.into_iter();
                self.batch.extend(proposals.map(|proposal| Read {
                    world: world.clone(),
                    proposal,
                }));
                Ok(())
            }
            Err(reader::Failed::OfThis(why)) => {
                self.report.unreadable(&world, why);
                Ok(())
            }
            Err(reader::Failed::OfAll(why)) => {
                // What was read before is no worse for it.
                self.submit().await?;
                Err(Ended::Failed(why))
            }
        }
    }

    /// Submits the collected proposals to the gate.
    async fn submit(&mut self) -> Result<(), Ended> {
        let batch = std::mem::take(&mut self.batch);
        let Some(pen) = &self.pen else {
            for read in batch {
                self.report.proposed(&read.world, &read.proposal, None);
            }
            return Ok(());
        };
        let mut batch = batch.into_iter().peekable();
        while batch.peek().is_some() {
            let part: Vec<Read> = batch.by_ref().take(BATCH).collect();
            let requests = part.iter().map(|read| request(&read.world, &read.proposal));
            let requests = requests.collect::<Result<Vec<_>, _>>()?;
            let answers = bulk::submit(pen, requests).await.map_err(Failure::from)?;
            for (read, answer) in part.iter().zip(answers) {
                self.report
                    .proposed(&read.world, &read.proposal, Some(answer));
            }
        }
        Ok(())
    }
}

/// Builds the request for the extractor's channel, with a model's weight, citing the memory. The key follows from the
/// proposal, so that a second reading of the same memory adds nothing, whatever the state of the claim.
fn request(world: &WorldId, proposal: &ClaimProposal) -> Result<ClaimRequest, Failure> {
    let submission = Submission::new(
        &Channels::of_host().model(),
        proposal.subject.clone(),
        proposal.predicate.clone(),
        proposal.value.clone(),
    )
    .extracted()
    .cardinality(proposal.cardinality)
    .citing(vec![world.clone()])
    .and_then(|submission| submission.keyed(&key(world, proposal)))
    .and_then(|submission| match proposal.valid {
        Some(valid) => submission.valid(valid),
        None => Ok(submission),
    });
    Ok(ClaimRequest::Submit(submission.map_err(refused)?))
}

fn key(world: &WorldId, proposal: &ClaimProposal) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(KEY_CONTEXT);
    let text = |end: Option<Boundary>| end.map_or_else(String::new, |end| end.to_string());
    let valid = proposal.valid.map(|valid| {
        let (from, until) = (text(valid.from), text(valid.until));
        format!("{from} {until} {}", valid.confidence.value())
    });
    let world = world.to_string();
    for part in [
        world.as_str(),
        proposal.subject.as_str(),
        proposal.predicate.as_str(),
        proposal.value.canonical(),
        valid.as_deref().unwrap_or_default(),
        proposal.cardinality.name(),
    ] {
        // None of the parts holds a NUL.
        hasher.update(part.as_bytes()).update(&[0]);
    }
    let hash = hasher.finalize().to_hex();
    format!("extract:{}", hash.get(..32).unwrap_or(&hash))
}
