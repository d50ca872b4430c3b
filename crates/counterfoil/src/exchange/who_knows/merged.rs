//! One answer of several agents: each value and text with those that say so, by the trust in them (docs/format/exchange-json.md).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier, PeerTrust};
use counterfoil_exchange::checks::{CheckKind, Disposition, Flag};
use counterfoil_exchange::documents::{ProvenanceSource, ResultParts, StructuredClaim};
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_exchange::trust::{RecordedTrust, Records};
use counterfoil_peer::ExchangeReport;
use counterfoil_peer::asking::ReceivedMemory;
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, Value, parse};
use serde::Serialize;

use super::{AskedAgent, Topic};
use crate::claims::BeliefQuery;
use crate::error::Error;
use crate::exchange::document::agent;
use crate::memory::Memory;
use crate::report::{Report, object, some};
use crate::text::typed;
use crate::when;

/// Most lines of claims with the belief about them.
const MOST_BELIEFS: usize = 64;

/// Answers of several agents to one question.
pub(super) struct Answers<'a> {
    topic: &'a Topic<'a>,
    question: &'a str,
    records: Arc<Records>,
    trust: RecordedTrust,
    now_us: u64,
    agents: Vec<Value>,
    /// By subject and predicate; each value by its canonical JSON.
    lines: BTreeMap<(Identifier, Identifier), BTreeMap<String, Side>>,
    texts: BTreeMap<String, Side>,
}

/// Value or text, and those that say so.
#[derive(Default)]
struct Side {
    said: Vec<Saying>,
}

/// Memory in which an agent says so.
struct Saying {
    source: Option<DidKey>,
    level: u8,
    /// It counts for a belief.
    decides: bool,
    json: Value,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        topic: &'a Topic<'a>,
        question: &'a str,
        records: Arc<Records>,
    ) -> Result<Self, Error> {
        let now_us = records.present(when::stamp()?.micros());
        Ok(Self {
            topic,
            question,
            trust: RecordedTrust::new(Arc::clone(&records)),
            records,
            now_us,
            agents: Vec::new(),
            lines: BTreeMap::new(),
            texts: BTreeMap::new(),
        })
    }

    /// Adds what an agent has answered, or the reason for which it has not.
    pub(super) fn add(&mut self, asked: &AskedAgent) {
        let report = asked.result.as_ref().ok();
        let memories = report.map(|report| self.add_memories(report));
        let reason = match &asked.result {
            Ok(report) => reason(report),
            Err(why) => Some(why.clone()),
        };
        let asked = &asked.agent;
        let referred_by = asked.referred_by.iter().map(|(key, domain)| {
            let by = agent(key, &self.records);
            object().with("agent", by).with("domain", domain)
        });
        let referred_by: Vec<_> = referred_by.collect();
        let row = object()
            .with("agent", agent(&asked.key, &self.records))
            .with("level", asked.level.number())
            .with("address", &asked.address)
            .with_some("referredBy", some(&referred_by))
            .with_some("exchange", report.map(|report| &report.id))
            .with(
                "state",
                report.map_or("failed", |report| report.state.name()),
            )
            .with("memories", memories.unwrap_or_default())
            .with_some("reason", reason);
        self.agents
            .push(serde_json::to_value(row).unwrap_or_default());
    }

    /// Adds the memories of an answer that were not rejected, and returns their number.
    fn add_memories(&mut self, report: &ExchangeReport) -> usize {
        let results = report
            .response
            .as_ref()
            .map(|response| &response.parts().results);
        let mut added = 0;
        for memory in &report.memories {
            let at = usize::try_from(memory.number).ok();
            let result = at.and_then(|at| results?.get(at));
            let judged = &memory.judged;
            let Some(result) = result.filter(|_| judged.disposition > Disposition::Reject) else {
                continue;
            };
            added += 1;
            let claim = &result.attestation.parts().claim;
            let is_text = judged.disposition == Disposition::RawOnly
                || [Flag::Unasked, Flag::OtherWords]
                    .iter()
                    .any(|flag| judged.flags.contains(flag));
            let saying = |about| self.saying(report, memory, result, about);
            match claim.structured.as_ref().filter(|_| !is_text) {
                Some(claim) => {
                    let saying = saying(Some(claim));
                    let line = (claim.subject.clone(), claim.predicate.clone());
                    let sides = self.lines.entry(line).or_default();
                    let side = sides.entry(claim.value.canonical().to_owned()).or_default();
                    side.said.push(saying);
                }
                None => {
                    let saying = saying(None);
                    let side = self.texts.entry(claim.content.to_string()).or_default();
                    side.said.push(saying);
                }
            }
        }
        added
    }

    /// The trust in a claim is that by which a belief weighs it; a text has that of its receipt.
    fn saying(
        &self,
        report: &ExchangeReport,
        memory: &ReceivedMemory,
        result: &ResultParts,
        claim: Option<&StructuredClaim>,
    ) -> Saying {
        let judged = &memory.judged;
        let domain = self.topic.domain.as_ref();
        let about = domain.and_then(|domain| Identifier::new("domain", domain.as_str()).ok());
        let about = about.or_else(|| claim.map(|claim| claim.predicate.clone()));
        let level = match (claim, &judged.source, &about) {
            (Some(_), Some(source), Some(about)) => self.trust.level(source, about, self.now_us),
            _ => judged.level().number(),
        };
        let minimum = match &about {
            Some(about) => self.trust.minimum(about, self.now_us),
            None => self.records.minimum(None, self.now_us).number(),
        };
        let (is_own, is_stranger) = (judged.flags.contains(&Flag::Own), level < minimum);
        let provenance = result.attestation.parts().provenance.as_ref();
        let is_inferred =
            provenance.is_some_and(|given| given.source == ProvenanceSource::Inference);
        let via = report
            .responder
            .filter(|responder| Some(*responder) != judged.source);
        let flags: Vec<_> = judged.flags.iter().map(|flag| flag.name()).collect();
        let is_set = |set: bool| set.then_some(true);
        let source = judged.source.map(|source| agent(&source, &self.records));
        let row = object()
            .with_some("agent", source)
            .with("level", level)
            .with_some("stranger", is_set(is_stranger && !is_own))
            .with_some("own", is_set(is_own))
            .with_some("inferred", is_set(is_inferred))
            .with_some("via", via.map(|key| agent(&key, &self.records)))
            .with_some("from", boundary(claim.and_then(|claim| claim.valid_from)))
            .with_some("until", boundary(claim.and_then(|claim| claim.valid_until)))
            .with("disposition", judged.disposition.name())
            .with_some("flags", some(&flags))
            .with("exchange", &report.id)
            .with("item", memory.number)
            .with_some("stored", memory.stored.as_ref());
        Saying {
            source: judged.source,
            level: if is_own { 0 } else { level },
            decides: !is_own && !is_stranger && !is_inferred,
            json: serde_json::to_value(row).unwrap_or_default(),
        }
    }

    /// The document, with what this agent believes now of each line.
    pub(super) async fn into_report(
        self,
        memory: &Memory,
        not_asked: usize,
    ) -> Result<Report, Error> {
        let mut lines: Vec<_> = self
            .lines
            .into_iter()
            .map(|(line, sides)| (line, ranked(sides)))
            .collect();
        // By the most trusted side; the map has them by their names.
        lines.sort_by_key(|(_, sides)| sides.first().map(|(_, side)| Reverse(side.rank())));
        let (mut claims, mut next) = (Vec::new(), Vec::new());
        for (at, ((subject, predicate), sides)) in lines.into_iter().enumerate() {
            let belief = match at < MOST_BELIEFS {
                true => {
                    let query = BeliefQuery::default();
                    Some(
                        memory
                            .believe(subject.as_str(), predicate.as_str(), &query)
                            .await?,
                    )
                }
                false => None,
            };
            let belief = belief.as_ref().map(|belief| {
                let value = belief.primary().map(FactValue::to_json);
                object()
                    .with("status", belief.status.name())
                    .with_some("value", value)
            });
            if sides.len() > 1 {
                let names = [typed(&subject), typed(&predicate)].join(" ");
                next.push(format!(
                    "all sides, and who says so: counterfoil believe {names}"
                ));
            }
            let sides = sides.into_iter().map(|(canonical, side)| {
                let value = parse(canonical.as_bytes(), Limits::CONTENT);
                side.described("value", value.unwrap_or_default())
            });
            let line = object()
                .with("subject", subject.as_str())
                .with("predicate", predicate.as_str())
                .with_some("belief", belief)
                .with("sides", sides.collect::<Vec<_>>());
            claims.push(serde_json::to_value(line).unwrap_or_default());
        }
        let texts = ranked(self.texts);
        let texts = texts
            .into_iter()
            .map(|(content, side)| side.described("content", content));
        next.push("the checks of an answer: counterfoil exchange show EXCHANGE".to_owned());
        Report::new(
            &object()
                .with("topic", self.topic.words)
                .with_some("domain", self.topic.domain.as_ref())
                .with("question", self.question)
                .with("claims", claims)
                .with("texts", texts.collect::<Vec<_>>())
                .with("agents", self.agents)
                .with("notAsked", not_asked)
                .with("next", next),
        )
    }
}

impl Side {
    /// Whether a saying decides, the highest level, and the number of sources of what decides.
    fn rank(&self) -> (bool, u8, usize) {
        let deciding: BTreeSet<_> = self
            .said
            .iter()
            .filter(|saying| saying.decides)
            .filter_map(|saying| saying.source)
            .collect();
        let level = self.said.iter().map(|saying| saying.level).max();
        (
            !deciding.is_empty(),
            level.unwrap_or_default(),
            deciding.len(),
        )
    }

    fn described(mut self, name: &'static str, what: impl Serialize) -> Value {
        let (decides, level, _) = self.rank();
        self.said.sort_by_key(|saying| {
            (
                Reverse(saying.decides),
                Reverse(saying.level),
                saying.source,
            )
        });
        let said: Vec<_> = self.said.into_iter().map(|saying| saying.json).collect();
        let row = object()
            .with(name, what)
            .with("level", level)
            .with("decides", decides)
            .with("saidBy", said);
        serde_json::to_value(row).unwrap_or_default()
    }
}

/// The most trusted sides first.
fn ranked(sides: BTreeMap<String, Side>) -> Vec<(String, Side)> {
    let mut sides: Vec<_> = sides.into_iter().collect();
    sides.sort_by_key(|(_, side)| Reverse(side.rank()));
    sides
}

/// The reason for which an exchange has brought nothing; `None` if it has.
fn reason(report: &ExchangeReport) -> Option<String> {
    let status = report
        .response
        .as_ref()
        .map(|response| &response.parts().status);
    let message = status.and_then(|status| status.message.as_ref());
    let with_message = |what: &str| match message {
        Some(message) => format!("{what}: {message}"),
        None => what.to_owned(),
    };
    Some(match report.state {
        ExchangeState::NoMatch => {
            with_message("it has nothing that matches, or nothing for this agent")
        }
        ExchangeState::Declined => with_message("it declined to answer"),
        ExchangeState::TimedOut => report
            .failure
            .clone()
            .unwrap_or_else(|| "no answer came in time".to_owned()),
        ExchangeState::PeerError => {
            let problem = status.and_then(|status| status.problem.as_ref());
            let problem = problem.map(|problem| format!("it failed: {problem}"));
            let failure = problem.or_else(|| report.failure.clone());
            failure.unwrap_or_else(|| with_message("it failed"))
        }
        ExchangeState::Rejected => {
            let failed = report.memories.iter().find_map(|memory| {
                let checks = &memory.judged.checks;
                let failed = CheckKind::ALL
                    .into_iter()
                    .find(|kind| checks.of(*kind).is_fail());
                failed.map(|kind| format!("{} {}", kind.name(), checks.of(kind)))
            });
            let failed = failed.unwrap_or_else(|| "less than was demanded".to_owned());
            format!("nothing that it sent passed: {failed}")
        }
        ExchangeState::Idle | ExchangeState::Sent | ExchangeState::Cancelled => {
            "the exchange is not over".to_owned()
        }
        _ => return None,
    })
}

fn boundary(at: Option<Boundary>) -> Option<String> {
    at.map(|at| at.to_string())
}
