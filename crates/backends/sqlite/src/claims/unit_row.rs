//! Rows of units. Each has a check of its columns and names the one before it on the line, so that a line that lacks one is
//! refused where it is read.

use counterfoil_claims::Cardinality;
use counterfoil_claims::time::Window;
use counterfoil_store::StoreError;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::checks::{Check, damaged, signed};
use super::line::{LineRow, cardinality_number, cardinality_numbered};
use crate::statement::Statements;

/// A window that is open on both sides.
pub(super) const OPEN: Window = Window {
    start: None,
    end: None,
};

/// A row of `claim_unit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitRow {
    pub(super) line: u64,
    pub(super) index: u64,
    /// Number of entries from the unit before it on the line; 0 for the first.
    pub(super) gap: u64,
    pub(super) number: u64,
    pub(super) stamp_us: u64,
    /// Number of the provenance.
    pub(super) class: i64,
    /// Effective window as of the last unit; `None` while it is not in force.
    pub(super) window: Option<Window>,
    /// Tag of the value of a claim.
    pub(super) tag: Option<i64>,
    pub(super) registered: Option<Cardinality>,
    /// Stamp of the last unit that changed the window, and the window before all of those.
    pub(super) changed: Option<(u64, Window)>,
}

macro_rules! columns {
    () => {
        "line, idx, gap, number, stamp, class, force, tag, start, until, registered, changed, own_start, own_until, checked"
    };
}

impl UnitRow {
    /// The row of a unit of a line.
    ///
    /// # Errors
    /// [`StoreError::IndexDamaged`] when there is none.
    pub(super) fn find(
        connection: &Connection,
        line: u64,
        index: impl rusqlite::ToSql,
    ) -> Result<Self, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM claim_unit WHERE line = ?1 AND idx = ?2"
        );
        let row = connection.find_with(sql, params![line, index], Self::read)?;
        row.flatten().ok_or_else(|| damaged("claim_unit"))
    }

    /// Gives the rows of a line to `each`, the newest first, while that says to go on.
    pub(super) fn walk(
        connection: &Connection,
        line: &LineRow,
        mut each: impl FnMut(Self) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM claim_unit WHERE line = ?1 ORDER BY idx DESC"
        );
        let mut expected = Some(line.newest);
        let mut goes_on = true;
        connection.visit(sql, [line.line], Self::read, |row| {
            let row = row.filter(|row| Some(row.index) == expected);
            let row = row.ok_or_else(|| damaged("claim_unit"))?;
            expected = (row.gap > 0).then(|| row.index.saturating_sub(row.gap));
            goes_on = each(row)?;
            Ok(goes_on)
        })?;
        match goes_on && expected.is_some() {
            true => Err(damaged("claim_unit")),
            false => Ok(()),
        }
    }

    /// The claims of a line, in the order of the log.
    pub(super) fn claims(connection: &Connection, line: &LineRow) -> Result<Vec<Self>, StoreError> {
        let mut claims = Vec::new();
        Self::walk(connection, line, |row| {
            claims.extend(row.tag.map(|_| row));
            Ok(true)
        })?;
        claims.reverse();
        Ok(claims)
    }

    /// Writes the row.
    pub(super) fn save(&self, connection: &Connection) -> Result<(), StoreError> {
        let columns = self.columns().into_iter().chain([Some(self.check())]);
        connection.run(
            concat!(
                "INSERT OR REPLACE INTO claim_unit (",
                columns!(),
                ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
            ),
            params_from_iter(columns),
        )
    }

    /// A row; `None` when it is not as it was written.
    fn read(row: &Row<'_>) -> rusqlite::Result<Option<Self>> {
        // A number out of its range was not written either.
        Ok(Self::parse(row).unwrap_or_default())
    }

    fn parse(row: &Row<'_>) -> rusqlite::Result<Option<Self>> {
        let window = |start, end| -> rusqlite::Result<Window> {
            Ok(Window {
                start: row.get(start)?,
                end: row.get(end)?,
            })
        };
        let changed: Option<u64> = row.get(11)?;
        let read = Self {
            line: row.get(0)?,
            index: row.get(1)?,
            gap: row.get(2)?,
            number: row.get(3)?,
            stamp_us: row.get(4)?,
            class: row.get(5)?,
            window: row.get::<_, bool>(6)?.then(|| window(8, 9)).transpose()?,
            tag: row.get(7)?,
            registered: row
                .get::<_, Option<i64>>(10)?
                .and_then(cardinality_numbered),
            changed: changed.zip(Some(window(12, 13)?)),
        };
        let is_as_written = row.get::<_, i64>(14)? == read.check();
        Ok(is_as_written.then_some(read))
    }

    /// The columns but for the check.
    fn columns(&self) -> [Option<i64>; 14] {
        let window = self.window.unwrap_or(OPEN);
        let (changed, own) = self.changed.unzip();
        let own = own.unwrap_or(OPEN);
        [
            Some(signed(self.line)),
            Some(signed(self.index)),
            Some(signed(self.gap)),
            Some(signed(self.number)),
            Some(signed(self.stamp_us)),
            Some(self.class),
            Some(i64::from(self.window.is_some())),
            self.tag,
            window.start,
            window.end,
            self.registered.map(cardinality_number),
            changed.map(signed),
            own.start,
            own.end,
        ]
    }

    fn check(&self) -> i64 {
        let columns = self.columns().into_iter();
        columns.fold(Check::new(), Check::optional).finish()
    }
}
