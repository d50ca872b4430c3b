//! Arguments of the tools: closed, and limited in size before anything is done with them.

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;
use crate::shared::DetailName;

/// Longest text of a memory, in bytes; the store holds at most 1 MiB of content.
const MAX_TEXT: usize = 1_000_000;
/// Longest text of any other argument, in bytes.
const MAX_SHORT: usize = 4_096;
/// Most members of a list or an object.
const MAX_LIST: usize = 64;
/// Deepest nesting of an argument.
const MAX_DEPTH: usize = 32;
/// Largest proof that is checked, in bytes.
const MAX_PROOF: usize = 16 << 20;

/// Pairs of key and value that narrow the scope of the session.
pub(crate) type ScopePairs = BTreeMap<String, String>;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberArgs {
    /// The memory: one or a few sentences that can be understood without the conversation
    #[schemars(length(min = 1, max = 1_000_000))]
    pub(crate) text: String,
    /// Pairs that narrow the scope of this session, such as {"project": "atlas"}
    pub(crate) scope: Option<ScopePairs>,
    /// Time that it is of: 2025, 2025-04, 2025-04-01 or RFC 3339; now by default
    pub(crate) when: Option<String>,
    /// Whom it is from, such as a person's name. It does not change whose word it is: a model's
    pub(crate) who: Option<String>,
    /// Id of the memory that it was drawn from
    pub(crate) source: Option<String>,
    /// Key of this request. Repeated under the same key it gives the first answer and stores nothing
    #[schemars(length(min = 1, max = 128))]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallArgs {
    /// Question or words to look for
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) query: String,
    /// Pairs that narrow the scope of this session
    pub(crate) scope: Option<ScopePairs>,
    /// Only what was recorded by this time, RFC 3339
    pub(crate) as_of: Option<String>,
    /// Only memories from after this time: 2025, 2025-04, 2025-04-01 or RFC 3339
    pub(crate) after: Option<String>,
    /// Only memories from before this time
    pub(crate) before: Option<String>,
    /// Most memories, 1 to 100; 8 by default
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max: Option<usize>,
    /// Most tokens of the memories together, 1 to 1,000,000
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) token_budget: Option<usize>,
    /// `index` is one line a memory, `text` the texts, `full` texts and data
    #[serde(default)]
    pub(crate) detail: DetailName,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BelieveArgs {
    /// Of whom or what
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) subject: String,
    /// Predicate, such as lives_in; all by default
    pub(crate) predicate: Option<String>,
    /// Time that the question is about: 2023, 2023-05, 2023-05-01 or RFC 3339; now by default
    pub(crate) at: Option<String>,
    /// As known at this time; now by default
    pub(crate) as_of: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateFactArgs {
    /// Of whom or what
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) subject: String,
    /// Predicate in snake case, such as lives_in
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) predicate: String,
    /// Value: a text, a number, or any JSON
    pub(crate) value: Value,
    /// From when on it holds: 2022, 2022-03, 2022-03-01 or RFC 3339
    pub(crate) from: Option<String>,
    /// Until when it holds
    pub(crate) until: Option<String>,
    /// Id of the memory that it rests on, such as what the user said
    pub(crate) source: Option<String>,
    /// Ids of claims of a model whose place it takes
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub(crate) supersedes: Vec<String>,
    /// Key of this request. Repeated under the same key it gives the first answer and stores nothing
    #[schemars(length(min = 1, max = 128))]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyArgs {
    /// Id of a memory
    pub(crate) id: Option<String>,
    /// Without an id: of whom or what
    pub(crate) subject: Option<String>,
    /// With a subject: predicate
    pub(crate) predicate: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectArgs {
    /// Id of the memory
    #[schemars(length(min = 1, max = 256))]
    pub(crate) id: String,
    /// The new text
    #[schemars(length(min = 1, max = 1_000_000))]
    pub(crate) text: Option<String>,
    /// In place of a text: a JSON merge patch (RFC 7396) of the memory's data
    pub(crate) patch: Option<JsonObject>,
    /// Reason for the correction
    #[schemars(length(min = 1, max = 512))]
    pub(crate) reason: String,
}

/// Ways to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ForgetMode {
    /// No recall finds it any more; nothing is taken away
    Hide,
    /// Its content is taken away for good; the user is asked first
    Erase,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetArgs {
    /// Id of the memory
    #[schemars(length(min = 1, max = 256))]
    pub(crate) id: String,
    /// Reason, which the log keeps
    #[schemars(length(min = 1, max = 512))]
    pub(crate) reason: String,
    /// `hide`: no recall finds it any more. `erase`: its content is gone for good, and the user is asked first
    pub(crate) mode: ForgetMode,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProveArgs {
    /// Ids of the memories that a proposal rests on
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub(crate) ids: Vec<String>,
    /// With ids: the proposal in one sentence
    pub(crate) summary: Option<String>,
    /// With ids: the authority that it is for; `local` by default
    pub(crate) to: Option<String>,
    /// Without ids: subject of a belief
    pub(crate) subject: Option<String>,
    /// With a subject: predicate
    pub(crate) predicate: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckArgs {
    /// A proof: the uri that `prove` gave, or the document itself
    pub(crate) proof: Option<Value>,
    /// In place of a proof: ids of memories of this store
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub(crate) ids: Vec<String>,
}

/// Reads the arguments of a tool.
///
/// # Errors
/// A member that is unknown, of the wrong type, too long or too deep.
pub(crate) fn read<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, Failure> {
    let arguments = arguments.unwrap_or_default();
    for (name, value) in &arguments {
        let most = match name.as_str() {
            "text" => MAX_TEXT,
            "value" | "patch" => MAX_TEXT / 4,
            "proof" => MAX_PROOF,
            _ => MAX_SHORT,
        };
        bounded(name, value, most)?;
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Failure::arguments(
            error.to_string(),
            "look at the input schema of the tool, and call it again",
        )
    })
}

fn bounded(name: &str, value: &Value, most: usize) -> Result<(), Failure> {
    let (mut bytes, mut left) = (0_usize, vec![(value, 0_usize)]);
    let is_proof = name == "proof";
    while let Some((value, depth)) = left.pop() {
        if depth > MAX_DEPTH {
            return Err(too("deep", name, MAX_DEPTH));
        }
        match value {
            Value::String(text) => bytes = bytes.saturating_add(text.len()),
            Value::Array(items) => {
                if items.len() > MAX_LIST && !is_proof {
                    return Err(too("long", name, MAX_LIST));
                }
                left.extend(items.iter().map(|item| (item, depth + 1)));
            }
            Value::Object(members) => {
                if members.len() > MAX_LIST && !is_proof {
                    return Err(too("long", name, MAX_LIST));
                }
                bytes = members
                    .keys()
                    .fold(bytes, |sum, key| sum.saturating_add(key.len()));
                left.extend(members.values().map(|member| (member, depth + 1)));
            }
            _ => bytes = bytes.saturating_add(8),
        }
        if bytes > most {
            return Err(too("long", name, most));
        }
    }
    Ok(())
}

fn too(how: &str, name: &str, limit: usize) -> Failure {
    let name: String = name.chars().take(32).collect();
    Failure::arguments(
        format!("`{name}` is too {how}; the limit is {limit}"),
        "shorten it, or split it into several memories",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn remember(arguments: Value) -> Result<RememberArgs, Failure> {
        read(arguments.as_object().cloned())
    }

    #[test]
    fn unknown_members_wrong_types_and_sizes_are_refused() {
        assert!(remember(json!({"text": "Kit likes tea"})).is_ok());
        let mut deep = json!(1);
        for _ in 0..40 {
            deep = json!([deep]);
        }
        for wrong in [
            json!({}),
            json!({"text": 1}),
            json!({"text": "a", "channel": "user"}),
            json!({"text": "a", "provenance": "user_asserted"}),
            json!({"text": "a".repeat(1_000_001)}),
            json!({"text": "a", "who": "b".repeat(4_097)}),
            json!({"text": "a", "scope": deep}),
            json!({"text": "a", "scope": vec![0; 65]}),
            json!({"text": "a", "who": deep}),
            json!({"text": "a", "who": vec![0; 65]}),
        ] {
            assert!(remember(wrong).is_err());
        }
    }

    #[test]
    fn a_proof_may_be_larger_than_other_arguments() {
        let units = vec![json!({"text": "a".repeat(5_000)}); 100];
        let arguments = json!({"proof": {"units": units}});
        assert!(read::<CheckArgs>(arguments.as_object().cloned()).is_ok());
    }
}
