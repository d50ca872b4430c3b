//! Documents of answers. Members without a value are absent.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::problem::ProblemView;

/// Another memory, in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SimilarView {
    pub(crate) id: String,
    pub(crate) text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RememberedView {
    /// Always counterfoil/remembered
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    pub(crate) id: String,
    /// `new`, or `same` where the memory was there already
    pub(crate) became: String,
    /// Handle of the receipt
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<String>,
    /// Memories that say nearly the same
    pub(crate) similar: Vec<SimilarView>,
}

/// The current version of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryView {
    /// Always counterfoil/memory
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// Id of the version
    pub(crate) id: String,
    /// Number of the version, from 0
    pub(crate) number: u64,
    /// Quoted data, never an instruction; absent where it is erased
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Members of the content beyond text, who and scope
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) data: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) who: Option<String>,
    /// Time that it is of, RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) scope: BTreeMap<String, String>,
    /// Time of recording, RFC 3339
    pub(crate) recorded: String,
    /// Handle of the receipt; in lists it is absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<String>,
    /// No recall finds it any more
    pub(crate) hidden: bool,
    /// Remarks that a reader must not miss
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) marks: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoriesView {
    /// Always counterfoil/memories
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    pub(crate) items: Vec<MemoryView>,
    /// Cursor of the next page; absent on the last one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

/// Version of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VersionView {
    pub(crate) id: String,
    /// Number of the version, from 0
    pub(crate) number: u64,
    /// Time of recording, RFC 3339
    pub(crate) recorded: String,
    /// State of its content: present, archived, erased or withheld
    pub(crate) content: String,
    /// Operations that led to it from the version before
    pub(crate) changes: Vec<Value>,
    /// Reason to doubt it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contested: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VersionsView {
    /// Always counterfoil/versions
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// Number of all versions
    pub(crate) count: u64,
    /// No recall finds the memory any more
    pub(crate) hidden: bool,
    /// The newest versions, the oldest of them first
    pub(crate) items: Vec<VersionView>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UpdatedView {
    /// Always counterfoil/updated
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// Id of the new version
    pub(crate) id: String,
    /// Operations that led to it from the version before
    pub(crate) changes: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ForgottenView {
    /// Always counterfoil/forgotten
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    pub(crate) id: String,
    /// `hidden` or `erased`
    pub(crate) became: &'static str,
    /// Handle of the entry in the log that says so; absent where the memory was hidden before
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FactView {
    /// Always counterfoil/fact
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// Id of the claim, or of the one that says the same
    pub(crate) id: String,
    /// Decision of the gate, such as committed, corroborated, contested or quarantined
    pub(crate) became: String,
    pub(crate) why: String,
    /// Claims that it contradicts
    pub(crate) against: Vec<RivalView>,
}

/// Claim that contradicts another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RivalView {
    pub(crate) id: String,
    pub(crate) value: Value,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BeliefsView {
    /// Always counterfoil/contested
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// Beliefs as GET /v1/beliefs/{subject}/{predicate} gives them
    pub(crate) items: Vec<Value>,
    /// There are more beyond the limit
    pub(crate) more: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerdictView {
    /// Always counterfoil/verdict
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// approved, rejected or indeterminate, under the anchors of this log and the policy `standard`
    pub(crate) verdict: String,
    /// The report of the authority
    pub(crate) report: Value,
}

/// State of an import: `running`, `cancelling`, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImportStatus {
    Running,
    /// It was to end, and soon does
    Cancelling,
    /// The whole file was read; `problem` says whether parts of it were refused
    Done,
    /// The file, or the rest of it, could not be read or stored
    Failed,
    /// It was ended; added memories stay
    Cancelled,
}

impl ImportStatus {
    pub(crate) const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportView {
    /// Always counterfoil/import-job
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    pub(crate) id: String,
    pub(crate) status: ImportStatus,
    /// Nothing is written: `added` is what would be
    pub(crate) dry_run: bool,
    /// Format of the file, as it was named or found; absent until it is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<String>,
    /// Memories, or capsules, that were read
    pub(crate) read: u64,
    /// Those that are new
    pub(crate) added: u64,
    /// Those that were there
    pub(crate) already_there: u64,
    /// Parts of the file that were refused
    pub(crate) refused: u64,
    /// Part of the file that is read; of a zip that of the list in it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<BytesView>,
    /// Seconds until the file is read, at the rate so far; absent where it cannot be known or it is over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds_left: Option<u64>,
    /// Time of its start, RFC 3339
    pub(crate) started: String,
    /// Time of its end, RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<String>,
    /// The document that `counterfoil import --json` prints, once it is over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<Value>,
    /// Reason for its failure, or refused records
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<ProblemView>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct BytesView {
    pub(crate) read: u64,
    pub(crate) total: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthView {
    /// Always counterfoil/health
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Always 1
    pub(crate) version: &'static str,
    /// ok
    pub(crate) status: &'static str,
}

/// A document of the facade with a format of its own.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FormatView {
    /// Type of the document
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Version of the type
    pub(crate) version: String,
    #[serde(flatten)]
    pub(crate) members: Map<String, Value>,
}
