//! Rows of forms that were asked for before, held in memory until the index changes: questions have their frequent words in common.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_words::Form;

use super::gain::{Gain, Posting};
use super::segments::Structure;
use super::sizes::SizeCache;
use crate::vectors::SignCache;

/// Most rows that are held, of 16 bytes each.
const MAX_ROWS: usize = 4 << 20;

/// Parts of the index that searches hold in memory.
#[derive(Debug, Default)]
pub(crate) struct SearchCaches {
    pub(crate) signs: SignCache,
    pub(super) sizes: SizeCache,
    pub(super) postings: PostingCache,
}

/// Rows of forms, for all readers of a store.
#[derive(Debug, Default)]
pub(crate) struct PostingCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// As in [`Structure`]: the rows are of this state of the index.
    mark: Vec<u8>,
    tables: i64,
    lists: BTreeMap<Key, (u64, Arc<Vec<Posting>>)>,
    /// Number of rows of all lists.
    rows: usize,
    /// Number of lists that were asked for.
    asked: u64,
}

/// A form, and the bits of what the gain of its rows was computed from.
type Key = (Form, [u64; 5]);

impl PostingCache {
    /// The rows of a form in the whole store, if they are held.
    pub(super) fn find(
        &self,
        structure: &Structure,
        (form, gain): (&Form, &Gain<'_>),
    ) -> Option<Arc<Vec<Posting>>> {
        self.kept(structure, |kept| kept.find(&(form.clone(), gain.bits())))
    }

    pub(super) fn keep(
        &self,
        structure: &Structure,
        (form, gain): (&Form, &Gain<'_>),
        rows: &Arc<Vec<Posting>>,
    ) {
        let key = (form.clone(), gain.bits());
        self.kept(structure, |kept| kept.keep(key, Arc::clone(rows)));
    }

    /// Looks at the rows held of this state of the index.
    fn kept<T>(&self, structure: &Structure, look: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.mark != structure.mark || kept.tables != structure.tables {
            *kept = Kept {
                mark: structure.mark.clone(),
                tables: structure.tables,
                ..Kept::default()
            };
        }
        look(&mut kept)
    }
}

impl Kept {
    fn find(&mut self, key: &Key) -> Option<Arc<Vec<Posting>>> {
        self.asked += 1;
        let (used, rows) = self.lists.get_mut(key)?;
        *used = self.asked;
        Some(Arc::clone(rows))
    }

    /// Keeps a list. Where there is no room, those go that were not asked for lately.
    fn keep(&mut self, key: Key, rows: Arc<Vec<Posting>>) {
        // An empty one takes room as well.
        let size = |rows: &[Posting]| rows.len().saturating_add(16);
        if size(&rows) > MAX_ROWS / 4 {
            return;
        }
        while self.rows.saturating_add(size(&rows)) > MAX_ROWS {
            let mut uses: Vec<u64> = self.lists.values().map(|(used, _)| *used).collect();
            let middle = uses.len() / 2;
            let (_, middle, _) = uses.select_nth_unstable(middle);
            self.lists.retain(|_, (used, _)| *used > *middle);
            self.rows = self.lists.values().map(|(_, rows)| size(rows)).sum();
        }
        self.rows = self.rows.saturating_add(size(&rows));
        // Another reader may have kept it meanwhile.
        if let Some((_, before)) = self.lists.insert(key, (self.asked, rows)) {
            self.rows = self.rows.saturating_sub(size(&before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        let form = Form {
            terms: vec![number.to_string()],
            is_prefix: false,
        };
        (form, [0; 5])
    }

    #[test]
    fn what_was_asked_for_lately_stays() {
        let mut kept = Kept::default();
        let rows = Arc::new(vec![Posting::default(); MAX_ROWS / 16]);
        for number in 0..200 {
            assert!(number == 0 || kept.find(&key(0)).is_some());
            assert_eq!(kept.find(&key(number)), None);
            kept.keep(key(number), Arc::clone(&rows));
            assert!(kept.rows <= MAX_ROWS);
        }
        let held = kept.rows;
        kept.keep(key(199), Arc::clone(&rows));
        assert_eq!(kept.rows, held);
        assert!(kept.find(&key(199)).is_some());
        assert!(kept.find(&key(1)).is_none());
        kept.keep(key(500), Arc::new(vec![Posting::default(); MAX_ROWS]));
        assert!(kept.find(&key(500)).is_none());
    }
}
