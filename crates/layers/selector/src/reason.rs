//! Why a memory was selected, for a person to read (CR-07, FP-01, FP-07).

use counterfoil_store::text_index::{Contest, TermPlace, TextHit};
use counterfoil_types::{Reason, ShapeError, WorldId};

/// The longest reason, in bytes.
const MAX_BYTES: usize = 400;

/// The most of it that another World's id takes.
const MAX_ID_BYTES: usize = 80;

/// `says "sunrise", "paint"; dated "may"; nearby: "melanie"`, and before it what a reader has to
/// know of the version: that it is in dispute, or that it is an older one.
///
/// The words are the query's, not the memory's, so nothing that a memory says gets into a reason;
/// control characters are left out all the same, and the whole is cut to 400 bytes.
///
/// `first` is what is believed of a claim; it stands before all else and is not cut.
pub(crate) fn reason(
    first: &[String],
    words: &[String],
    hit: &TextHit,
) -> Result<Reason, ShapeError> {
    let mut told: Vec<String> = hit.contest().map(disputed).into_iter().collect();
    told.extend(older(hit));
    let found = found(words, hit.places());
    if found.is_empty() {
        told.push("ranked by the index".to_owned());
    }
    told.extend(found);
    let told = cut(&told.join("; "));
    Reason::new([first, &[told]].concat().join("; "))
}

fn disputed(contest: Contest) -> String {
    let why = match contest {
        Contest::Fork => "its chain was continued in two ways",
        Contest::Abandoned => "it is in an abandoned branch of a forked chain",
        Contest::Key => "its key was in other hands when it was signed",
        _ => "it is in dispute",
    };
    format!("CONTESTED: {why}")
}

/// `an older version, replaced by world-7 on 2026-02-10`.
fn older(hit: &TextHit) -> Option<String> {
    let replaced = hit.replaced()?;
    let day: String = replaced.recorded_at.to_string().chars().take(10).collect();
    let by = id(&replaced.by);
    Some(format!("an older version, replaced by {by} on {day}"))
}

/// A World by its id, as far as there is room for it.
pub(crate) fn id(world: &WorldId) -> String {
    cut_to(&plain(&world.to_string()), MAX_ID_BYTES)
}

fn found(words: &[String], places: &[Option<TermPlace>]) -> Vec<String> {
    let found = |wanted: &[TermPlace]| {
        let holds = |place: &Option<TermPlace>| place.is_some_and(|place| wanted.contains(&place));
        let words = words.iter().zip(places).filter(|(_, place)| holds(place));
        words
            .map(|(word, _)| quoted(word))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let parts = [
        ("says ", found(&[TermPlace::Turn])),
        ("dated ", found(&[TermPlace::Date])),
        ("nearby: ", found(&[TermPlace::Near1, TermPlace::Near2])),
    ];
    parts
        .into_iter()
        .filter(|(_, words)| !words.is_empty())
        .map(|(how, words)| format!("{how}{words}"))
        .collect()
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", plain(word))
}

fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && *c != '"')
        .collect()
}

fn cut(text: &str) -> String {
    cut_to(text, MAX_BYTES)
}

fn cut_to(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes - '…'.len_utf8());
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::Timestamp;
    use counterfoil_store::text_index::Replaced;
    use proptest::prelude::*;

    use super::*;

    fn hit(places: &[Option<TermPlace>]) -> TextHit {
        TextHit::new(WorldId::new("w").unwrap(), 0, 1.0, places.to_vec())
    }

    fn of(words: &[&str], hit: &TextHit) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        reason(&[], &words, hit).unwrap().to_string()
    }

    fn told(words: &[&str], places: &[Option<TermPlace>]) -> String {
        of(words, &hit(places))
    }

    /// I7, I2: what is in dispute and what was replaced is said, and said first.
    #[test]
    fn an_older_or_contested_version_is_called_so() {
        let replaced = Replaced {
            by: WorldId::new("world-7").unwrap(),
            recorded_at: Timestamp::from_micros(1_770_681_600_123_456).unwrap(),
        };
        let older = hit(&[Some(TermPlace::Turn)]).replaced_by(Some(replaced));
        assert_eq!(
            of(&["lisbon"], &older),
            r#"an older version, replaced by world-7 on 2026-02-10; says "lisbon""#
        );
        let disputed = of(&["lisbon"], &older.contested(Some(Contest::Key)));
        assert!(disputed.starts_with("CONTESTED: its key was in other hands"));
        assert!(disputed.ends_with(r#"says "lisbon""#));
    }

    #[test]
    fn a_long_id_leaves_room_for_the_rest() {
        let replaced = Replaced {
            by: WorldId::new("w".repeat(900)).unwrap(),
            recorded_at: Timestamp::from_micros(1_770_681_600_123_456).unwrap(),
        };
        let older = hit(&[Some(TermPlace::Turn)]).replaced_by(Some(replaced));
        assert!(of(&["lisbon"], &older).ends_with(r#"on 2026-02-10; says "lisbon""#));
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
        assert_eq!(
            told(&["ada", "paint", "may", "lost", "sunrise"], &places),
            r#"says "paint", "sunrise"; dated "may"; nearby: "ada""#
        );
    }

    /// CR-07, FP-07
    #[test]
    fn it_is_never_empty() {
        assert_eq!(told(&["ada"], &[None]), "ranked by the index");
        assert_eq!(told(&[], &[]), "ranked by the index");
    }

    proptest! {
        #[test]
        fn it_is_short_and_plain(words in proptest::collection::vec(any::<String>(), 1..80)) {
            let places = vec![Some(TermPlace::Turn); words.len()];
            let text = reason(&[], &words, &hit(&places)).unwrap().to_string();
            prop_assert!(text.len() <= MAX_BYTES);
            prop_assert!(!text.contains(char::is_control));
        }
    }
}
