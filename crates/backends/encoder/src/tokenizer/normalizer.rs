//! Text to the form that the vocabulary knows: case, accents, spaces, widths.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use super::FILE;
use super::charsmap::Charsmap;
use super::file::{NormalizerFile, Pattern};
use crate::EncoderError;

/// Steps that are applied one after another, at most [`MAX_STEPS`].
pub(super) struct Normalizer(Vec<Step>);

const MAX_STEPS: usize = 16;
/// Limit of what a character may be replaced by, in bytes.
const MAX_CONTENT: usize = 64;

enum Step {
    Clean,
    SpaceIdeographs,
    StripAccents,
    Lowercase,
    Nmt,
    Composed,
    Compatible,
    Mapped(Charsmap),
    Replace(String, String),
    /// Two or more spaces become this.
    Spaces(String),
}

impl Normalizer {
    pub(super) fn new(file: Option<NormalizerFile>) -> Result<Self, EncoderError> {
        let mut steps = Vec::new();
        if let Some(file) = file {
            steps_of(file, &mut steps)?;
        }
        if steps.len() > MAX_STEPS {
            return Err(EncoderError::unsupported(
                FILE,
                format!("more than {MAX_STEPS} normalizers"),
            ));
        }
        Ok(Self(steps))
    }

    pub(super) fn apply(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, step| step.apply(&text))
    }
}

fn steps_of(file: NormalizerFile, steps: &mut Vec<Step>) -> Result<(), EncoderError> {
    match file {
        NormalizerFile::Sequence { normalizers } => {
            for file in normalizers {
                steps_of(file, steps)?;
            }
        }
        NormalizerFile::BertNormalizer {
            clean_text,
            handle_chinese_chars,
            strip_accents,
            lowercase,
        } => {
            let chosen = [
                (clean_text, Step::Clean),
                (handle_chinese_chars, Step::SpaceIdeographs),
                (strip_accents.unwrap_or(lowercase), Step::StripAccents),
                (lowercase, Step::Lowercase),
            ];
            steps.extend(
                chosen
                    .into_iter()
                    .filter_map(|(chosen, step)| chosen.then_some(step)),
            );
        }
        NormalizerFile::Precompiled {
            precompiled_charsmap,
        } => {
            steps.push(Step::Mapped(Charsmap::new(&precompiled_charsmap)?));
        }
        NormalizerFile::Replace { content, .. } if content.len() > MAX_CONTENT => {
            return Err(EncoderError::unsupported(FILE, "a long replacement"));
        }
        NormalizerFile::Replace {
            pattern: Pattern::String(pattern),
            content,
        } if !pattern.is_empty() => {
            steps.push(Step::Replace(pattern, content));
        }
        NormalizerFile::Replace {
            pattern: Pattern::Regex(pattern),
            content,
        } if pattern == " {2,}" => {
            steps.push(Step::Spaces(content));
        }
        NormalizerFile::Replace { .. } => {
            let what = "a replacement of a pattern but \" {2,}\"";
            return Err(EncoderError::unsupported(FILE, what));
        }
        NormalizerFile::Nmt => steps.push(Step::Nmt),
        NormalizerFile::Composed => steps.push(Step::Composed),
        NormalizerFile::Compatible => steps.push(Step::Compatible),
        NormalizerFile::Lowercase => steps.push(Step::Lowercase),
    }
    Ok(())
}

impl Step {
    fn apply(&self, text: &str) -> String {
        use GeneralCategory::{Control, Format, NonspacingMark, PrivateUse};
        match self {
            // BERT: drops controls, and makes a space of any white space.
            Self::Clean => {
                let cleaned = text.chars().filter_map(|c| match c {
                    '\t' | '\n' | '\r' => Some(' '),
                    '\0' | '\u{fffd}' => None,
                    _ if matches!(get_general_category(c), Control | Format | PrivateUse) => None,
                    _ if c.is_whitespace() => Some(' '),
                    _ => Some(c),
                });
                cleaned.collect()
            }
            Self::SpaceIdeographs => text.chars().flat_map(spaced).collect(),
            Self::StripAccents => text
                .nfd()
                .filter(|c| get_general_category(*c) != NonspacingMark)
                .collect(),
            Self::Lowercase => text.chars().flat_map(char::to_lowercase).collect(),
            // SentencePiece: drops controls, and makes a space of white space and of characters without width.
            Self::Nmt => {
                let cleaned = text.chars().filter_map(|c| match u32::from(c) {
                    0x1..=0x8 | 0xb | 0xe..=0x1f | 0x7f | 0x8f | 0x9f => None,
                    0x9 | 0xa | 0xc | 0xd | 0x1680 | 0x200b..=0x200f => Some(' '),
                    0x2028 | 0x2029 | 0x2581 | 0xfeff | 0xfffd => Some(' '),
                    _ => Some(c),
                });
                cleaned.collect()
            }
            Self::Composed => text.nfc().collect(),
            Self::Compatible => text.nfkc().collect(),
            Self::Mapped(charsmap) => charsmap.apply(text),
            Self::Replace(pattern, content) => text.replace(pattern, content),
            Self::Spaces(content) => {
                let mut out = String::with_capacity(text.len());
                let mut rest = text;
                while let Some(at) = rest.find("  ") {
                    let (before, spaces) = rest.split_at(at);
                    out.push_str(before);
                    out.push_str(content);
                    rest = spaces.trim_start_matches(' ');
                }
                out.push_str(rest);
                out
            }
        }
    }
}

/// BERT: makes each ideograph a word.
fn spaced(c: char) -> impl Iterator<Item = char> {
    let ideograph = matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f
        | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f);
    let space = ideograph.then_some(' ');
    space.into_iter().chain([c]).chain(space)
}
