//! Completeness of an agent's feed: the list before its capsules against all that are shown (docs/format/feed.md).

use counterfoil_capsule::documents::{
    ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_capsule::{CapsuleDocument, Code, FeedCheck, FeedFault, FeedPart, Signed};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, StoredCapsule};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, parse};
use serde::Serialize;

use crate::error::Error;

/// Most findings in the report, and as events.
const LISTED: usize = 100;

/// End of a part of the list in canonical form, and of no capsule.
const PART_END: &[u8] = br#","type":"feed","version":"1"}"#;

/// Finding of the check of a feed that is claimed to be complete.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    number: Option<u64>,
    capsule: Option<String>,
    code: &'static str,
}

impl Finding {
    /// The finding for people.
    pub(super) fn text(&self) -> String {
        let what = match self.code {
            "E_FEED_MISSING" => "is left out",
            "E_FEED_LINK" => "has another number, or another capsule before it",
            "E_CHRONOLOGY" => "is not dated after the one before it",
            "E_FEED_UNLISTED" => "is not listed",
            code => return format!("the list of the feed is not signed by its agent ({code})"),
        };
        let named = self.capsule.as_deref().unwrap_or("of this agent");
        let number = self.number.map(|number| format!("number {number}, "));
        format!(
            "capsule {}{named} {what} ({})",
            number.unwrap_or_default(),
            self.code
        )
    }
}

/// Result of the check.
#[derive(Debug, Serialize)]
pub(super) struct Feed {
    agent: DidKey,
    size: u64,
    complete: bool,
    findings: Vec<Finding>,
}

impl Feed {
    /// The findings; none in a complete feed.
    pub(super) fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Parts of the list and capsules of the file, as they come.
#[derive(Default)]
pub(super) struct Listing {
    check: Option<FeedCheck>,
    parts: Vec<Signed<FeedPart>>,
}

impl Listing {
    /// Takes a line of the file. Returns true for a part of the list, which is no capsule.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        if line.trim_ascii_end().ends_with(PART_END) {
            let value = parse(line, Limits::EXPORTED).unwrap_or_default();
            if let Ok(part) = Signed::<FeedPart>::parse(&value) {
                match &mut self.check {
                    None => self.check = Some(FeedCheck::new(&part)),
                    Some(check) => check.append(&part),
                }
                self.parts.push(part);
                return true;
            }
        }
        if let Some(check) = &mut self.check
            && let Ok(document) = CapsuleDocument::parse(line)
        {
            check.show(document.header());
        }
        false
    }

    /// Compares the rest with this store, and writes each finding down as an event.
    pub(super) async fn found(
        self,
        store: &SqliteStore,
        detector: DidKey,
        source: &str,
    ) -> Result<Option<Feed>, Error> {
        let Some(check) = self.check else {
            return Ok(None);
        };
        let (agent, size) = (check.agent(), check.size());
        let history = store.key_history(agent).await?;
        let keys = history.and_then(|history| history.by_agent().remove(&agent));
        let keys = keys.unwrap_or_else(|| vec![agent]);
        let signed = self
            .parts
            .iter()
            .all(|part| part.verify(agent, &keys).is_ok());
        let check = store.compare_feed(check).await?;
        let mut faults = match signed {
            true => check.faults(),
            false => vec![(None, None, Code::Signature)],
        };
        faults.truncate(LISTED);
        for fault in &faults {
            // Whoever handed the file on may have left a capsule out of it.
            let own = signed && fault.2 != Code::FeedMissing;
            let source = Source {
                peer: own.then_some(agent),
                ..Source::way(source)
            };
            let seen = match dated_back(store, &check, fault, &source).await? {
                Some(seen) => seen,
                None => unshown(&check, fault, &source),
            };
            store.observe(detector, seen).await?;
        }
        let finding = |(number, capsule, code): &FeedFault| Finding {
            number: *number,
            capsule: capsule.as_ref().map(ToString::to_string),
            code: code.name(),
        };
        Ok(Some(Feed {
            agent,
            size,
            complete: faults.is_empty(),
            findings: faults.iter().map(finding).collect(),
        }))
    }
}

/// The event of a capsule that is dated before the one before it, which both show; `None` for another finding, or where one
/// of them is not here.
async fn dated_back(
    store: &SqliteStore,
    check: &FeedCheck,
    (number, _, code): &FeedFault,
    source: &Source,
) -> Result<Option<Observation>, Error> {
    let before = number.and_then(|number| number.checked_sub(1));
    let (Some(number), Some(before), Code::Chronology) = (*number, before, code) else {
        return Ok(None);
    };
    let (Some(later), Some(earlier)) = (check.shown(number), check.shown(before)) else {
        return Ok(None);
    };
    let capsule = here(store.version(&later.0, later.1).await)?;
    let earlier = here(store.version(&earlier.0, earlier.1).await)?;
    let (Some(capsule), Some(earlier)) = (capsule, earlier) else {
        return Ok(None);
    };
    Ok(Some(Observation {
        kind: ContradictionKind::Chronology,
        code: code.to_string(),
        subject: Suspect::of(&capsule.header),
        source: source.clone(),
        expected: Some(Observed::place(&earlier.header)),
        actual: Some(Observed::place(&capsule.header)),
        evidence: vec![
            Evidence::Placed {
                capsule: capsule.document().into(),
                number,
                previous: Some(earlier.header.hash()),
                salt: later.2,
            },
            Evidence::of(&earlier.document()),
        ],
    }))
}

/// The capsule, unless it lies in an archive.
fn here(
    read: Result<Option<StoredCapsule>, StoreError>,
) -> Result<Option<StoredCapsule>, StoreError> {
    match read {
        Err(StoreError::Archived { .. }) => Ok(None),
        read => read,
    }
}

/// The event of a finding that no capsule shows by itself.
fn unshown(check: &FeedCheck, (number, capsule, code): &FeedFault, source: &Source) -> Observation {
    let (agent, size) = (check.agent(), check.size());
    let named = format!("{agent} {size} {number:?} {capsule:?}");
    let evidence = Evidence::hash_of(named.as_bytes());
    Observation {
        kind: match code {
            Code::Chronology => ContradictionKind::Chronology,
            Code::Signature => ContradictionKind::Authorization,
            _ => ContradictionKind::Sequence,
        },
        code: code.to_string(),
        subject: Suspect::Bytes {
            hash: evidence.hash(),
        },
        source: source.clone(),
        expected: number.map(Observed::Number),
        actual: capsule.map(Observed::Hash),
        evidence: vec![evidence],
    }
}
