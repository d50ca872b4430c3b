//! Small files of the folder: sizes of the model, pooling, prefixes and the longest text.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use blake3::Hasher;
use counterfoil_store::vectors::MAX_DIMENSIONS;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::EncoderError;

const MODEL: &str = "config.json";
const MODULES: &str = "modules.json";
const POOLING: &str = "1_Pooling/config.json";
const PROMPTS: &str = "config_sentence_transformers.json";
const LENGTH: &str = "sentence_bert_config.json";
/// Limit of each of them.
const MAX_BYTES: u64 = 1 << 20;
/// Limit of the tokens of a text, with those that the model adds: attention grows with the square.
const MAX_TOKENS: usize = 512;
/// Limit of a prefix, in bytes.
const MAX_PREFIX: usize = 1 << 10;

/// Sizes of a model, checked against each other.
pub(crate) struct Config {
    pub(crate) hidden: usize,
    pub(crate) inner: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) words: usize,
    pub(crate) positions: usize,
    pub(crate) types: usize,
    pub(crate) epsilon: f32,
    /// Row of the position table that the first token has: XLM-RoBERTa counts from behind its padding.
    pub(crate) first_position: usize,
    /// Most tokens of a text, or of a pair of texts.
    pub(crate) max_tokens: usize,
    /// Names of the two layers that make a score of the first token's row, the second with one output. `None` if the model is no
    /// cross-encoder.
    pub(crate) head: Option<[&'static str; 2]>,
}

/// Use of a sentence model's output.
pub(crate) struct SentenceConfig {
    pub(crate) pooling: Pooling,
    /// Most tokens of a text, if the files name it.
    pub(crate) max_tokens: Option<usize>,
    pub(crate) prefixes: Prefixes,
}

/// The way from the vectors of the tokens to that of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    Mean,
    First,
}

/// Text put before a memory, and before a question.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    pub(crate) memory: String,
    pub(crate) question: String,
}

#[derive(Deserialize)]
struct ModelFile {
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    position_embedding_type: Option<String>,
    pad_token_id: Option<usize>,
    architectures: Option<Vec<String>>,
    /// Names of the labels of a classifier; two where it is absent.
    id2label: Option<BTreeMap<String, IgnoredAny>>,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
#[serde(default)]
struct PoolingFile {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
    include_prompt: bool,
}

impl Default for PoolingFile {
    fn default() -> Self {
        Self {
            pooling_mode_cls_token: false,
            pooling_mode_mean_tokens: false,
            pooling_mode_max_tokens: false,
            pooling_mode_mean_sqrt_len_tokens: false,
            pooling_mode_weightedmean_tokens: false,
            pooling_mode_lasttoken: false,
            include_prompt: true,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptsFile {
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct LengthFile {
    max_seq_length: Option<usize>,
    do_lower_case: bool,
}

impl Config {
    /// Reads `config.json` and adds its bytes to `digest`.
    pub(crate) fn read(folder: &Path, digest: &mut Hasher) -> Result<Self, EncoderError> {
        let Some(model) = json::<ModelFile>(folder, MODEL, digest)? else {
            let source = ErrorKind::NotFound.into();
            return Err(EncoderError::Unreadable {
                file: MODEL,
                source,
            });
        };
        let first_position = model.check()?;
        let room = model.max_position_embeddings.saturating_sub(first_position);
        Ok(Self {
            hidden: model.hidden_size,
            inner: model.intermediate_size,
            layers: model.num_hidden_layers,
            heads: model.num_attention_heads,
            words: model.vocab_size,
            positions: model.max_position_embeddings,
            types: model.type_vocab_size,
            epsilon: model.layer_norm_eps,
            first_position,
            max_tokens: room.min(MAX_TOKENS),
            head: model.head(),
        })
    }
}

impl SentenceConfig {
    /// Reads the files beside `config.json` and adds their bytes to `digest`.
    pub(crate) fn read(folder: &Path, digest: &mut Hasher) -> Result<Self, EncoderError> {
        let modules: Vec<Module> = json(folder, MODULES, digest)?.unwrap_or_default();
        // A layer after the pooling would change the vector. Without the file there is none.
        for (module, expected) in modules
            .iter()
            .zip(["Transformer", "Pooling", "Normalize", ""])
        {
            let kind = module.r#type.rsplit('.').next().unwrap_or_default();
            let place = ["1_Pooling", ""].contains(&module.path.as_str()) || kind == "Normalize";
            if kind != expected || !place {
                let what = format!("the module {kind:?} in {:?}", module.path);
                return Err(EncoderError::unsupported(MODULES, what));
            }
        }
        let pooling = pooling(json(folder, POOLING, digest)?)?;
        let prefixes = prefixes(json(folder, PROMPTS, digest)?.unwrap_or_default())?;
        let length: LengthFile = json(folder, LENGTH, digest)?.unwrap_or_default();
        if length.do_lower_case {
            return Err(EncoderError::unsupported(LENGTH, "do_lower_case"));
        }
        Ok(Self {
            pooling,
            max_tokens: length.max_seq_length,
            prefixes,
        })
    }
}

impl ModelFile {
    fn head(&self) -> Option<[&'static str; 2]> {
        if self.id2label.as_ref()?.len() != 1 {
            return None;
        }
        let [architecture] = self.architectures.as_deref()? else {
            return None;
        };
        match (self.model_type.as_str(), architecture.as_str()) {
            ("bert", "BertForSequenceClassification") => Some(["pooler.dense", "classifier"]),
            ("xlm-roberta", "XLMRobertaForSequenceClassification") => {
                Some(["classifier.dense", "classifier.out_proj"])
            }
            _ => None,
        }
    }

    /// Checks the sizes, and returns the row of the first position.
    fn check(&self) -> Result<usize, EncoderError> {
        let first_position = match (self.model_type.as_str(), self.pad_token_id) {
            ("bert", _) => 0,
            ("xlm-roberta", Some(padding @ ..=1_000)) => padding + 1,
            ("xlm-roberta", _) => return Err(EncoderError::malformed(MODEL, "no pad_token_id")),
            (other, _) => {
                let what = format!("model_type {other:?}");
                return Err(EncoderError::unsupported(MODEL, what));
            }
        };
        if self.hidden_act != "gelu" {
            let what = format!("hidden_act {:?}", self.hidden_act);
            return Err(EncoderError::unsupported(MODEL, what));
        }
        if self
            .position_embedding_type
            .as_deref()
            .unwrap_or("absolute")
            != "absolute"
        {
            return Err(EncoderError::unsupported(
                MODEL,
                "a position_embedding_type but \"absolute\"",
            ));
        }
        for (name, size, most) in [
            ("hidden_size", self.hidden_size, MAX_DIMENSIONS),
            (
                "intermediate_size",
                self.intermediate_size,
                4 * MAX_DIMENSIONS,
            ),
            ("num_hidden_layers", self.num_hidden_layers, 64),
            ("num_attention_heads", self.num_attention_heads, 128),
            ("vocab_size", self.vocab_size, 2_000_000),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                65_535,
            ),
            ("type_vocab_size", self.type_vocab_size, 16),
        ] {
            if !(1..=most).contains(&size) {
                let fault = format!("{name} is {size}, and must be 1 to {most}");
                return Err(EncoderError::malformed(MODEL, fault));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(EncoderError::malformed(
                MODEL,
                "hidden_size is no multiple of num_attention_heads",
            ));
        }
        if !(0.0..1.0).contains(&self.layer_norm_eps) {
            return Err(EncoderError::malformed(
                MODEL,
                "layer_norm_eps must be 0 to 1",
            ));
        }
        Ok(first_position)
    }
}

fn pooling(file: Option<PoolingFile>) -> Result<Pooling, EncoderError> {
    let Some(file) = file else {
        let source = ErrorKind::NotFound.into();
        return Err(EncoderError::Unreadable {
            file: POOLING,
            source,
        });
    };
    let other = file.pooling_mode_max_tokens
        || file.pooling_mode_mean_sqrt_len_tokens
        || file.pooling_mode_weightedmean_tokens
        || file.pooling_mode_lasttoken
        || !file.include_prompt;
    match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token) {
        (true, false) if !other => Ok(Pooling::Mean),
        (false, true) if !other => Ok(Pooling::First),
        _ => Err(EncoderError::unsupported(
            POOLING,
            "a pooling but that of the mean or the first token",
        )),
    }
}

fn prefixes(mut file: PromptsFile) -> Result<Prefixes, EncoderError> {
    if file
        .prompts
        .values()
        .any(|prompt| prompt.len() > MAX_PREFIX)
    {
        let fault = format!("a prompt is above {MAX_PREFIX} bytes");
        return Err(EncoderError::malformed(PROMPTS, fault));
    }
    let usual = file
        .default_prompt_name
        .and_then(|name| file.prompts.get(&name).cloned());
    let mut of = |names: &[&str]| {
        let own = names.iter().find_map(|name| file.prompts.remove(*name));
        own.or_else(|| usual.clone()).unwrap_or_default()
    };
    Ok(Prefixes {
        memory: of(&["passage", "document"]),
        question: of(&["query"]),
    })
}

fn json<T: DeserializeOwned>(
    folder: &Path,
    file: &'static str,
    digest: &mut Hasher,
) -> Result<Option<T>, EncoderError> {
    let Some(bytes) = read(folder, file, MAX_BYTES, digest)? else {
        return Ok(None);
    };
    let parsed = serde_json::from_slice(&bytes);
    parsed
        .map(Some)
        .map_err(|error| EncoderError::malformed(file, error))
}

/// Reads a file, none if it is absent, and adds its name, length and bytes to `digest`.
pub(crate) fn read(
    folder: &Path,
    file: &'static str,
    limit: u64,
    digest: &mut Hasher,
) -> Result<Option<Vec<u8>>, EncoderError> {
    let unreadable = |source| EncoderError::Unreadable { file, source };
    let opened = match File::open(folder.join(file)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    let mut limited = opened.take(limit + 1);
    let length = limited.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() != length || u64::try_from(length).unwrap_or(u64::MAX) > limit {
        return Err(EncoderError::TooLarge { file, limit });
    }
    digest.update(file.as_bytes());
    digest.update(&u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
    digest.update(&bytes);
    Ok(Some(bytes))
}
