//! Extractor without a model: matches English sentences against a table of patterns. It skips sentences that match none, or
//! that ask, doubt, deny or quote (I5).

mod dates;
mod matching;
mod patterns;
mod slots;
mod token;
#[rustfmt::skip]
mod vocabulary;

use core::ops::Range;

use counterfoil_claims::ports::{Change, ClaimProposal, Extractor, Passage};
use counterfoil_claims::time::ValidTime;
use counterfoil_claims::{Cardinality, FactValue, Identifier};
use counterfoil_types::Confidence;
use counterfoil_types::json::Value;

use self::dates::{Dates, When};
use self::matching::{Compiled, Slots, compiled};
use self::patterns::{ANY, Tense};
use self::slots::Read;
use self::token::{Kind, Sentence, Token, sentences};
use self::vocabulary::{CLAUSE_STARTS, CONTINUATIONS, FILLERS, TO_DATE, UNCERTAIN, UNSAID};
use crate::ExtractError;
use crate::limits::{MAX_PROPOSALS, MAX_TEXT_BYTES};

/// Subject of claims about a speaker without a name.
pub(crate) const UNKNOWN_SPEAKER: &str = "user";

/// Most words between a statement and its date.
const MAX_BETWEEN: usize = 8;

/// Extractor by rules: deterministic, in time proportional to the text.
pub struct RuleExtractor {
    patterns: Vec<Compiled>,
}

/// With the built-in table.
impl Default for RuleExtractor {
    fn default() -> Self {
        Self {
            patterns: compiled(),
        }
    }
}

impl Extractor for RuleExtractor {
    type Error = ExtractError;

    /// Returns the proposals in the order of the text, without duplicates, at most 256.
    ///
    /// # Errors
    /// [`ExtractError::TooLong`] above 1 MiB of text.
    fn extract(&self, passage: &Passage) -> Result<Vec<ClaimProposal>, ExtractError> {
        if passage.text.len() > MAX_TEXT_BYTES {
            return Err(ExtractError::TooLong {
                bytes: passage.text.len(),
            });
        }
        let speaker = passage.speaker.as_deref().map(str::trim);
        let me = speaker.filter(|name| Identifier::new("subject", name).is_ok());
        let mut reading = Reading {
            patterns: &self.patterns,
            dates: Dates::said_at(passage.said_at_us),
            text: passage.text.as_ptr().addr(),
            me: me.unwrap_or(UNKNOWN_SPEAKER),
            proposals: Vec::new(),
        };
        for sentence in sentences(&passage.text) {
            reading.sentence(&sentence);
            if reading.is_full() {
                break;
            }
        }
        Ok(reading.proposals)
    }
}

struct Reading<'r> {
    patterns: &'r [Compiled],
    dates: Dates,
    /// Address of the text.
    text: usize,
    me: &'r str,
    proposals: Vec<ClaimProposal>,
}

impl Reading<'_> {
    fn sentence(&mut self, sentence: &Sentence<'_>) {
        let tokens = sentence.tokens.as_slice();
        if sentence.asks || tokens.iter().any(|token| token.is_any(UNCERTAIN)) {
            return;
        }
        let mut leading = None;
        let mut at = 0;
        while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
            if self.is_full() {
                return;
            }
            if let Some((when, used)) = self.dates.when(rest) {
                leading = Some(when);
                at += used;
                continue;
            }
            if let Some(used) = self.clause(rest, leading) {
                at += used;
                leading = None;
            }
            // The next clause. A word that takes a clause back takes back the rest of the sentence.
            loop {
                let Some(token) = tokens.get(at).filter(|token| !token.is_any(UNSAID)) else {
                    return;
                };
                at += 1;
                if token.kind == Kind::Mark || token.is_any(FILLERS) {
                    break;
                }
            }
        }
    }

    /// Proposes the claims of a clause, and returns the number of tokens read.
    fn clause(&mut self, tokens: &[Token<'_>], leading: Option<When>) -> Option<usize> {
        let patterns = self.patterns;
        for (at, compiled) in patterns.iter().enumerate() {
            let Some((slots, used)) = compiled.read(tokens) else {
                continue;
            };
            let rest = tokens.get(used..)?;
            let comma = usize::from(rest.first().is_some_and(|token| token.text == ","));
            // The lines of the table that follow with the same words are other proposals of the same statement.
            let (reads, ..) = compiled.pattern;
            let lines = || {
                let lines = patterns.iter().skip(at);
                lines.take_while(|line| line.pattern.0 == reads)
            };
            let ahead = lines().any(|line| {
                matches!(
                    line.pattern.5,
                    Tense::Begins | Tense::Changes | Tense::Planned
                )
            });
            let trailing = self.dates.ahead(ahead).when(rest.get(comma..)?);
            let trailing = trailing.or_else(|| self.further_on(rest));
            let (when, dated) = match trailing {
                Some((when, words)) => (Some(when), words + comma),
                None => (leading, 0),
            };
            let ended = dated > 0
                || rest
                    .first()
                    .is_none_or(|next| next.kind == Kind::Mark || next.is_any(CONTINUATIONS))
                    // A date that is not understood is no missing date.
                    && !rest.first().is_some_and(|next| next.is_any(&["last", "next"]));
            let span = self.span(tokens, used);
            // All of its proposals, or none.
            let said = ended && lines().all(|line| window(line.pattern.5, when).is_some());
            for line in lines() {
                let (.., tense) = line.pattern;
                if said && let Some(valid) = window(tense, when) {
                    self.propose(line, &slots, valid, span.as_ref());
                }
            }
            return Some(used + dated);
        }
        None
    }

    /// Reads the date after a few more words about the statement: "a race for charity last Saturday".
    fn further_on(&self, rest: &[Token<'_>]) -> Option<(When, usize)> {
        rest.first().filter(|token| token.is_any(TO_DATE))?;
        let goes_on = |token: &&Token<'_>| token.kind == Kind::Word && !token.is_any(CLAUSE_STARTS);
        let words = rest.iter().take(MAX_BETWEEN).take_while(goes_on).count();
        (1..=words).find_map(|at| {
            let (date, used) = self.dates.relative(rest.get(at..)?)?;
            Some((When::At(date), at + used))
        })
    }

    fn propose(
        &mut self,
        compiled: &Compiled,
        slots: &Slots,
        valid: Option<ValidTime>,
        span: Option<&Range<usize>>,
    ) {
        let (_, subject, predicate, value, cardinality, tense) = compiled.pattern;
        let fill = |template: &str| self.fill(template, slots);
        let subject = Identifier::new("subject", &fill(subject));
        let predicate = Identifier::new("predicate", &fill(predicate).replace(' ', "_"));
        let (Ok(subject), Ok(predicate)) = (subject, predicate) else {
            return;
        };
        let name = value.strip_prefix('{');
        let name = name.and_then(|name| name.strip_suffix('}'));
        let values: Vec<Value> = match slots.iter().find(|(slot, _)| Some(*slot) == name) {
            Some((_, Read::Text(text))) => vec![text.clone().into()],
            Some((_, Read::Number(number))) => vec![(*number).into()],
            Some((_, Read::List(texts))) => texts.iter().cloned().map(Value::from).collect(),
            None if value == ANY => vec![Value::Null],
            None => vec![value.into()],
        };
        let change = match (tense, cardinality) {
            (Tense::Ended | Tense::UsedTo, _) => Change::Ends,
            (Tense::Began | Tense::Begins | Tense::Changes, Cardinality::One) => Change::Replaces,
            _ => Change::None,
        };
        for value in values {
            let Ok(value) = FactValue::new(&value) else {
                continue;
            };
            let proposal = ClaimProposal {
                subject: subject.clone(),
                predicate: predicate.clone(),
                value,
                valid,
                cardinality,
                change,
                span: span.cloned(),
            };
            let is_same = |other: &ClaimProposal| {
                ClaimProposal {
                    span: other.span.clone(),
                    ..proposal.clone()
                } == *other
            };
            if !self.is_full() && !self.proposals.iter().any(is_same) {
                self.proposals.push(proposal);
            }
        }
    }

    /// Place of the first `used` tokens in the text.
    fn span(&self, tokens: &[Token<'_>], used: usize) -> Option<Range<usize>> {
        let begin = |token: &Token<'_>| token.text.as_ptr().addr().checked_sub(self.text);
        let words = tokens.get(..used)?;
        let (first, last) = (begin(words.first()?)?, words.last()?);
        Some(first..begin(last)?.checked_add(last.text.len())?)
    }

    const fn is_full(&self) -> bool {
        self.proposals.len() >= MAX_PROPOSALS
    }

    /// Fills the slots of a template.
    fn fill(&self, template: &str, slots: &Slots) -> String {
        let filled = template.replace("{me}", self.me);
        slots.iter().fold(filled, |text, (name, read)| match read {
            Read::Text(value) => text.replace(&format!("{{{name}}}"), value),
            Read::Number(_) | Read::List(_) => text,
        })
    }
}

/// Returns the valid time of a clause; the outer `None` if its tense and date allow no proposal.
fn window(tense: Tense, when: Option<When>) -> Option<Option<ValidTime>> {
    let (from, until) = match (tense, when) {
        (Tense::Always, _) => (None, None),
        (Tense::Holds | Tense::HoldsSince | Tense::Began, Some(When::Since(from))) => {
            (Some(from), None)
        }
        (Tense::Holds | Tense::Held, Some(When::Until(until))) => (None, Some(until)),
        (Tense::Holds | Tense::Held | Tense::Began, Some(When::Between(from, until))) => {
            (Some(from), Some(until))
        }
        (Tense::Happened | Tense::HappenedOn | Tense::Planned, Some(When::At(at))) => {
            (Some(at), Some(at))
        }
        (Tense::Happened | Tense::Planned, None) => (None, None),
        (Tense::Holds | Tense::HoldsSince, Some(When::For))
        | (Tense::Holds | Tense::Began | Tense::Changes, None) => (None, None),
        (Tense::Began | Tense::Begins | Tense::Changes, Some(When::At(from))) => (Some(from), None),
        (Tense::Ended, Some(When::At(until) | When::Since(until)))
        | (Tense::UsedTo, Some(When::Until(until))) => (None, Some(until)),
        (Tense::UsedTo, Some(When::Between(from, until))) => (Some(from), Some(until)),
        (Tense::Ended | Tense::UsedTo, None) | (Tense::UsedTo, Some(When::For)) => (None, None),
        _ => return None,
    };
    let confidence = [from, until]
        .into_iter()
        .flatten()
        .map(|dated| dated.confidence)
        .reduce(f64::min);
    let confidence = confidence.and_then(|value| Confidence::new(value).ok());
    Some(confidence.map(|confidence| ValidTime {
        from: from.map(|dated| dated.boundary),
        until: until.map(|dated| dated.last),
        confidence,
    }))
}
