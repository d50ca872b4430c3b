//! Confidence in relevance: how much of the question a memory answers (CR-08, FP-05, FP-06).

use counterfoil_store::text_index::TermPlace;
use counterfoil_types::Confidence;

/// The share of the query's content words that a memory holds, from 0 to 1.
///
/// A word counts 1 when the memory itself or its date holds it, 0.3 when only a turn directly
/// before or after does, 0.1 when only one two places away does, and 0 otherwise; the sum is
/// divided by the number of words. So it grows with every word that is found, and with every word
/// that is found nearer. It says nothing about truth, and it is comparable between queries, which
/// a rank is not. `places` has one element per word; of no word the share is 0.
///
/// Of a memory that owes its rank to its meaning, half as large a share of the other words counts as answered: `meaning` is the
/// share of the rank, from 0 to 1.
pub fn confidence(places: &[Option<TermPlace>], meaning: f64) -> Confidence {
    let mut sum = 0.0;
    let mut words = 0.0_f64;
    for place in places {
        sum += place.map_or(0.0, TermPlace::weight);
        words += 1.0;
    }
    // The sum of many weights may stray above the count by rounding; clamped, it is in range.
    let said = (sum / words.max(1.0)).clamp(0.0, 1.0);
    let meant = (meaning / 2.0).clamp(0.0, 0.5);
    Confidence::new(said + (1.0 - said) * meant).unwrap_or(Confidence::ZERO)
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

    fn of(places: &[Option<TermPlace>]) -> f64 {
        confidence(places, 0.0).value()
    }

    #[test]
    fn it_is_the_share_of_the_words_that_are_answered() {
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
        assert_eq!(confidence(&[None, None], 1.0).value(), 0.5);
        assert_eq!(
            confidence(&[Some(TermPlace::Turn), None], 0.5).value(),
            0.625
        );
        assert_eq!(confidence(&[Some(TermPlace::Turn)], 1.0).value(), 1.0);
        assert_eq!(confidence(&[None], 0.0).value(), 0.0);
    }

    proptest! {
        /// CR-08, FP-05, FP-06
        #[test]
        fn it_lies_between_zero_and_one(places in places(0..100)) {
            let value = of(&places);
            prop_assert!((0.0..=1.0).contains(&value));
        }

        #[test]
        fn a_word_found_nearer_never_lowers_it(places in places(1..20), at in any::<usize>()) {
            let at = at % places.len();
            let rank = ORDER.iter().position(|place| *place == places[at]).unwrap();
            for nearer in &ORDER[rank..] {
                let mut better = places.clone();
                better[at] = *nearer;
                prop_assert!(of(&better) >= of(&places));
            }
        }
    }

    fn places(len: core::ops::Range<usize>) -> impl Strategy<Value = Vec<Option<TermPlace>>> {
        proptest::collection::vec(proptest::sample::select(ORDER.to_vec()), len)
    }
}
