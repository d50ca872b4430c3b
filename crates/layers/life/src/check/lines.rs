//! Makes the tags of all claim units that were sealed here again, under the secret of their agent (docs/format/claims.md §9).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::{Kind, line_tag};
use counterfoil_store::StoreError;
use counterfoil_store::claims::unit_in;
use counterfoil_types::DidKey;

use crate::entries::{each_header, unchecked};
use crate::port::rows::{FeedSecretRow, ReceivedRow};
use crate::port::{Select, Txn};
use crate::report::AuditReport;

/// A unit whose content is not here is passed over, and so are units of an agent before the first one with a tag.
pub(super) fn examine(txn: &dyn Txn, report: &mut AuditReport) -> Result<(), StoreError> {
    let secrets = txn.list::<FeedSecretRow>(&Select::of::<FeedSecretRow>());
    let secrets = report.damage(secrets)?.unwrap_or_default().into_iter();
    let secrets: BTreeMap<DidKey, [u8; 32]> = secrets.map(|it| (it.agent, it.secret)).collect();
    let received = txn.column::<u64, 1>(Select::of::<ReceivedRow>(), &["idx"]);
    let received = report.damage(received)?.unwrap_or_default();
    let received: BTreeSet<u64> = received.into_iter().collect();
    let mut tagged = BTreeSet::new();
    let read = each_header(txn, "claim", |index, header| {
        let agent = header.agent();
        let secret = secrets.get(&agent).filter(|_| !received.contains(&index));
        let Some(secret) = secret.filter(|_| header.kind() == Kind::Claim) else {
            return Ok(());
        };
        let Some(tag) = header.line() else {
            if tagged.contains(&agent) {
                let detail = "it has no tag of its line, and an earlier unit of its agent has one";
                report.add("capsule", Some(index), detail);
            }
            return Ok(());
        };
        tagged.insert(agent);
        let stored = report.damage(unchecked(txn, index))?.flatten();
        if let Some(unit) = stored.as_ref().and_then(unit_in) {
            let line = unit.line();
            let (subject, predicate) = (line.subject.as_str(), line.predicate.as_str());
            if line_tag(secret, subject, predicate, &line.scope) != tag {
                let detail = "its tag is not that of its line under the secret of its agent";
                report.add("capsule", Some(index), detail);
            }
        }
        Ok(())
    });
    report.damage(read)?;
    Ok(())
}
