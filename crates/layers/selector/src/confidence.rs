//! Confidence in relevance: how likely a memory is among those that answer the question (CR-08, FP-05, FP-06).

use counterfoil_store::text_index::TermPlace;
use counterfoil_types::Confidence;

/// Log odds of a memory that holds no word of the question and is as good as the next.
const NOTHING: f64 = -3.0;
/// Log odds of all words.
const WORDS: f64 = 2.5;
/// Log odds of each unit of the lead.
const LEAD: f64 = 4.2;
/// The largest lead that counts in the confidence.
pub const MAX_LEAD: f64 = 0.8;

/// The confidence below which a memory is unlikely to answer. Of questions whose answer was taken out of the store four in nine
/// have no memory above it, and one in eleven of the others (docs/recall.md).
pub const LIKELY: f64 = 0.15;

/// Likelihood that a memory is among those that answer the question, from 0 to 1: logistic, with parameters that were fitted to
/// labelled questions (docs/recall.md). It grows with the `share` of the question that the memory holds, and with its `lead`.
///
/// It is a statement about relevance, never about truth.
pub fn confidence(share: f64, lead: f64) -> Confidence {
    let odds = NOTHING + WORDS * share + LEAD * lead.min(MAX_LEAD);
    let likelihood = 1.0 / (1.0 + (-odds).exp());
    // So that it is the same wherever it is computed, and no longer than what it is worth.
    let rounded = (likelihood * 1_000.0).round() / 1_000.0;
    Confidence::new(rounded).unwrap_or(Confidence::ZERO)
}

/// The share of the question's words that a memory holds, from 0 to 1.
///
/// A word counts 1 when the memory itself or its date holds it, 0.3 when only a turn directly
/// before or after does, 0.1 when only one two places away does, and 0 otherwise; the sum is
/// divided by the number of words. `places` has one element per word; of no word the share is 0.
///
/// Of a memory that owes the share `meaning` of its rank to its meaning, half as large a share of the other words counts as held.
pub fn share(places: &[Option<TermPlace>], meaning: f64) -> f64 {
    let mut sum = 0.0;
    let mut words = 0.0_f64;
    for place in places {
        sum += place.map_or(0.0, TermPlace::weight);
        words += 1.0;
    }
    // The sum of many weights may stray above the count by rounding; clamped, it is in range.
    let said = (sum / words.max(1.0)).clamp(0.0, 1.0);
    let meant = (meaning / 2.0).clamp(0.0, 0.5);
    said + (1.0 - said) * meant
}

/// Distance of a score to the best of the others of one query: the difference of their logarithms, negative for all but the
/// first. Nothing at all has the logarithm 0.
pub fn lead(score: f64, others: impl IntoIterator<Item = f64>) -> f64 {
    let weight = |score: f64| score.max(f64::MIN_POSITIVE).ln();
    weight(score) - others.into_iter().map(weight).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ORDER: [Option<TermPlace>; 5] = [
        None,
        Some(TermPlace::Near2),
        Some(TermPlace::Near1),
        Some(TermPlace::Date),
        Some(TermPlace::Turn),
    ];

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 5e-4
    }

    #[test]
    fn the_share_is_of_the_words_that_are_held() {
        let of = |places: &[Option<TermPlace>]| share(places, 0.0);
        let turn = Some(TermPlace::Turn);
        let date = Some(TermPlace::Date);
        let near = Some(TermPlace::Near1);
        assert_eq!(of(&[turn, date]), 1.0);
        assert_eq!(of(&[turn, None]), 0.5);
        assert_eq!(of(&[near, near]), 0.3);
        assert_eq!(of(&[turn, near, None, None]), 1.3 / 4.0);
        assert_eq!(of(&[None]), 0.0);
        assert_eq!(of(&[]), 0.0);
    }

    #[test]
    fn a_meaning_stands_for_half_of_the_words_that_are_not_there() {
        assert_eq!(share(&[None, None], 1.0), 0.5);
        assert_eq!(share(&[Some(TermPlace::Turn), None], 0.5), 0.625);
        assert_eq!(share(&[Some(TermPlace::Turn)], 1.0), 1.0);
        assert_eq!(share(&[None], 0.0), 0.0);
    }

    #[test]
    fn confidence_is_logistic_in_the_share_and_the_lead() {
        for (share, lead, expected) in [
            (1.0, 2.0, 0.946),
            (1.0, 0.8, 0.946),
            (1.0, 0.0, 0.378),
            (0.5, 0.0, 0.148),
            (1.0, -0.5, 0.069),
            (0.0, 0.0, 0.047),
        ] {
            let value = confidence(share, lead).value();
            assert!(close(value, expected), "{value} is not {expected}");
        }
    }

    #[test]
    fn the_lead_is_to_the_best_other_and_at_most_to_nothing() {
        let of = |weight: f64, others: &[f64]| lead(weight.exp(), others.iter().map(|it| it.exp()));
        for (lead, expected) in [
            (of(1.5, &[1.2, 0.4]), 0.3),
            (of(1.2, &[1.5, 0.4]), -0.3),
            (of(1.5, &[]), 1.5),
            (of(0.5, &[-2.0]), 0.5),
        ] {
            assert!(close(lead, expected), "{lead} is not {expected}");
        }
        assert!(lead(0.0, [1.0]) < -100.0);
    }

    proptest! {
        /// CR-08, FP-05, FP-06
        #[test]
        fn it_lies_between_zero_and_one(places in places(0..100), meaning in any::<f64>(), lead in any::<f64>()) {
            let value = confidence(share(&places, meaning), lead).value();
            prop_assert!((0.0..=1.0).contains(&value));
        }

        #[test]
        fn a_word_found_nearer_never_lowers_it(places in places(1..20), at in any::<usize>(), lead in -2.0..2.0) {
            let at = at % places.len();
            let rank = ORDER.iter().position(|place| *place == places[at]).unwrap();
            for nearer in &ORDER[rank..] {
                let mut better = places.clone();
                better[at] = *nearer;
                let of = |places: &[Option<TermPlace>]| confidence(share(places, 0.0), lead);
                prop_assert!(of(&better) >= of(&places));
            }
        }
    }

    fn places(len: core::ops::Range<usize>) -> impl Strategy<Value = Vec<Option<TermPlace>>> {
        proptest::collection::vec(proptest::sample::select(ORDER.to_vec()), len)
    }
}
