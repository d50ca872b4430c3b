//! Opens the commitments of all capsules that were sealed here: each is to its number and the capsule before it, under the
//! secret of its agent (docs/format/feed.md).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::{Header, feed_commitment, feed_salt};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};

use crate::entries::each_header;
use crate::port::rows::{FeedSecretRow, ReceivedRow, StubRow};
use crate::port::{Row as _, Select, Txn};
use crate::report::AuditReport;

/// Feeds as far as the log was read.
struct Feeds {
    secrets: BTreeMap<DidKey, [u8; 32]>,
    received: BTreeSet<u64>,
    /// Number of capsules of each agent, and the last of them.
    last: BTreeMap<DidKey, (u64, Option<Blake3Hash>)>,
    /// The first capsule of each agent that does not open.
    faults: BTreeMap<DidKey, u64>,
}

impl Feeds {
    fn add(&mut self, index: u64, agent: DidKey, capsule: Blake3Hash, header: Option<&Header>) {
        if self.received.contains(&index) {
            return;
        }
        let (number, last) = self.last.entry(agent).or_default();
        if let Some(committed) = header.and_then(|header| header.extensions().feed) {
            let secret = self.secrets.get(&agent);
            let opened = secret.map(|secret| {
                let salt = feed_salt(secret, *number);
                feed_commitment(&salt, *number, last.as_ref())
            });
            if opened != Some(committed) {
                self.faults.entry(agent).or_insert(index);
            }
        }
        (*number, *last) = (*number + 1, Some(capsule));
    }
}

pub(super) fn examine(txn: &dyn Txn, report: &mut AuditReport) -> Result<(), StoreError> {
    let secrets = txn.list::<FeedSecretRow>(&Select::of::<FeedSecretRow>());
    let secrets = report.damage(secrets)?.unwrap_or_default();
    let received = txn.column::<u64, 1>(Select::of::<ReceivedRow>(), &["idx"]);
    let received = report.damage(received)?.unwrap_or_default();
    let stubs = report.damage(txn.list::<StubRow>(&Select::of::<StubRow>()))?;
    let mut stubs = stubs.unwrap_or_default().into_iter().peekable();
    let mut feeds = Feeds {
        secrets: secrets
            .into_iter()
            .map(|it| (it.agent, it.secret))
            .collect(),
        received: received.into_iter().collect(),
        last: BTreeMap::new(),
        faults: BTreeMap::new(),
    };
    let read = each_header(txn, "", |index, header| {
        while let Some(stub) = stubs.next_if(|stub| stub.idx < index) {
            feeds.add(stub.idx, stub.agent, stub.hash, None);
        }
        feeds.add(index, header.agent(), header.hash(), Some(&header));
        Ok(())
    });
    report.damage(read)?;
    for (agent, index) in feeds.faults {
        let detail = format!(
            "it does not open the place of entry {index} in the feed of {agent}, or one before it is another"
        );
        report.add(FeedSecretRow::TABLE.name, None, detail);
    }
    Ok(())
}
