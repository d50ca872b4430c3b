//! What is known: a fact that is contradicted, a verdict, a question about the past, a proof of belief, and an echo.

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_actor::claims::prove_belief;
use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::ports::OracleVerdict as Finding;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{Assertion, ClaimOutcome, Disposition, FactValue, Submission};
use counterfoil_store::{AsOf, ClaimRequest};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Confidence, WorldId};
use counterfoil_verify::belief::review_belief;
use counterfoil_verify::{Verdict, VerifyArgs};

use super::Demo;
use crate::args::ChannelName;
use crate::claims::access::{ClaimReader, ClaimWriter, predicate, subject};
use crate::claims::refusals::refused;
use crate::claims::telling;
use crate::claims::why;
use crate::failure::{ErrorKind, Failure};
use crate::files::write_file;
use crate::output::json_text;
use crate::recall;

const SUBJECT: &str = "bakery";
const PREDICATE: &str = "flour_supplier";
/// The day from which on another mill delivers.
const CHANGED: &str = "2025-04-22";
/// A day on which the first one did.
const BEFORE: &str = "2025-03-01";

/// A claim as it is said in the demo.
struct Said<'s> {
    value: &'s str,
    from: Option<&'s str>,
    until: Option<&'s str>,
    source: Option<&'s WorldId>,
    channel: ChannelName,
}

impl Demo {
    /// Facts are stated; the third contradicts the second. Gives that one.
    pub(super) async fn contradict(&mut self, source: &WorldId) -> Result<ClaimOutcome, Failure> {
        let user = ChannelName::User;
        let said = |value, from, until| Said {
            value,
            from,
            until,
            source: None,
            channel: user,
        };
        let stowe = said("Stowe Mill", None, Some("2025-04-21"));
        let bryn = Said {
            source: Some(source),
            ..said("Bryn Mill", Some(CHANGED), None)
        };
        let carrow = said("Carrow Mill", Some(CHANGED), None);
        let pen = ClaimWriter::open(&super::memory(&self.home))?;
        let mut lines = Vec::new();
        let mut last = None;
        for said in [stowe, bryn, carrow] {
            let outcome = say(&pen, &said).await?;
            lines.push(format!("{}\t{}", said.value, told(&outcome)));
            last = Some(outcome);
        }
        drop(pen);
        let belief = self.believe(AsOf::default()).await?;
        lines.push(held(&belief));
        let contested = belief.status == BeliefStatus::Contested && belief.sides.len() == 2;
        let name = "10. Facts are stated: a contradiction shows, and no side of it is settled.";
        self.tell(name, contested, lines);
        last.ok_or(Failure::bug("nothing was said"))
    }

    /// A verdict with evidence; the past keeps its own belief, and so does the knowledge of that time.
    pub(super) async fn settle(
        &mut self,
        loser: &ClaimOutcome,
        source: &WorldId,
    ) -> Result<(), Failure> {
        let known = self.believe(AsOf::default()).await?.question;
        let pen = ClaimWriter::open(&super::memory(&self.home))?;
        let user = ChannelName::User.channel();
        let evidence = vec![source.clone()];
        let verdict = Assertion::verdict(&user, loser.reference.clone(), Finding::Deny, evidence);
        let outcome = pen
            .submit(ClaimRequest::Assert(verdict.map_err(refused)?))
            .await?;
        drop(pen);
        let now = self.believe(AsOf::default()).await?;
        let then = self.believe(about(BEFORE)?).await?;
        let unsettled = AsOf {
            valid_at: Some(known.valid_at),
            as_of_us: Some(known.as_of_us),
        };
        let unsettled = self.believe(unsettled).await?;
        let is = |belief: &Belief, value: &str| {
            let primary = belief.primary().map(FactValue::to_json);
            primary == Some(Value::from(value))
        };
        let ok = is(&now, "Bryn Mill")
            && is(&then, "Stowe Mill")
            && unsettled.status == BeliefStatus::Contested;
        let lines = vec![
            format!("Carrow Mill\t{}", told(&outcome)),
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
        let desk = ClaimReader::looking(&super::memory(&self.home))?;
        let line = desk.line(SUBJECT, PREDICATE)?;
        let settings = Arc::clone(&desk.settings);
        let asked = AsOf::default();
        let floor = crate::floor::asked(&self.home, None)?.map(crate::floor::Asked::size);
        let proof = prove_belief(desk.store.as_ref(), line, asked, settings, floor).await;
        let (belief, document) = proof.map_err(recall::failure)?;
        let honest = json_text(&document)?;
        let units = document.get("units").and_then(Value::as_array);
        let (honestly, reason) = self.review(&honest, "belief.json")?;
        let mut lines = vec![
            held(&belief),
            format!(
                "{} bytes with {} units; folded again: {}",
                honest.len(),
                units.map_or(0, Vec::len),
                honestly.name().to_uppercase()
            ),
        ];
        lines.extend((honestly != Verdict::Approved).then_some(reason));
        let forged = without_a_unit(&honest)?;
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

    /// Feeds a disclosed claim back through a model, and then as an observation.
    pub(super) async fn echo(&mut self) -> Result<(), Failure> {
        let before = self.believe(AsOf::default()).await?;
        ClaimReader::recording(&super::memory(&self.home), None)?
            .hand_out([&before])
            .await;
        let pen = ClaimWriter::open(&super::memory(&self.home))?;
        let mut lines = Vec::new();
        let mut written = 0;
        for (value, channel) in [
            ("Bryn Mill", ChannelName::Model),
            ("Bryn Mill", ChannelName::FirstHand),
            ("Carrow Mill", ChannelName::Model),
        ] {
            let said = Said {
                value,
                from: None,
                until: None,
                source: None,
                channel,
            };
            let outcome = say(&pen, &said).await?;
            written += usize::from(outcome.written.is_some());
            let from = telling::provenance(channel.channel().provenance());
            lines.push(format!("{value}, {from}\t{}", told(&outcome)));
        }
        drop(pen);
        let after = self.believe(AsOf::default()).await?;
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

    async fn believe(&self, asked: AsOf) -> Result<Belief, Failure> {
        let reader = ClaimReader::looking(&super::memory(&self.home))?;
        let line = reader.line(SUBJECT, PREDICATE)?;
        Ok(reader.believe(line, asked).await?)
    }

    /// Returns an authority's verdict on a proof, and its first reason.
    fn review(&self, proof: &str, name: &str) -> Result<(Verdict, String), Failure> {
        let path: PathBuf = self.proposal.with_file_name(name);
        write_file(&path, proof)?;
        let args = VerifyArgs {
            document: path,
            anchors: self.anchors.clone(),
            policy: None,
            now: None,
        };
        let report = review_belief(&args)
            .map_err(|error| Failure::new(ErrorKind::Place, error.to_string()))?;
        let reason = report.grounds().first().map(ToString::to_string);
        Ok((report.verdict(), reason.unwrap_or_default()))
    }
}

async fn say(pen: &ClaimWriter, said: &Said<'_>) -> Result<ClaimOutcome, Failure> {
    let value = FactValue::new(&Value::from(said.value)).map_err(refused)?;
    let (subject, predicate) = (subject(SUBJECT)?, predicate(PREDICATE)?);
    let channel = said.channel.channel();
    let mut submission = Submission::new(&channel, subject, predicate, value)
        .citing(said.source.into_iter().cloned().collect())
        .map_err(refused)?;
    let (from, until) = (said.from.map(date), said.until.map(date));
    if from.is_some() || until.is_some() {
        let valid = ValidTime {
            from: from.transpose()?,
            until: until.transpose()?,
            confidence: Confidence::ONE,
        };
        submission = submission.valid(valid).map_err(refused)?;
    }
    Ok(pen.submit(ClaimRequest::Submit(submission)).await?)
}

fn date(text: &str) -> Result<Boundary, Failure> {
    Boundary::parse(text).map_err(|_| Failure::bug("the demo's date is none"))
}

fn about(day: &str) -> Result<AsOf, Failure> {
    Ok(AsOf {
        valid_at: Some(date(day)?.begin()),
        as_of_us: None,
    })
}

/// Result of a claim, with its reason.
pub(super) fn told(outcome: &ClaimOutcome) -> String {
    let disposition: Disposition = outcome.disposition;
    format!(
        "{}: {}",
        disposition.name().replace('_', " "),
        why(disposition, outcome.row, &outcome.because)
    )
}

pub(super) fn held(belief: &Belief) -> String {
    format!(
        "believed: {}, {}",
        telling::believed(belief),
        telling::status(belief.status)
    )
}

/// The proof without the last claim of it.
fn without_a_unit(honest: &str) -> Result<Value, Failure> {
    let fault = || Failure::bug("the demo's proof has another shape");
    let mut document = parse(honest.as_bytes(), Limits::DOCUMENT).map_err(|_| fault())?;
    let units = document.get_mut("units").and_then(Value::as_array_mut);
    let units = units.ok_or_else(fault)?;
    if units.len() < 3 {
        return Err(fault());
    }
    units.remove(2);
    Ok(document)
}
