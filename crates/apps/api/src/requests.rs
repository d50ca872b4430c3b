//! Documents of requests: closed. None names a channel, and a scope only narrows that of the key.

use std::collections::BTreeMap;

use counterfoil_mcp::shared::DetailName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Pairs that narrow the scope of the key.
pub(crate) type ScopePairs = BTreeMap<String, String>;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RememberRequest {
    /// The memory
    #[schemars(length(min = 1, max = 1_000_000))]
    pub(crate) text: String,
    /// Pairs that narrow the scope of the key
    pub(crate) scope: Option<ScopePairs>,
    /// Speaker, 1 to 256 bytes. It does not change whose word it is: that is the channel of the key
    pub(crate) who: Option<String>,
    /// Time that it is of: 2025, 2025-04, 2025-04-01 or RFC 3339; now by default
    pub(crate) when: Option<String>,
    /// Id of the memory that it rests on
    pub(crate) source: Option<String>,
    /// At most 16 labels of 1 to 64 bytes
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// At most 16 names and values
    #[serde(default)]
    pub(crate) metadata: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdateRequest {
    /// The new text
    #[schemars(length(min = 1, max = 1_000_000))]
    pub(crate) text: Option<String>,
    /// In place of a text: a JSON merge patch (RFC 7396) of the memory's data
    pub(crate) patch: Option<Map<String, Value>>,
    /// Reason for the change, kept with the version; at most 512 bytes
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RecallRequest {
    /// Question or words to look for
    #[schemars(length(min = 1))]
    pub(crate) query: String,
    /// Pairs that narrow the scope of the key
    pub(crate) scope: Option<ScopePairs>,
    /// Only what was recorded by this time
    pub(crate) as_of: Option<String>,
    /// Only memories from after this time
    pub(crate) after: Option<String>,
    /// Only memories from before this time
    pub(crate) before: Option<String>,
    /// Most memories, 1 to 100; 10 by default
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max: Option<usize>,
    /// Most tokens of the memories together, 1 to 1,000,000
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) token_budget: Option<usize>,
    /// Amount of each memory
    #[serde(default)]
    pub(crate) detail: DetailName,
    /// Adds the proofs by the handles of the receipts
    #[serde(default)]
    pub(crate) proofs: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct FactRequest {
    /// Of whom or what
    #[schemars(length(min = 1))]
    pub(crate) subject: String,
    /// Predicate in snake case, such as lives_in
    #[schemars(length(min = 1))]
    pub(crate) predicate: String,
    /// Value: a text, a number, or any JSON
    pub(crate) value: Value,
    /// From when on it holds
    pub(crate) from: Option<String>,
    /// Until when it holds
    pub(crate) until: Option<String>,
    /// Id of the memory that it rests on
    pub(crate) source: Option<String>,
    /// Ids of claims whose place it takes
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub(crate) supersedes: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ProposalRequest {
    /// The proposal in one sentence
    #[schemars(length(min = 1))]
    pub(crate) summary: String,
    /// Ids of the memories that it rests on
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub(crate) ids: Vec<String>,
    /// In place of ids: what to recall for it
    #[serde(default)]
    #[schemars(length(max = 16))]
    pub(crate) queries: Vec<String>,
    /// Authority that it is for; `local` by default
    pub(crate) to: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyRequest {
    /// A proposal or a proof of a belief
    pub(crate) proof: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErasureRequest {
    /// Id of the memory; all its versions are erased
    #[schemars(length(min = 1))]
    pub(crate) id: String,
    /// Reason, which the log keeps; 1 to 512 bytes
    #[schemars(length(min = 1, max = 512))]
    pub(crate) reason: String,
    /// Memories that were made from it: `keep`, or `take` to erase them as well, which a key without a scope alone may. Such a key has to
    /// say it where there are any; in a scope they are kept
    pub(crate) derived: Option<DerivedName>,
}

/// Treatment of memories that were made from an erased one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DerivedName {
    /// They stay
    Keep,
    /// They are erased as well
    Take,
}
