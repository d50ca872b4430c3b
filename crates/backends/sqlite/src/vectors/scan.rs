//! Search by meaning: an exact scan of the sign bits, then the cosines of the nearest rows.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use rusqlite::{Connection, params};

use super::cache::{SignBlocks, SignCache};
use super::halves::cosine;
use super::rows::form_error;
use super::signs::SignQuestion;
use crate::statement::Statements;
use crate::text::{ScopeRows, is_within};

/// Number of rows, nearest by their sign bits, that are compared by their cosines.
const COMPARED: usize = 500;
/// Number of rows in whose bits fewest differ: the nearest are chosen among them, as some dimensions matter more than others.
const SCANNED: usize = 8 * COMPARED;

/// Finds a version after `?1`, up to `?2`.
const HAS_LATER: &str = "SELECT 1 FROM text_turns
     WHERE first = (SELECT coalesce(first, idx) FROM text_turns WHERE idx = ?1)
     AND idx > ?1 AND idx <= ?2";

/// Rows that may be found.
#[derive(Debug)]
pub(crate) struct Wanted<'q> {
    /// The largest log index.
    pub(crate) last: u64,
    /// Exclusive bounds on `createdAt`, in ms.
    pub(crate) created: (i64, i64),
    /// Log indices that are left out.
    pub(crate) hidden: &'q BTreeSet<u64>,
    /// Rows of the scope that is asked in; `None` for all.
    pub(crate) scope: Option<&'q ScopeRows>,
    /// True to find each version, false for those that are current at `last`.
    pub(crate) each_version: bool,
}

/// Returns the Worlds nearest to `vector`, each with its cosine: best first, equal ones by log index, and at most `limit` of the
/// [`COMPARED`] that are nearest by their sign bits. None while there are no vectors.
///
/// # Errors
/// [`StoreError::VectorForm`] for a vector of another length, [`StoreError::IndexDamaged`] when rows and bits do not belong together;
/// when they can't be read.
pub(crate) fn nearest(
    connection: &Connection,
    cache: &SignCache,
    vector: &[f32],
    wanted: &Wanted<'_>,
    limit: usize,
) -> Result<Vec<(u64, f64)>, StoreError> {
    let Some(kept) = cache.blocks(connection)? else {
        return Ok(Vec::new());
    };
    if vector.len() != kept.model.dimensions || !vector.iter().all(|it| it.is_finite()) {
        return Err(form_error(&kept.model, vector.len()));
    }
    let mut near = current(connection, &kept, vector, wanted)?;
    // In the order in which they lie in the file.
    near.sort_unstable();
    let cosines = cosines(connection, vector, &near)?;
    let mut found: Vec<(u64, f64)> = Vec::with_capacity(near.len());
    for (index, cosine) in near.into_iter().zip(cosines) {
        let cosine = cosine.ok_or(StoreError::IndexDamaged { table: "vector" })?;
        found.push((index, cosine));
    }
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    found.truncate(limit);
    Ok(found)
}

/// Returns the cosine of each World with `vector`; `None` for one without a vector.
///
/// # Errors
/// When they can't be read.
pub(crate) fn cosines(
    connection: &Connection,
    vector: &[f32],
    indexes: &[u64],
) -> Result<Vec<Option<f64>>, StoreError> {
    let of = |index: &u64| {
        let sql = "SELECT halves FROM vector WHERE idx = ?1";
        connection.find_with(sql, [index], |row| {
            Ok(cosine(vector, row.get_ref(0)?.as_blob()?))
        })
    };
    indexes.iter().map(of).collect()
}

/// Returns the nearest rows by their sign bits of which the version counts.
fn current(
    connection: &Connection,
    kept: &SignBlocks,
    vector: &[f32],
    wanted: &Wanted<'_>,
) -> Result<Vec<u64>, StoreError> {
    let question = SignQuestion::new(vector, &kept.centre);
    let has_versions = "SELECT 1 FROM text_turns WHERE first IS NOT NULL LIMIT 1";
    let all = wanted.each_version || !connection.has(has_versions, [])?;
    let mut count = SCANNED;
    loop {
        let rows = kept.nearest(&question.signs, wanted, count);
        let were_more = rows.len() >= count;
        let mut weighed: Vec<(f32, u64)> = rows
            .into_iter()
            .map(|(index, signs)| (question.weight(signs), index))
            .collect();
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut near = Vec::with_capacity(COMPARED);
        for (_, index) in weighed {
            let later = params![index, wanted.last];
            let counts =
                !wanted.hidden.contains(&index) && (all || !connection.has(HAS_LATER, later)?);
            if counts {
                near.push(index);
            }
            if near.len() == COMPARED {
                break;
            }
        }
        if near.len() == COMPARED || !were_more {
            return Ok(near);
        }
        count = count.saturating_mul(4);
    }
}

impl SignBlocks {
    /// Returns the `count` rows within bound and time that are nearest to `to`, nearest first: log index and sign bits of each.
    fn nearest(&self, to: &[u64], wanted: &Wanted<'_>, count: usize) -> Vec<(u64, &[u64])> {
        let mut distances = Vec::with_capacity(self.blocks.len() * super::signs::BLOCK_ROWS);
        let mut by_distance = vec![0_usize; to.len() * 64 + 1];
        let (after, before) = wanted.created;
        let is_bounded = (after, before) != (i64::MIN, i64::MAX);
        for block in self.blocks.values() {
            let start = distances.len();
            block.distances(to, &mut distances);
            let rows = distances.get_mut(start..).unwrap_or_default();
            for (distance, index) in rows.iter_mut().zip(&block.indexes) {
                if *index > wanted.last || !is_within(wanted.scope, *index) {
                    *distance = u16::MAX;
                }
            }
            if is_bounded {
                for (distance, created) in rows.iter_mut().zip(&block.created) {
                    if *created <= after || *created >= before {
                        *distance = u16::MAX;
                    }
                }
            }
            for distance in rows {
                if let Some(rows) = by_distance.get_mut(usize::from(*distance)) {
                    *rows += 1;
                }
            }
        }
        let mut sum = 0;
        let within = by_distance.iter().position(|rows| {
            sum += rows;
            sum >= count
        });
        let farthest = within.unwrap_or(by_distance.len() - 1);
        let rows = self.blocks.values().flat_map(|block| {
            let signs = block.signs.chunks_exact(to.len().max(1));
            block.indexes.iter().zip(signs)
        });
        let mut near: Vec<(u16, u64, &[u64])> = distances
            .into_iter()
            .zip(rows)
            .filter(|(distance, _)| usize::from(*distance) <= farthest)
            .map(|(distance, (index, signs))| (distance, *index, signs))
            .collect();
        near.sort_unstable();
        near.truncate(count);
        near.into_iter()
            .map(|(_, index, signs)| (index, signs))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::signs::Block;
    use super::*;

    /// Log index, time and sign bits.
    type Row = (u64, i64, u64);

    proptest! {
        /// The scan finds what a sort of all rows finds, whatever the blocks, the bound and the time range.
        #[test]
        fn the_nearest_rows_are_those_of_a_plain_sort(
            blocks in proptest::collection::vec(
                proptest::collection::vec((0..50_u64, 0..9_i64, 0..99_u64), 0..20), 0..4),
            to in 0..99_u64,
            last in 0..60_u64,
            created in prop_oneof![Just((i64::MIN, i64::MAX)), (0..4_i64, 4..9_i64)],
            count in 1..40_usize,
        ) {
            let kept = SignBlocks::of_rows(&blocks);
            let hidden = BTreeSet::new();
            let wanted = Wanted { last, created, hidden: &hidden, scope: None, each_version: true };
            let mut expected: Vec<(u32, u64)> = blocks
                .iter()
                .flatten()
                .filter(|row| row.0 <= last && created.0 < row.1 && row.1 < created.1)
                .map(|row| ((row.2 ^ to).count_ones(), row.0))
                .collect();
            expected.sort_unstable();
            let expected = expected.into_iter().map(|(_, index)| index).take(count);
            let found = kept.nearest(&[to], &wanted, count);
            let found: Vec<u64> = found.into_iter().map(|(index, _)| index).collect();
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    impl SignBlocks {
        fn of_rows(blocks: &[Vec<Row>]) -> Self {
            let mut kept = Self::empty();
            for (number, rows) in (0..).zip(blocks) {
                let mut block = Block::default();
                for (index, created, signs) in rows {
                    block.push(*index, *created, &[*signs]);
                }
                kept.blocks.insert(number, Arc::new(block));
            }
            kept
        }
    }
}
