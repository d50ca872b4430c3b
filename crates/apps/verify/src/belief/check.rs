//! The check of a proof of belief, offline and pure (docs/format/belief.md 3).

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_authority::types::json::{Value, canonical};
use counterfoil_authority::types::{Blake3Hash, DidKey};
use counterfoil_authority::verifier::map::{LineStanding, Lookup};
use counterfoil_authority::verifier::opened::Opened;
use counterfoil_authority::verifier::{Anchors, Checkpoint, Session};
use counterfoil_claims::belief::{Belief, BeliefStatus, Question, believe, statement};
use counterfoil_claims::{
    Cardinality, ClaimRef, Identifier, PeerTrust, Settings, Unit, Vocabulary,
};

use super::document::BeliefDocument;
use super::error::BeliefError;
use super::trust::{Decided, ReadTrust, ShownTrust};

/// The `ext.kind` of a claim unit.
const CLAIM: &str = "claim";

/// Findings of a verified proof of belief. Made by [`examine`] only.
///
/// Without the map's word it does not say that no later unit exists; nor that the agent keeps no other line of that name elsewhere, or that what
/// was said is true.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProvenBelief {
    belief: Belief,
    units: Vec<Unit>,
    checkpoint: Checkpoint,
    /// The map says that no other unit of the line exists at the checkpoint.
    is_whole: bool,
    /// Another belief follows where other agents are trusted than where they are not.
    trust_is_open: bool,
    /// A set that is contested where the predicate holds one value.
    vocabulary_is_open: bool,
}

/// Verifies every unit, that none is missing between the first and the last, and that they give the stated belief.
///
/// `Ok` guarantees: an anchored log recorded each unit before one checkpoint, an anchored agent signed each, and the
/// fold over them answers the question with this belief.
///
/// # Errors
/// The first [`BeliefError`].
pub(super) fn examine(
    document: &BeliefDocument,
    anchors: impl Into<Arc<Anchors>>,
    reader: Option<ReadTrust>,
) -> Result<ProvenBelief, BeliefError> {
    let anchors = anchors.into();
    let mut session = Session::with_cosigned(document.checkpoints.clone());
    let mut units: Vec<Unit> = Vec::with_capacity(document.units.len());
    let mut under: Option<Checkpoint> = None;
    let mut tagged = Tagged::default();
    for (position, capsule) in document.units.iter().enumerate() {
        let opened = capsule
            .open(&anchors, &mut session)
            .map_err(|cause| BeliefError::Unit { position, cause })?;
        let checkpoint = opened.proven.checkpoint();
        let checkpoint = checkpoint.ok_or(BeliefError::NoUnit(position))?;
        if *under.get_or_insert_with(|| checkpoint.clone()) != *checkpoint {
            return Err(BeliefError::TwoCheckpoints(position));
        }
        let unit = unit_of(position, &opened)?;
        tagged.add(position, &opened, unit.index())?;
        follows(position, &unit, units.last(), document)?;
        units.push(unit);
    }
    let question = document.question;
    let belief = believe(&document.line, &units, question, &document.settings(), None);
    // The stated belief is compared with that of the units, and never believed.
    let folded = statement(&belief);
    if folded != document.stated {
        let folded = canonical(&folded).unwrap_or_default();
        return Err(BeliefError::OtherBelief { folded });
    }
    let checkpoint = under.ok_or(BeliefError::NoUnit(0))?;
    let is_whole = match &document.lookup {
        Some(lookup) => tagged.is_whole(&document.line.agent, &checkpoint, lookup)?,
        None => false,
    };
    let shown = document.trust.as_ref();
    let shown = shown.map(|it| it.check(&document.line.agent, &anchors, &checkpoint));
    let shown = shown.transpose()?;
    let is_later = |it: &ShownTrust| it.is_later_than(question.as_of_us);
    let is_later = shown.as_ref().is_some_and(is_later);
    let decided = match (shown, reader) {
        (Some(shown), Some(reader)) => Some(shown.read(reader)?),
        _ => None,
    };
    let belief = match &decided {
        Some(decided) => believe_with(document, &units, question, decided),
        None => belief,
    };
    let is_open = is_later || decided.is_none();
    Ok(ProvenBelief {
        trust_is_open: is_open && depends_on_trust(document, &units, question),
        vocabulary_is_open: is_open && depends_on_vocabulary(document, &units, question),
        belief,
        units,
        checkpoint,
        is_whole,
    })
}

/// Units with the tag of their line, by which the map of the log counts them.
#[derive(Default)]
struct Tagged {
    tag: Option<Blake3Hash>,
    count: u64,
    /// Index and capsule of the last unit, where that has the tag.
    last: Option<(u64, Blake3Hash)>,
}

impl Tagged {
    fn add(&mut self, position: usize, opened: &Opened, index: u64) -> Result<(), BeliefError> {
        self.last = None;
        let Some(tag) = opened.line else {
            return Ok(());
        };
        if *self.tag.get_or_insert(tag) != tag {
            return Err(BeliefError::OtherTag(position));
        }
        self.count += 1;
        self.last = Some((index, opened.entry.capsule));
        Ok(())
    }

    /// Compares the units with those that the map counts.
    fn is_whole(
        &self,
        agent: &DidKey,
        checkpoint: &Checkpoint,
        lookup: &Lookup,
    ) -> Result<bool, BeliefError> {
        let (Some(tag), Some((last, capsule))) = (&self.tag, self.last) else {
            return Ok(false);
        };
        let Some(root) = checkpoint.map_root() else {
            return Ok(false);
        };
        let line = LineStanding::check(&root, agent, tag, lookup).map_err(BeliefError::Line)?;
        let shown = LineStanding {
            count: self.count,
            last,
            capsule,
        };
        match line {
            Some(line) if line == shown => Ok(true),
            line => Err(BeliefError::Unshown {
                shown: self.count,
                counted: line.map_or(0, |line| line.count),
            }),
        }
    }
}

impl ProvenBelief {
    /// The belief that the units give. Its markers are complete but for `PendingReview`.
    pub(super) const fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The units, in the order of their numbers; at least one.
    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns true if the map of the log shows that the line has no other unit at the checkpoint.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The same units, asked another question.
    pub(super) fn asked(self, question: Question, document: &BeliefDocument) -> Self {
        let belief = believe(
            &document.line,
            &self.units,
            question,
            &document.settings(),
            None,
        );
        Self {
            belief,
            trust_is_open: depends_on_trust(document, &self.units, question),
            vocabulary_is_open: depends_on_vocabulary(document, &self.units, question),
            ..self
        }
    }

    /// The checkpoint that all of them stand under.
    pub(super) const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns true if another belief follows where every other agent is trusted than where none is, and the proof holds no records of
    /// trust, no reader, or some that are later than the question.
    pub(super) const fn trust_is_open(&self) -> bool {
        self.trust_is_open
    }

    /// Returns true if the belief is a set that is contested where the predicate holds one value. The proof holds no record of
    /// what the agent has decided of the predicate.
    pub(super) const fn vocabulary_is_open(&self) -> bool {
        self.vocabulary_is_open
    }

    /// Returns true if a deciding claim was derived from others: then `PendingReview` depends on lines that are not in
    /// the proof. Otherwise the proof shows that the marker is absent.
    pub(super) fn review_is_open(&self) -> bool {
        let sides = self.belief.sides.iter();
        let claims = sides.flat_map(|side| &side.claims);
        let deciding: BTreeSet<&ClaimRef> = claims.map(|claim| &claim.reference).collect();
        let (belief, mut listed) = (&self.belief, self.belief.sides.iter());
        // A belief lists a bounded number of claims: then any unit may decide.
        let unlisted = belief.side_count != belief.sides.len()
            || listed.any(|side| side.claim_count != side.claims.len());
        self.units
            .iter()
            .filter(|unit| !unit.derived_from().is_empty())
            .any(|unit| unlisted || deciding.contains(unit.reference()))
    }
}

/// Trust of one level in all agents.
#[derive(Debug)]
struct Level(u8);

impl PeerTrust for Level {
    fn level(&self, _: &DidKey, _: &Identifier, _: u64) -> u8 {
        self.0
    }

    fn minimum(&self, _: &Identifier, _: u64) -> u8 {
        3
    }

    fn independent(&self, agents: &BTreeSet<DidKey>, _: &Identifier, _: u64) -> usize {
        agents.len()
    }
}

/// The belief of the units under these decisions.
fn believe_with(
    document: &BeliefDocument,
    units: &[Unit],
    question: Question,
    decided: &Decided,
) -> Belief {
    let settings = Settings {
        trust: Some(Arc::clone(&decided.trust)),
        vocabulary: Arc::clone(&decided.vocabulary),
        ..document.settings()
    };
    believe(&document.line, units, question, &settings, None)
}

fn depends_on_trust(document: &BeliefDocument, units: &[Unit], question: Question) -> bool {
    let folded = |level| {
        let decided = Decided {
            trust: Arc::new(Level(level)),
            vocabulary: Arc::default(),
        };
        let belief = believe_with(document, units, question, &decided);
        let values = belief.sides.into_iter().map(|side| side.value);
        (belief.status, belief.support, values.collect::<Vec<_>>())
    };
    folded(0) != folded(3)
}

fn depends_on_vocabulary(document: &BeliefDocument, units: &[Unit], question: Question) -> bool {
    let is_contested = |settings: &Settings| {
        let belief = believe(&document.line, units, question, settings, None);
        belief.status == BeliefStatus::Contested
    };
    let decided = [(document.line.predicate.clone(), 0, Cardinality::One)];
    let of_one = Settings {
        vocabulary: Vocabulary::new(decided).into(),
        ..document.settings()
    };
    !is_contested(&document.settings()) && is_contested(&of_one)
}

/// Steps 2 and 3: reads a claim unit from the recorded capsule.
fn unit_of(position: usize, opened: &Opened) -> Result<Unit, BeliefError> {
    if opened.kind.as_deref() != Some(CLAIM) || opened.seq != 0 {
        return Err(BeliefError::NoUnit(position));
    }
    let index = opened.proven.index();
    let index = index.ok_or(BeliefError::NoUnit(position))?;
    let name = opened.entry.world.clone();
    let data = opened.content.get("data").unwrap_or(&Value::Null);
    Unit::parse(name, opened.agent, index, opened.timestamp_us, data)
        .map_err(|cause| BeliefError::Malformed { position, cause })
}

/// Step 4: a unit of the line from before the time of knowledge, which follows the one before it.
fn follows(
    position: usize,
    unit: &Unit,
    before: Option<&Unit>,
    document: &BeliefDocument,
) -> Result<(), BeliefError> {
    let (line, of) = (&document.line, unit.line());
    if of.agent != line.agent {
        return Err(BeliefError::OtherAgent(position));
    }
    if of != line {
        return Err(BeliefError::OtherLine {
            position,
            subject: of.subject.to_string(),
            predicate: of.predicate.to_string(),
        });
    }
    if unit.stamp().micros() > document.question.as_of_us {
        return Err(BeliefError::After(position));
    }
    if u64::try_from(position) != Ok(unit.number()) {
        let found = unit.number();
        return Err(BeliefError::Gap { position, found });
    }
    if unit.previous() != before.map(Unit::reference) {
        let found = unit.previous().cloned();
        return Err(BeliefError::Previous { position, found });
    }
    let later = |before: &Unit| unit.stamp() > before.stamp() && unit.index() > before.index();
    if before.is_none_or(later) {
        Ok(())
    } else {
        Err(BeliefError::Order(position))
    }
}
