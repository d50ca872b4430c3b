//! Members of `tokenizer.json`. An unknown kind is an error of the parser, which names those that are known.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::FILE;
use crate::EncoderError;

/// Limit of the tokens that are put before or after each text.
const MAX_ENDS: usize = 4;

#[derive(Deserialize)]
pub(super) struct TokenizerFile {
    #[serde(default)]
    pub(super) added_tokens: Vec<AddedToken>,
    pub(super) normalizer: Option<NormalizerFile>,
    pub(super) pre_tokenizer: Option<SplitterFile>,
    pub(super) post_processor: EndsFile,
    pub(super) model: ModelFile,
}

#[derive(Deserialize)]
pub(super) struct AddedToken {
    pub(super) content: String,
    pub(super) special: bool,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum NormalizerFile {
    Sequence {
        normalizers: Vec<NormalizerFile>,
    },
    BertNormalizer {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    },
    Precompiled {
        precompiled_charsmap: String,
    },
    Replace {
        pattern: Pattern,
        content: String,
    },
    Nmt,
    #[serde(rename = "NFC")]
    Composed,
    #[serde(rename = "NFKC")]
    Compatible,
    Lowercase,
}

#[derive(Deserialize)]
pub(super) enum Pattern {
    String(String),
    Regex(String),
}

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum SplitterFile {
    Sequence {
        pretokenizers: Vec<SplitterFile>,
    },
    BertPreTokenizer,
    WhitespaceSplit,
    Metaspace {
        replacement: char,
        add_prefix_space: Option<bool>,
        prepend_scheme: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum EndsFile {
    #[serde(rename = "TemplateProcessing")]
    Template {
        single: Vec<Piece>,
        special_tokens: BTreeMap<String, Special>,
    },
    #[serde(rename = "BertProcessing", alias = "RobertaProcessing")]
    Pair {
        cls: (String, u32),
        sep: (String, u32),
    },
}

#[derive(Deserialize)]
pub(super) enum Piece {
    SpecialToken { id: String, type_id: u32 },
    Sequence { type_id: u32 },
}

#[derive(Deserialize)]
pub(super) struct Special {
    ids: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct ModelFile {
    pub(super) r#type: String,
    pub(super) vocab: Words,
    pub(super) unk_token: Option<String>,
    pub(super) unk_id: Option<u32>,
    pub(super) continuing_subword_prefix: Option<String>,
    pub(super) max_input_chars_per_word: Option<usize>,
    #[serde(default)]
    pub(super) byte_fallback: bool,
}

/// Words with their numbers and scores: an object of numbers, or a list of words with scores.
pub(super) struct Words(pub(super) HashMap<Box<str>, (u32, f32)>);

impl EndsFile {
    /// Tokens before and after each text.
    pub(super) fn ends(&self) -> Result<(Vec<u32>, Vec<u32>), EncoderError> {
        let (single, special_tokens) = match self {
            Self::Template {
                single,
                special_tokens,
            } => (single, special_tokens),
            Self::Pair { cls, sep } => {
                return Ok((vec![cls.1], vec![sep.1]));
            }
        };
        let (mut before, mut after, mut texts) = (Vec::new(), Vec::new(), 0);
        for piece in single {
            let (Piece::SpecialToken { type_id, .. } | Piece::Sequence { type_id }) = piece;
            if *type_id != 0 {
                return Err(EncoderError::unsupported(
                    FILE,
                    "a type_id in the template of single texts",
                ));
            }
            match piece {
                Piece::Sequence { .. } => texts += 1,
                Piece::SpecialToken { id, .. } => {
                    let special = special_tokens.get(id);
                    let ids = special.map_or(&[][..], |special| &special.ids);
                    if texts == 0 { &mut before } else { &mut after }.extend(ids);
                }
            }
        }
        if texts == 1 && (1..=MAX_ENDS).contains(&(before.len() + after.len())) {
            return Ok((before, after));
        }
        Err(EncoderError::malformed(
            FILE,
            format!("its template must have one text and 1 to {MAX_ENDS} special tokens"),
        ))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Both;

        impl<'de> Visitor<'de> for Both {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("words with their numbers, or a list of words with scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Words, A::Error> {
                let mut words = HashMap::new();
                while let Some((word, id)) = map.next_entry()? {
                    words.insert(word, (id, 0.0));
                }
                Ok(Words(words))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
                let mut words = HashMap::new();
                let mut id = 0;
                while let Some((word, score)) = list.next_element()? {
                    words.insert(word, (id, score));
                    id += 1;
                }
                Ok(Words(words))
            }
        }
        deserializer.deserialize_any(Both)
    }
}
