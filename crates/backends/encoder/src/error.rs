//! Errors of encoders, by the side at fault.

use std::io;

/// Failure to open an encoder, or to get vectors from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncoderError {
    /// A file of the folder cannot be read.
    #[error("{file} cannot be read ({source}); name a folder that holds a sentence encoder")]
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
    #[error(
        "{file}: {what} is not supported; use a BERT or XLM-RoBERTa sentence model, or an endpoint"
    )]
    Unsupported {
        /// Name of the file in the folder.
        file: &'static str,
        /// Name of what is missing.
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
    #[error("the model gives no vector for a text: its weights are damaged; fetch the model again")]
    NoVector,
}

impl EncoderError {
    pub(crate) fn malformed(file: &'static str, fault: impl ToString) -> Self {
        let fault = fault.to_string();
        Self::Malformed { file, fault }
    }

    pub(crate) fn unsupported(file: &'static str, what: impl Into<String>) -> Self {
        let what = what.into();
        Self::Unsupported { file, what }
    }
}
