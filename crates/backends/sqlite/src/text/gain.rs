//! How much a word counts for a row by its places there (BM25, as FTS5 computes it).

/// As in FTS5: how soon a further place of a word counts less, and the part that the size of a row has in that.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A row that holds a form.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Posting {
    pub(super) row: u32,
    /// A bit for each column that holds it.
    pub(super) columns: u8,
    /// Share of the form's weight that the row gets.
    pub(super) gain: f64,
}

/// Gain of a row by the places of a form in it.
pub(super) struct Gain<'w> {
    /// Weights of the columns.
    pub(super) columns: &'w [f64; 4],
    /// Mean size of a row.
    pub(super) average: f64,
}

impl Gain<'_> {
    /// The bits of all numbers that it is computed from.
    pub(super) fn bits(&self) -> [u64; 5] {
        let [turn, near1, near2, date] = *self.columns;
        [turn, near1, near2, date, self.average].map(f64::to_bits)
    }

    pub(super) fn posting(
        &self,
        row: u32,
        size: u32,
        places: impl Iterator<Item = Option<u8>>,
    ) -> Option<Posting> {
        let (mut bits, mut count) = (0, 0.0);
        for column in places {
            let column = column?;
            bits |= 1 << column;
            count += self.columns.get(usize::from(column))?;
        }
        let size = B * f64::from(size) / self.average;
        Some(Posting {
            row,
            columns: bits,
            gain: (count * (K1 + 1.0)) / (count + K1 * (1.0 - B + size)),
        })
    }
}
