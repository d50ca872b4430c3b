//! Errors of encoders and rerankers, by the side at fault.

use std::io;

/// Failure to open an encoder or a reranker, or to get vectors or scores from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncoderError {
    /// A file of the folder cannot be read.
    #[error("{file} cannot be read ({source}); name a folder that holds a model")]
    Unreadable {
        /// Name of the file in the folder.
        file: &'static str,
        /// Cause.
        source: io::Error,
    },
    /// A file is above its limit.
    #[error("{file} is above {limit} bytes; use a smaller model")]
    TooLarge {
        /// Name of the file in the folder.
        file: &'static str,
        /// Limit, in bytes.
        limit: u64,
    },
    /// A file is damaged, or contradicts itself or another one.
    #[error("{file}: {fault}; fetch the model again")]
    Malformed {
        /// Name of the file in the folder.
        file: &'static str,
        /// Fault.
        fault: String,
    },
    /// The model needs something that is not implemented.
    #[error("{file}: {what} is not supported; use another BERT or XLM-RoBERTa model")]
    Unsupported {
        /// Name of the file in the folder.
        file: &'static str,
        /// Name of the missing feature.
        what: String,
    },
    /// A tensor is absent, or has another shape than the configuration says.
    #[error(
        "model.safetensors: tensor {name} must have the shape {expected:?} of config.json, and is {found}; fetch the model again"
    )]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// Shape by the configuration.
        expected: Vec<usize>,
        /// Its shape in the file, or "absent".
        found: String,
    },
    /// The weights give numbers that are not finite, or a vector without length.
    #[error(
        "the model gives no finite numbers for a text: its weights are damaged; fetch the model again"
    )]
    DamagedWeights,
    /// The folder holds no reranker.
    #[error(
        "config.json is of no cross-encoder: `architectures` must be BertForSequenceClassification or \
         XLMRobertaForSequenceClassification, and `id2label` one label; name a folder that holds a reranker"
    )]
    NoReranker,
    /// A member of the configuration of an endpoint is wrong.
    #[cfg(feature = "endpoint")]
    #[error("`{member}` of the encoder's endpoint must be {must}")]
    Config {
        /// Name of the member.
        member: &'static str,
        /// Values that it may have.
        must: &'static str,
    },
    /// The endpoint gives no answer.
    #[cfg(feature = "endpoint")]
    #[error(transparent)]
    Endpoint(#[from] counterfoil_web::PostError),
    /// The endpoint's answer does not follow the protocol.
    #[cfg(feature = "endpoint")]
    #[error("the endpoint answered with {fault}; check that its url and model are for embeddings")]
    Answer {
        /// Fault of the answer.
        fault: String,
    },
}

impl EncoderError {
    pub(crate) fn malformed(file: &'static str, fault: impl ToString) -> Self {
        let fault = fault.to_string();
        Self::Malformed { file, fault }
    }

    #[cfg(feature = "endpoint")]
    pub(crate) const fn config(member: &'static str, must: &'static str) -> Self {
        Self::Config { member, must }
    }

    pub(crate) fn unsupported(file: &'static str, what: impl Into<String>) -> Self {
        let what = what.into();
        Self::Unsupported { file, what }
    }
}
