//! Order of the best memories by a model that reads the question and each text together (docs/guide/meaning.md).

use std::sync::Arc;

use counterfoil_store::Reranker;
use counterfoil_types::{BoxError, Reason, SelectedMemory, World};
use tokio::task::spawn_blocking;

use crate::content::{member, text_of};
use crate::shortlist::Shortlist;
use crate::{Annotation, SelectError};

/// Characters of a fingerprint in a reason.
const FINGERPRINT: usize = 12;

/// Largest score whose exponential is finite, rounded down.
const MAX_SCORE: f64 = 700.0;

/// Model that decides the order, and the number of memories that it does so for.
pub(crate) struct Reranking {
    pub(crate) reranker: Arc<dyn Reranker>,
    pub(crate) best: usize,
}

impl Reranking {
    /// The number of memories to find where `wanted` are selected.
    pub(crate) fn candidates(&self, wanted: usize) -> usize {
        match wanted {
            0 => 0,
            _ => wanted.max(self.best),
        }
    }

    /// Puts the best of `found` in the order of their scores and leaves the rest below, `wanted` in all. `before` is the number
    /// of memories that are listed before these. On equal scores, and where the limit cuts, verified ones go first as ever.
    pub(crate) async fn order(
        &self,
        question: &str,
        mut found: Vec<(SelectedMemory, Annotation)>,
        (before, wanted): (usize, usize),
    ) -> Result<Vec<(SelectedMemory, Annotation)>, SelectError> {
        let rest = found.split_off(self.best.min(found.len()));
        let worlds = found
            .iter()
            .map(|(_, annotation)| annotation.world.as_ref());
        let texts = worlds.map(|world| world.map(spoken).unwrap_or_default());
        let scores = self.scores(question, texts.collect()).await;
        let scores = scores.map_err(SelectError::Reranker)?;
        let by: String = self
            .reranker
            .fingerprint()
            .chars()
            .take(FINGERPRINT)
            .collect();
        let mut shortlist = Shortlist::new(wanted);
        for (place, ((memory, annotation), score)) in
            (before + 1..).zip(found.into_iter().zip(scores))
        {
            let reason = memory.reason();
            let reason = Reason::new(format!("{reason}; reranked from place {place} by {by}"))?;
            // Positive, as the scores of the index are: what differs by .05 at most is about equal.
            let score = f64::from(score).clamp(-MAX_SCORE, MAX_SCORE).exp();
            let equal = memory.confidence().value();
            shortlist.add((score, equal), (memory.with_reason(reason), annotation));
        }
        let mut ordered = shortlist.into_selected();
        ordered.extend(rest);
        Ok(ordered)
    }

    /// One finite score for each text.
    async fn scores(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, BoxError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let (reranker, question) = (Arc::clone(&self.reranker), question.to_owned());
        let asked = texts.len();
        let scores = spawn_blocking(move || reranker.score(&question, &texts)).await??;
        match scores.len() == asked && scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err("it did not give each memory a finite score; check the model".into()),
        }
    }
}

/// Text of a memory after the name of its speaker.
fn spoken(world: &World) -> String {
    let text = text_of(world);
    match member(world, "speaker") {
        Some(speaker) => format!("{speaker}: {text}"),
        None => text,
    }
}
