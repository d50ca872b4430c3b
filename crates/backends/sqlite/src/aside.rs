//! Forks, contested capsules and unaccepted capsules beside the accepted chains (C8, C10).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::ChainId;
use counterfoil_store::StoreError;
use counterfoil_store::pool::PoolAnomalies;
use counterfoil_types::DidKey;
use rusqlite::Connection;

use crate::SqliteStore;
use crate::forks::{contested, frozen_at};
use crate::statement::Statements;

impl SqliteStore {
    /// Returns the numbers of forks, contested and unaccepted capsules beside the accepted chains.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn aside(&self) -> Result<PoolAnomalies, StoreError> {
        self.read(aside).await
    }

    /// The first entry that another agent than `own` signed and that is not listed as received, and how
    /// many there are. A store that one agent writes has none: such a row was taken away by hand.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn unlisted(&self, own: DidKey) -> Result<Option<(u64, u64)>, StoreError> {
        self.read(move |connection| unlisted(connection, &own))
            .await
    }
}

fn unlisted(connection: &Connection, own: &DidKey) -> Result<Option<(u64, u64)>, StoreError> {
    let sql = "SELECT min(capsule.idx), count(*) FROM capsule LEFT JOIN stub USING (idx)
         WHERE NOT EXISTS (SELECT 1 FROM received WHERE received.idx = capsule.idx)
         AND iif(header IS NULL, stub.agent,
                 iif(json_valid(whole_header(header, packed)),
                     json_extract(whole_header(header, packed), '$.agent'), NULL)) <> ?1";
    let (first, number): (Option<u64>, u64) = connection.get(sql, [own.to_string()])?;
    Ok(first.map(|first| (first, number)))
}

/// As [`SqliteStore::aside`], on any connection.
pub(crate) fn aside(connection: &Connection) -> Result<PoolAnomalies, StoreError> {
    let held = |class: &str| -> Result<u64, StoreError> {
        connection.get("SELECT count(*) FROM held WHERE class = ?1", [class])
    };
    let open = frozen(connection)?;
    // Only what can be contested is looked at: forked chains, abandoned branches, compromised keys.
    let mut suspects: BTreeSet<u64> = connection.list("SELECT idx FROM abandoned", [])?;
    if connection.has("SELECT 1 FROM compromise", [])? {
        let marked = "SELECT capsule.idx FROM capsule JOIN compromise ON capsule.idx >= from_idx
             AND json_extract(whole_header(header, packed), '$.agent') = compromise.agent";
        suspects.extend(connection.list::<u64, Vec<_>>(marked, [])?);
    }
    for (chain, from) in &open {
        let after = "SELECT idx FROM chain WHERE chain = ?1 AND seq >= ?2";
        suspects.extend(connection.list::<u64, Vec<_>>(after, (chain.as_bytes(), from))?);
    }
    let mut number_contested = 0;
    for index in suspects {
        match contested(connection, index) {
            Ok(found) => number_contested += u64::from(found.is_some()),
            Err(StoreError::Corrupt { .. }) => number_contested += 1,
            Err(other) => return Err(other),
        }
    }
    Ok(PoolAnomalies {
        open_forks: u64::try_from(open.len()).unwrap_or(u64::MAX),
        contested: number_contested,
        pending: held("pending")?,
        quarantined: held("quarantine")?,
    })
}

/// The chains with an undecided fork, and from which number on.
pub(crate) fn frozen(connection: &Connection) -> Result<BTreeMap<ChainId, u64>, StoreError> {
    let chains: Vec<[u8; 16]> = connection.list("SELECT DISTINCT chain FROM fork", [])?;
    let mut frozen = BTreeMap::new();
    for chain in chains {
        let Ok(chain) = ChainId::from_bytes(chain) else {
            continue;
        };
        if let Some(from) = frozen_at(connection, &chain)? {
            frozen.insert(chain, from);
        }
    }
    Ok(frozen)
}
