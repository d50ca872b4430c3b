//! What stands in `tests/vectors/exchange`: each document with all that follows from it.

use counterfoil_exchange::documents::DocumentKind;
use serde_json::Value;

use crate::{attestations, questions, standing};

/// A golden vector.
#[derive(Debug, Clone)]
pub struct Golden {
    /// The name of its file, without `.json`.
    pub name: &'static str,
    /// The kind of `document` in it.
    pub kind: DocumentKind,
    /// What stands in the file.
    pub vector: Value,
}

/// All golden vectors.
#[must_use]
pub fn golden() -> Vec<Golden> {
    [
        questions::golden(),
        attestations::golden(),
        standing::golden(),
    ]
    .concat()
}
