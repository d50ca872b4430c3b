//! Leave one conversation out: each is measured with the setting that scores best on the others.

use std::thread;

use anyhow::{Context, Result};
use counterfoil_selector::metrics::{AnswerScore, ScoreSummary, summary};

use crate::corpus::{Corpus, Question};
use counterfoil_store::text_index::Weights;
use counterfoil_store::vectors::Embedder;

use crate::quality::{Measured, Setting, measure};

/// Number of settings that are chosen from.
const DRAWS: usize = 100;

/// Places in a score: a setting is chosen by R@10, and between equals by MRR.
const CHOSEN_BY: [usize; 2] = [4, 6];

/// Settings with one part left out, each with its name.
#[must_use]
pub fn ablations() -> Vec<(&'static str, Setting)> {
    let without = |name, leave: fn(&mut Weights)| {
        let mut setting = Setting::shipped();
        leave(&mut setting.weights);
        (name, setting)
    };
    let mut ablations = vec![
        without("without the turn itself", |it| it.words[0] = 0.0),
        without("without near1", |it| it.words[1] = 0.0),
        without("without near2", |it| it.words[2] = 0.0),
        without("without date", |it| it.words[3] = 0.0),
        without("without session", |it| it.session = 0.0),
        without("without speaker", |it| it.speaker = 0.0),
        without("without named dates", |it| it.dated = 0.0),
        without("without own", |it| it.own = 0.0),
        without("without answers", |it| it.answers = 0.0),
        without("without asks", |it| it.asks = 0.0),
        without("without meaning", |it| it.meaning = 0.0),
        without("without meaning beside", |it| it.meaning_beside = 0.0),
    ];
    let keeps_stop_words = true;
    let weights = Weights::default();
    let kept = Setting {
        weights,
        keeps_stop_words,
    };
    ablations.push(("question and stop words kept", kept));
    ablations
}

/// The settings that are chosen from: draws from values of every weight, with and without the list of dropped words, the same in
/// each run. The shipped setting, which was chosen on all conversations, is none of them.
#[must_use]
pub fn grid() -> Vec<Setting> {
    let mut state = 16_u64;
    let mut draw = |values: &[f64]| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
        let at = usize::try_from((state >> 33) % count).unwrap_or_default();
        values.get(at).copied().unwrap_or_default()
    };
    let mut grid = Vec::with_capacity(DRAWS);
    for dated in [0.0, 0.05, 0.1].into_iter().cycle().take(DRAWS) {
        grid.push(Setting {
            weights: Weights {
                words: [
                    1.0,
                    draw(&[0.3, 0.5, 0.7]),
                    draw(&[0.0, 0.1, 0.25]),
                    draw(&[0.5, 1.0, 1.5]),
                ],
                unit: draw(&[0.75, 1.0, 1.5]),
                session: draw(&[0.0, 0.3, 0.6, 0.9]),
                dated,
                speaker: draw(&[0.0, 0.05, 0.1, 0.2]),
                own: draw(&[0.0, 0.1, 0.2, 0.3]),
                answers: draw(&[0.0, 0.15, 0.3, 0.45]),
                asks: draw(&[0.0, 0.05, 0.1, 0.2]),
                meaning: draw(&[0.06, 0.12, 0.18]),
                meaning_beside: draw(&[0.0, 0.06, 0.12]),
            },
            keeps_stop_words: draw(&[0.0, 0.0, 0.0, 1.0]) > 0.0,
        });
    }
    grid
}

/// The settings of [`ablations`], and then those of [`grid`].
#[must_use]
pub fn settings() -> Vec<Setting> {
    let ablations = ablations().into_iter().map(|(_, it)| it);
    ablations.chain(grid()).collect()
}

/// Measures each corpus with settings, all at once.
///
/// # Errors
/// As [`measure`].
pub fn measure_all(
    corpora: &[Corpus],
    settings: &[Setting],
    encoder: Option<&dyn Embedder>,
) -> Result<Vec<Measured>> {
    thread::scope(|scope| {
        let spawn = |corpus| scope.spawn(move || measure(corpus, settings, encoder));
        let threads: Vec<_> = corpora.iter().map(spawn).collect();
        let joined = threads.into_iter().map(|it| it.join().ok());
        joined
            .map(|it| it.context("a measurement panicked")?)
            .collect()
    })
}

/// A conversation, measured with the setting that was chosen on the others.
pub struct Fold {
    /// The setting.
    pub setting: Setting,
    /// Scores of its questions.
    pub scores: Vec<AnswerScore>,
}

/// Chooses for each conversation the setting with the highest mean R@10 of all the others, and takes the scores that it has here.
#[must_use]
pub fn folds(measured: &[Measured]) -> Vec<Fold> {
    let grid = grid();
    // R@10 and MRR by conversation and setting.
    let means: Vec<Vec<[f64; 2]>> = measured.iter().map(means).collect();
    let left_out = |(at, here): (usize, &Measured)| {
        let others = means.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&Vec<[f64; 2]>> = others.map(|(_, means)| means).collect();
        let total = |setting: usize| {
            let of = others.iter().filter_map(|means| means.get(setting));
            of.fold([0.0; 2], |[recall, rank], one| {
                [recall + one[0], rank + one[1]]
            })
        };
        let mut best = (0, total(0));
        for setting in 1..grid.len() {
            let score = total(setting);
            if score > best.1 {
                best = (setting, score);
            }
        }
        Some(Fold {
            setting: *grid.get(best.0)?,
            scores: here.by_setting.get(ablations().len() + best.0)?.clone(),
        })
    };
    measured.iter().enumerate().filter_map(left_out).collect()
}

fn means(measured: &Measured) -> Vec<[f64; 2]> {
    let settings = measured.by_setting.iter().skip(ablations().len());
    let mean = |scores: &Vec<AnswerScore>| {
        let of = |at: usize| scores.iter().filter_map(|score| score.get(at)).sum::<f64>();
        let count = u32::try_from(scores.len()).map_or(f64::INFINITY, f64::from);
        CHOSEN_BY.map(|at| of(at) / count.max(1.0))
    };
    settings.map(mean).collect()
}

/// Mean scores of the questions that are wanted: over all of them, or per corpus first.
pub fn summarised<'c>(
    parts: impl IntoIterator<Item = (&'c Corpus, Vec<AnswerScore>)>,
    wanted: impl Fn(&Question) -> bool,
    is_pooled: bool,
) -> ScoreSummary {
    let of = |(corpus, scores): (&Corpus, Vec<AnswerScore>)| -> Vec<AnswerScore> {
        let pairs = corpus.questions.iter().zip(scores);
        pairs
            .filter(|(question, _)| wanted(question))
            .map(|(_, score)| score)
            .collect()
    };
    let groups: Vec<Vec<AnswerScore>> = parts.into_iter().map(of).collect();
    match is_pooled {
        true => summary(&[groups.concat()]),
        false => summary(&groups),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conversation that likes one setting alone does not choose it for itself.
    #[test]
    fn a_setting_is_chosen_without_the_conversation_that_it_is_measured_on() {
        let liking = |liked: usize| {
            let scores = |at| vec![[f64::from(u8::from(at == liked)); 7]];
            Measured {
                plain: Vec::new(),
                shipped: Vec::new(),
                judged: Vec::new(),
                by_setting: (0..ablations().len() + grid().len())
                    .map(|at| scores(at.wrapping_sub(ablations().len())))
                    .collect(),
            }
        };
        let folds = folds(&[liking(7), liking(9), liking(9)]);
        let chosen: Vec<Setting> = folds.iter().map(|fold| fold.setting).collect();
        // The second and the third see one of each; the first of equals wins.
        assert_eq!(chosen, [grid()[9], grid()[7], grid()[7]]);
        let scores: Vec<f64> = folds.iter().map(|fold| fold.scores[0][4]).collect();
        assert_eq!(scores, [0.0; 3]);
    }
}
