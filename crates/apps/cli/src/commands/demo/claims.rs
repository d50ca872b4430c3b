//! What is known: a fact that is contradicted, a verdict, a question about the past, a proof of belief, and an echo.

use std::path::PathBuf;

use counterfoil::{BeliefQuery, Memory, Report};
use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::ports::OracleVerdict as Finding;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{Assertion, ClaimError, FactValue, Identifier, Submission};
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, WorldId};
use counterfoil_verify::belief::review_belief;
use counterfoil_verify::{Verdict, VerifyArgs};

use super::{Demo, memory};
use crate::failure::{ErrorKind, Failure};
use crate::input::ChannelName;
use crate::output::{items, json_text, report_text, text};
use counterfoil::{text as telling, write_file};

const SUBJECT: &str = "bakery";
const PREDICATE: &str = "flour_supplier";
/// The day from which on another mill delivers.
const CHANGED: &str = "2025-04-22";
/// A day on which the first one did.
const BEFORE: &str = "2025-03-01";

/// The line of the demo's claims.
const LINE: (&str, &str) = (SUBJECT, PREDICATE);

/// A claim as it is said in the demo.
pub(super) struct Said<'s> {
    value: &'s str,
    from: Option<&'s str>,
    until: Option<&'s str>,
    source: Option<&'s WorldId>,
    channel: ChannelName,
}

impl<'s> Said<'s> {
    pub(super) const fn by_user(value: &'s str) -> Self {
        Self {
            value,
            from: None,
            until: None,
            source: None,
            channel: ChannelName::User,
        }
    }
}

impl Demo {
    /// Facts are stated; the third contradicts the second. Returns the id of that one.
    pub(super) async fn contradict(&mut self, source: &WorldId) -> Result<WorldId, Failure> {
        let stowe = Said {
            until: Some("2025-04-21"),
            ..Said::by_user("Stowe Mill")
        };
        let bryn = Said {
            from: Some(CHANGED),
            source: Some(source),
            ..Said::by_user("Bryn Mill")
        };
        let carrow = Said {
            from: Some(CHANGED),
            ..Said::by_user("Carrow Mill")
        };
        let memory = memory(&self.home);
        let (mut lines, mut last) = (Vec::new(), String::new());
        for said in [stowe, bryn, carrow] {
            let answer = say(&memory, LINE, &said).await?;
            lines.push(format!("{}\t{}", said.value, told(&answer)));
            last = text(answer.value(), "ref");
        }
        let belief = self.belief(LINE).await?;
        lines.push(held(&belief));
        let contested = belief.status == BeliefStatus::Contested && belief.sides.len() == 2;
        let name = "10. Facts are stated: a contradiction shows, and no side of it is settled.";
        self.tell(name, contested, lines);
        WorldId::new(last).map_err(|_| Failure::bug("nothing was said"))
    }

    /// A verdict with evidence; the past keeps its own belief, and so does the knowledge of that time.
    pub(super) async fn settle(
        &mut self,
        loser: &WorldId,
        source: &WorldId,
    ) -> Result<(), Failure> {
        let known = self.belief(LINE).await?.question;
        let user = ChannelName::User.channel();
        let evidence = vec![source.clone()];
        let verdict = Assertion::verdict(&user, loser.clone(), Finding::Deny, evidence);
        let verdict = verdict.map_err(|_| Failure::bug("the demo's verdict is none"))?;
        let answer = memory(&self.home).assert(verdict).await?;
        let now = self.belief(LINE).await?;
        let before =
            Boundary::parse(BEFORE).map_err(|_| Failure::bug("the demo's date is none"))?;
        let then = BeliefQuery {
            at: Some(before.begin()),
            ..BeliefQuery::default()
        };
        let then = self.belief_at(LINE, &then).await?;
        let unsettled = BeliefQuery {
            at: Some(known.valid_at),
            as_of: Some(known.as_of_us),
            agent: None,
        };
        let unsettled = self.belief_at(LINE, &unsettled).await?;
        let is = |belief: &Belief, value: &str| {
            let primary = belief.primary().map(FactValue::to_json);
            primary == Some(Value::from(value))
        };
        let ok = is(&now, "Bryn Mill")
            && is(&then, "Stowe Mill")
            && unsettled.status == BeliefStatus::Contested;
        let lines = vec![
            format!("Carrow Mill\t{}", told(&answer)),
            held(&now),
            format!("about {BEFORE}\t{}", held(&then)),
            format!("as known before the verdict\t{}", held(&unsettled)),
        ];
        let name = "11. A verdict settles it; what was believed before can still be asked.";
        self.tell(name, ok, lines);
        Ok(())
    }

    /// The belief is proven to an authority, and a forged proof is not taken for one.
    pub(super) async fn prove(&mut self) -> Result<(), Failure> {
        let reader = Memory::open_read_only(&self.home)?;
        let query = BeliefQuery::default();
        let proof = reader.prove(SUBJECT, PREDICATE, &query, None).await?;
        let honest = report_text(&proof);
        let units = items(proof.value(), "units").len();
        let (honestly, reason) = self.review(&honest, "belief.json")?;
        let mut lines = vec![
            held(&self.belief(LINE).await?),
            format!(
                "{} bytes with {} units; folded again: {}",
                honest.len(),
                units,
                honestly.name().to_uppercase()
            ),
        ];
        lines.extend((honestly != Verdict::Approved).then_some(reason));
        let mut forged = proof.value().clone();
        let units = forged.get_mut("units").and_then(Value::as_array_mut);
        let units = units.filter(|units| units.len() > 2);
        let units = units.ok_or_else(|| Failure::bug("the demo's proof has another shape"))?;
        units.remove(2);
        let (forgery, reason) = self.review(&json_text(&forged)?, "belief.forged.json")?;
        lines.push(format!(
            "without the unit of the contradiction: {}",
            forgery.name().to_uppercase()
        ));
        lines.push(format!("because {reason}"));
        let caught = honestly == Verdict::Approved && forgery == Verdict::Rejected;
        self.tell_forgery(
            "12. A belief is proven, and someone leaves a unit out.",
            caught,
            lines,
        );
        Ok(())
    }

    /// Feeds the believed and the denied values back through a model.
    pub(super) async fn echo(&mut self) -> Result<(), Failure> {
        let memory = memory(&self.home);
        let query = BeliefQuery::default();
        let before = memory.believe(SUBJECT, PREDICATE, &query).await?;
        let mut lines = Vec::new();
        let mut written = 0;
        for value in ["Bryn Mill", "Carrow Mill"] {
            let said = Said {
                channel: ChannelName::Model,
                ..Said::by_user(value)
            };
            let answer = say(&memory, LINE, &said).await?;
            written += usize::from(answer.value().get("unit").is_some());
            let from = telling::provenance(said.channel.channel().provenance());
            lines.push(format!("{value}, {from}\t{}", told(&answer)));
        }
        let after = self.belief(LINE).await?;
        let gained = after.sides != before.sides;
        lines.push(format!(
            "{written} units written; what supports \"Bryn Mill\" is {}",
            if gained { "CHANGED" } else { "as it was" }
        ));
        self.tell_forgery(
            "13. An agent is told its own words again.",
            written == 0 && !gained,
            lines,
        );
        Ok(())
    }

    pub(super) async fn belief(&self, line: (&str, &str)) -> Result<Belief, Failure> {
        self.belief_at(line, &BeliefQuery::default()).await
    }

    /// A belief, read without the means to write.
    async fn belief_at(
        &self,
        (subject, predicate): (&str, &str),
        query: &BeliefQuery,
    ) -> Result<Belief, Failure> {
        let reader = Memory::open_read_only(&self.home)?;
        Ok(reader.believe(subject, predicate, query).await?)
    }

    /// Returns an authority's verdict on a proof, and its first reason.
    fn review(&self, proof: &str, name: &str) -> Result<(Verdict, String), Failure> {
        let path: PathBuf = self.proposal.with_file_name(name);
        write_file(&path, proof)?;
        let args = VerifyArgs {
            document: path,
            anchors: self.anchors.clone(),
            policy: None,
            nonces: None,
            now: None,
        };
        let report = review_belief(&args, None)
            .map_err(|error| Failure::new(ErrorKind::Place, error.to_string()))?;
        let reason = report.reasons().next().map(|(_, message)| message);
        Ok((report.verdict(), reason.unwrap_or_default()))
    }
}

/// States a claim, and returns the gate's answer.
pub(super) async fn say(
    memory: &Memory,
    (subject, predicate): (&str, &str),
    said: &Said<'_>,
) -> Result<Report, Failure> {
    let submission = submission(subject, predicate, said);
    let submission = submission.map_err(|_| Failure::bug("the demo's claim is none"))?;
    Ok(memory.claim(submission, &[]).await?)
}

fn submission(subject: &str, predicate: &str, said: &Said<'_>) -> Result<Submission, ClaimError> {
    let submission = Submission::new(
        &said.channel.channel(),
        Identifier::new("subject", subject)?,
        Identifier::new("predicate", predicate)?,
        FactValue::new(&Value::from(said.value))?,
    )
    .citing(said.source.into_iter().cloned().collect())?;
    let boundary = |text: &str| Boundary::parse(text).ok();
    let (from, until) = (said.from.and_then(boundary), said.until.and_then(boundary));
    if from.is_none() && until.is_none() {
        return Ok(submission);
    }
    submission.valid(ValidTime {
        from,
        until,
        confidence: Confidence::ONE,
    })
}

/// Disposition of a claim, with its reason.
pub(super) fn told(answer: &Report) -> String {
    let answer = answer.value();
    let disposition = text(answer, "disposition").replace('_', " ");
    format!("{disposition}: {}", text(answer, "why"))
}

pub(super) fn held(belief: &Belief) -> String {
    format!(
        "believed: {}, {}",
        telling::believed(belief),
        telling::status(belief.status)
    )
}
