//! What a question looks for: words without any syntax, and a span of time (case 86).

use counterfoil_exchange::documents::{Query, TimeWindow};
use counterfoil_selector::content_words;
use counterfoil_types::{TimeRange, UnixMillis};

/// Words that are nowhere.
pub(super) struct Words {
    stem: String,
}

impl Words {
    /// Words that nobody has written and nobody can guess.
    pub(super) fn nowhere(drawn: [u8; 16]) -> Self {
        let letter = |nibble: u8| char::from(b'a'.saturating_add(nibble & 15));
        let letters = drawn
            .iter()
            .flat_map(|byte| [letter(*byte), letter(byte >> 4)]);
        Self {
            stem: letters.collect(),
        }
    }

    /// As many words as these; of none, one.
    pub(super) fn like(&self, words: &[String]) -> Vec<String> {
        (0..words.len().max(1))
            .map(|number| format!("{}{number}", self.stem))
            .collect()
    }
}

/// The words of question and keywords, each once; none where there is neither letter nor digit.
pub(super) fn of(query: &Query) -> Vec<String> {
    let keywords = query.keywords.iter().map(|word| word.as_str());
    let text: Vec<&str> = std::iter::once(query.natural.as_str())
        .chain(keywords)
        .collect();
    content_words(&text.join(" ")).unwrap_or_default()
}

/// The span of time that is asked about: with the first millisecond of it and without its end, as memories are dated to the
/// millisecond. `None`: nothing can lie in it.
pub(super) fn range(query: &Query) -> Option<Option<TimeRange>> {
    let Some(TimeWindow { from, until }) = query.time_range else {
        return Some(None);
    };
    let after = from.map(|from| from.micros().div_ceil(1000).saturating_sub(1));
    let before = until.map(|until| until.micros().div_ceil(1000));
    let millis = |at: Option<u64>| at.map(UnixMillis::new).transpose().ok();
    TimeRange::new(millis(after)?, millis(before)?)
        .ok()
        .map(Some)
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::Timestamp;
    use counterfoil_exchange::documents::{Filters, Text};

    use super::*;

    fn query(natural: &str, keywords: &[&str]) -> Query {
        Query {
            natural: Text::new(natural).unwrap(),
            domain: None,
            keywords: keywords
                .iter()
                .map(|word| Text::new(*word).unwrap())
                .collect(),
            time_range: None,
            filters: Filters::default(),
        }
    }

    /// Adversarial case F86: syntax of a database, of an index or of a pattern is no word.
    #[test]
    fn no_syntax_is_looked_for() {
        let hostile = r#"" OR 1=1; NEAR(tea* ^pot) (a+)+$ {x} col:tea -- %"#;
        let words = of(&query(hostile, &["\"milk\""]));
        assert!(
            words
                .iter()
                .all(|word| word.chars().all(char::is_alphanumeric)),
            "{words:?}"
        );
        assert!(words.contains(&"tea".to_owned()) && words.contains(&"milk".to_owned()));
        assert!(of(&query("\"*\" ^-", &[])).is_empty());
    }

    #[test]
    fn as_many_words_that_are_nowhere() {
        let nowhere = Words::nowhere([0xa5; 16]);
        let words = ["tea", "milk"].map(str::to_owned);
        assert_eq!(nowhere.like(&words).len(), 2);
        assert_eq!(nowhere.like(&[]).len(), 1);
        let like = nowhere.like(&words).join(" ");
        assert_eq!(content_words(&like).unwrap(), nowhere.like(&words));
    }

    #[test]
    fn a_span_of_time_holds_its_begin_and_not_its_end() {
        let at = |micros| Timestamp::from_micros(micros).ok();
        let base = 1_700_000_000_000_000;
        let of = |from, until| {
            let mut query = query("x", &[]);
            query.time_range = Some(TimeWindow { from, until });
            range(&query)
        };
        let contains = |range: Option<Option<TimeRange>>, millis: u64| {
            range
                .unwrap()
                .unwrap()
                .contains(UnixMillis::new(millis).unwrap())
        };
        let second = of(at(base), at(base + 1_000_000));
        assert!(contains(second, base / 1000));
        assert!(contains(second, base / 1000 + 999));
        assert!(!contains(second, base / 1000 - 1));
        assert!(!contains(second, base / 1000 + 1000));
        let between = of(at(base + 1), at(base + 2));
        assert!(!contains(between, base / 1000) && !contains(between, base / 1000 + 1));
        assert_eq!(range(&query("x", &[])), Some(None));
    }
}
