//! Order of the best candidates: what a memory says itself, who says it, and the conversation that it stands in.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TextQuery, Weights};
use counterfoil_words::{Form, forms};
use rusqlite::{Connection, Row, params};

use super::postings::number;
use super::rank::{Ranking, share};
use super::source::{Turn, prefix};
use super::versions::Contents;
use crate::scopes::ScopeRows;
use crate::statement::Statements;
use crate::vectors::{SignCache, Spread, cosines};

/// Number of candidates that are weighed: the best by their words. The rest follows in the order of the index.
pub(super) const POOL: usize = 100;

/// The first bytes of a text that are looked at.
const MAX_BYTES: usize = 4 * 1024;
/// Share of a question that counts as covered at least.
const LEAST_COVERED: f64 = 0.05;

/// Weighs candidates of one question.
pub(super) struct Weigher<'c> {
    connection: &'c Connection,
    contents: Contents<'c>,
    /// The largest log index that counts.
    last: u64,
    /// All rows by the scores of their words.
    pub(super) ranking: Ranking<'c>,
    weights: Weights,
    /// The forms of each word of the question.
    words: &'c [Vec<Form>],
    /// The forms of its dates.
    dates: Vec<Form>,
    /// Rows that were read together.
    kept: BTreeMap<u64, Kept>,
    said: BTreeMap<u64, Option<Said>>,
    /// The question's vector, and how near the memories of the store are to it.
    meaning: Option<(&'c [f32], Spread)>,
}

/// Columns of one version beside the index.
#[derive(Clone)]
struct Kept {
    /// True if its text is: of a later version it may be that only what was changed is.
    is_whole: bool,
    speaker: String,
    asks: u8,
    dialogue: Option<i64>,
    position: Option<i64>,
    /// The turn directly before it.
    before: Option<u64>,
}

/// Reads these columns of the rows of a JSON array `?1`, and the turns up to `?2` directly before them.
const KEPT: &str = "SELECT own.idx, own.first IS NULL OR own.body <> '', own.speaker, own.asks, own.dialogue, own.position,
     (SELECT before.idx FROM text_turns AS before WHERE before.dialogue = own.dialogue
      AND before.position = own.position - 1 AND before.idx <= ?2)
     FROM json_each(?1) AS asked CROSS JOIN text_turns AS own ON own.idx = asked.value";

/// A row in its place.
pub(super) struct Weighed {
    pub(super) idx: u64,
    /// Positive; larger is better.
    pub(super) weight: f64,
    /// Share of the weight that the meaning has, from 0 to 1.
    pub(super) meaning: f64,
}

/// Facts about one version.
#[derive(Clone)]
struct Said {
    /// Its dialogue and the position there.
    place: Option<(i64, i64)>,
    /// Share of the question's words that it or its date holds.
    share: f64,
    /// As in `text_turns`.
    asks: u8,
    /// True if it or its date holds one of the question's dates.
    is_dated: bool,
    /// The speaker, if the question names them.
    named: Option<String>,
}

impl<'c> Weigher<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        (query, words, ranking): (&'c TextQuery, &'c [Vec<Form>], Ranking<'c>),
        (last, scope): (u64, Option<&ScopeRows>),
        (contents, signs): (Contents<'c>, &SignCache),
    ) -> Result<Self, StoreError> {
        let dates = query.dates.iter();
        let dates = dates.flat_map(|date| forms(date, &query.languages));
        let vector = query.vector.as_deref();
        let meaning = match vector {
            Some(vector) => {
                let spread = Spread::of(connection, signs, vector, (last, scope))?;
                spread.map(|spread| (vector, spread))
            }
            None => None,
        };
        Ok(Self {
            connection,
            contents,
            last,
            ranking,
            weights: query.weights,
            words,
            dates: dates.collect(),
            kept: BTreeMap::new(),
            said: BTreeMap::new(),
            meaning,
        })
    }

    /// Rows and scores as rows and weights, best first. One without a score, which was found by its meaning, is left out if the
    /// store's mean is nearer. A weight is positive: the exponential of a sum. `covered` is the share of
    /// the question's words that the row with the best score holds, or a neighbour of it.
    pub(super) fn weighed(
        &mut self,
        rows: &[(u64, f64)],
        covered: f64,
    ) -> Result<Vec<Weighed>, StoreError> {
        let best = rows.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        // Where little of the question is found, words say little: by chance one of them is in many a text.
        let covered = covered.max(LEAST_COVERED);
        let unit = (self.weights.unit * best / covered.powi(2)).max(f64::MIN_POSITIVE);
        self.read(rows.iter().map(|(idx, _)| *idx))?;
        let before: Vec<u64> = self.kept.values().filter_map(|it| it.before).collect();
        self.read(before.into_iter())?;
        let mut sessions: BTreeMap<i64, f64> = BTreeMap::new();
        let mut speakers = BTreeSet::new();
        for (idx, score) in rows {
            let Some(said) = self.said(*idx)? else {
                continue;
            };
            speakers.extend(said.named);
            if let Some((dialogue, _)) = said.place {
                let best = sessions.entry(dialogue).or_insert(0.0);
                *best = best.max(*score);
            }
        }
        // Of several speakers that are named none is the one that is meant.
        let is_one = speakers.len() == 1;
        let mut weighed = Vec::with_capacity(rows.len());
        for (idx, score) in rows {
            let mut weight = 0.0;
            let mut session = *score;
            if let Some(said) = self.said(*idx)? {
                let best = said.place.and_then(|(dialogue, _)| sessions.get(&dialogue));
                session = best.copied().unwrap_or(*score);
                weight += self.weights.own * said.share;
                if said.asks > 1 {
                    weight -= self.weights.asks;
                }
                if said.is_dated {
                    weight += self.weights.dated;
                }
                if is_one && said.named.is_some() {
                    weight += self.weights.speaker;
                }
                weight += self.weights.answers * self.share_asked_before(*idx)?;
            }
            weight += (score + self.weights.session * session) / unit;
            let meaning = self.meaning(*idx)?;
            // Neither words nor meaning speak for it.
            if *score == 0.0 && meaning < 0.0 {
                continue;
            }
            let share = meaning.max(0.0) / (meaning.max(0.0) + weight.max(0.0));
            weighed.push(Weighed {
                idx: *idx,
                weight: (weight + meaning).exp(),
                meaning: if share.is_finite() { share } else { 0.0 },
            });
        }
        weighed.sort_by(|left, right| {
            right
                .weight
                .total_cmp(&left.weight)
                .then(left.idx.cmp(&right.idx))
        });
        Ok(weighed)
    }

    /// The weight of the meaning: how much nearer to the question the memory and the turns beside it are than the store is.
    fn meaning(&mut self, idx: u64) -> Result<f64, StoreError> {
        let Some((vector, spread)) = self.meaning else {
            return Ok(0.0);
        };
        let place = self.said(idx)?.and_then(|said| said.place);
        let mut indexes = vec![idx];
        if let Some((dialogue, position)) = place {
            let beside: Vec<u64> = self.connection.list(
                "SELECT idx FROM text_turns
                 WHERE dialogue = ?1 AND position IN (?2, ?3) AND idx <= ?4",
                params![
                    dialogue,
                    position.saturating_sub(1),
                    position.saturating_add(1),
                    self.last
                ],
            )?;
            indexes.extend(beside);
        }
        let found = cosines(self.connection, vector, &indexes)?;
        let mut found = found
            .into_iter()
            .map(|it| it.map(|cosine| spread.standard(cosine)));
        let Some(own) = found.next().flatten() else {
            return Ok(0.0);
        };
        let beside: Vec<f64> = found.flatten().collect();
        let mean = match beside.as_slice() {
            [] => own,
            some => some.iter().sum::<f64>() / number(some.len()),
        };
        Ok(self.weights.meaning * own + self.weights.meaning_beside * mean)
    }

    /// The share of the question's words in the turn directly before, if that asks.
    fn share_asked_before(&mut self, idx: u64) -> Result<f64, StoreError> {
        let before = match self.kept.get(&idx).and_then(|kept| kept.before) {
            Some(idx) => self.said(idx)?,
            None => None,
        };
        Ok(before.filter(|it| it.asks > 0).map_or(0.0, |it| it.share))
    }

    /// Reads the columns of rows.
    fn read(&mut self, rows: impl Iterator<Item = u64>) -> Result<(), StoreError> {
        let unread: Vec<u64> = rows.filter(|idx| !self.kept.contains_key(idx)).collect();
        let last = i64::try_from(self.last).unwrap_or(i64::MAX);
        let read = |row: &Row<'_>| {
            let kept = Kept {
                is_whole: row.get(1)?,
                speaker: row.get(2)?,
                asks: row.get(3)?,
                dialogue: row.get(4)?,
                position: row.get(5)?,
                before: row.get(6)?,
            };
            Ok((row.get(0)?, kept))
        };
        let asked = params![serde_json::json!(unread).to_string(), last];
        self.connection.visit(KEPT, asked, read, |(idx, kept)| {
            self.kept.insert(idx, kept);
            Ok(true)
        })
    }

    /// Facts about the version at `idx`; `None` if it can't be read any more.
    fn said(&mut self, idx: u64) -> Result<Option<Said>, StoreError> {
        if let Some(said) = self.said.get(&idx) {
            return Ok(said.clone());
        }
        let row = self.kept.get(&idx).cloned();
        let place = row.as_ref().and_then(|row| row.dialogue.zip(row.position));
        let kept = match row {
            Some(row) if row.is_whole => {
                let share = self.ranking.own_share(idx);
                Some((share, self.is_dated(idx)?, row.speaker, row.asks))
            }
            _ => (self.contents)(idx)?.map(|world| {
                let turn = Turn::of(&world);
                let text = looked_at(&turn.body, &turn.dated);
                let words = self.words.iter();
                let held = words.filter(|word| word.iter().any(|form| holds(&text, form)));
                let share = share(held.count(), self.words.len());
                (share, self.names_date(&text), turn.speaker, turn.asks)
            }),
        };
        let said = kept.map(|(share, is_dated, speaker, asks)| {
            let names = format!(" {speaker} ");
            let is_named = self.words.iter().flatten().any(|form| holds(&names, form));
            Said {
                place,
                share,
                asks,
                is_dated,
                named: is_named.then_some(speaker),
            }
        });
        self.said.insert(idx, said.clone());
        Ok(said)
    }

    /// Tests whether a version that is kept whole holds one of the question's dates, or is dated with it.
    fn is_dated(&self, idx: u64) -> Result<bool, StoreError> {
        if self.dates.is_empty() {
            return Ok(false);
        }
        let sql = "SELECT body, dated FROM text_turns WHERE idx = ?1";
        let kept: Option<(String, String)> = self.connection.find(sql, [idx])?;
        Ok(kept.is_some_and(|(body, dated)| self.names_date(&looked_at(&body, &dated))))
    }

    fn names_date(&self, text: &str) -> bool {
        self.dates.iter().any(|form| holds(text, form))
    }
}

/// The beginning of a body and its date, as terms between spaces.
fn looked_at(body: &str, dated: &str) -> String {
    format!(" {} {dated} ", prefix(body, MAX_BYTES))
}

/// Tests whether `terms`, each between spaces, hold a form of a word.
fn holds(terms: &str, form: &Form) -> bool {
    let wanted = format!(" {}", form.terms.join(" "));
    let mut found = terms.match_indices(&wanted);
    found.any(|(at, it)| {
        form.is_prefix
            || terms
                .get(at + it.len()..)
                .is_some_and(|rest| rest.starts_with(' '))
    })
}
