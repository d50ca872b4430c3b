//! Text to words.

use unicode_general_category::{GeneralCategory, get_general_category};

use super::FILE;
use super::file::SplitterFile;
use crate::EncoderError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Splitter {
    /// Words between white space; a punctuation mark is a word.
    Bert,
    /// A word begins at a space, which is written as this character. White space of other kinds separates words as well if
    /// `white` is true.
    Marked { mark: char, white: bool },
}

impl Splitter {
    pub(super) fn new(file: Option<SplitterFile>) -> Result<Self, EncoderError> {
        let found = match file {
            Some(SplitterFile::BertPreTokenizer) => Some(Self::Bert),
            Some(SplitterFile::Sequence { pretokenizers }) => match &*pretokenizers {
                [SplitterFile::WhitespaceSplit, file] => marked(file, true),
                [file] => marked(file, false),
                _ => None,
            },
            Some(file) => marked(&file, false),
            None => None,
        };
        found.ok_or_else(|| {
            let what =
                "a pre_tokenizer but that of BERT, or Metaspace with prepend_scheme \"always\",";
            EncoderError::unsupported(FILE, what)
        })
    }

    pub(super) fn words(self, text: &str) -> Box<dyn Iterator<Item = String> + '_> {
        match self {
            Self::Bert => Box::new(text.split(char::is_whitespace).flat_map(|word| {
                let parts = word.split_inclusive(is_punctuation);
                parts.flat_map(|part| {
                    let end = part.chars().next_back().filter(|c| is_punctuation(*c));
                    let word = part.strip_suffix(is_punctuation).unwrap_or(part);
                    let word = (!word.is_empty()).then(|| word.to_owned());
                    word.into_iter().chain(end.map(String::from))
                })
            })),
            Self::Marked { mark, white: true } => Box::new(
                text.split_whitespace()
                    .flat_map(move |word| begun(word, mark)),
            ),
            Self::Marked { mark, white: false } => Box::new(begun(text, mark)),
        }
    }
}

fn marked(file: &SplitterFile, white: bool) -> Option<Splitter> {
    let SplitterFile::Metaspace {
        replacement,
        add_prefix_space,
        prepend_scheme,
    } = file
    else {
        return None;
    };
    let always = match prepend_scheme {
        Some(scheme) => scheme == "always",
        None => *add_prefix_space == Some(true),
    };
    always.then_some(Splitter::Marked {
        mark: *replacement,
        white,
    })
}

/// Words that begin with `mark`, each at a space or a mark of the text; the first has one in any case. An empty text has none.
fn begun(text: &str, mark: char) -> impl Iterator<Item = String> {
    let text = match text.starts_with([' ', mark]) || text.is_empty() {
        true => text.to_owned(),
        false => format!("{mark}{text}"),
    };
    let text = text.replace(' ', mark.encode_utf8(&mut [0; 4]));
    let mut words: Vec<String> = Vec::new();
    for part in text.split_inclusive(mark) {
        // The mark ends a part, and begins the word of the next one.
        if let Some(word) = words.last_mut() {
            word.push_str(part.strip_suffix(mark).unwrap_or(part));
        }
        if part.ends_with(mark) {
            words.push(mark.to_string());
        }
    }
    words.into_iter()
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    c.is_ascii_punctuation()
        || matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}
