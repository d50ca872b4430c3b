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
    before: Vec<u32>,
    after: Vec<u32>,
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
        let (before, after) = file.post_processor.ends()?;
        let vocabulary = Vocabulary::new(file.model, &file.added_tokens)?;
        let all = before.iter().chain(&after).copied();
        let highest = all.chain([vocabulary.highest()]).max();
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
            before,
            after,
        })
    }

    /// Number of tokens that every text has.
    pub(crate) fn least(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// Returns the tokens of `text`, at most `most`; the end of a longer text is dropped.
    ///
    /// The names of special tokens in a text are words like others, so that a text cannot bring such tokens.
    pub(crate) fn encode(&self, text: &str, most: usize) -> Vec<u32> {
        let room = most.saturating_sub(self.after.len());
        let end = text.char_indices().nth(most * CHARACTERS_PER_TOKEN);
        let text = end.and_then(|(end, _)| text.get(..end)).unwrap_or(text);
        let normal = self.normalizer.apply(text);
        let mut tokens = self.before.clone();
        for word in self.splitter.words(&normal) {
            if tokens.len() >= room {
                break;
            }
            self.vocabulary.encode(&word, &mut tokens);
        }
        tokens.truncate(room);
        tokens.extend(&self.after);
        tokens
    }
}
