//! Text of the `reason` of a selected memory (CR-07, FP-01, FP-07).

use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::terminal::{cut, quotable};
use counterfoil_types::{DidKey, Reason, ShapeError};

use crate::{Annotation, DrawnClaim};

/// The most bytes of a reason that the version and the words of the query take.
const MAX_BYTES: usize = 400;

/// Renders `says "sunrise", "paint"; dated "week"; nearby: "melanie"; read as well: "last week" as "2026-04-27 to 2026-05-03"; near
/// in meaning: 34 % of its rank; as quoted: "red kite"; without "blue"`, after the remarks of `annotation`: first the source, the belief and the claim drawn from it, then the
/// version. `meaning` is the share of the rank that the meaning has.
///
/// The words are the query's or names that the agent has recorded, not the memory's, so no content of a memory gets into a
/// reason. Control characters are
/// left out, and all but source and beliefs is cut to 400 bytes.
pub(crate) fn reason(
    annotation: &Annotation,
    query: &TextQuery,
    (places, meaning): (&[Option<TermPlace>], f64),
) -> Result<Reason, ShapeError> {
    let source = annotation.source.iter();
    let mut remarks: Vec<String> = source.map(|it| it.remark(DidKey::to_string)).collect();
    if let Some(belief) = &annotation.belief {
        remarks.extend(belief.headline().map(str::to_owned));
        remarks.extend(belief.caveats());
    }
    remarks.extend(annotation.drawn.iter().map(DrawnClaim::caveat));
    let mut found: Vec<String> = annotation.version_caveats().collect();
    let at = |wanted: &[TermPlace]| {
        let holds = |place: &Option<TermPlace>| place.is_some_and(|place| wanted.contains(&place));
        let found = places.iter().enumerate().filter(|(_, place)| holds(place));
        quoted(&joined(query.terms(), found.map(|(at, _)| at)))
    };
    let found_at = |at: usize| places.get(at).is_some_and(Option::is_some);
    let readings = query.readings().iter();
    let readings = readings.filter(|it| found_at(it.term));
    let mut read: Vec<String> = Vec::new();
    for reading in readings {
        let (words, name) = (quotable(&reading.words), quotable(&reading.name));
        let named = format!("\"{words}\" as \"{name}\"");
        if !read.contains(&named) {
            read.push(named);
        }
    }
    // A share of less than half a percent is not worth a remark.
    let percentage = match meaning >= 0.005 {
        true => format!("{:.0} % of its rank", meaning * 100.0),
        false => String::new(),
    };
    let parts = [
        ("says ", at(&[TermPlace::Turn])),
        ("dated ", at(&[TermPlace::Date])),
        ("nearby: ", at(&[TermPlace::Near1, TermPlace::Near2])),
        ("read as well: ", read.join(", ")),
        ("near in meaning: ", percentage),
        ("as quoted: ", quoted(query.phrases())),
        ("without ", quoted(query.excluded())),
    ];
    let said = parts.iter().filter(|(_, words)| !words.is_empty());
    let said: Vec<String> = said.map(|(how, words)| format!("{how}{words}")).collect();
    match said.is_empty() {
        true => found.push("ranked by the index".to_owned()),
        false => found.extend(said),
    }
    remarks.push(cut(&found.join("; "), MAX_BYTES));
    Reason::new(remarks.join("; "))
}

fn quoted(words: &[String]) -> String {
    let quoted = words.iter().map(|word| format!("\"{}\"", quotable(word)));
    quoted.collect::<Vec<_>>().join(", ")
}

/// First letter of the scripts whose words are pairs of characters.
const FIRST_DENSE: char = '\u{e00}';

/// The words at these places. Pairs of characters that follow one another in the query are one again.
fn joined(words: &[String], places: impl Iterator<Item = usize>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut before = None;
    for at in places {
        let Some(word) = words.get(at) else { continue };
        let first = word.chars().next().filter(|first| *first >= FIRST_DENSE);
        match joined.last_mut() {
            Some(last)
                if before == at.checked_sub(1)
                    && first.is_some()
                    && last.chars().last() == first =>
            {
                last.extend(word.chars().skip(1));
            }
            _ => joined.push(word.clone()),
        }
        before = Some(at);
    }
    joined
}

#[cfg(test)]
mod tests {
    use counterfoil_store::text_index::{Contest, Reading};
    use counterfoil_types::{UnixMillis, WorldId};
    use proptest::prelude::*;

    use super::*;

    fn of(annotation: &Annotation, words: &[&str], places: &[Option<TermPlace>]) -> String {
        let query = TextQuery::new(words.iter().copied()).unwrap();
        reason(annotation, &query, (places, 0.0))
            .unwrap()
            .to_string()
    }

    #[test]
    fn it_names_filters_and_joins_pairs_of_characters() {
        let said = Some(TermPlace::Turn);
        let query = TextQuery::new(["kite"]).unwrap();
        let query = query.filtered(["red kite"], ["blue"]).unwrap();
        let text = reason(&Annotation::default(), &query, (&[said], 0.343)).unwrap();
        assert_eq!(
            text.to_string(),
            r#"says "kite"; near in meaning: 34 % of its rank; as quoted: "red kite"; without "blue""#
        );
        let words = ["自行", "行车", "车店", "香菜"];
        let places = [said, said, None, said];
        assert_eq!(
            of(&Annotation::default(), &words, &places),
            r#"says "自行车", "香菜""#
        );
        assert_eq!(
            of(&Annotation::default(), &["be", "eye"], &[said; 2]),
            r#"says "be", "eye""#
        );
    }

    #[test]
    fn it_names_a_reading_of_a_word_that_was_found() {
        let read = |term, words: &str, name: &str| Reading {
            term,
            words: words.to_owned(),
            name: name.to_owned(),
            texts: vec!["x".to_owned()],
        };
        let query = TextQuery::new(["yesterday", "bob", "smith", "kite"]).unwrap();
        let query = query.read_as([
            read(0, "yesterday", "2026-05-05"),
            read(1, "Bob Smith", "@bob\u{1b}\""),
            read(2, "Bob Smith", "@bob\u{1b}\""),
            read(3, "kite", "bird"),
        ]);
        let said = Some(TermPlace::Turn);
        let places = [Some(TermPlace::Date), said, said, None];
        let text = reason(&Annotation::default(), &query, (&places, 0.0)).unwrap();
        assert_eq!(
            text.to_string(),
            r#"says "bob", "smith"; dated "yesterday"; read as well: "yesterday" as "2026-05-05", "Bob Smith" as "@bob""#
        );
    }

    fn replaced_by(id: &str) -> Annotation {
        let at = UnixMillis::new(1_770_681_600_123).unwrap();
        Annotation {
            replaced: Some((WorldId::new(id).unwrap(), at)),
            ..Annotation::default()
        }
    }

    /// I7, I2: a dispute over the version and its replacement come first. A long id leaves room for the rest.
    #[test]
    fn an_older_or_contested_version_is_called_so() {
        let places = [Some(TermPlace::Turn)];
        let mut older = replaced_by("world-7");
        assert_eq!(
            of(&older, &["lisbon"], &places),
            r#"an older version, replaced by world-7 on 2026-02-10; says "lisbon""#
        );
        older.contest = Some(Contest::Key { number: 0 });
        let disputed = of(&older, &["lisbon"], &places);
        assert!(disputed.starts_with("CONTESTED: its key was in other hands"));
        assert!(disputed.ends_with(r#"says "lisbon""#));
        let long = of(&replaced_by(&"w".repeat(900)), &["lisbon"], &places);
        assert!(long.ends_with(r#"on 2026-02-10; says "lisbon""#));
    }

    #[test]
    fn it_says_which_word_was_found_where() {
        let places = [
            Some(TermPlace::Near2),
            Some(TermPlace::Turn),
            Some(TermPlace::Date),
            None,
            Some(TermPlace::Turn),
        ];
        let words = ["ada", "paint", "may", "lost", "sunrise"];
        assert_eq!(
            of(&Annotation::default(), &words, &places),
            r#"says "paint", "sunrise"; dated "may"; nearby: "ada""#
        );
    }

    /// CR-07, FP-07
    #[test]
    fn it_is_never_empty() {
        let own = Annotation::default();
        assert_eq!(of(&own, &["ada"], &[None]), "ranked by the index");
    }

    proptest! {
        #[test]
        fn it_is_short_and_plain(words in proptest::collection::vec(".{1,60}", 1..64)) {
            let query = TextQuery::new(words.clone()).unwrap();
            let places = vec![Some(TermPlace::Turn); words.len()];
            let text = reason(&Annotation::default(), &query, (&places, 0.5)).unwrap().to_string();
            prop_assert!(text.len() <= MAX_BYTES);
            prop_assert!(!text.contains(char::is_control));
        }
    }
}
