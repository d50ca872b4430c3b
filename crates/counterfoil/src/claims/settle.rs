//! Requests of a proposal: the claim, and the ends of what it contradicts on its line (docs/format/extract.md).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_capsule::World;
use counterfoil_claims::belief::{ClaimState, HistoryEntry};
use counterfoil_claims::ports::{Change, ClaimProposal, Passage};
use counterfoil_claims::time::{Boundary, Micros, ValidTime};
use counterfoil_claims::{
    Aliases, Assertion, Cardinality, Channel, Channels, ClaimOutcome, ClaimRef, FactValue,
    Identifier, Line, Settings, Submission, Target,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore, StoreError};
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, DidKey, Scope, WorldId};
use jiff::Timestamp;

use crate::error::Error;
use crate::versions;

/// Domain of the keys under which proposals are submitted.
const KEY_CONTEXT: &str = "counterfoil 2026-11-21 extracted-claim";
/// Confidence of a date that is the day of the statement.
const DAY_OF_STATEMENT: f64 = 0.8;
/// Most claims that one proposal ends or takes the place of.
pub(super) const MAX_CHANGED: usize = 16;
/// Most memories whose speakers and times are kept.
const MAX_SAID: usize = 100_000;

/// Speaker and time of a statement.
type Said = (Option<String>, i64);

/// A proposal of a memory.
pub(super) struct Proposed {
    pub(super) world: WorldId,
    /// Scope of the memory.
    scope: Scope,
    speaker: Option<String>,
    /// Main name of the subject.
    pub(super) subject: Identifier,
    pub(super) proposal: ClaimProposal,
    /// True where the day of the statement is used in place of a date.
    undated: bool,
    said_at_us: i64,
}

/// Requests that carry a proposal out.
#[derive(Default)]
pub(super) struct Plan {
    /// Answer of an earlier reading; nothing is requested then.
    pub(super) known: Option<ClaimOutcome>,
    /// The first answers for the proposal. Empty: there is nothing to end.
    pub(super) requests: Vec<ClaimRequest>,
    /// Claim that takes the place of the new one at its own start, as it was said of a later time.
    pub(super) later: Option<ClaimRef>,
}

/// Claim of a line that holds for some time.
struct Earlier {
    reference: ClaimRef,
    /// False for one under another name of the subject, whose place no claim of this one takes.
    is_of_line: bool,
    value: FactValue,
    start: Option<Micros>,
    end: Option<Micros>,
    /// A model's or an extractor's.
    is_inferred: bool,
    /// Time of the statement of the same speaker, microseconds since 1970; `None`: another speaker's.
    own_at_us: Option<i64>,
    /// Time of the statement of any speaker, if it is known, microseconds since 1970.
    said_at_us: Option<i64>,
}

impl Proposed {
    /// A proposal, from the day of its statement on where the text gives no date; an end, on that day.
    pub(super) fn new(
        (passage, scope): (&Passage, &Scope),
        mut proposal: ClaimProposal,
        aliases: &Aliases,
    ) -> Self {
        let undated = proposal.valid.is_none();
        let said = Timestamp::from_microsecond(passage.said_at_us).ok();
        let day = said.and_then(|said| Boundary::parse(said.to_string().get(..10)?).ok());
        let confidence = Confidence::new(DAY_OF_STATEMENT).ok();
        if let (true, Some(day), Some(confidence)) = (undated, day, confidence) {
            let ends = proposal.change == Change::Ends;
            proposal.valid = Some(ValidTime {
                from: (!ends).then_some(day),
                until: ends.then_some(day),
                confidence,
            });
        }
        Self {
            world: passage.world.clone(),
            scope: scope.clone(),
            speaker: passage.speaker.clone(),
            subject: aliases.main(&proposal.subject, u64::MAX).clone(),
            proposal,
            undated,
            said_at_us: passage.said_at_us,
        }
    }

    /// Idempotency key. It follows from the memory and the proposal, so that a second reading adds nothing, whatever the
    /// state of the line.
    fn key(&self) -> String {
        let proposal = &self.proposal;
        let mut hasher = blake3::Hasher::new_derive_key(KEY_CONTEXT);
        let end = |end: Option<Boundary>| end.map_or_else(String::new, |end| end.to_string());
        let valid = proposal.valid.map(|valid| {
            let (from, until) = (end(valid.from), end(valid.until));
            format!("{from} {until} {}", valid.confidence.value())
        });
        for part in [
            self.world.to_string().as_str(),
            proposal.subject.as_str(),
            proposal.predicate.as_str(),
            proposal.value.canonical(),
            valid.as_deref().unwrap_or_default(),
            proposal.cardinality.name(),
        ] {
            // None of the parts holds a NUL.
            hasher.update(part.as_bytes()).update(&[0]);
        }
        if proposal.change == Change::Ends {
            hasher.update(b"ends");
        }
        let hash = hasher.finalize().to_hex();
        format!("extract:{}", hash.get(..32).unwrap_or(&hash))
    }

    /// The line of an agent.
    pub(super) fn line(&self, agent: DidKey) -> Line {
        Line {
            agent,
            subject: self.subject.clone(),
            predicate: self.proposal.predicate.clone(),
            scope: self.scope.clone(),
        }
    }

    fn channel() -> Channel {
        Channels::of_host().model()
    }

    /// The claim over `valid`, in the place of `supersedes`.
    fn claim(
        &self,
        valid: Option<ValidTime>,
        supersedes: Vec<ClaimRef>,
    ) -> Result<ClaimRequest, Error> {
        let ClaimProposal {
            subject,
            predicate,
            value,
            cardinality,
            ..
        } = self.proposal.clone();
        let submission = Submission::new(&Self::channel(), subject, predicate, value)
            .in_scope(self.scope.clone())
            .extracted()
            .cardinality(cardinality)
            .citing(vec![self.world.clone()])?
            .superseding(supersedes)?
            .keyed(&self.key())?;
        let submission = match valid {
            Some(valid) => submission.valid(valid)?,
            None => submission,
        };
        Ok(ClaimRequest::Submit(submission))
    }

    /// The claim, and what it takes the place of.
    fn stated(&self, line: &[Earlier]) -> Result<Plan, Error> {
        let proposal = &self.proposal;
        let start = proposal
            .valid
            .and_then(|valid| valid.from)
            .map(|from| from.begin());
        let ends = proposal.valid.is_some_and(|valid| valid.until.is_some());
        let holds = |earlier: &Earlier| earlier.end.is_none() && earlier.start <= start;
        let same = |earlier: &Earlier| earlier.value == proposal.value;
        let restates = |earlier: &Earlier| earlier.is_of_line && same(earlier) && holds(earlier);
        if self.undated && line.iter().any(restates) {
            return Ok(Plan {
                requests: vec![self.claim(None, Vec::new())?],
                ..Plan::default()
            });
        }
        let replaces = proposal.change == Change::Replaces;
        let is_one = proposal.cardinality == Cardinality::One || replaces;
        let others = || {
            let of_models = line.iter().filter(|_| is_one && start.is_some());
            of_models.filter(|earlier| earlier.is_inferred && !same(earlier))
        };
        let goes_on = |end: Option<Micros>| end.is_none_or(|end| Some(end) > start);
        let said = Some(self.said_at_us);
        // Of what was said in one memory the order of the starts decides.
        let before = |earlier: &Earlier, at: Option<i64>| {
            at < said || (at == said && earlier.start <= start)
        };
        let supersedes = others()
            .filter(|earlier| match (earlier.own_at_us, replaces) {
                (Some(at), _) => before(earlier, Some(at)),
                (None, true) => before(earlier, earlier.said_at_us),
                (None, false) => false,
            })
            .filter(|earlier| goes_on(earlier.end) && !ends);
        let (taken, elsewhere): (Vec<_>, Vec<_>) =
            supersedes.partition(|earlier| earlier.is_of_line);
        let taken = taken.into_iter().map(|earlier| earlier.reference.clone());
        let later = others()
            .filter(|earlier| earlier.own_at_us.is_some() && !before(earlier, earlier.own_at_us))
            .filter(|earlier| goes_on(earlier.end) && !ends && earlier.is_of_line)
            .min_by_key(|earlier| earlier.start);
        let mut requests = vec![self.claim(proposal.valid, taken.take(MAX_CHANGED).collect())?];
        // Under another name it ends where the new claim begins.
        let from = proposal.valid.and_then(|valid| valid.from);
        let elsewhere = elsewhere.into_iter().filter(|it| it.start <= start);
        for earlier in elsewhere.take(MAX_CHANGED - 1) {
            let key = format!("{}:ends:{}", self.key(), requests.len());
            requests.push(self.end(earlier, from, &key)?);
        }
        Ok(Plan {
            requests,
            later: later.map(|later| later.reference.clone()),
            known: None,
        })
    }

    /// The end of a claim at a time.
    fn end(
        &self,
        earlier: &Earlier,
        at: Option<Boundary>,
        key: &str,
    ) -> Result<ClaimRequest, Error> {
        let target = Target::Claim(earlier.reference.clone());
        let end = Assertion::end(&Self::channel(), target, at)
            .citing(vec![self.world.clone()])?
            .keyed(key)?;
        Ok(ClaimRequest::Assert(end))
    }

    /// Ends of what the line holds; where it does not hold the value, the claim that it held until then.
    fn ended(&self, line: &[Earlier]) -> Result<Plan, Error> {
        let proposal = &self.proposal;
        let Some((mut valid, at)) = proposal.valid.and_then(|valid| Some((valid, valid.until?)))
        else {
            return Ok(Plan::default());
        };
        let any = proposal.value.to_json().is_null();
        let holds = |earlier: &&Earlier| {
            earlier.is_inferred
                && (any || earlier.value == proposal.value)
                && earlier.start.is_none_or(|start| start < at.end())
                && earlier.end.is_none_or(|end| end > at.begin())
        };
        let mut requests = Vec::new();
        for earlier in line.iter().filter(holds).take(MAX_CHANGED) {
            // What was said on the day of its end held on that day.
            let began = earlier.start.is_some_and(|start| start >= at.begin());
            let at = if began {
                Boundary::instant(at.end())
            } else {
                at
            };
            let mut key = self.key();
            if !requests.is_empty() {
                key = format!("{key}:{}", requests.len());
            }
            requests.push(self.end(earlier, Some(at), &key)?);
        }
        if requests.is_empty() && !any {
            // Of one value at a time, the earlier one ended when the next began.
            let began = line
                .iter()
                .filter(|other| {
                    proposal.cardinality == Cardinality::One && other.value != proposal.value
                })
                .filter_map(|other| other.start.filter(|start| *start < at.begin()))
                .min();
            valid.until = Some(began.map_or(at, Boundary::instant));
            requests.push(self.claim(Some(valid), Vec::new())?);
        }
        Ok(Plan {
            requests,
            ..Plan::default()
        })
    }

    /// The request that puts `later` in the place of the claim that was written.
    pub(super) fn yields(&self, claim: ClaimRef, later: ClaimRef) -> Result<ClaimRequest, Error> {
        let supersede = Assertion::supersede(&Self::channel(), claim, later)
            .citing(vec![self.world.clone()])?
            .keyed(&format!("{}:later", self.key()))?;
        Ok(ClaimRequest::Assert(supersede))
    }
}

/// Reader of the lines that proposals are about.
pub(super) struct Lines {
    pub(super) store: Arc<SqliteStore>,
    pub(super) settings: Arc<Settings>,
    pub(super) agent: DidKey,
    said: BTreeMap<WorldId, Option<Said>>,
}

impl Lines {
    pub(super) const fn new(
        store: Arc<SqliteStore>,
        settings: Arc<Settings>,
        agent: DidKey,
    ) -> Self {
        Self {
            store,
            settings,
            agent,
            said: BTreeMap::new(),
        }
    }

    /// Plans the requests of a proposal against the current line.
    pub(super) async fn plan(&mut self, proposed: &Proposed) -> Result<Plan, Error> {
        let known = self
            .store
            .committed(self.agent, &proposed.key(), &proposed.scope)
            .await?;
        if known.is_some() {
            return Ok(Plan {
                known,
                ..Plan::default()
            });
        }
        let line = proposed.line(self.agent);
        let settings = Arc::clone(&self.settings);
        let history = self.store.claim_history(line, AsOf::default(), settings);
        let mut line = Vec::new();
        for entry in history.await? {
            line.extend(self.earlier(entry, proposed).await?);
        }
        match proposed.proposal.change {
            Change::Ends => proposed.ended(&line),
            Change::None | Change::Replaces => proposed.stated(&line),
        }
    }

    async fn earlier(
        &mut self,
        entry: HistoryEntry,
        proposed: &Proposed,
    ) -> Result<Option<Earlier>, Error> {
        let apart = matches!(
            entry.state,
            ClaimState::Quarantined | ClaimState::Denied | ClaimState::Retracted
        );
        let counterfoil_claims::Act::Claim(body) = entry.claim.act() else {
            return Ok(None);
        };
        if apart || entry.window.is_empty() {
            return Ok(None);
        }
        let (mut own_at_us, mut said_at_us) = (None, None);
        for world in entry.claim.cited() {
            if let Some((who, at_us)) = self.said(world).await? {
                said_at_us = said_at_us.max(Some(at_us));
                if who == proposed.speaker {
                    own_at_us = own_at_us.max(Some(at_us));
                }
            }
        }
        Ok(Some(Earlier {
            reference: entry.claim.reference().clone(),
            is_of_line: entry.claim.line().subject == proposed.subject,
            value: body.value.clone(),
            start: entry.window.start,
            end: entry.window.end,
            is_inferred: !entry.claim.provenance().is_external(),
            own_at_us,
            said_at_us,
        }))
    }

    /// Speaker and time of a memory; `None` where its content is not here.
    async fn said(&mut self, world: &WorldId) -> Result<Option<Said>, Error> {
        if let Some(said) = self.said.get(world) {
            return Ok(said.clone());
        }
        let found = versions::stored(self.store.as_ref(), world).await;
        let found = StoreError::skip_withheld(found)?;
        let content = found.map(|stored| versions::content(&stored)).transpose()?;
        let said = content.flatten().map(|world| {
            let speaker = world.data().and_then(|data| data.get("speaker"));
            let speaker = speaker.and_then(Value::as_str).map(str::to_owned);
            (speaker, said_at_us(&world))
        });
        if self.said.len() < MAX_SAID {
            self.said.insert(world.clone(), said.clone());
        }
        Ok(said)
    }
}

/// Time of a memory's statement, microseconds since 1970: that of its content, as an import sets it, not of its recording.
pub(super) fn said_at_us(world: &World) -> i64 {
    let ms = i64::try_from(world.created_at().value()).unwrap_or(i64::MAX);
    ms.saturating_mul(1000)
}

/// Proposals that are judged in one transaction: of distinct lines, as each is planned against its line.
#[derive(Default)]
pub(super) struct Batch {
    lines: BTreeSet<Line>,
    proposed: Vec<Proposed>,
}

impl Batch {
    /// Most proposals of a batch; each has up to [`MAX_CHANGED`] requests.
    const MOST: usize = 64;

    /// Returns true if there is no room for a proposal about this line.
    pub(super) fn is_full_for(&self, line: &Line) -> bool {
        self.proposed.len() >= Self::MOST || self.lines.contains(line)
    }

    /// Adds a proposal.
    pub(super) fn push(&mut self, line: Line, proposed: Proposed) {
        self.lines.insert(line);
        self.proposed.push(proposed);
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> Vec<Proposed> {
        self.lines.clear();
        std::mem::take(&mut self.proposed)
    }
}
