//! The interface of layer 3 (§6.3, M-6, CR-14).

use std::collections::BTreeMap;

use async_trait::async_trait;
use counterfoil_types::{BoxError, SelectionRequest, SelectionResult};

use crate::AnnotatedSelection;

/// Selects memories that are relevant to a query. Applications may bring their own (MR-03); it
/// is used as a trait object.
///
/// Impure by nature: it reads a store and a clock, and the same request may be answered
/// differently another time. Called by Actors only, and before they submit (M-3, M-10).
#[async_trait]
pub trait MemorySelector: Send + Sync {
    /// Memories for `request`, best first; none is an answer too (MR-05).
    ///
    /// `Ok` guarantees that each memory meets the request's constraints, that its World was in the
    /// store under the id of its reference (so the reference does not dangle), and that `verified` is true only where it was
    /// proven and the proof verified.
    ///
    /// # Errors
    /// Failure of the store or the index, or a query without a word to look for: a failure is never an empty result.
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError>;

    /// As [`select`](Self::select), with the annotations of the memories. A selector that makes none need not implement
    /// it.
    ///
    /// # Errors
    /// As for [`select`](Self::select).
    async fn select_annotated(
        &self,
        request: &SelectionRequest,
    ) -> Result<AnnotatedSelection, BoxError> {
        Ok((self.select(request).await?, BTreeMap::new()))
    }
}
