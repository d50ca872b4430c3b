//! Recall and reciprocal rank, and how questions are averaged.

use std::collections::BTreeMap;

/// The depths at which recall is measured.
pub const DEPTHS: [usize; 3] = [5, 10, 20];

/// What one question scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The share of its evidence among the first 5, 10 and 20.
    pub recall: [f64; 3],
    /// 1 over the rank of the first evidence; 0 when there is none among those returned.
    pub reciprocal_rank: f64,
}

impl Score {
    /// Scores a ranking of turns against the turns that hold the evidence, of which there is one.
    #[must_use]
    pub fn of(ranking: &[usize], evidence: &[usize]) -> Self {
        let found = |depth: usize| {
            let first: Vec<&usize> = ranking.iter().take(depth).collect();
            share(
                evidence.iter().filter(|turn| first.contains(turn)).count(),
                evidence.len(),
            )
        };
        let first = ranking.iter().position(|turn| evidence.contains(turn));
        Self {
            recall: DEPTHS.map(found),
            reciprocal_rank: first.map_or(0.0, |rank| share(1, rank + 1)),
        }
    }
}

/// One scored question.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The conversation that it is about.
    pub conversation: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub category: u64,
    /// What it scored.
    pub score: Score,
}

/// The mean of a group of questions, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean score.
    pub score: Score,
    /// How many questions, or conversations, it is the mean of.
    pub count: usize,
}

/// The mean over all of `scores`; zero of none.
pub fn mean(scores: impl IntoIterator<Item = Score>) -> Mean {
    let scores: Vec<Score> = scores.into_iter().collect();
    let average = |part: &dyn Fn(&Score) -> f64| {
        let sum: f64 = scores.iter().map(part).sum();
        sum / count_as_f64(scores.len().max(1))
    };
    Mean {
        score: Score {
            recall: [0, 1, 2]
                .map(|at| average(&|score| score.recall.get(at).copied().unwrap_or_default())),
            reciprocal_rank: average(&|score| score.reciprocal_rank),
        },
        count: scores.len(),
    }
}

/// Questions averaged within each conversation.
#[must_use]
pub fn by_conversation<'s>(scored: impl IntoIterator<Item = &'s Scored>) -> Vec<(String, Mean)> {
    grouped(scored, |one| one.conversation.clone())
}

/// Questions averaged within each category, over all conversations.
#[must_use]
pub fn by_category<'s>(scored: impl IntoIterator<Item = &'s Scored>) -> Vec<(u64, Mean)> {
    grouped(scored, |one| one.category)
}

/// Questions averaged within each conversation, then conversations averaged: the headline.
pub fn of_conversations<'s>(scored: impl IntoIterator<Item = &'s Scored>) -> Mean {
    mean(
        by_conversation(scored)
            .into_iter()
            .map(|(_, mean)| mean.score),
    )
}

fn grouped<'s, K: Ord>(
    scored: impl IntoIterator<Item = &'s Scored>,
    key: impl Fn(&Scored) -> K,
) -> Vec<(K, Mean)> {
    let mut groups: BTreeMap<K, Vec<Score>> = BTreeMap::new();
    for one in scored {
        groups.entry(key(one)).or_default().push(one.score);
    }
    groups
        .into_iter()
        .map(|(key, scores)| (key, mean(scores)))
        .collect()
}

fn share(part: usize, whole: usize) -> f64 {
    count_as_f64(part) / count_as_f64(whole)
}

/// Counts here stay far below 2^32.
fn count_as_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_the_share_of_the_evidence_and_rank_that_of_its_first() {
        let ranking: Vec<usize> = (0..20).collect();
        let score = Score::of(&ranking, &[3, 12, 40]);
        assert_eq!(score.recall, [1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(score.reciprocal_rank, 0.25);
        assert_eq!(Score::of(&[], &[1]).reciprocal_rank, 0.0);
    }

    #[test]
    fn conversations_weigh_the_same_however_many_questions_they_have() {
        let scored = |conversation: &str, found: bool| Scored {
            conversation: conversation.to_owned(),
            category: 1,
            score: Score::of(if found { &[0] } else { &[] }, &[0]),
        };
        let all = [
            scored("a", true),
            scored("a", true),
            scored("a", true),
            scored("b", false),
        ];
        assert_eq!(of_conversations(&all).score.recall, [0.5; 3]);
        assert_eq!(by_category(&all)[0].1.score.recall, [0.75; 3]);
    }
}
