//! Report on a proof of belief, for people and for programs (docs/format/belief.md 5).

use std::fmt::Write;

use counterfoil_authority::Verdict;
use counterfoil_authority::types::UnixMillis;
use counterfoil_claims::belief::{BeliefSide, Question, scope_to_json, statement};
use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_claims::{CurrencyLimits, Line, Unit};
use serde_json::json;

use super::check::ProvenBelief;
use super::judge::BeliefReason;
use crate::render::line;
use crate::terminal::{plain, plain_json};

/// Characters shown of a name or a value.
const TEXT_LIMIT: usize = 120;
/// Characters shown of a reason of ours; it may quote the document.
const REASON_LIMIT: usize = 400;
/// Facts that no proof of belief shows.
const NEVER_SHOWN: [(&str, &str); 3] = [
    (
        "other-lines",
        "that the agent keeps no other line of that name elsewhere",
    ),
    (
        "other-names",
        "that the agent has no other name for the subject",
    ),
    ("truth", "that what was said is true"),
];
/// Fact that is not shown without the word of the log's map.
const LATER: (&str, &str) = (
    "later-units",
    "that the line has no unit after the last one shown",
);
/// Fact that is not shown if the belief depends on the trust in others, and that is not known as it is now.
const TRUST: (&str, &str) = (
    "trust",
    "how far the agent trusts those who say so, and those who say otherwise",
);
/// Fact that is not shown if the belief is a set by the word of its units alone.
const VOCABULARY: (&str, &str) = (
    "vocabulary",
    "that the agent has decided that the predicate holds many values",
);
/// Fact that is not shown if a deciding claim was derived from others.
const REVIEW: (&str, &str) = (
    "pending-review",
    "whether what it was derived from still stands",
);

/// The review of one proof of belief.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefReport {
    pub(super) line: Line,
    pub(super) question: Question,
    pub(super) limits: CurrencyLimits,
    pub(super) reviewed_at: UnixMillis,
    pub(super) shown: Option<ProvenBelief>,
    pub(super) grounds: Vec<BeliefReason>,
}

impl BeliefReport {
    /// The worst verdict of the reasons.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.grounds.iter().map(BeliefReason::verdict);
        verdicts.max().unwrap_or(Verdict::Approved)
    }

    /// Codes and messages of the reasons of the decision, at least one.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, String)> {
        let reasons = self.grounds.iter();
        reasons.map(|ground| (ground.code(), ground.to_string()))
    }

    /// One JSON document, indented, with a newline at the end.
    ///
    /// # Errors
    /// [`serde_json::Error`] if it can't be serialised, which no report is known to cause.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut report = json!({
            "type": "counterfoil/belief-report", "version": "1",
            "reviewedAt": self.reviewed_at.value(),
            "decision": self.verdict().name(),
            "reasons": self.reasons()
                .map(|(code, message)| json!({"code": code, "message": message}))
                .collect::<Vec<_>>(),
            "question": {
                "agent": self.line.agent.to_string(),
                "subject": self.line.subject.as_str(), "predicate": self.line.predicate.as_str(),
                "validAt": self.question.valid_at.to_string(),
                "asOf": self.question.as_of_us.to_string(),
                "freshDays": self.limits.fresh_days.to_string(),
                "agingDays": self.limits.aging_days.to_string(),
            },
        });
        if let (Some(scope), Some(question)) = (
            scope_to_json(&self.line.scope),
            report.pointer_mut("/question"),
        ) && let Some(members) = question.as_object_mut()
        {
            members.insert("scope".into(), scope);
        }
        if let (Some(shown), Some(members)) = (&self.shown, report.as_object_mut()) {
            members.insert("belief".into(), statement(shown.belief()));
            let (checkpoint, last) = (shown.checkpoint(), shown.units().last());
            let seen = json!({
                "units": shown.units().len(),
                "checkpoint": {
                    "origin": checkpoint.origin(), "size": checkpoint.size().to_string(),
                    "root": checkpoint.root().to_string(),
                },
                "lastRef": last.map(Unit::reference),
                "lastRecorded": last.map(|last| last.stamp().micros().to_string()),
            });
            members.insert("shown".into(), seen);
            let not_shown = not_shown(shown).map(|(code, _)| code);
            members.insert("notShown".into(), not_shown.collect());
        }
        Ok(plain_json(&serde_json::to_string_pretty(&report)?) + "\n")
    }

    /// A short table.
    pub fn render(&self) -> String {
        let mut out = String::new();
        let name = |text: &str| plain(text, TEXT_LIMIT);
        let (subject, predicate) = (&self.line.subject, &self.line.predicate);
        let line_of = format!("{} / {}", name(subject.as_str()), name(predicate.as_str()));
        line(&mut out, "line", &line_of);
        if !self.line.scope.is_empty() {
            line(&mut out, "scope", &name(&self.line.scope.to_string()));
        }
        line(&mut out, "agent", &self.line.agent.to_string());
        let asked = format!(
            "about {}, as of {}; fresh for {} days, aging until {}",
            when(self.question.valid_at),
            recorded(self.question.as_of_us),
            self.limits.fresh_days,
            self.limits.aging_days,
        );
        line(&mut out, "asked", &asked);
        if let Some(shown) = &self.shown {
            self.render_shown(&mut out, shown);
        }
        let verdict = self.verdict().name().to_uppercase();
        line(&mut out, "decision", &verdict);
        for (_, message) in self.reasons() {
            line(&mut out, "", &plain(&message, REASON_LIMIT));
        }
        out
    }

    fn render_shown(&self, out: &mut String, shown: &ProvenBelief) {
        let belief = shown.belief();
        let support = belief
            .support
            .map(|support| format!(", {}", support.name()));
        let markers = belief.markers.iter().map(|marker| marker.name());
        let markers: Vec<_> = markers.collect();
        let mut status = format!("{}{}", belief.status.name(), support.unwrap_or_default());
        if !markers.is_empty() {
            let _ = write!(status, " ({})", markers.join(", "));
        }
        line(out, "belief", &status);
        for side in &belief.sides {
            line(out, "value", &described(side));
        }
        for side in &belief.alternatives {
            line(out, "otherwise", &described(side));
        }
        let checkpoint = shown.checkpoint();
        let text = format!(
            "{} in {} at size {}, the last recorded {}",
            counted(shown.units().len(), "unit"),
            plain(checkpoint.origin(), TEXT_LIMIT),
            checkpoint.size(),
            shown
                .units()
                .last()
                .map(|unit| recorded(unit.stamp().micros()))
                .unwrap_or_default(),
        );
        line(out, "shown", &text);
        for (_, text) in not_shown(shown) {
            line(out, "not shown", text);
        }
    }
}

fn not_shown(shown: &ProvenBelief) -> impl Iterator<Item = (&'static str, &'static str)> {
    let later = (!shown.is_whole()).then_some(LATER);
    let review = shown.review_is_open().then_some(REVIEW);
    let trust = shown.trust_is_open().then_some(TRUST);
    let vocabulary = shown.vocabulary_is_open().then_some(VOCABULARY);
    let open = later.into_iter().chain(trust).chain(vocabulary);
    open.chain(NEVER_SHOWN).chain(review)
}

fn described(side: &BeliefSide) -> String {
    format!(
        "{}  {}, {}, confirmed {}, {}",
        plain(&side.value.to_string(), TEXT_LIMIT),
        counted(side.claims.len(), "claim"),
        counted(side.corroborations, "corroboration"),
        recorded(side.confirmed.micros()),
        side.currency.name(),
    )
}

fn counted<T: ToString>(count: T, what: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {what}{ending}")
}

fn recorded(micros: u64) -> String {
    when(Micros::try_from(micros).unwrap_or(Micros::MAX))
}

fn when(micros: Micros) -> String {
    plain(&Boundary::instant(micros).to_string(), TEXT_LIMIT)
}
