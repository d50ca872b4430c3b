//! Reads a unit: every member is what it must be, and there is no other (docs/format/claims.md 2).

use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_types::document::{Fault, read_without};
use counterfoil_types::json::Value;
use serde::Deserialize;

use super::{Entry, is_decided};
use crate::limits::{MAX_AFFECTED, MAX_REFS, distinct};
use crate::time::Boundary;
use crate::unit::Keyed;
use crate::{Act, ActKind, ClaimBody, ClaimRef, Line, SourceKey, TransactionTime, Unit};

/// Members of every unit.
const COMMON: &[&str] = &[
    "kind",
    "format",
    "subject",
    "predicate",
    "number",
    "previous",
    "act",
    "provenance",
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
    "target",
    "at",
    "undoes",
    "by",
    "rivals",
    "sources",
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
            },
            stamp: TransactionTime::recorded(stamp_us),
            number: entry.number,
            previous: entry.previous,
            act,
            provenance: entry.provenance,
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

/// Reads the members of an act from a unit, which has no others beside the common ones.
macro_rules! members {
    ($document:expr, { $($(#[$attribute:meta])* $member:ident: $type:ty),* }) => {{
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            target: ClaimRef,
            $($(#[$attribute])* $member: $type,)*
        }
        read_without::<Members>($document, COMMON)?
    }};
}

fn act(kind: ActKind, document: &Value) -> Result<Act, Fault> {
    let alone = || -> Result<ClaimRef, Fault> { Ok(members!(document, {}).target) };
    Ok(match kind {
        ActKind::Claim => {
            let body: ClaimBody = read_without(document, COMMON)?;
            if body
                .valid
                .is_some_and(|valid| valid.from.is_none() && valid.until.is_none())
            {
                return Err(Fault::new("/valid", "an object with `from` or `until`"));
            }
            Act::Claim(body)
        }
        ActKind::Bound => {
            let members = members!(document, { at: Boundary });
            Act::Bound {
                target: members.target,
                at: members.at,
            }
        }
        ActKind::Reopen => {
            let members = members!(document, {
                #[serde(deserialize_with = "distinct::<_, _, MAX_AFFECTED>")]
                undoes: Vec<ClaimRef>
            });
            Act::Reopen {
                target: members.target,
                undoes: members.undoes,
            }
        }
        ActKind::Supersede => {
            let members = members!(document, { by: ClaimRef });
            if members.by == members.target {
                return Err(Fault::new("/by", "another claim than the target"));
            }
            Act::Supersede {
                target: members.target,
                by: members.by,
            }
        }
        ActKind::Affirm => {
            let members = members!(document, {
                #[serde(default, deserialize_with = "distinct::<_, _, MAX_AFFECTED>")]
                rivals: Vec<ClaimRef>
            });
            if members.rivals.contains(&members.target) {
                return Err(Fault::new("/rivals", "other claims than the target"));
            }
            Act::Affirm {
                target: members.target,
                rivals: members.rivals,
            }
        }
        ActKind::Deny => Act::Deny { target: alone()? },
        ActKind::Undecided => Act::Undecided { target: alone()? },
        ActKind::Release => Act::Release { target: alone()? },
        ActKind::Corroborate => {
            let members = members!(document, {
                #[serde(deserialize_with = "distinct::<_, _, MAX_REFS>")]
                sources: Vec<SourceKey>
            });
            Act::Corroborate {
                target: members.target,
                sources: members.sources,
            }
        }
    })
}
