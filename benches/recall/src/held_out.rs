//! Leave one conversation out: each is measured with the setting that scores best on the others.

use std::thread;

use anyhow::{Context, Result};
use counterfoil_selector::metrics::{AnswerScore, ScoreSummary, summary};

use crate::corpus::{Corpus, Question};
use crate::quality::{Measured, Setting, measure};

/// Settings with one part left out, each with its name.
pub const ABLATIONS: [(&str, Setting); 5] = [
    ("without the turn itself", weighing([0.0, 0.3, 0.1, 1.0])),
    ("without near1", weighing([1.0, 0.0, 0.1, 1.0])),
    ("without near2", weighing([1.0, 0.3, 0.0, 1.0])),
    ("without date", weighing([1.0, 0.3, 0.1, 0.0])),
    (
        "question and stop words kept",
        Setting {
            weights: Setting::SHIPPED.weights,
            keeps_stop_words: true,
        },
    ),
];

/// Weights that are compared: of the turns beside, of those two places away, and of the date.
const NEAR1: [f64; 5] = [0.15, 0.3, 0.5, 0.7, 1.0];
const NEAR2: [f64; 4] = [0.0, 0.1, 0.25, 0.4];
const DATE: [f64; 3] = [0.5, 1.0, 1.5];

/// Places in a score: a setting is chosen by R@10, and between equals by MRR.
const CHOSEN_BY: [usize; 2] = [4, 6];

const fn weighing(weights: [f64; 4]) -> Setting {
    Setting {
        weights,
        keeps_stop_words: false,
    }
}

/// The settings that are chosen from: every weight with and without the list of dropped words.
#[must_use]
pub fn grid() -> Vec<Setting> {
    let mut grid = vec![Setting::SHIPPED];
    for keeps_stop_words in [false, true] {
        for near1 in NEAR1 {
            for near2 in NEAR2 {
                let settings = DATE.map(|date| Setting {
                    weights: [1.0, near1, near2, date],
                    keeps_stop_words,
                });
                grid.extend(settings);
            }
        }
    }
    grid
}

/// Measures each corpus with the ablations and then, if `with_grid`, with every setting of [`grid`]; all at once.
///
/// # Errors
/// As [`measure`].
pub fn measure_all(corpora: &[Corpus], with_grid: bool) -> Result<Vec<Measured>> {
    let mut settings: Vec<Setting> = ABLATIONS.iter().map(|(_, setting)| *setting).collect();
    if with_grid {
        settings.extend(grid());
    }
    let settings = &settings;
    thread::scope(|scope| {
        let spawn = |corpus| scope.spawn(move || measure(corpus, settings));
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
            scores: here.by_setting.get(ABLATIONS.len() + best.0)?.clone(),
        })
    };
    measured.iter().enumerate().filter_map(left_out).collect()
}

fn means(measured: &Measured) -> Vec<[f64; 2]> {
    let settings = measured.by_setting.iter().skip(ABLATIONS.len());
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
                by_setting: (0..ABLATIONS.len() + grid().len())
                    .map(|at| scores(at.wrapping_sub(ABLATIONS.len())))
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
