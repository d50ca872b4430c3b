//! Extractor without a model: matches English sentences against a table of patterns. It skips sentences that match none, or
//! that ask, doubt, deny or quote (I5).

mod answers;
mod matching;
mod patterns;
mod phrases;
mod referents;
mod slots;
mod tenses;
mod verbs;
#[rustfmt::skip]
mod vocabulary;

use core::ops::Range;

use counterfoil_claims::ports::{Change, ClaimProposal, Extractor, Passage};
use counterfoil_claims::time::ValidTime;
use counterfoil_claims::{Cardinality, FactValue, Identifier};
use counterfoil_dates::{Dates, Kind, Sentence, Token, When, sentences};
use counterfoil_types::json::Value;

use self::matching::{Compiled, Slots, compiled, is_uncertain};
use self::patterns::{ANY, MENTIONS, PATTERNS, Tense};
use self::slots::Read;
use self::tenses::{over, tense_of, window};
use self::vocabulary::{
    CLAUSE_STARTS, CLOSED, CONTINUATIONS, FILLERS, FINITE, ORDERS, QUESTIONS, REPORTED, TO_COME,
    TO_DATE, UNSAID,
};
use crate::ExtractError;
use crate::limits::{MAX_PROPOSALS, MAX_TEXT_BYTES};

/// Subject of claims about a speaker without a name.
pub(crate) const UNKNOWN_SPEAKER: &str = "user";

/// Most words between a statement and its date.
const MAX_BETWEEN: usize = 8;
/// Most bytes of the turn before that are read.
const MAX_BEFORE: usize = 4096;
/// Most clauses that are looked for in a sentence.
const MAX_CLAUSES: usize = 256;
/// Most words of a clause without a subject.
const MAX_ELIDED: usize = 40;

/// Extractor by rules: deterministic, in time proportional to the text.
pub struct RuleExtractor {
    patterns: Vec<Compiled>,
    mentions: Vec<Compiled>,
}

/// With the built-in table.
impl Default for RuleExtractor {
    fn default() -> Self {
        Self {
            patterns: compiled(PATTERNS),
            mentions: compiled(MENTIONS),
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
        self.extract_after(None, passage)
    }
}

impl RuleExtractor {
    /// Returns the proposals of a passage that follows `before` in a conversation: a question there says what a fragment here
    /// states, as "Where do you live?" "In Porto."
    ///
    /// # Errors
    /// [`ExtractError::TooLong`] above 1 MiB of text.
    pub fn extract_after(
        &self,
        before: Option<&Passage>,
        passage: &Passage,
    ) -> Result<Vec<ClaimProposal>, ExtractError> {
        if passage.text.len() > MAX_TEXT_BYTES {
            return Err(ExtractError::TooLong {
                bytes: passage.text.len(),
            });
        }
        let speaker = passage.speaker.as_deref().map(str::trim);
        let me = speaker.filter(|name| Identifier::new("subject", name).is_ok());
        let mut reading = Reading {
            rules: self,
            dates: Dates::said_at(passage.said_at_us),
            text: &passage.text,
            me: me.unwrap_or(UNKNOWN_SPEAKER),
            they: None,
            topic: None,
            carried: None,
            proposals: Vec::new(),
        };
        let sentences = sentences(&passage.text);
        let before = before.filter(|before| before.text.len() <= MAX_BEFORE);
        if let Some(before) = before {
            reading.hear(before);
        }
        let asked = before.filter(|before| before.speaker != passage.speaker);
        if let Some(asked) = asked {
            for statement in answers::statements(&asked.text, asked.speaker.as_deref(), &sentences)
            {
                reading.clause(&statement, None);
            }
        }
        for sentence in &sentences {
            reading.sentence(sentence);
            if reading.is_full() {
                break;
            }
        }
        Ok(reading.proposals)
    }
}

struct Reading<'r> {
    rules: &'r RuleExtractor,
    dates: Dates,
    text: &'r str,
    me: &'r str,
    /// Whom "he" and "she" mean: who was named last.
    they: Option<String>,
    /// Meaning of "it": a thing and the name of its price.
    topic: Option<(String, &'static str)>,
    /// Date that an earlier sentence gives: "Last night was great. We went to a concert."
    carried: Option<When>,
    proposals: Vec<ClaimProposal>,
}

impl Reading<'_> {
    /// Takes from the turn before whom a pronoun may mean.
    fn hear(&mut self, before: &Passage) {
        let speaker = before.speaker.as_deref().unwrap_or(UNKNOWN_SPEAKER);
        for sentence in sentences(&before.text) {
            let named = referents::named(&sentence.tokens, speaker);
            self.they = named.or(self.they.take());
            self.topic = referents::topic(&sentence.tokens).or(self.topic.take());
        }
    }

    fn sentence(&mut self, sentence: &Sentence<'_>) {
        let tokens = sentence.tokens.as_slice();
        if is_uncertain(sentence) {
            return;
        }
        let stated = if sentence.asks {
            before_question(tokens)
        } else {
            tokens
        };
        if !stated.is_empty() {
            self.clauses(stated, !sentence.follows);
            let at = tokens
                .iter()
                .take(MAX_ELIDED)
                .position(|token| token.is_any(&["last", "yesterday", "two", "three", "this"]));
            let date = at.and_then(|at| self.dates.relative(tokens.get(at..)?));
            self.carried = date.map_or(self.carried, |(date, _)| Some(When::At(date)));
        }
        self.mentions(tokens);
        self.they = referents::named(tokens, self.me).or(self.they.take());
        self.topic = referents::topic(tokens).or(self.topic.take());
    }

    /// Reads the clauses of a sentence. "I moved to Ghent and started painting": the subject goes on.
    fn clauses(&mut self, tokens: &[Token<'_>], may_elide: bool) {
        let mut leading = None;
        let mut at = 0;
        let mut goes_on = may_elide;
        for _ in 0..MAX_CLAUSES {
            let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) else {
                return;
            };
            if self.is_full() {
                return;
            }
            if let Some((when, used)) = self.dates.when(rest) {
                leading = Some(when);
                at += used;
                continue;
            }
            if rest
                .iter()
                .take(1)
                .any(|first| first.is_any(&["he", "she"]))
            {
                let named = referents::named(tokens.get(..at).unwrap_or_default(), self.me);
                self.they = named.or(self.they.take());
            }
            let read = self.dated(rest, leading);
            // After the first clause a verb in the present may be a noun: "energy and love".
            let verb = rest.get(verbs::adverbs(rest, 0));
            let is_verb = verb.is_some_and(|verb| {
                let first = at == 0 && !verb.is_any(ORDERS);
                first || verbs::is_past(verb) || verb.is("been") || verb.lower.ends_with("ing")
            });
            let elided = goes_on && is_verb;
            let read = read.or_else(|| elided.then(|| self.elided(rest, leading)).flatten());
            if let Some(used) = read {
                goes_on = rest
                    .first()
                    .is_some_and(|first| !first.is_any(&["my", "our"]));
                at += used;
                leading = None;
            }
            // The next clause. A word that takes a clause back takes back what follows, up to ", but" and ", so".
            loop {
                let Some(token) = tokens.get(at) else {
                    return;
                };
                if token.is_any(UNSAID) {
                    let rest = tokens.get(at..).unwrap_or_default();
                    let Some(more) = turn(rest) else {
                        return;
                    };
                    at += more + 1;
                    goes_on = false;
                    break;
                }
                let first = at == 0;
                if token.is_any(&["i", "we"]) {
                    goes_on = true;
                    if !first && read.is_none_or(|used| used > 0) && at > tokens.len() - rest.len()
                    {
                        break;
                    }
                } else if token.kind == Kind::Word && !token.is_any(FILLERS) {
                    goes_on &= read.is_some() && !token.is_any(CLOSED);
                }
                at += 1;
                if token.kind == Kind::Mark || token.is_any(FILLERS) {
                    break;
                }
            }
        }
    }

    /// Reads a clause, which may have its date inside.
    fn dated(&mut self, tokens: &[Token<'_>], leading: Option<When>) -> Option<usize> {
        let inner = self.inner_date(tokens).and_then(|(when, used, without)| {
            let read = self.clause(&without, Some(when));
            read.map(|read| read + used)
        });
        inner.or_else(|| self.clause(tokens, leading))
    }

    /// Finds a date inside a clause, "took a trip last week to Ghent", and returns the words without it.
    fn inner_date<'t>(&self, tokens: &[Token<'t>]) -> Option<(When, usize, Vec<Token<'t>>)> {
        let words = tokens.iter().take(MAX_BETWEEN);
        let words = words.take_while(|token| token.kind == Kind::Word).count();
        (2..words).find_map(|at| {
            let (date, used) = self.dates.relative(tokens.get(at..)?)?;
            let goes_on = tokens
                .get(at + used)?
                .is_any(&["to", "at", "in", "with", "for"]);
            goes_on.then_some(())?;
            let mut without = tokens.get(..at)?.to_vec();
            without.extend(tokens.iter().skip(at + used).take(MAX_ELIDED).cloned());
            Some((When::At(date), used, without))
        })
    }

    /// Reads a clause whose subject is left out: "Started painting".
    fn elided(&mut self, tokens: &[Token<'_>], leading: Option<When>) -> Option<usize> {
        let first = tokens.get(verbs::adverbs(tokens, 0));
        let first = first.filter(|first| first.kind == Kind::Word)?;
        let is_verb = !first.is_any(CLOSED) || first.is_any(&["been", "had", "have", "did", "was"]);
        // "Starting a shop is hard": the verb in `-ing` is a subject.
        let clause = tokens
            .iter()
            .take(MAX_ELIDED)
            .take_while(|token| token.kind == Kind::Word);
        let is_subject =
            first.lower.ends_with("ing") && clause.skip(1).any(|token| token.is_any(FINITE));
        (is_verb && !is_subject).then_some(())?;
        let mut clause = vec![Token {
            text: "",
            lower: "i".to_owned(),
            kind: Kind::Word,
        }];
        clause.extend(tokens.iter().take(MAX_ELIDED).cloned());
        self.dated(&clause, leading)?.checked_sub(1)
    }

    /// Proposes what possessives say: "my guitar" is one that the speaker has.
    fn mentions(&mut self, tokens: &[Token<'_>]) {
        for at in 0..tokens.len() {
            let rest = tokens.get(at..).unwrap_or_default();
            if !rest.first().is_some_and(|first| {
                first.is_any(&["my", "our", "as", "from", "while", "when", "losing"])
            }) || self.is_full()
            {
                continue;
            }
            let before = tokens.get(..at).unwrap_or_default();
            if before
                .iter()
                .rev()
                .take(MAX_BETWEEN)
                .any(|token| token.is_any(TO_COME))
            {
                continue;
            }
            let rules = self.rules;
            let mut read = rules.mentions.iter();
            let read = read.find_map(|line| Some((line, line.read(rest)?)));
            if let Some((line, (slots, used))) = read {
                let span = self.span(rest, used);
                self.propose(line, line.pattern.5, &slots, None, span.as_ref());
            }
        }
    }

    /// Proposes the claims of a clause, and returns the number of tokens read.
    fn clause(&mut self, tokens: &[Token<'_>], leading: Option<When>) -> Option<usize> {
        let patterns = &self.rules.patterns;
        for (at, compiled) in patterns.iter().enumerate() {
            let Some((slots, used)) = compiled.read(tokens) else {
                continue;
            };
            let rest = tokens.get(used..)?;
            let comma = usize::from(rest.first().is_some_and(|token| token.text == ","));
            let over = over(rest);
            // The lines of the table that follow with the same words are other proposals of the same statement.
            let (reads, ..) = compiled.pattern;
            let lines = || {
                let lines = patterns.iter().skip(at);
                let lines = lines.take_while(|line| line.pattern.0 == reads);
                lines.map(|line| (line, tense_of(line.pattern.5, &slots, over > 0)))
            };
            // "Started going": what the verb says of the time is another line's.
            if lines().all(|(_, tense)| tense.is_none()) {
                continue;
            }
            let ahead = lines().any(|(_, tense)| {
                matches!(
                    tense,
                    Some(
                        Tense::Begins
                            | Tense::Ends
                            | Tense::Changes
                            | Tense::Planned
                            | Tense::Plans
                    )
                )
            });
            let happened = lines()
                .all(|(_, tense)| matches!(tense, Some(Tense::Happened | Tense::HappenedOn)));
            let trailing = self.dates.ahead(ahead).when(rest.get(comma + over..)?);
            let trailing = trailing.or_else(|| self.further_on(rest));
            let (when, dated) = match trailing {
                Some((when, words)) => (Some(when), words + comma + over),
                None => (
                    leading
                        .filter(|when| *when != When::For)
                        .or(self.carried.filter(|_| happened)),
                    0,
                ),
            };
            let ended = dated > 0
                || rest.first().is_none_or(|next| {
                    let closed = next.is_any(CLOSED) && !next.is_any(FINITE) && !next.is("than");
                    next.kind != Kind::Word || closed || next.is_any(CONTINUATIONS)
                })
                    // A date that is not understood is no missing date.
                    && !rest.first().is_some_and(|next| next.is_any(&["last", "next"]));
            let span = self.span(tokens, used);
            // All of its proposals, or none.
            let windows = |tense: Option<Tense>| window(tense?, when);
            let said = ended && lines().all(|(_, tense)| windows(tense).is_some());
            for (line, tense) in lines() {
                if said && let (Some(tense), Some(valid)) = (tense, windows(tense)) {
                    self.propose(line, tense, &slots, valid, span.as_ref());
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
        tense: Tense,
        slots: &Slots,
        valid: Option<ValidTime>,
        span: Option<&Range<usize>>,
    ) {
        let (_, subject, predicate, value, cardinality, _) = compiled.pattern;
        let (done, under_way) = predicate.split_once('|').unwrap_or((predicate, predicate));
        let predicate = match tense {
            Tense::Plans => "plans",
            Tense::Holds => under_way,
            _ => done,
        };
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
            Some((_, Read::Aspect(_))) => return,
            None if value == ANY => vec![Value::Null],
            None => vec![value.into()],
        };
        let change = match (tense, cardinality) {
            (Tense::Ended | Tense::Ends | Tense::UsedTo, _) => Change::Ends,
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
        let at = self.text.as_ptr().addr();
        let place = |token: &Token<'_>| {
            let begin = token.text.as_ptr().addr().checked_sub(at)?;
            let end = begin.checked_add(token.text.len())?;
            (end <= self.text.len() && begin < end).then_some(begin..end)
        };
        let mut places = tokens.get(..used)?.iter().filter_map(place);
        let first = places.next()?;
        let last = places.next_back().unwrap_or_else(|| first.clone());
        Some(first.start..last.end)
    }

    const fn is_full(&self) -> bool {
        self.proposals.len() >= MAX_PROPOSALS
    }

    /// Fills the slots of a template.
    fn fill(&self, template: &str, slots: &Slots) -> String {
        let filled = slots
            .iter()
            .fold(template.to_owned(), |text, (name, read)| match read {
                Read::Text(value) => text.replace(&format!("{{{name}}}"), value),
                Read::Number(_) | Read::List(_) | Read::Aspect(_) => text,
            });
        let filled = filled.replace("{me}", self.me);
        let (it, of_it) = self
            .topic
            .as_ref()
            .map_or(("", ""), |(it, of_it)| (it, of_it));
        let filled = filled.replace("{it}", it).replace("{of_it}", of_it);
        filled.replace("{they}", self.they.as_deref().unwrap_or_default())
    }
}

/// The statement before a question that is added to it: "I baked a cake - want some?", "It rains, you know?".
fn before_question<'s, 't>(tokens: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let first = tokens
        .iter()
        .find(|token| token.kind == Kind::Word && !token.is_any(FILLERS));
    if first.is_none_or(|first| first.is_any(QUESTIONS)) {
        return &[];
    }
    let mark = tokens.iter().rposition(|token| token.kind == Kind::Mark);
    let asked = mark.and_then(|at| tokens.get(at + 1..)).unwrap_or_default();
    let asks = asked.first().is_some_and(|first| {
        first.is_any(QUESTIONS)
            || first.is_any(&[
                "huh", "right", "yeah", "eh", "want", "wanna", "care", "you", "pretty",
            ])
    });
    mark.filter(|_| asks)
        .and_then(|at| tokens.get(..at))
        .unwrap_or_default()
}

/// Place before a clause of its own: after ", but", ", so" or ", and I", and after ", I" unless the part before it
/// reports or is a condition.
fn turn(tokens: &[Token<'_>]) -> Option<usize> {
    let me = |token: &Token<'_>| token.is_any(&["i", "we"]);
    let mut open = true;
    tokens.windows(3).position(|words| {
        let [comma, next, after] = words else {
            return false;
        };
        open &= !comma.is_any(REPORTED);
        let joined = next.is_any(&["but", "so"]) || (next.is("and") && me(after));
        comma.text == "," && (joined || (open && (me(next) || next.is("just"))))
    })
}
