//! Second look at the best memories of a question: a model that reads the question and a text together (MR-03).

use counterfoil_types::BoxError;

/// A cross-encoder: scores texts by how well they answer a question.
///
/// It computes, and may take long: call it where blocking is allowed.
pub trait Reranker: Send + Sync {
    /// Digest of everything that makes a score: weights, vocabulary, template.
    fn fingerprint(&self) -> &str;

    /// Scores of `texts`, one for each, in their order: larger is better, comparable for one question only. Of a text that is
    /// longer than the model reads the beginning counts.
    ///
    /// # Errors
    /// When the model can't be run or gives no finite score.
    fn score(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, BoxError>;
}
