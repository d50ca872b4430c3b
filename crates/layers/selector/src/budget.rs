//! Fills a budget of tokens with what was selected: the best first, near duplicates once (docs/recall.md).

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use counterfoil_types::{DidKey, SelectedMemory, World};

use crate::content::{member, text_of, tokens_of};
use crate::query::words_of;
use crate::{Annotation, LeftOut};

/// The most words of a text of which runs are compared; a longer text is only like one that is equal.
const MAX_WORDS: usize = 4_096;

/// Number of words in a run.
const RUN: usize = 3;

/// The least share of common runs among all runs of two similar texts, in tenths.
const SIMILAR_TENTHS: usize = 9;

/// Words that turn a sentence into its opposite, in English, German, French and Chinese: texts that differ in one are
/// not similar.
const NEGATIONS: &[&str] = &[
    "no", "not", "t", "never", "none", "nothing", "without", "nicht", "kein", "keine", "keinen",
    "keiner", "keinem", "nie", "niemals", "nichts", "ohne", "ne", "n", "pas", "jamais", "rien",
    "aucun", "aucune", "sans", "plus", "不", "没", "無", "无", "未", "别", "非",
];

/// A selected memory and its annotation.
type Found = (SelectedMemory, Annotation);

/// Fills `budget` tokens with the best of `found`, in their order. A memory that does not fit is passed over, and smaller
/// ones may follow. A memory that is similar to one that was taken is left out, unless it is a claim: beliefs name their
/// sides. Returns the memories taken, and those left out with the reason, each in the order of `found`.
pub(crate) fn fill(found: Vec<Found>, budget: usize) -> (Vec<Found>, Vec<Found>) {
    let (mut taken, mut left_out): (Vec<Found>, Vec<Found>) = (Vec::new(), Vec::new());
    let mut texts: Vec<Comparable> = Vec::new();
    let mut room = budget;
    for (place, (memory, mut annotation)) in found.into_iter().enumerate() {
        let tokens = annotation.world.as_ref().map_or(0, tokens_of);
        let text = annotation
            .world
            .as_ref()
            .filter(|_| annotation.belief.is_none());
        let text = text.map(|world| Comparable::new(world, &annotation, taken.len()));
        let similar = text
            .as_ref()
            .and_then(|text| texts.iter().find(|it| it.is_similar(text)));
        let like = similar.and_then(|it| taken.get(it.place));
        let like = like.map(|(memory, _)| memory.memory_ref().world_id().clone());
        if like.is_some() || tokens > room {
            annotation.world = None;
            annotation.left_out = Some(LeftOut {
                place,
                tokens,
                like,
            });
            left_out.push((memory, annotation));
            continue;
        }
        room = room.saturating_sub(tokens);
        texts.extend(text);
        taken.push((memory, annotation));
    }
    (taken, left_out)
}

/// The parts of a memory that are compared.
#[derive(PartialEq)]
struct Comparable {
    /// Place among those that were taken.
    place: usize,
    speaker: Option<String>,
    remarks: Vec<String>,
    /// Words with a digit and negations, in their order.
    marks: Vec<String>,
    /// Hash of all words.
    words: u64,
    /// Hashes of the runs of words; `None` for a text that is too short or too long.
    runs: Option<BTreeSet<u64>>,
}

impl Comparable {
    fn new(world: &World, annotation: &Annotation, place: usize) -> Self {
        // Each character of a script without spaces is a word.
        let is_character = |letter: char| ('\u{2e80}'..'\u{ac00}').contains(&letter);
        let words: Vec<String> = words_of(&text_of(world))
            .flat_map(|word| match word.contains(is_character) {
                true => word.chars().map(String::from).collect(),
                false => vec![word],
            })
            .collect();
        let is_mark =
            |word: &&String| word.contains(char::is_numeric) || NEGATIONS.contains(&word.as_str());
        let marks = words.iter().filter(is_mark).cloned().collect();
        let has_runs = (RUN..=MAX_WORDS).contains(&words.len());
        Self {
            place,
            speaker: member(world, "speaker").map(str::to_owned),
            remarks: annotation.caveats(DidKey::to_string),
            marks,
            words: hash(&words),
            runs: has_runs.then(|| words.windows(RUN).map(hash).collect()),
        }
    }

    /// Tests whether both say the same, but for letter case, punctuation, and few of their words.
    fn is_similar(&self, other: &Self) -> bool {
        if (&self.speaker, &self.remarks, &self.marks)
            != (&other.speaker, &other.remarks, &other.marks)
        {
            return false;
        }
        if self.words == other.words {
            return true;
        }
        let (Some(own), Some(others)) = (&self.runs, &other.runs) else {
            return false;
        };
        let most = own.len().max(others.len());
        // So many runs are common at most.
        if own.len().min(others.len()) * 10 < most * SIMILAR_TENTHS {
            return false;
        }
        let common = own.intersection(others).count();
        let all = own.len() + others.len() - common;
        common * 10 >= all * SIMILAR_TENTHS
    }
}

fn hash(words: impl AsRef<[String]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.as_ref().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{Confidence, MemoryRef, Reason, UnixMillis, WorldId};
    use serde_json::json;

    use super::*;
    use crate::BeliefStanding;

    fn found(number: usize, speaker: &str, text: &str) -> Found {
        let id = WorldId::new(number.to_string()).unwrap();
        let at = UnixMillis::new(1_700_000_000_000).unwrap();
        let data = json!({"kind": "turn", "speaker": speaker, "text": text});
        let world = counterfoil_capsule::remember(id.clone(), at, data).unwrap();
        let reason = Reason::new("says \"x\"").unwrap();
        let memory = SelectedMemory::new(MemoryRef::new(id), reason, Confidence::ONE);
        let annotation = Annotation {
            world: Some(world),
            ..Annotation::default()
        };
        (memory, annotation)
    }

    /// Ids of the memories taken; ids of those left out, each with the one that it is like.
    fn filled(found: Vec<Found>, budget: usize) -> (String, Vec<String>) {
        let (taken, left_out) = fill(found, budget);
        let id = |(memory, _): &Found| memory.memory_ref().world_id().to_string();
        let left_out = left_out.iter().map(|one| {
            let like = one.1.left_out.as_ref().and_then(|it| it.like.as_ref());
            format!(
                "{} {}",
                id(one),
                like.map(ToString::to_string).unwrap_or_default()
            )
        });
        (taken.iter().map(id).collect(), left_out.collect())
    }

    fn said(texts: &[&str]) -> Vec<Found> {
        let texts = texts.iter().enumerate();
        texts
            .map(|(number, text)| found(number, "Ann", text))
            .collect()
    }

    /// Each takes 8, 1 for the speaker and 1 for each word.
    #[test]
    fn what_does_not_fit_is_passed_over_and_smaller_ones_follow() {
        let texts = ["one two", &"one ".repeat(20), "six", "ten"];
        let of = |budget| filled(said(&texts), budget);
        assert_eq!(of(1_000), ("0123".into(), vec![]));
        assert_eq!(of(31), ("023".into(), vec!["1 ".to_owned()]));
        assert_eq!(
            of(30),
            ("02".into(), vec!["1 ".to_owned(), "3 ".to_owned()])
        );
        assert_eq!(of(9).0, "");
    }

    #[test]
    fn near_duplicates_are_taken_once() {
        let long = "the ferry to the island leaves from the old pier at noon and comes back before the sun sets";
        let more = format!("Well, {long}!");
        let texts = [
            long,
            "The FERRY, to the island",
            &long.to_uppercase(),
            &more,
            "the ferry to the island",
        ];
        let (taken, left_out) = filled(said(&texts), 1_000);
        assert_eq!(
            (taken.as_str(), left_out),
            ("01", ["2 0", "3 0", "4 1"].map(str::to_owned).to_vec())
        );
    }

    /// What differs in a number, a negation, the speaker or a remark says something else, however long it is.
    #[test]
    fn what_says_something_else_is_no_duplicate() {
        let long = "the ferry leaves from the old pier ".repeat(20);
        let texts = [
            format!("{long} at 10"),
            format!("{long} at 11"),
            format!("{long} never"),
            "the night ferry to the island leaves from the old pier as soon as everybody is there"
                .into(),
            "the night ferry to the island leaves from the new pier as soon as everybody is there"
                .into(),
            "我吃香菜".into(),
            "我不吃香菜".into(),
        ];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(filled(said(&texts), 10_000).1, [""; 0]);
        let by = |speaker| found(usize::from(speaker == "Ben"), speaker, "I live in Paris");
        assert_eq!(filled(vec![by("Ann"), by("Ben")], 1_000).0, "01");
        let mut inferred = found(1, "Ann", "I live in Paris");
        inferred.1.belief = Some(BeliefStanding::Scheduled);
        assert_eq!(filled(vec![by("Ann"), inferred], 1_000).0, "01");
        let mut contested = found(1, "Ann", "I live in Paris");
        contested.1.contest = Some(counterfoil_types::Contest::Abandoned);
        assert_eq!(filled(vec![by("Ann"), contested], 1_000).0, "01");
    }
}
