//! Measures of recall: scores of ranked answers, their means with intervals, and measures of the confidence.

/// Names of the measures of an [`AnswerScore`], in its order.
pub const MEASURES: [&str; 7] = ["hit@1", "hit@5", "hit@10", "R@5", "R@10", "R@20", "MRR"];

/// Number of draws of a bootstrap.
pub const DRAWS: usize = 1_000;

/// Number of memories that a score looks at.
pub const DEPTH: usize = 20;

/// Number of equally wide bins of confidence in a calibration error.
const BINS: usize = 10;

/// Scores of one question, or means of them, from 0 to 1, in the order of [`MEASURES`].
///
/// hit@k is 1 if one memory that answers is among the first k, R@k is the share of them that is, and MRR is 1 over the rank
/// of the first, 0 if that is beyond [`DEPTH`].
pub type AnswerScore = [f64; MEASURES.len()];

/// Scores a question by the ranks of the memories that answer it, counted from 0; `None` for one that was not found.
#[must_use]
pub fn score(ranks: &[Option<usize>]) -> AnswerScore {
    let first = ranks.iter().flatten().min();
    let within = |rank: usize, depth: usize| rank < depth.min(DEPTH);
    let hit = |depth| f64::from(u8::from(first.is_some_and(|rank| within(*rank, depth))));
    let found = |depth| {
        ranks
            .iter()
            .flatten()
            .filter(move |rank| within(**rank, depth))
    };
    let recall = |depth| share(found(depth).count(), ranks.len());
    let reciprocal = |rank: &usize| share(1, rank.saturating_add(1));
    [
        hit(1),
        hit(5),
        hit(10),
        recall(5),
        recall(10),
        recall(20),
        first
            .filter(|rank| within(**rank, DEPTH))
            .map_or(0.0, reciprocal),
    ]
}

/// Mean scores of questions, each with its 95 % bootstrap interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreSummary {
    /// Number of questions.
    pub count: usize,
    /// Means.
    pub mean: AnswerScore,
    /// Lower ends of the intervals.
    pub low: AnswerScore,
    /// Upper ends of the intervals.
    pub high: AnswerScore,
}

/// Mean over the groups of the mean in each group, so that groups weigh the same; of one group, its mean.
///
/// The interval spans the middle 95 % of 1,000 such means of questions that are drawn anew, with replacement, within each
/// group. The draws are the same in each run. Empty groups do not count; without a question everything is 0.
#[must_use]
pub fn summary(groups: &[Vec<AnswerScore>]) -> ScoreSummary {
    let groups: Vec<&[AnswerScore]> = groups.iter().map(Vec::as_slice).collect();
    let groups: Vec<&[AnswerScore]> = groups.into_iter().filter(|it| !it.is_empty()).collect();
    let of = |mut draw: Option<&mut Draws>| {
        let of_group = |group: &&[AnswerScore]| match &mut draw {
            None => mean(group.iter()),
            Some(draws) => {
                mean((0..group.len()).filter_map(|_| group.get(draws.below(group.len()))))
            }
        };
        let means: Vec<AnswerScore> = groups.iter().map(of_group).collect();
        mean(means.iter())
    };
    let mut draws = Draws(0x9E37_79B9_7F4A_7C15);
    let drawn: Vec<AnswerScore> = (0..DRAWS).map(|_| of(Some(&mut draws))).collect();
    let end = |share: usize| {
        core::array::from_fn(|measure| {
            let values = drawn.iter().filter_map(|score| score.get(measure).copied());
            let mut values: Vec<f64> = values.collect();
            values.sort_unstable_by(f64::total_cmp);
            let at = DRAWS * share / 1_000;
            values.get(at.min(DRAWS - 1)).copied().unwrap_or_default()
        })
    };
    ScoreSummary {
        count: groups.iter().map(|group| group.len()).sum(),
        mean: of(None),
        low: end(25),
        high: end(975),
    }
}

fn mean<'s>(scores: impl Iterator<Item = &'s AnswerScore>) -> AnswerScore {
    let (mut sums, mut count) = (AnswerScore::default(), 0_usize);
    for score in scores {
        sums.iter_mut()
            .zip(score)
            .for_each(|(sum, one)| *sum += one);
        count += 1;
    }
    sums.map(|sum| sum / as_f64(count.max(1)))
}

/// Area under the ROC curve: the chance that a question with an answer has a higher value than one without, where equal
/// values count half. `None` without a question of each kind.
#[must_use]
pub fn auc(answerable: &[f64], unanswerable: &[f64]) -> Option<f64> {
    let pairs = answerable.len().checked_mul(unanswerable.len())?;
    let above = |with: &f64| -> f64 {
        let points = unanswerable
            .iter()
            .map(|without| match with.total_cmp(without) {
                core::cmp::Ordering::Greater => 1.0,
                core::cmp::Ordering::Equal => 0.5,
                core::cmp::Ordering::Less => 0.0,
            });
        points.sum()
    };
    (pairs > 0).then(|| answerable.iter().map(above).sum::<f64>() / as_f64(pairs))
}

/// Expected calibration error of confidences, each with what came of it: over ten equally wide bins, the mean distance
/// between the confidence and the share that came true, weighed by their number. `None` without any.
#[must_use]
pub fn calibration_error(judged: &[(f64, bool)]) -> Option<f64> {
    let mut bins = [(0.0, 0.0); BINS];
    for (confidence, came_true) in judged {
        let upper = |bin: &usize| *confidence < as_f64(bin + 1) / as_f64(BINS);
        let bin = (0..BINS).find(upper).unwrap_or(BINS - 1);
        if let Some((expected, seen)) = bins.get_mut(bin) {
            *expected += confidence;
            *seen += f64::from(u8::from(*came_true));
        }
    }
    let apart: f64 = bins
        .iter()
        .map(|(expected, seen)| (expected - seen).abs())
        .sum();
    (!judged.is_empty()).then(|| apart / as_f64(judged.len()))
}

fn share(part: usize, whole: usize) -> f64 {
    as_f64(part) / as_f64(whole.max(1))
}

/// The number; of more than 2^32, infinity.
fn as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// A generator of numbers (xorshift): the same draws in every run.
struct Draws(u64);

impl Draws {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let limit = u64::try_from(limit).unwrap_or(1).max(1);
        usize::try_from((self.0 >> 16) % limit).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_the_share_of_the_memories_and_rank_that_of_the_first() {
        let third = 1.0 / 3.0;
        assert_eq!(
            score(&[Some(12), Some(3), None]),
            [0.0, 1.0, 1.0, third, third, 2.0 * third, 0.25]
        );
        assert_eq!(score(&[Some(0)]), [1.0; 7]);
        assert_eq!(score(&[None, Some(DEPTH)]), [0.0; 7]);
    }

    #[test]
    fn groups_weigh_the_same_however_many_questions_they_have() {
        let groups = [vec![[1.0; 7]; 3], vec![[0.0; 7]], Vec::new()];
        let summary = summary(&groups);
        assert_eq!((summary.count, summary.mean), (4, [0.5; 7]));
        assert_eq!((summary.low, summary.high), ([0.5; 7], [0.5; 7]));
    }

    /// Of 100 questions of which half succeed, the mean strays by about .05; the interval is twice that to each side.
    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_the_number() {
        let halves = |count: usize| -> Vec<AnswerScore> {
            let hit = |at: usize| [f64::from(u8::from(at.is_multiple_of(2))); 7];
            (0..count).map(hit).collect()
        };
        let (few, many) = (summary(&[halves(100)]), summary(&[halves(10_000)]));
        assert!((0.38..0.42).contains(&few.low[0]), "{few:?}");
        assert!((0.58..0.62).contains(&few.high[0]), "{few:?}");
        assert!(many.high[0] - many.low[0] < 0.025, "{many:?}");
        assert_eq!(few, summary(&[halves(100)]));
        assert_eq!(summary(&[]).count, 0);
    }

    #[test]
    fn the_area_counts_pairs_in_order() {
        assert_eq!(auc(&[0.9, 0.5], &[0.5, 0.1]), Some(0.875));
        assert_eq!(auc(&[0.1], &[0.9]), Some(0.0));
        assert_eq!(auc(&[0.1], &[]), None);
    }

    #[test]
    fn the_calibration_error_is_the_distance_from_what_came_true() {
        let sure = [(1.0, true), (1.0, false), (0.95, true), (0.05, false)];
        let error = calibration_error(&sure).unwrap();
        assert!((error - (0.95 + 0.05) / 4.0).abs() < 1e-12, "{error}");
        assert_eq!(calibration_error(&[]), None);
    }
}
