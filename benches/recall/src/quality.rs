//! How often the memories that answer a question are found, as shipped and with other settings.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use counterfoil_capsule::World;
use counterfoil_selector::metrics::{AnswerScore, DEPTH, score};
use counterfoil_selector::{MAX_LEAD, MemorySelector, lead, share, text_query, with_times};
use counterfoil_store::text_index::{MAX_TERMS, TextHit, TextIndex, TextQuery, Weights};
use counterfoil_store::vectors::{Embedder, TextSide};
use counterfoil_types::{Query, SelectionConstraints, SelectionRequest, UnixMillis, WorldId};
use serde_json::{Map, Value, json};

use crate::corpus::{Corpus, Question, Turn};
use crate::plain::Plain;
use crate::rig::{Rig, actor};

/// Number of memories whose highest confidence says if a question is answered.
const FIRST: usize = 10;

/// Choosable parts of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Weights of the order.
    pub weights: Weights,
    /// True if question and stop words are searched for, too.
    pub keeps_stop_words: bool,
}

impl Setting {
    /// The setting of the program.
    #[must_use]
    pub fn shipped() -> Self {
        Self {
            weights: Weights::default(),
            keeps_stop_words: false,
        }
    }
}

/// Outcome of one question, as shipped.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// Its score; meaningless without evidence.
    pub score: AnswerScore,
    /// Confidence of the first memory; 0 if nothing was found.
    pub confidence: f64,
    /// True if the first memory answers the question.
    pub is_right: bool,
    /// Highest confidence of the first ten.
    pub highest: f64,
}

/// A memory among the first ten of a question, for the curve of the confidence.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// True for the first of its question.
    pub is_first: bool,
    /// Share of the question's words and lead.
    pub features: [f64; 2],
    /// True if it answers the question.
    pub is_right: bool,
}

/// Scores of one corpus. Every vector has one element per question, in their order.
pub struct Measured {
    /// Plain BM25.
    pub plain: Vec<AnswerScore>,
    /// The selector over the store, every memory proven.
    pub shipped: Vec<Answer>,
    /// The first ten memories of every question, as the curve of the confidence sees them.
    pub judged: Vec<Judged>,
    /// Each setting that was asked for.
    pub by_setting: Vec<Vec<AnswerScore>>,
}

/// Asks every question of a corpus, in one store of its own: by words, and with an encoder by meaning as well.
///
/// # Errors
/// When the store fails, when a memory that was selected did not verify, or when the selector ranks otherwise than the index.
pub fn measure(
    corpus: &Corpus,
    settings: &[Setting],
    encoder: Option<&dyn Embedder>,
) -> Result<Measured> {
    let (plain, stored) = (Plain::of(corpus)?, Stored::of(corpus, encoder)?);
    let questions = &corpus.questions;
    let each = |ask: &dyn Fn(&Question) -> Result<AnswerScore>| -> Result<Vec<AnswerScore>> {
        questions.iter().map(ask).collect()
    };
    let of = |setting: &Setting| each(&|question| stored.search(question, setting));
    let shipped: Result<Vec<Answer>> = questions.iter().map(|it| stored.recall(it)).collect();
    let shipped = shipped?;
    let selected: Vec<AnswerScore> = shipped.iter().map(|answer| answer.score).collect();
    anyhow::ensure!(
        selected == of(&Setting::shipped())?,
        "the selector ranks otherwise than the index: compare `Setting::shipped` with the program"
    );
    let judged: Result<Vec<Vec<Judged>>> = questions.iter().map(|it| stored.judged(it)).collect();
    Ok(Measured {
        judged: judged?.concat(),
        plain: each(&|question| Ok(scored(&plain.search(&question.text, DEPTH)?, question)))?,
        shipped,
        by_setting: settings.iter().map(of).collect::<Result<_>>()?,
    })
}

fn scored(ranking: &[usize], question: &Question) -> AnswerScore {
    let rank = |place: &usize| ranking.iter().position(|found| found == place);
    score(&question.evidence.iter().map(rank).collect::<Vec<_>>())
}

/// One corpus in a store.
struct Stored {
    rig: Rig,
    places: BTreeMap<WorldId, usize>,
    latest: WorldId,
    /// Time of asking: that of the last memory.
    asked_at: UnixMillis,
    /// Vectors of the questions, by their texts.
    vectors: BTreeMap<String, Vec<f32>>,
}

impl Stored {
    fn of(corpus: &Corpus, encoder: Option<&dyn Embedder>) -> Result<Self> {
        let mut rig = Rig::new()?;
        let worlds = (0..)
            .zip(&corpus.turns)
            .map(|(place, turn)| world(WorldId::new(format!("world-{place}"))?, turn))
            .collect::<Result<Vec<World>>>()?;
        let places = worlds
            .iter()
            .enumerate()
            .map(|(place, world)| (world.world_id().clone(), place));
        let places = places.collect();
        rig.fill(worlds)?;
        let latest = rig.latest()?;
        let times = corpus.turns.iter().map(|turn| turn.created_at);
        let asked_at = times.max().context("a corpus without turns")?;
        rig.selector = rig.selector.asked_at(asked_at);
        let mut vectors = BTreeMap::new();
        if let Some(encoder) = encoder {
            rig.embed(encoder)?;
            let texts = corpus.questions.iter().map(|it| it.text.clone());
            let texts: Vec<String> = texts.collect();
            let found = encoder.embed(&texts, TextSide::Question);
            vectors.extend(
                texts
                    .into_iter()
                    .zip(found.map_err(anyhow::Error::from_boxed)?),
            );
            rig.selector = rig.selector.with_vectors(vectors.clone());
        }
        Ok(Self {
            rig,
            places,
            latest,
            asked_at,
            vectors,
        })
    }

    fn recall(&self, question: &Question) -> Result<Answer> {
        let query = Query::new(question.text.as_str())?;
        let constraints = SelectionConstraints::default()
            .with_max_results(DEPTH)?
            .with_required_verification()
            .with_required_evidence();
        let request = SelectionRequest::new(query, self.latest.clone(), actor()?)
            .with_constraints(constraints);
        let result = self
            .rig
            .wait(self.rig.selector.select(&request))
            .map_err(anyhow::Error::from_boxed)?;
        let selected = result.selected();
        let ids = selected.iter().map(|memory| memory.memory_ref().world_id());
        let ranking = self.ranking(ids)?;
        let first = ranking.first();
        let confidences = selected.iter().map(|memory| memory.confidence().value());
        Ok(Answer {
            score: scored(&ranking, question),
            confidence: confidences.clone().next().unwrap_or_default(),
            is_right: question.answerable && first.is_some_and(|it| question.evidence.contains(it)),
            highest: confidences.take(FIRST).fold(0.0, f64::max),
        })
    }

    /// The index alone, by other weights or words.
    fn search(&self, question: &Question, setting: &Setting) -> Result<AnswerScore> {
        let hits = self.hits(question, setting)?;
        let ranking = self.ranking(hits.iter().map(|hit| &hit.world_id))?;
        Ok(scored(&ranking, question))
    }

    fn hits(&self, question: &Question, setting: &Setting) -> Result<Vec<TextHit>> {
        let mut query = match setting.keeps_stop_words {
            true => TextQuery::new(all_words(&question.text))?,
            false => text_query(&question.text)?,
        };
        query = with_times(query, &question.text, self.asked_at);
        query = query.page(0, DEPTH);
        query.vector = self.vectors.get(&question.text).cloned();
        query.weights = setting.weights;
        Ok(self.rig.wait(self.rig.store.search(&query))?)
    }

    fn judged(&self, question: &Question) -> Result<Vec<Judged>> {
        let hits = self.hits(question, &Setting::shipped())?;
        let judged = |(rank, hit): (usize, &TextHit)| -> Result<Judged> {
            let others = hits.iter().filter(|other| other.index != hit.index);
            let lead = lead(hit.score, others.map(|other| other.score)).min(MAX_LEAD);
            let place = self.ranking(std::iter::once(&hit.world_id))?;
            let answers = place.iter().all(|place| question.evidence.contains(place));
            Ok(Judged {
                is_first: rank == 0,
                features: [share(&hit.places, hit.meaning), lead],
                is_right: question.answerable && answers,
            })
        };
        hits.iter().enumerate().take(FIRST).map(judged).collect()
    }

    fn ranking<'i>(&self, ids: impl Iterator<Item = &'i WorldId>) -> Result<Vec<usize>> {
        let place = |id| self.places.get(id).copied();
        let unknown = "an unknown World was selected";
        ids.map(|id| place(id).context(unknown)).collect()
    }
}

fn all_words(question: &str) -> Vec<String> {
    let words = question.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    let distinct: BTreeSet<String> = words.collect();
    distinct.into_iter().take(MAX_TERMS).collect()
}

/// A turn as an import makes it.
/// The memory of a turn.
pub(crate) fn world(id: WorldId, turn: &Turn) -> Result<World> {
    let mut data = Map::new();
    data.insert("kind".into(), "turn".into());
    data.insert("text".into(), turn.text.as_str().into());
    data.insert("speaker".into(), turn.speaker.as_str().into());
    if let Some(caption) = &turn.caption {
        data.insert("caption".into(), caption.as_str().into());
    }
    data.insert("time".into(), turn.time.as_str().into());
    data.insert(
        "source".into(),
        json!({
            "format": "jsonl",
            "conversation": turn.conversation,
            "session": turn.session,
            "id": turn.id,
            "position": turn.position,
        }),
    );
    Ok(counterfoil_capsule::remember(
        id,
        turn.created_at,
        Value::Object(data),
    )?)
}
