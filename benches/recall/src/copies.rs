//! As many memories as are asked for, with questions about them: LoCoMo's conversations again and again, each time with other
//! names and with other rare words, so that words are as frequent as in conversations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use anyhow::{Context, Result};
use counterfoil_capsule::World;
use counterfoil_types::WorldId;

use crate::corpus::{Corpus, Turn};
use crate::quality::world;

/// A word of at most so many turns is rare. Every second one of them is another in each copy.
const RARE: usize = 20;
/// Number of copies after which names come again.
const NAMES: usize = 100;

/// The conversations, and what changes from copy to copy.
pub struct Copies {
    conversations: Vec<Corpus>,
    speakers: BTreeSet<String>,
    rare: HashSet<String>,
}

impl Copies {
    /// Copies of `conversations`.
    #[must_use]
    pub fn of(conversations: Vec<Corpus>) -> Self {
        let turns = || conversations.iter().flat_map(|one| &one.turns);
        let mut turns_with: HashMap<String, usize> = HashMap::new();
        for turn in turns() {
            let words: BTreeSet<String> = words(&turn.text).map(str::to_lowercase).collect();
            for word in words {
                *turns_with.entry(word).or_default() += 1;
            }
        }
        let rare = turns_with.into_iter().filter(|(_, turns)| *turns <= RARE);
        Self {
            speakers: turns().map(|turn| turn.speaker.clone()).collect(),
            rare: rare.map(|(word, _)| word).collect(),
            conversations,
        }
    }

    /// The first `count` memories.
    pub fn worlds(&self, count: usize) -> impl Iterator<Item = Result<World>> {
        let each = |copy| self.conversations.iter().map(move |one| (copy, one));
        let turns = (0..).flat_map(each);
        let turns = turns.flat_map(|(copy, one)| one.turns.iter().map(move |turn| (copy, turn)));
        turns.take(count).enumerate().map(|(place, (copy, turn))| {
            let varied = Turn {
                conversation: format!("{}-{copy}", turn.conversation),
                session: turn.session.clone(),
                position: turn.position,
                id: turn.id.clone(),
                speaker: self.varied(&turn.speaker, copy),
                text: self.varied(&turn.text, copy),
                caption: turn.caption.as_ref().map(|it| self.varied(it, copy)),
                time: turn.time.clone(),
                created_at: turn.created_at,
            };
            world(WorldId::new(format!("world-{place:032}"))?, &varied)
        })
    }

    /// So many questions about the first `worlds` memories, from all over them.
    ///
    /// # Errors
    /// When there are no questions.
    pub fn questions(&self, count: usize, worlds: usize) -> Result<Vec<String>> {
        let turns: usize = self.conversations.iter().map(|one| one.turns.len()).sum();
        let copies = worlds.checked_div(turns).context("no turns")?.max(1);
        let all: Vec<&str> = self
            .conversations
            .iter()
            .flat_map(|one| one.questions.iter().map(|question| question.text.as_str()))
            .collect();
        // Steps that share no factor with most numbers, so that neither copies nor questions repeat soon.
        let question = |number: usize| {
            let text = all.get(number * 7_919 % all.len().max(1));
            let text = text.context("no questions")?;
            Ok(self.varied(text, number * 104_729 % copies))
        };
        (0..count).map(question).collect()
    }

    /// The text as the copy has it.
    fn varied(&self, text: &str, copy: usize) -> String {
        let mut varied = String::with_capacity(text.len());
        let mut rest = text;
        for word in words(text) {
            let Some((before, after)) = rest.split_once(word) else {
                continue;
            };
            varied.extend([before, word]);
            if self.speakers.contains(word) {
                varied.push_str(&letters(copy % NAMES));
            } else if self.changes(word, copy) {
                varied.push_str(&letters(copy));
            }
            rest = after;
        }
        varied + rest
    }

    fn changes(&self, word: &str, copy: usize) -> bool {
        let word = word.to_lowercase();
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        self.rare.contains(&word) && hasher.hash_one((word, copy)).is_multiple_of(2)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    words.filter(|word| !word.is_empty())
}

/// The number of a copy in letters that no stemmer takes off; none for the first.
fn letters(mut copy: usize) -> String {
    const SYLLABLES: [&str; 8] = ["ko", "ba", "zu", "fi", "ra", "mo", "tu", "pi"];
    let mut letters = String::new();
    while copy > 0 {
        letters.extend(SYLLABLES.get(copy % 8).copied());
        copy /= 8;
    }
    if !letters.is_empty() {
        letters.push('x');
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_names_and_rare_words_of_their_own() {
        let conversations = crate::labelled::load().unwrap();
        let copies = Copies::of(vec![conversations]);
        let text = "Where is the kite?";
        assert_eq!(copies.varied(text, 0), text);
        let worlds: Vec<World> = copies.worlds(2_000).collect::<Result<_>>().unwrap();
        assert_eq!(worlds.len(), 2_000);
        let questions = copies.questions(50, 2_000).unwrap();
        let different: BTreeSet<&String> = questions.iter().collect();
        assert!(different.len() > 40, "{}", different.len());
    }
}
