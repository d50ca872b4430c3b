//! Use of a token budget by a recall (docs/recall.md).

use counterfoil_selector::LeftOut;
use counterfoil_types::WorldId;
use serde::{Serialize, Serializer};
use serde_json::json;

/// Use of a token budget: the memories found and left out, best first.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenBudget {
    /// Most tokens.
    pub token_budget: usize,
    /// Estimated tokens of the memories.
    pub tokens: usize,
    /// Near duplicates that were left out, each with the memory that says the same.
    #[serde(serialize_with = "similar")]
    pub similar: Vec<(WorldId, WorldId)>,
    /// Memories that did not fit, each with its estimated tokens.
    #[serde(serialize_with = "left_out")]
    pub left_out: Vec<(WorldId, usize)>,
}

fn similar<S: Serializer>(all: &[(WorldId, WorldId)], to: S) -> Result<S::Ok, S::Error> {
    let objects = all
        .iter()
        .map(|(id, like)| json!({ "id": id, "like": like }));
    to.collect_seq(objects)
}

fn left_out<S: Serializer>(all: &[(WorldId, usize)], to: S) -> Result<S::Ok, S::Error> {
    let objects = all
        .iter()
        .map(|(id, tokens)| json!({ "id": id, "tokens": tokens }));
    to.collect_seq(objects)
}

impl TokenBudget {
    pub(crate) fn new(token_budget: usize, tokens: usize, left_out: &[(WorldId, LeftOut)]) -> Self {
        let (mut similar, mut long) = (Vec::new(), Vec::new());
        for (id, left_out) in left_out {
            let (id, tokens) = (id.clone(), left_out.tokens);
            match left_out.like.clone() {
                Some(like) => similar.push((id, like)),
                None => long.push((id, tokens)),
            }
        }
        Self {
            token_budget,
            tokens,
            similar,
            left_out: long,
        }
    }
}
