//! Proving a belief to an authority: the units that decide it, each opened under its proof (docs/format/belief.md).

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_capsule::{Receipt, World};
use counterfoil_claims::belief::{self, Belief, BeliefStatus, Question, scope_to_json, statement};
use counterfoil_claims::{CurrencyLimits, Identifier, Line, ProvenanceClass, Settings, Unit};
use counterfoil_prover::{ProveError, open};
use counterfoil_store::{AsOf, ClaimStore, Standings, units_of_names};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, MemoryRef};
use counterfoil_verifier::map::{LineStanding, Lookup};
use counterfoil_verifier::opened::{EntrySignature, OpenedCapsule, OpenedRecord};
use counterfoil_verifier::tlog_proof::TlogProof;
use counterfoil_verifier::{Checkpoint, Consistency, KeyFingerprint};
use serde_json::json;

use crate::{BeliefQuery, ClaimMemory, ClaimMemoryError};

/// The member `format` of a proof of belief.
pub const BELIEF_FORMAT: &str = "counterfoil/belief/v1";
/// The most units of one proof.
pub const MAX_PROVEN_UNITS: usize = 4096;
/// The most bytes of one proof: 64 MiB, all that an authority reads.
const MAX_PROOF_BYTES: usize = 64 << 20;
/// The most bytes of all its units; the rest is for belief, checkpoints and white space.
const MAX_PROVEN_BYTES: usize = 48 << 20;

/// The most records of trust of one proof.
const MAX_PROVEN_RECORDS: usize = 4096;
/// The most bytes of all its records of trust.
const MAX_TRUST_BYTES: usize = 8 << 20;

/// A belief, and the document `counterfoil/belief/v1` that proves it. It discloses every unit of the line up to the
/// question's `as_of`.
pub type BeliefProof = (Belief, Value);

impl ClaimMemory {
    /// Proof of the belief of a line. Its holder can read every unit of the line.
    ///
    /// ```
    /// use counterfoil_claim_memory::{ClaimMemory, ClaimMemoryError};
    ///
    /// async fn proof(memory: &ClaimMemory) -> Result<String, ClaimMemoryError> {
    ///     let (_, document) = memory.prove("ann", "lives in").at("2021").await?;
    ///     Ok(document.to_string()) // `counterfoil-verify belief` reads this
    /// }
    /// ```
    pub fn prove(&self, subject: &str, predicate: &str) -> BeliefQuery<'_, BeliefProof> {
        let line = self.line(subject, predicate);
        BeliefQuery::new(move |asked, floor| async move {
            let settings = Arc::clone(&self.settings);
            prove_with_trust(self.store.as_ref(), line?, asked, settings, floor).await
        })
    }
}

/// As [`prove_belief`]. Where a unit is of another agent, or the belief is a set, the document has all records of trust of the line's agent too, with names and
/// reasons in them, so that an authority counts those agents as this one does. They are left out where nothing shows that they
/// are all, and beyond 4,096 records or 8 MiB: then the trust is open.
///
/// # Errors
/// As [`prove_belief`].
pub async fn prove_with_trust(
    store: &dyn ClaimStore,
    line: Line,
    asked: AsOf,
    settings: Arc<Settings>,
    floor: Option<u64>,
) -> Result<BeliefProof, ClaimMemoryError> {
    let agent = line.agent;
    let Proven {
        belief,
        mut document,
        log,
        needs_records,
    } = prove_line(store, line, asked, settings, floor).await?;
    if needs_records
        && let Some(trust) = log.trust(store, agent).await?
        && let Some(members) = document.as_object_mut()
    {
        members.insert("trust".into(), trust);
    }
    Ok((belief, document))
}

/// Proves the belief of `store` about `line`: `Ok` guarantees that the units in it, folded again, give that belief, less
/// the marker `PendingReview`, which rests on other lines and is not proven. `floor` is the size of the log from which
/// on the authority wants consistency.
///
/// # Errors
/// [`ClaimMemoryError::NoUnits`], [`ClaimMemoryError::SeveralNames`], [`ClaimMemoryError::UnitGone`] and others about the line, [`ClaimMemoryError::Store`].
pub async fn prove_belief(
    store: &dyn ClaimStore,
    line: Line,
    asked: AsOf,
    settings: Arc<Settings>,
    floor: Option<u64>,
) -> Result<BeliefProof, ClaimMemoryError> {
    let proven = prove_line(store, line, asked, settings, floor).await?;
    Ok((proven.belief, proven.document))
}

struct Proven {
    belief: Belief,
    document: Value,
    log: LogEnd,
    /// A unit is of another agent, or the belief is a set: what the agent has decided bears on it.
    needs_records: bool,
}

async fn prove_line(
    store: &dyn ClaimStore,
    line: Line,
    asked: AsOf,
    settings: Arc<Settings>,
    floor: Option<u64>,
) -> Result<Proven, ClaimMemoryError> {
    let limits = settings.limits_of(&line.predicate);
    // Of agents the units show the level at receipt, and no decision since; of predicates, what was decided when they were written.
    let (line, question) = of_one_name(store, line, asked, &settings).await?;
    let settings = Arc::new(Settings {
        trust: None,
        vocabulary: Arc::default(),
        aliases: Arc::default(),
        ..Settings::clone(&settings)
    });
    let asked = AsOf::from(question);
    let belief = store.believe(line.clone(), asked, Arc::clone(&settings));
    let belief = belief.await?;
    let units = store.units(line.clone(), Some(question.as_of_us)).await?;
    complete(&units)?;
    let folded = belief::believe(&line, &units, question, &settings, None);
    let stated = statement(&folded);
    if !settings.forgotten.is_empty() {
        let with_all = Settings {
            forgotten: Arc::default(),
            ..Settings::clone(&settings)
        };
        let remembered = belief::believe(&line, &units, question, &with_all, None);
        if statement(&remembered) != stated {
            return Err(ClaimMemoryError::Forgotten);
        }
    }
    if stated != statement(&belief) {
        return Err(ClaimMemoryError::Disagrees);
    }
    let (log, lookup) = LogEnd::read(store, &units, floor).await?;
    let mut opened = Vec::with_capacity(units.len());
    let mut bytes = 0_usize;
    for unit in &units {
        let unit = log.open(store, unit).await?.to_value();
        bytes = bytes.saturating_add(unit.to_string().len());
        if bytes > MAX_PROVEN_BYTES {
            return Err(ClaimMemoryError::ProofTooLarge {
                limit: MAX_PROOF_BYTES,
            });
        }
        opened.push(unit);
    }
    let mut document = json!({
        "format": BELIEF_FORMAT,
        "question": asked_of(&line, question, limits),
        "belief": stated,
        "units": opened,
    });
    if let (Some(lookup), Some(members)) = (lookup, document.as_object_mut()) {
        members.insert("line".into(), lookup.to_value());
    }
    let is_set = belief.status == BeliefStatus::Resolved && belief.side_count > 1;
    let is_peer = |unit: &Unit| matches!(unit.provenance().class(), ProvenanceClass::Peer { .. });
    Ok(Proven {
        belief,
        document,
        log,
        needs_records: is_set || units.iter().any(is_peer),
    })
}

/// The member `question` of a proof.
fn asked_of(line: &Line, question: Question, limits: CurrencyLimits) -> Value {
    let mut asked = json!({
        "agent": line.agent,
        "subject": line.subject.as_str(),
        "predicate": line.predicate.as_str(),
        "validAt": question.valid_at.to_string(),
        "asOf": question.as_of_us.to_string(),
        "freshDays": limits.fresh_days.to_string(),
        "agingDays": limits.aging_days.to_string(),
    });
    if let (Some(scope), Some(members)) = (scope_to_json(&line.scope), asked.as_object_mut()) {
        members.insert("scope".into(), scope);
    }
    asked
}

/// Returns the line of a name of the subject that alone gives the belief of all names, the main one first, and the question as of the present.
async fn of_one_name(
    store: &dyn ClaimStore,
    line: Line,
    asked: AsOf,
    settings: &Arc<Settings>,
) -> Result<(Line, Question), ClaimMemoryError> {
    let belief = store.believe(line.clone(), asked, Arc::clone(settings));
    let belief = belief.await?;
    let question = belief.question;
    let names = settings.aliases.names(&line.subject, question.as_of_us);
    if names.len() == 1 {
        return Ok((line, question));
    }
    let units = units_of_names(store, &line, question.as_of_us, settings).await?;
    let said_of = |name: &Identifier| units.iter().any(|unit| unit.line().subject == *name);
    let names: Vec<Identifier> = names.into_iter().filter(said_of).collect();
    let alone = Arc::new(Settings {
        aliases: Arc::default(),
        ..Settings::clone(settings)
    });
    for subject in names.iter().cloned() {
        let line = Line {
            subject,
            ..line.clone()
        };
        let its = store
            .believe(line.clone(), asked, Arc::clone(&alone))
            .await?;
        if names.len() == 1 || is_alike(&its, &belief) {
            return Ok((line, question));
        }
    }
    if names.is_empty() {
        return Err(ClaimMemoryError::NoUnits);
    }
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    Err(ClaimMemoryError::SeveralNames {
        names: names.join(" and "),
    })
}

/// Both believe the same values with the same certainty.
fn is_alike(one: &Belief, other: &Belief) -> bool {
    let values = |belief: &Belief| {
        let values = belief.sides.iter().map(|side| side.value.clone());
        values.collect::<BTreeSet<_>>()
    };
    (one.status, one.support) == (other.status, other.support) && values(one) == values(other)
}

/// Every unit is there, from the first on, and follows the one before it.
fn complete(units: &[Unit]) -> Result<(), ClaimMemoryError> {
    if units.is_empty() {
        return Err(ClaimMemoryError::NoUnits);
    }
    if units.len() > MAX_PROVEN_UNITS {
        return Err(ClaimMemoryError::TooManyUnits {
            found: units.len(),
            limit: MAX_PROVEN_UNITS,
        });
    }
    let mut before: Option<&Unit> = None;
    for (number, unit) in (0..).zip(units) {
        if unit.number() > number {
            return Err(ClaimMemoryError::UnitGone { number });
        }
        // An authority checks the same (docs/format/belief.md 3, steps 8 and 9).
        let later = |before: &Unit| before.stamp() < unit.stamp() && before.index() < unit.index();
        let follows = unit.previous() == before.map(Unit::reference) && before.is_none_or(later);
        if unit.number() < number || !follows {
            return Err(ClaimMemoryError::Apart {
                number: unit.number(),
            });
        }
        before = Some(unit);
    }
    Ok(())
}

/// The checkpoint under which all units are proven.
struct LogEnd {
    note: String,
    size: u64,
    consistency: Option<Consistency>,
}

impl LogEnd {
    /// Reads the checkpoint after the units, so that it covers each of them; and the lookup of their line in its map, where that
    /// has no unit after them.
    async fn read(
        store: &dyn ClaimStore,
        units: &[Unit],
        floor: Option<u64>,
    ) -> Result<(Self, Option<Lookup>), ClaimMemoryError> {
        let last = units.last().ok_or(ClaimMemoryError::NoUnits)?;
        let standings = store.standings(&[last.reference().clone()]).await?;
        let (note, lookup) = match standings {
            Some(Standings { checkpoint, of, .. }) => {
                let line = of.into_iter().flatten().next().and_then(|it| it.line);
                (Some(checkpoint), line.filter(|line| is_last(line, last)))
            }
            None => (store.checkpoint().await?, None),
        };
        let note = note.ok_or(ClaimMemoryError::Checkpoint)?;
        let size = Checkpoint::from_note(&note)
            .map_err(|_| ClaimMemoryError::Checkpoint)?
            .size();
        let consistency = match floor.filter(|from| (1..size).contains(from)) {
            Some(from) => Some(Consistency {
                from,
                hashes: store.consistency(from, size).await?,
            }),
            None => None,
        };
        let end = Self {
            note,
            size,
            consistency,
        };
        Ok((end, lookup))
    }

    /// The records of trust of an agent; `None` where nothing shows under this checkpoint that they are all, and beyond the limits.
    async fn trust(
        &self,
        store: &dyn ClaimStore,
        agent: DidKey,
    ) -> Result<Option<Value>, ClaimMemoryError> {
        let Some(found) = store.trust_entries(agent).await? else {
            return Ok(None);
        };
        if found.checkpoint != self.note || found.indices.len() > MAX_PROVEN_RECORDS {
            return Ok(None);
        }
        let (mut records, mut bytes) = (Vec::new(), 0_usize);
        for index in found.indices {
            let Some(stored) = store.capsule(index).await? else {
                return Ok(None);
            };
            let Some(body) = stored.payload else {
                return Ok(None);
            };
            let entry = &stored.entry;
            let record = OpenedRecord {
                header: stored.header.canonical().to_owned(),
                content: body.text,
                salt: body.salt,
                fields: format!("{} {}", entry.field_root, entry.field_count),
                signature: EntrySignature {
                    key_id: KeyFingerprint::of(&stored.key),
                    value: stored.signature,
                },
                index: index.to_string(),
                path: store.inclusion(index, self.size).await?,
            };
            let record = record.to_value();
            bytes = bytes.saturating_add(record.to_string().len());
            if bytes > MAX_TRUST_BYTES {
                return Ok(None);
            }
            records.push(record);
        }
        let lookup = found.lookup.to_value();
        Ok(Some(json!({ "lookup": lookup, "records": records })))
    }

    async fn open(
        &self,
        store: &dyn ClaimStore,
        unit: &Unit,
    ) -> Result<OpenedCapsule, ClaimMemoryError> {
        let gone = || ClaimMemoryError::UnitGone {
            number: unit.number(),
        };
        let stored = store.capsule(unit.index()).await?.ok_or_else(gone)?;
        // An authority reads the capsule alone.
        if stored.header.recorded().micros() != unit.stamp().micros() {
            return Err(ClaimMemoryError::ClockCorrected {
                number: unit.number(),
            });
        }
        let entry = stored.entry.as_world().ok_or_else(gone)?;
        let body = stored.payload.clone().ok_or_else(gone)?;
        let unproven = |found| ClaimMemoryError::UnitUnproven {
            number: unit.number(),
            found,
        };
        let world = World::from_json(body.text.as_bytes())
            .map_err(|found| unproven(ProveError::Content(found.into())))?;
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
        let world = receipt.beside(world);
        open(&reference, &world, stored.header.canonical()).map_err(unproven)
    }
}

/// Returns true if the map has no unit of the line after this one.
fn is_last(lookup: &Lookup, last: &Unit) -> bool {
    let line = lookup.value.as_deref().map(LineStanding::parse);
    line.and_then(Result::ok)
        .is_some_and(|line| line.last == last.index())
}
