//! Reads a unit: every member is what it must be, and there is no other (docs/format/claims.md 2).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_types::document::{Fault, read_without};
use counterfoil_types::json::Value;
use serde::Deserialize;

use super::{Entry, is_decided};
use crate::limits::{MAX_AFFECTED, MAX_REFS, distinct, reason};
use crate::time::{Boundary, ValidTime};
use crate::unit::Keyed;
use crate::{
    Act, ActKind, ClaimBody, ClaimRef, Line, ProvenanceClass, SourceKey, TransactionTime, Unit,
};

/// Members of every unit.
const COMMON: &[&str] = &[
    "kind",
    "format",
    "subject",
    "predicate",
    "scope",
    "number",
    "previous",
    "act",
    "provenance",
    "via",
    "disposition",
    "row",
    "because",
    "anchors",
    "derivedFrom",
    "key",
    "request",
];
/// Members of an act.
const OF_ACTS: &[&str] = &[
    "value",
    "valid",
    "cardinality",
    "supersedes",
    "domain",
    "target",
    "at",
    "undoes",
    "by",
    "rivals",
    "sources",
    "frees",
    "reason",
];

impl Unit {
    /// Reads a unit from the `data` of its World, with its WorldId, the signer of its capsule, its log index, and the
    /// timestamp of its capsule in microseconds since 1970.
    ///
    /// # Errors
    /// [`Fault`] with the member that is wrong (docs/format/claims.md 2).
    pub fn parse(
        reference: ClaimRef,
        agent: DidKey,
        index: u64,
        stamp_us: u64,
        document: &Value,
    ) -> Result<Self, Fault> {
        let entry: Entry = read_without(document, OF_ACTS)?;
        check(&entry, document, &reference, stamp_us)?;
        let act = act(entry.act_kind, document)?;
        Ok(Self {
            reference,
            index,
            line: Line {
                agent,
                subject: entry.subject,
                predicate: entry.predicate,
                scope: entry.scope,
            },
            stamp: TransactionTime::recorded(stamp_us),
            number: entry.number,
            previous: entry.previous,
            act,
            provenance: entry.provenance,
            via: entry.via,
            disposition: entry.disposition,
            row: entry.row,
            because: entry.because,
            anchors: entry.anchors,
            derived_from: entry.derived_from,
            key: entry
                .key
                .zip(entry.request)
                .map(|(key, request)| Keyed { key, request }),
        })
    }
}

/// Refuses members that do not fit together.
fn check(
    entry: &Entry,
    document: &Value,
    reference: &ClaimRef,
    stamp_us: u64,
) -> Result<(), Fault> {
    let because = &entry.because;
    let listed = u64::try_from(because.rivals.len()).unwrap_or(u64::MAX);
    let is_all = because.rival_count == listed;
    let is_part = because.rivals.len() == MAX_REFS && because.rival_count > listed;
    for (holds, member, must) in [
        (
            entry.previous.is_some() == (entry.number > 0),
            "/previous",
            "there when the number is not 0, and only then",
        ),
        (
            entry.previous.as_ref() != Some(reference),
            "/previous",
            "another unit",
        ),
        (
            // A line gains at most one unit per microsecond: the gate's next number always holds to that.
            entry.number <= stamp_us,
            "/number",
            "at most the stamp in microseconds",
        ),
        (
            is_decided(
                entry.act_kind,
                entry.provenance,
                entry.disposition,
                entry.row,
            ),
            "/disposition",
            "one that its row gives to such an act of such a provenance",
        ),
        (
            !because.is_empty() || document.get("because").is_none(),
            "/because",
            "absent when there is nothing to say",
        ),
        (
            is_all || is_part,
            "/because/rivalCount",
            "the number of rivals, 16 of them listed",
        ),
        (
            entry.via.is_empty() || is_handed_on(entry),
            "/via",
            "absent but for what an agent said that is none of these",
        ),
        (
            entry.key.is_some() == entry.request.is_some(),
            "/request",
            "there when there is a key, and only then",
        ),
    ] {
        if !holds {
            return Err(Fault::new(member, must));
        }
    }
    Ok(())
}

fn is_handed_on(entry: &Entry) -> bool {
    match entry.provenance.class() {
        ProvenanceClass::Peer { agent, .. } => !entry.via.contains(&agent),
        _ => false,
    }
}

/// Reads an act from a unit, which has no members beside those of the act and the common ones.
macro_rules! act {
    ($document:expr, $act:ident { $($(#[$attribute:meta])* $member:ident: $type:ty),* }) => {{
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            target: ClaimRef,
            $($(#[$attribute])* $member: $type,)*
        }
        let Members { target, $($member),* } = read_without($document, COMMON)?;
        Act::$act { target, $($member),* }
    }};
}

fn act(kind: ActKind, document: &Value) -> Result<Act, Fault> {
    let act = match kind {
        ActKind::Claim => Act::Claim(read_without(document, COMMON)?),
        ActKind::Bound => act!(document, Bound { at: Boundary }),
        ActKind::Reopen => act!(document, Reopen {
            #[serde(deserialize_with = "distinct::<_, _, MAX_AFFECTED>")]
            undoes: Vec<ClaimRef>
        }),
        ActKind::Supersede => act!(document, Supersede { by: ClaimRef }),
        ActKind::Affirm => act!(document, Affirm {
            #[serde(default, deserialize_with = "distinct::<_, _, MAX_AFFECTED>")]
            rivals: Vec<ClaimRef>
        }),
        ActKind::Deny => act!(document, Deny {}),
        ActKind::Undecided => act!(document, Undecided {}),
        ActKind::Release => act!(document, Release {}),
        ActKind::Corroborate => act!(document, Corroborate {
            #[serde(deserialize_with = "distinct::<_, _, MAX_REFS>")]
            sources: Vec<SourceKey>
        }),
        ActKind::Confirm => act!(document, Confirm {}),
        ActKind::Retract => act!(document, Retract {
            #[serde(default, deserialize_with = "distinct::<_, _, MAX_REFS>")]
            frees: Vec<ClaimRef>,
            #[serde(default, deserialize_with = "reason")]
            reason: Option<String>
        }),
    };
    let fault = match &act {
        Act::Claim(ClaimBody {
            valid:
                Some(ValidTime {
                    from: None,
                    until: None,
                    ..
                }),
            ..
        }) => ("/valid", "an object with `from` or `until`"),
        Act::Supersede { target, by } if target == by => ("/by", "another claim than the target"),
        Act::Retract { target, frees, .. } if frees.contains(target) => {
            ("/frees", "other claims than the target")
        }
        Act::Affirm { target, rivals } if rivals.contains(target) => {
            ("/rivals", "other claims than the target")
        }
        _ => return Ok(act),
    };
    Err(Fault::new(fault.0, fault.1))
}
