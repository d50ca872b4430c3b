//! Proving a belief to an authority: the units that decide it, each opened under its proof (docs/format/belief.md).

use core::future::IntoFuture;
use std::sync::Arc;

use counterfoil_capsule::{Receipt, World};
use counterfoil_claims::belief::{self, Belief, Question, statement};
use counterfoil_claims::{CurrencyLimits, Line, Settings, Unit};
use counterfoil_prover::{ProveError, open};
use counterfoil_store::{AsOf, ClaimStore};
use counterfoil_types::MemoryRef;
use counterfoil_types::json::{Map, Value};
use counterfoil_verifier::opened::OpenedCapsule;
use counterfoil_verifier::tlog_proof::TlogProof;
use counterfoil_verifier::{Checkpoint, Consistency, SignedNote};

use super::{Answer, ClaimMemory, Look};
use crate::{ActError, ProveBeliefError};

/// The member `format` of a proof of belief.
pub const BELIEF_FORMAT: &str = "counterfoil/belief/v1";
/// The most units of one proof.
pub const MAX_PROVEN_UNITS: usize = 4096;
/// The most bytes of one proof: 64 MiB, all that an authority reads.
const MAX_PROOF_BYTES: usize = 64 << 20;
/// The most bytes of all its units; the rest is for belief, checkpoints and white space.
const MAX_PROVEN_BYTES: usize = 48 << 20;

/// A belief with everything that an authority needs to fold it again.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefProof {
    belief: Belief,
    document: Value,
}

impl BeliefProof {
    /// The belief that it is about.
    #[must_use]
    pub const fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The document `counterfoil/belief/v1`. It discloses every unit of the line up to the question's `as_of`.
    #[must_use]
    pub const fn document(&self) -> &Value {
        &self.document
    }
}

/// A proof that is asked for. Nothing is read before it is awaited.
#[must_use = "nothing is read until it is awaited"]
pub struct Prove<'a> {
    memory: &'a ClaimMemory,
    line: Result<Line, ActError>,
    look: Result<Look, ActError>,
    floor: Option<u64>,
}

impl ClaimMemory {
    /// A proof of what is believed of a line. Who gets it can read every unit of the line.
    ///
    /// ```
    /// use counterfoil_actor::{ActError, claims::ClaimMemory};
    ///
    /// async fn shown(memory: &ClaimMemory) -> Result<String, ActError> {
    ///     let proof = memory.prove("ann", "lives in").at("2021").await?;
    ///     Ok(proof.document().to_string()) // `counterfoil-verify belief` reads this
    /// }
    /// ```
    pub fn prove(&self, subject: &str, predicate: &str) -> Prove<'_> {
        Prove {
            memory: self,
            line: self.line(subject, predicate),
            look: Ok(Look::now()),
            floor: None,
        }
    }
}

impl Prove<'_> {
    /// About the first instant of this date.
    pub fn at(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.at(date));
        self
    }

    /// As known then.
    pub fn as_of(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.as_of(date));
        self
    }

    /// For an authority whose anchors have a floor at this size of the log.
    pub const fn from_floor(mut self, size: u64) -> Self {
        self.floor = Some(size);
        self
    }
}

impl<'a> IntoFuture for Prove<'a> {
    type Output = Result<BeliefProof, ActError>;
    type IntoFuture = Answer<'a, BeliefProof>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (line, asked) = (self.line?, self.look?.asked());
            let settings = Arc::clone(&self.memory.settings);
            prove_belief(
                self.memory.store.as_ref(),
                line,
                asked,
                settings,
                self.floor,
            )
            .await
        })
    }
}

/// Proves what `store` believes of `line`: `Ok` guarantees that the units in it, folded again, give that belief, less
/// the marker `PendingReview`, which rests on other lines and is not proven. `floor` is the size of the log from which
/// on the authority wants consistency.
///
/// # Errors
/// [`ActError::Prove`] when there is nothing to prove or a unit is gone, [`ActError::Store`].
pub async fn prove_belief(
    store: &dyn ClaimStore,
    line: Line,
    asked: AsOf,
    settings: Arc<Settings>,
    floor: Option<u64>,
) -> Result<BeliefProof, ActError> {
    let limits = settings.limits_of(&line.predicate);
    let belief = store.believe(line.clone(), asked, settings).await?;
    let question = belief.question;
    let units = store.units(line.clone(), Some(question.as_of_us)).await?;
    complete(&units)?;
    let folded = belief::believe(&line, &units, question, limits, None);
    let stated = statement(&folded);
    if stated != statement(&belief) {
        return Err(ProveBeliefError::Disagrees.into());
    }
    let log = LogEnd::read(store, floor).await?;
    let mut opened = Vec::with_capacity(units.len());
    let mut bytes = 0_usize;
    for unit in &units {
        let unit = log.open(store, unit).await?.to_value();
        bytes = bytes.saturating_add(unit.to_string().len());
        if bytes > MAX_PROVEN_BYTES {
            return Err(ProveBeliefError::TooLarge {
                limit: MAX_PROOF_BYTES,
            }
            .into());
        }
        opened.push(unit);
    }
    let mut members = Map::new();
    members.insert("format".into(), BELIEF_FORMAT.into());
    members.insert("question".into(), asked_of(&line, question, limits));
    members.insert("belief".into(), stated);
    members.insert("units".into(), Value::Array(opened));
    Ok(BeliefProof {
        belief,
        document: Value::Object(members),
    })
}

/// Every unit is there, from the first on, and follows the one before it.
fn complete(units: &[Unit]) -> Result<(), ProveBeliefError> {
    if units.is_empty() {
        return Err(ProveBeliefError::NoUnits);
    }
    if units.len() > MAX_PROVEN_UNITS {
        return Err(ProveBeliefError::TooMany {
            found: units.len(),
            limit: MAX_PROVEN_UNITS,
        });
    }
    let mut before: Option<&Unit> = None;
    for (number, unit) in (0..).zip(units) {
        if unit.number() > number {
            return Err(ProveBeliefError::UnitGone { number });
        }
        if unit.number() < number || !follows(unit, before) {
            return Err(ProveBeliefError::Apart {
                number: unit.number(),
            });
        }
        before = Some(unit);
    }
    Ok(())
}

/// What an authority asks of two units of a line (docs/format/belief.md 3, steps 8 and 9).
fn follows(unit: &Unit, before: Option<&Unit>) -> bool {
    unit.previous() == before.map(Unit::reference)
        && before
            .is_none_or(|before| before.stamp() < unit.stamp() && before.index() < unit.index())
}

fn asked_of(line: &Line, question: Question, limits: CurrencyLimits) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, text: String| members.insert(name.into(), text.into());
    put("agent", line.agent.to_string());
    put("subject", line.subject.to_string());
    put("predicate", line.predicate.to_string());
    put("validAt", question.valid_at.to_string());
    put("asOf", question.as_of_us.to_string());
    put("freshDays", limits.fresh_days.to_string());
    put("agingDays", limits.aging_days.to_string());
    Value::Object(members)
}

/// The checkpoint under which all units are proven.
struct LogEnd {
    note: String,
    size: u64,
    consistency: Option<Consistency>,
}

impl LogEnd {
    /// Read after the units, so that it stands behind each of them.
    async fn read(store: &dyn ClaimStore, floor: Option<u64>) -> Result<Self, ActError> {
        let note = store.checkpoint().await?;
        let note = note.ok_or(ProveBeliefError::Checkpoint)?;
        let size = SignedNote::parse(&note)
            .and_then(|signed| Checkpoint::parse(signed.text()))
            .map_err(|_| ProveBeliefError::Checkpoint)?
            .size();
        let consistency = match floor.filter(|from| (1..size).contains(from)) {
            Some(from) => Some(Consistency {
                from,
                hashes: store.consistency(from, size).await?,
            }),
            None => None,
        };
        Ok(Self {
            note,
            size,
            consistency,
        })
    }

    async fn open(&self, store: &dyn ClaimStore, unit: &Unit) -> Result<OpenedCapsule, ActError> {
        let gone = || ProveBeliefError::UnitGone {
            number: unit.number(),
        };
        let stored = store.capsule(unit.index()).await?.ok_or_else(gone)?;
        let entry = stored.entry.as_world().ok_or_else(gone)?.clone();
        let body = stored.payload.clone().ok_or_else(gone)?;
        let unproven = |found| ProveBeliefError::Unproven {
            number: unit.number(),
            found,
        };
        let world = World::from_json(body.text.as_bytes())
            .map_err(|found| unproven(ProveError::Content(found)))?;
        let tlog = TlogProof {
            index: stored.index,
            hashes: store.inclusion(stored.index, self.size).await?,
            checkpoint: self.note.clone(),
        };
        let mut receipt =
            Receipt::new(entry, stored.key, stored.signature, body.salt).with_tlog_proof(tlog);
        if let Some(consistency) = &self.consistency {
            receipt = receipt.with_consistency(consistency.clone());
        }
        let reference = MemoryRef::new(receipt.entry().world.clone());
        let world = world.with_receipt(&receipt);
        Ok(open(&reference, &world, stored.header.canonical()).map_err(unproven)?)
    }
}
