//! `tokenizer.json` for the two kinds of vocabulary that BERT and XLM-RoBERTa have. What such a file may also hold for other
//! kinds of models is refused.

mod charsmap;
mod file;
mod normalizer;
mod split;
mod vocabulary;

use std::path::Path;

use blake3::Hasher;

use self::file::TokenizerFile;
use self::normalizer::Normalizer;
use self::split::Splitter;
use self::vocabulary::Vocabulary;
use crate::EncoderError;
use crate::config::read;

const FILE: &str = "tokenizer.json";
/// Limit of the file: twice that of a vocabulary of 250,000 words.
const MAX_BYTES: u64 = 32 << 20;
/// Characters that are read for each token: no text needs as many, but one of spaces or one of a single word.
const CHARACTERS_PER_TOKEN: usize = 32;

/// Way from a text to the numbers of its tokens.
pub(crate) struct Tokenizer {
    normalizer: Normalizer,
    splitter: Splitter,
    vocabulary: Vocabulary,
    single: Ends,
    pair: Option<Ends>,
}

/// Tokens of a text, or of a pair of texts.
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    /// Place from which on the tokens are of the type of a second text; the length of `ids` if none is.
    pub(crate) second: usize,
}

/// Special tokens beside a text, or beside a pair of texts.
pub(crate) struct Ends {
    before: Vec<u32>,
    between: Vec<u32>,
    after: Vec<u32>,
    /// The second text has a type of its own.
    is_typed: bool,
}

impl Ends {
    pub(crate) const fn len(&self) -> usize {
        self.before.len() + self.between.len() + self.after.len()
    }

    /// Number of types of tokens.
    pub(crate) const fn types(&self) -> usize {
        if self.is_typed { 2 } else { 1 }
    }
}

impl Tokenizer {
    /// Reads the file, whose tokens must be below `words`, and adds its bytes to `digest`.
    pub(crate) fn read(
        folder: &Path,
        words: usize,
        digest: &mut Hasher,
    ) -> Result<Self, EncoderError> {
        let bytes = read(folder, FILE, MAX_BYTES, digest)?.ok_or_else(|| {
            let source = std::io::ErrorKind::NotFound.into();
            EncoderError::Unreadable { file: FILE, source }
        })?;
        let file: TokenizerFile =
            serde_json::from_slice(&bytes).map_err(|error| EncoderError::malformed(FILE, error))?;
        let single = file.post_processor.single()?;
        let pair = file.post_processor.pair();
        let vocabulary = Vocabulary::new(file.model, &file.added_tokens)?;
        let ends = [Some(&single), pair.as_ref()].into_iter().flatten();
        let all = ends.flat_map(|ends| [&ends.before, &ends.between, &ends.after]);
        let highest = all.flatten().copied().chain([vocabulary.highest()]).max();
        if highest.is_none_or(|highest| usize::try_from(highest).is_ok_and(|id| id >= words)) {
            return Err(EncoderError::malformed(
                FILE,
                format!("its tokens do not fit the vocab_size {words} of config.json"),
            ));
        }
        Ok(Self {
            normalizer: Normalizer::new(file.normalizer)?,
            splitter: Splitter::new(file.pre_tokenizer)?,
            vocabulary,
            single,
            pair,
        })
    }

    /// Special tokens beside each text.
    pub(crate) const fn single(&self) -> &Ends {
        &self.single
    }

    /// Takes the special tokens beside each pair of texts.
    pub(crate) fn take_pair(&mut self) -> Result<Ends, EncoderError> {
        let what = "a post_processor without a template for pairs";
        self.pair
            .take()
            .ok_or_else(|| EncoderError::unsupported(FILE, what))
    }

    /// Returns the tokens of `text`, at most `most`; the end of a longer text is dropped.
    ///
    /// The names of special tokens in a text are words like others, so that a text cannot bring such tokens.
    pub(crate) fn encode(&self, text: &str, most: usize) -> Tokens {
        let Ends { before, after, .. } = &self.single;
        let text = self.words(text, most.saturating_sub(self.single.len()));
        let ids = [before.as_slice(), &text, after].concat();
        Tokens {
            second: ids.len(),
            ids,
        }
    }

    /// Returns the tokens of a question and a text beside those of `ends`, at most `most`; the end of a longer text is dropped,
    /// and that of a question beyond half of the room.
    pub(crate) fn encode_pair(
        &self,
        (question, text): (&str, &str),
        ends: &Ends,
        most: usize,
    ) -> Tokens {
        let room = most.saturating_sub(ends.len());
        let question = self.words(question, room / 2);
        let text = self.words(text, room - question.len());
        let first = [&ends.before, &question, &ends.between].map(Vec::as_slice);
        let mut ids = first.concat();
        let second = ids.len();
        ids.extend(text.iter().chain(&ends.after));
        Tokens {
            second: if ends.is_typed { second } else { ids.len() },
            ids,
        }
    }

    /// Returns the tokens of the words of `text`, at most `most`.
    fn words(&self, text: &str, most: usize) -> Vec<u32> {
        let end = text.char_indices().nth(most * CHARACTERS_PER_TOKEN);
        let text = end.and_then(|(end, _)| text.get(..end)).unwrap_or(text);
        let normal = self.normalizer.apply(text);
        let mut tokens = Vec::new();
        for word in self.splitter.words(&normal) {
            if tokens.len() >= most {
                break;
            }
            self.vocabulary.encode(&word, &mut tokens);
        }
        tokens.truncate(most);
        tokens
    }
}
