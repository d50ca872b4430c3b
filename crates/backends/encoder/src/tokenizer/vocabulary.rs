//! Words to tokens: the longest known beginning again and again (WordPiece), or the likeliest division (Unigram).

use std::collections::HashMap;

use super::FILE;
use super::file::{AddedToken, ModelFile};
use crate::EncoderError;

/// Difference between the least likely word and a character that is no word.
const UNKNOWN: f32 = 10.0;

pub(super) struct Vocabulary {
    words: HashMap<Box<str>, (u32, f32)>,
    unknown: u32,
    highest: u32,
    kind: Kind,
}

enum Kind {
    WordPiece {
        /// Put before a part that does not begin a word.
        continuing: String,
        /// Most characters of a word that is divided.
        most: usize,
    },
    Unigram {
        /// Score of a character that is no word.
        unknown: f32,
        /// Bytes of the longest word.
        longest: usize,
    },
}

impl Vocabulary {
    pub(super) fn new(file: ModelFile, added: &[AddedToken]) -> Result<Self, EncoderError> {
        let mut words = file.vocab.0;
        let highest = words.values().map(|(id, _)| *id).max().unwrap_or_default();
        if words.values().any(|(_, score)| !score.is_finite()) {
            return Err(EncoderError::malformed(FILE, "a score is no finite number"));
        }
        if added.iter().any(|token| !token.special) {
            return Err(EncoderError::unsupported(
                FILE,
                "an added token that is not special",
            ));
        }
        let named = |name: &str| words.get(name).map(|(id, _)| *id);
        let (unknown, kind) = match file.r#type.as_str() {
            "WordPiece" => {
                let kind = Kind::WordPiece {
                    continuing: file
                        .continuing_subword_prefix
                        .unwrap_or_else(|| "##".into()),
                    most: file.max_input_chars_per_word.unwrap_or(100),
                };
                (file.unk_token.as_deref().and_then(named), kind)
            }
            "Unigram" if !file.byte_fallback => {
                let scores = words.values().map(|(_, score)| *score);
                let kind = Kind::Unigram {
                    unknown: scores.fold(0.0, f32::min) - UNKNOWN,
                    longest: words
                        .keys()
                        .map(|word| word.len())
                        .max()
                        .unwrap_or_default(),
                };
                let exists = |id: &u32| words.values().any(|(other, _)| other == id);
                (file.unk_id.filter(exists), kind)
            }
            other => {
                let what = format!("a vocabulary of the kind {other:?}, or its byte_fallback,");
                return Err(EncoderError::unsupported(FILE, what));
            }
        };
        let unknown = unknown
            .ok_or_else(|| EncoderError::malformed(FILE, "it has no token for unknown words"))?;
        for token in added {
            words.remove(token.content.as_str());
        }
        Ok(Self {
            words,
            unknown,
            highest,
            kind,
        })
    }

    pub(super) const fn highest(&self) -> u32 {
        self.highest
    }

    /// Appends the tokens of `word`.
    pub(super) fn encode(&self, word: &str, tokens: &mut Vec<u32>) {
        match &self.kind {
            Kind::WordPiece { continuing, most } => {
                let start = tokens.len();
                let mut left = (word.chars().count() <= *most).then_some(word);
                while let Some(rest) = left.filter(|rest| !rest.is_empty()) {
                    let begins = rest.len() == word.len();
                    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
                    let mut parts = ends.filter_map(|end| rest.split_at_checked(end));
                    let longest = parts.find_map(|(part, rest)| {
                        let (id, _) = match begins {
                            true => self.words.get(part),
                            false => self.words.get(format!("{continuing}{part}").as_str()),
                        }?;
                        Some((*id, rest))
                    });
                    tokens.extend(longest.map(|(id, _)| id));
                    left = longest.map(|(_, rest)| rest);
                }
                // A part of the word has no token.
                if left.is_none() {
                    tokens.truncate(start);
                    tokens.push(self.unknown);
                }
            }
            Kind::Unigram { unknown, longest } => self.likeliest(word, *unknown, *longest, tokens),
        }
    }

    /// The division with the highest sum of scores, found from the left to the right; unknown characters in a row are one token.
    fn likeliest(&self, word: &str, unknown: f32, longest: usize, tokens: &mut Vec<u32>) {
        let mut best: Vec<Option<Part>> = vec![None; word.len() + 1];
        for (start, first) in word.char_indices() {
            let before = best
                .get(start)
                .copied()
                .flatten()
                .map_or(0.0, |part| part.sum);
            let rest = word.get(start..).unwrap_or_default();
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends.take_while(|end| *end <= longest) {
                let known = rest.get(..end).and_then(|part| self.words.get(part));
                if let Some((id, score)) = known {
                    let sum = before + score;
                    improve(
                        &mut best,
                        start + end,
                        Part {
                            sum,
                            token: Some(*id),
                            start,
                        },
                    );
                }
            }
            let sum = before + unknown;
            improve(
                &mut best,
                start + first.len_utf8(),
                Part {
                    sum,
                    token: None,
                    start,
                },
            );
        }
        let mut end = word.len();
        let from = tokens.len();
        let mut was_unknown = false;
        while end > 0 {
            let Some(Part { token, start, .. }) = best.get(end).copied().flatten() else {
                break;
            };
            if token.is_some() || !was_unknown {
                tokens.push(token.unwrap_or(self.unknown));
            }
            was_unknown = token.is_none();
            end = start;
        }
        if let Some(own) = tokens.get_mut(from..) {
            own.reverse();
        }
    }
}

/// Best division of a word's beginning, by its last part.
#[derive(Clone, Copy)]
struct Part {
    sum: f32,
    /// None for an unknown character.
    token: Option<u32>,
    start: usize,
}

/// Keeps the better of two divisions that end at the byte `end`.
fn improve(best: &mut [Option<Part>], end: usize, part: Part) {
    if let Some(cell) = best.get_mut(end)
        && cell.is_none_or(|other| part.sum > other.sum)
    {
        *cell = Some(part);
    }
}
