//! Members of `tokenizer.json`. An unknown kind is an error of the parser, which names those that are known.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::{Ends, FILE};
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
        #[serde(default)]
        pair: Vec<Piece>,
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
    Sequence { id: String, type_id: u32 },
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
    /// Special tokens beside each text.
    pub(super) fn single(&self) -> Result<Ends, EncoderError> {
        let (before, after) = match self {
            Self::Pair { cls, sep } => (vec![cls.1], vec![sep.1]),
            Self::Template {
                single,
                special_tokens,
                ..
            } => {
                if single.iter().any(|piece| piece.type_id() != 0) {
                    return Err(EncoderError::unsupported(
                        FILE,
                        "a type_id in the template of single texts",
                    ));
                }
                let parts = divided(single, special_tokens);
                let [before, after] = parts.try_into().unwrap_or_default();
                (before, after)
            }
        };
        if (1..=MAX_ENDS).contains(&(before.len() + after.len())) {
            return Ok(Ends {
                before,
                between: Vec::new(),
                after,
                is_typed: false,
            });
        }
        Err(EncoderError::malformed(
            FILE,
            format!("its template must have one text and 1 to {MAX_ENDS} special tokens"),
        ))
    }

    /// Special tokens beside each pair of texts; `None` without a template of the first text and then the second. What comes
    /// before the second text has the type 0, and all from it on 0 or 1.
    pub(super) fn pair(&self) -> Option<Ends> {
        let Self::Template {
            pair,
            special_tokens,
            ..
        } = self
        else {
            return None;
        };
        let is = |piece: &Piece, name| matches!(piece, Piece::Sequence { id, .. } if id == name);
        let second = pair.iter().position(|piece| is(piece, "B"))?;
        let (first, rest) = pair.split_at_checked(second)?;
        let kind = rest.first()?.type_id();
        let in_order = first.iter().any(|piece| is(piece, "A"))
            && first.iter().all(|piece| piece.type_id() == 0)
            && rest.iter().all(|piece| piece.type_id() == kind);
        let [before, between, after] = divided(pair, special_tokens).try_into().ok()?;
        (in_order && kind <= 1).then_some(Ends {
            before,
            between,
            after,
            is_typed: kind == 1,
        })
    }
}

impl Piece {
    const fn type_id(&self) -> u32 {
        let (Self::SpecialToken { type_id, .. } | Self::Sequence { type_id, .. }) = self;
        *type_id
    }
}

/// Special tokens before, between and after the texts of a template.
fn divided(pieces: &[Piece], special_tokens: &BTreeMap<String, Special>) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new()];
    for piece in pieces {
        match (piece, parts.last_mut()) {
            (Piece::SpecialToken { id, .. }, Some(last)) => {
                let special = special_tokens.get(id);
                last.extend(special.map_or(&[][..], |special| &special.ids));
            }
            _ => parts.push(Vec::new()),
        }
    }
    parts
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
