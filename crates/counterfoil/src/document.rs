//! The recall document, version 2: recalled memories in the form that each door gives (docs/format/recall.md).

use std::collections::BTreeMap;

use counterfoil_selector::{Annotation, BeliefStanding};
use counterfoil_types::json::Value;
use counterfoil_types::terminal::cut;
use counterfoil_types::{Contest, Scope, UnixMillis, WorldId, words};
use counterfoil_verifier::Checkpoint;
use serde::{Serialize, Serializer};

use crate::receipt::ReceiptHandle;
use crate::token_budget::TokenBudget;
use crate::when;

/// Type and version of the document.
pub(crate) const TYPE: (&str, &str) = ("counterfoil/recall", "2");
/// Bytes of an item beside its texts, with the comma and the line break around it.
const ITEM_BYTES: usize = 200;
/// Bytes of an item for ten bytes of its texts.
const TEXT_TENTHS: usize = 13;
/// Bytes of the separators around an item, on a line of its own.
const SEPARATORS: usize = 6;
/// Bytes of the member `why` beside its text, quotes included.
const WHY_BYTES: usize = ",\"why\":\"\"".len();
/// Bytes of a time with milliseconds.
const WHEN_BYTES: usize = "2025-03-01T10:15:00.250Z".len();
/// Least bytes of `why`; a shorter one is left out.
const LEAST_WHY: usize = 12;
/// Length of an id of ours in JSON: `world-`, 32 digits, and quotes.
const ID_BYTES: usize = 40;
/// The most characters of a line of an index.
const LINE: usize = 80;

words! {
    /// Standing of a recalled memory. It is derived from the typed annotation of the selector; the first that applies counts, in
    /// the order compromised, forked, contested, unproven, older.
    #[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum MemoryStatus {
        /// The latest version, and what it claims is not disputed.
        Current = "current",
        /// A replaced version, or the source of a claim that holds no more: ended, superseded, or given up for another value.
        Older = "older",
        /// One side of an unsettled contest, or the source of such a claim.
        Contested = "contested",
        /// Its chain was continued in two ways.
        Forked = "forked",
        /// Its key was in other hands when it was signed.
        Compromised = "compromised",
        /// There is no proof that was checked here.
        Unproven = "unproven",
    }

    /// Amount of detail of a recall document.
    #[non_exhaustive]
    pub enum Detail {
        /// One line of at most 80 characters, with id and status.
        Index = "index",
        /// The text, and all members but `data` and `proofs`.
        Text = "text",
        /// Everything, with the rest of the content and with proofs.
        Full = "full",
    }
}

/// Recalled memories as one JSON document.
///
/// Its members are what the store was given: quoted data, not instructions (M-1).
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecallDocument {
    /// Always `counterfoil/recall`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Always `2`.
    pub version: &'static str,
    /// Query as it was asked.
    pub query: String,
    /// Scope of the recall; absent for the whole memory.
    #[serde(skip_serializing_if = "Scope::is_empty")]
    #[cfg_attr(
        any(test, feature = "schema"),
        schemars(with = "Option<BTreeMap<String, String>>")
    )]
    pub scope: Scope,
    /// Head of the log at which the memories were recalled; absent while the log is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<LogHead>,
    /// The memories, in the order that was asked for.
    pub items: Vec<RecallItem>,
    /// Memories that do not match what was sealed; of these nothing is given out.
    pub withheld: Vec<WithheldMemory>,
    /// Use of the token budget; absent without one.
    #[serde(flatten)]
    #[cfg_attr(any(test, feature = "schema"), schemars(with = "BudgetMembers"))]
    pub budget: Option<TokenBudget>,
    /// Evidence of each item that has one, by its receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        any(test, feature = "schema"),
        schemars(with = "Option<BTreeMap<String, Value>>")
    )]
    pub proofs: Option<BTreeMap<ReceiptHandle, Value>>,
}

/// One memory of a recall document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecallItem {
    /// Id of the version.
    #[cfg_attr(any(test, feature = "schema"), schemars(with = "String"))]
    pub id: WorldId,
    /// Its text; of a claim, subject, predicate and value; of other content, its JSON.
    pub text: String,
    /// Members of the content beyond text, who, when and scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        any(test, feature = "schema"),
        schemars(with = "Option<BTreeMap<String, Value>>")
    )]
    pub data: Option<Value>,
    /// Speaker that the memory names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Time that the memory is of, RFC 3339 in UTC.
    #[serde(serialize_with = "rfc3339", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(any(test, feature = "schema"), schemars(with = "Option<String>"))]
    pub when: Option<UnixMillis>,
    /// Scope that the memory names.
    #[serde(skip_serializing_if = "Scope::is_empty")]
    #[cfg_attr(
        any(test, feature = "schema"),
        schemars(with = "Option<BTreeMap<String, String>>")
    )]
    pub scope: Scope,
    /// Standing of the memory.
    pub status: MemoryStatus,
    /// Standing of the belief, if the memory is a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub belief: Option<&'static str>,
    /// Likelihood that the memory is among those that answer, 0 to 1, in steps of 0.01. It says nothing about truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Reason of the selection, cut to what the size law leaves. For people: a program decides by `status` and `belief`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Handle of the receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(any(test, feature = "schema"), schemars(with = "Option<String>"))]
    pub receipt: Option<ReceiptHandle>,
}

/// A memory that was not handed out, as it does not match its hash, its signature or its place in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WithheldMemory {
    /// Id of the memory; `entry N` for a record, `index TABLE` for rows of the index.
    pub id: String,
    /// Check that failed, a word as `check` gives it.
    pub code: &'static str,
    /// Command to run next.
    pub next: &'static str,
}

/// Size and root of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LogHead {
    /// Number of entries.
    pub size: u64,
    /// `sha256:` and 64 hexadecimal digits.
    pub root: String,
}

/// Members of [`TokenBudget`] as they are serialised.
#[cfg(any(test, feature = "schema"))]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes members and is never made")]
struct BudgetMembers {
    /// Most tokens.
    token_budget: Option<u64>,
    /// Estimated tokens of the memories.
    tokens: Option<u64>,
    /// Near duplicates that were left out, each with the memory that says the same.
    similar: Option<Vec<BTreeMap<String, String>>>,
    /// Memories that did not fit, each with its estimated tokens.
    left_out: Option<Vec<BTreeMap<String, Value>>>,
}

impl MemoryStatus {
    /// Derives the status of a memory whose proof was checked here, or was not.
    pub(crate) fn of(annotation: &Annotation, is_proven: bool) -> Self {
        match annotation.contest {
            Some(Contest::Key { .. }) => return Self::Compromised,
            Some(Contest::Fork { .. } | Contest::Abandoned) => return Self::Forked,
            None => {}
        }
        let drawn = annotation.drawn.as_ref();
        let (contested, is_past) = match &annotation.belief {
            Some(BeliefStanding::Contested { .. }) => (true, false),
            Some(BeliefStanding::Believed { .. } | BeliefStanding::Scheduled) | None => {
                (false, false)
            }
            Some(
                BeliefStanding::HandedOver { .. }
                | BeliefStanding::Outweighed { .. }
                | BeliefStanding::Ended { .. }
                | BeliefStanding::Superseded { .. },
            ) => (false, true),
        };
        if contested || drawn.is_some_and(|drawn| drawn.contested) {
            Self::Contested
        } else if !is_proven {
            Self::Unproven
        } else if is_past || drawn.is_some() || annotation.replaced.is_some() {
            Self::Older
        } else {
            Self::Current
        }
    }
}

impl WithheldMemory {
    pub(crate) fn new(id: String, code: &'static str) -> Self {
        let next = match id.starts_with("index ") {
            true => "counterfoil rebuild",
            false => "counterfoil check",
        };
        Self { id, code, next }
    }
}

impl LogHead {
    /// Head of the log of a checkpoint; `None` for a note that is none.
    pub(crate) fn of(note: &str) -> Option<Self> {
        let checkpoint = Checkpoint::from_note(note).ok()?;
        Some(Self {
            size: checkpoint.size(),
            root: checkpoint.root().to_string(),
        })
    }
}

impl RecallItem {
    /// The item in one line, with id and status alone.
    pub(crate) fn into_line(mut self) -> Self {
        let mut line = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > LINE {
            line = line.chars().take(LINE - 1).chain(['…']).collect();
        }
        self.text = line;
        Self {
            data: None,
            who: None,
            when: None,
            scope: Scope::default(),
            belief: None,
            score: None,
            why: None,
            receipt: None,
            ..self
        }
    }

    /// The item within the size law: `why` takes what the other members leave. `data` is left out.
    pub(crate) fn within_law(mut self) -> Self {
        self.data = None;
        let why = self.why.take();
        // As if each time had all of its digits, so that a reason is not cut by the clock.
        let written = |when: UnixMillis| when::rfc3339(when.value().saturating_mul(1000)).len();
        let when = (self.when).map_or(0, |when| WHEN_BYTES.saturating_sub(written(when)));
        let used = json_bytes(&self) + SEPARATORS + WHY_BYTES + when;
        let room = self.allowed_bytes().saturating_sub(used);
        self.why = why
            .and_then(|why| fitting(&why, room))
            .filter(|it| it.len() >= LEAST_WHY);
        self
    }

    /// Bytes that the size law gives the item: 1.3 times its texts, and 200. Texts are text, speaker and scope, and of a long id
    /// what is beyond the length of an id of ours.
    fn allowed_bytes(&self) -> usize {
        let who = self.who.as_ref().map(json_bytes).unwrap_or_default();
        let scope = match self.scope.is_empty() {
            true => 0,
            false => json_bytes(&self.scope),
        };
        let id = json_bytes(&self.id).saturating_sub(ID_BYTES);
        let texts = json_bytes(&self.text) + who + scope + id;
        texts * TEXT_TENTHS / 10 + ITEM_BYTES
    }
}

/// The longest beginning of a text that takes at most `room` bytes in JSON, quotes not counted.
fn fitting(text: &str, room: usize) -> Option<String> {
    let mut bytes = text.len().min(room);
    loop {
        let short = cut(text, bytes);
        let excess = (json_bytes(&short) - 2).saturating_sub(room);
        if excess == 0 {
            return (bytes > 0).then_some(short);
        }
        bytes = bytes.checked_sub(excess)?;
    }
}

/// Length of a value as compact JSON.
fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX / 2, |bytes| bytes.len())
}

/// A time in RFC 3339 in UTC.
fn rfc3339<S: Serializer>(time: &Option<UnixMillis>, to: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => to.serialize_str(&when::rfc3339(time.value().saturating_mul(1000))),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_selector::DrawnClaim;
    use counterfoil_types::json::Value;
    use proptest::prelude::*;
    use schemars::generate::SchemaSettings;

    use super::*;

    fn contest(contest: Contest) -> Annotation {
        Annotation {
            contest: Some(contest),
            ..Annotation::default()
        }
    }

    fn drawn(contested: bool) -> Annotation {
        let claim = WorldId::new("mem_1").unwrap();
        Annotation {
            drawn: Some(DrawnClaim { claim, contested }),
            ..Annotation::default()
        }
    }

    fn belief(belief: BeliefStanding) -> Annotation {
        Annotation {
            belief: Some(belief),
            ..Annotation::default()
        }
    }

    /// I7: the typed annotation decides, and the worst that applies is what a reader gets.
    #[test]
    fn the_status_follows_from_the_annotation() {
        let replaced = Annotation {
            replaced: Some((WorldId::new("mem_2").unwrap(), UnixMillis::new(1).unwrap())),
            ..Annotation::default()
        };
        let sides = || BeliefStanding::Contested {
            sides: 2,
            others: Vec::new(),
        };
        let both = Annotation {
            contest: Some(Contest::Abandoned),
            ..belief(sides())
        };
        let ended = BeliefStanding::Ended {
            until_us: None,
            by: None,
        };
        for (annotation, is_proven, word) in [
            (Annotation::default(), true, "current"),
            (Annotation::default(), false, "unproven"),
            (contest(Contest::Key { number: 0 }), true, "compromised"),
            (contest(Contest::Abandoned), true, "forked"),
            (both, false, "forked"),
            (belief(sides()), false, "contested"),
            (drawn(true), true, "contested"),
            (drawn(false), true, "older"),
            (belief(BeliefStanding::Scheduled), true, "current"),
            (belief(ended), true, "older"),
            (
                belief(BeliefStanding::HandedOver { to: Vec::new() }),
                true,
                "older",
            ),
            (replaced.clone(), true, "older"),
            (replaced, false, "unproven"),
        ] {
            let status = MemoryStatus::of(&annotation, is_proven);
            assert_eq!(status.name(), word, "{annotation:?}");
        }
    }

    fn item(text: String, who: Option<String>, why: String, ids: (u8, u64)) -> RecallItem {
        let status = MemoryStatus::ALL[usize::from(ids.0) % MemoryStatus::ALL.len()];
        RecallItem {
            id: WorldId::new(format!("world-{:032x}", ids.1)).unwrap(),
            text,
            data: Some(Value::from("left out")),
            who,
            when: Some(UnixMillis::new(ids.1 % 253_402_300_799_999 + 1).unwrap()),
            scope: Scope::from_pairs([("user", "kit")]).unwrap(),
            status,
            belief: ids.0.is_multiple_of(2).then_some("handed_over"),
            score: Some(f64::from(ids.0 % 101) / 100.0),
            why: Some(why),
            receipt: Some(ReceiptHandle::new(
                ids.1 % 10_000_000_000,
                &counterfoil_types::Blake3Hash::from_bytes([0xff; 32]),
            )),
        }
    }

    proptest! {
        /// The size law: 1.3 times the bytes of the texts, and 200 bytes an item.
        #[test]
        fn an_item_keeps_within_the_size_law(
            text in "\\PC{0,400}|[a\"\\\\\u{1}]{0,300}", who in proptest::option::of("\\PC{1,40}"),
            why in "\\PC{1,600}|[a\"]{1,500}", ids in any::<(u8, u64)>(),
        ) {
            let item = item(text, who.clone(), why, ids);
            let texts = json_bytes(&item.text) + who.as_ref().map(json_bytes).unwrap_or_default() + json_bytes(&item.scope);
            let item = item.within_law();
            let bytes = json_bytes(&item) + SEPARATORS;
            prop_assert!(bytes * 10 <= texts * 13 + 2_000, "{bytes} for texts of {texts}: {item:?}");
        }

        #[test]
        fn a_line_of_an_index_is_short(text in "\\PC{0,400}") {
            let item = item(text, None, "says \"x\"".to_owned(), (0, 1)).into_line();
            prop_assert!(item.text.chars().count() <= LINE);
            prop_assert!(!item.text.contains(char::is_control));
        }
    }

    #[test]
    fn a_reason_is_cut_to_its_room_in_json() {
        for (text, room, expected) in [
            ("says \"kite\"", 40, Some("says \"kite\"")),
            ("says \"kite\"", 12, Some("says \"k…")),
            ("\"\"\"\"", 2, None),
            ("says", 0, None),
        ] {
            assert_eq!(fitting(text, room).as_deref(), expected, "{text} in {room}");
        }
    }

    /// The published schema is the one of the type.
    #[test]
    fn the_published_schema_is_that_of_the_type() {
        let settings = SchemaSettings::draft2020_12().into_generator();
        let schema = settings.into_root_schema_for::<RecallDocument>();
        let published = include_str!("../../../docs/schemas/recall.schema.json");
        assert_eq!(format!("{:#}\n", schema.to_value()), published);
    }
}
