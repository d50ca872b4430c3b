//! The row of a line: what is known of it without looking at its units.

use counterfoil_claims::{
    Act, ActKind, Cardinality, Disposition, Line, LineState, Provenance, ProvenanceClass, Unit,
};
use counterfoil_store::StoreError;
use rusqlite::{Connection, Row, params};

use super::tags;
use crate::statement::Statements;

/// From this number on the windows of a line stand in the interval tree as well.
pub(super) const FEW: u64 = 64;

/// True if a line can ever have been contested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rivalry {
    /// External claims have said one value.
    None,
    /// They have said several.
    Mixed,
    /// They have, and may have done so of one instant.
    Possible,
}

/// A row of `claim_line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRow {
    pub(super) agent: i64,
    /// The log index of the first unit that was remembered.
    pub(super) line: u64,
    /// The highest number, and one more.
    pub(super) units: u64,
    /// The log index of the unit that has it.
    pub(super) last: u64,
    /// The lowest stamp.
    pub(super) earliest: u64,
    /// The highest stamp.
    pub(super) latest: u64,
    /// Cardinality that the host had registered at the last write, and its number.
    pub(super) registered: Option<(Cardinality, u64)>,
    /// The stamp of the first external claim that said `one`.
    pub(super) one: Option<u64>,
    pub(super) many: Option<u64>,
    /// The tag of the first value.
    tag: Option<i64>,
    pub(super) rivalry: Rivalry,
    /// True if windows stand in the interval tree.
    pub(super) in_tree: bool,
    /// The levels of the tree that were ever used.
    pub(super) levels: i64,
}

macro_rules! columns {
    () => {
        "agent, line, units, last, latest, registered, registered_number, one, many, tag, \
         rivalry, present, coalesce(levels, 0), earliest"
    };
}

impl LineRow {
    /// Columns that [`LineRow::read`] reads, in its order.
    pub(super) const COLUMNS: &'static str = columns!();

    /// The row of a line that begins with `unit`.
    pub(super) const fn beginning(agent: i64, unit: &Unit) -> Self {
        Self {
            agent,
            line: unit.index(),
            units: 0,
            last: unit.index(),
            earliest: unit.stamp().micros(),
            latest: 0,
            registered: None,
            one: None,
            many: None,
            tag: None,
            rivalry: Rivalry::None,
            in_tree: false,
            levels: 0,
        }
    }

    /// The row of a line; `None` when nothing is known of it.
    pub(super) fn find(
        connection: &Connection,
        agent: i64,
        line: &Line,
    ) -> Result<Option<Self>, StoreError> {
        connection.find_with(
            concat!(
                "SELECT ",
                columns!(),
                " FROM claim_line WHERE agent = ?1 AND subject = ?2 AND predicate = ?3"
            ),
            params![agent, line.subject.as_str(), line.predicate.as_str()],
            Self::read,
        )
    }

    /// A row of [`LineRow::COLUMNS`].
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let registered = row
            .get::<_, Option<u8>>(5)?
            .and_then(cardinality_numbered)
            .zip(row.get(6)?);
        Ok(Self {
            agent: row.get(0)?,
            line: row.get(1)?,
            units: row.get(2)?,
            last: row.get(3)?,
            earliest: row.get(13)?,
            latest: row.get(4)?,
            registered,
            one: row.get(7)?,
            many: row.get(8)?,
            tag: row.get(9)?,
            rivalry: match row.get(10)? {
                0 => Rivalry::None,
                1 => Rivalry::Mixed,
                _ => Rivalry::Possible,
            },
            in_tree: row.get(11)?,
            levels: row.get(12)?,
        })
    }

    /// Writes the row after `unit`; `before` is the current row.
    pub(super) fn save(
        &self,
        connection: &Connection,
        unit: &Unit,
        before: Option<&Self>,
    ) -> Result<(), StoreError> {
        let line = unit.line();
        let (subject, predicate) = (line.subject.as_str(), line.predicate.as_str());
        let grown = before.map(|before| Self {
            units: self.units,
            last: self.last,
            latest: self.latest,
            ..before.clone()
        });
        // Most units change nothing else.
        if grown.as_ref() == Some(self) {
            return connection.run(
                "UPDATE claim_line SET units = ?4, last = ?5, latest = ?6
                 WHERE agent = ?1 AND subject = ?2 AND predicate = ?3",
                params![
                    self.agent,
                    subject,
                    predicate,
                    self.units,
                    self.last,
                    self.latest
                ],
            );
        }
        let (registered, number) = self.registered.unzip();
        connection.run(
            "INSERT OR REPLACE INTO claim_line (agent, subject, predicate, line, units, last,
             latest, registered, registered_number, one, many, tag, rivalry, present, levels,
             earliest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                self.agent,
                subject,
                predicate,
                self.line,
                self.units,
                self.last,
                self.latest,
                registered.map(cardinality_number),
                number,
                self.one,
                self.many,
                self.tag,
                match self.rivalry {
                    Rivalry::None => 0,
                    Rivalry::Mixed => 1,
                    Rivalry::Possible => 2,
                },
                self.in_tree,
                (self.levels != 0).then_some(self.levels),
                self.earliest,
            ],
        )
    }

    /// Takes in what a unit says of the line.
    pub(super) fn note(&mut self, unit: &Unit) {
        let (number, stamp) = (unit.number(), unit.stamp().micros());
        let in_order = stamp > self.latest;
        if number >= self.units {
            self.units = number.saturating_add(1);
            self.last = unit.index();
        }
        self.earliest = self.earliest.min(stamp);
        self.latest = self.latest.max(stamp);
        let Act::Claim(claim) = unit.act() else {
            return;
        };
        if let Some(registered) = claim.registered
            && self.registered.is_none_or(|(_, last)| last <= number)
        {
            self.registered = Some((registered, number));
        }
        let tag = tags::of_value(&claim.value);
        if *self.tag.get_or_insert(tag) != tag {
            self.rivalry = self.rivalry.max(Rivalry::Mixed);
        }
        if !unit.provenance().is_external() {
            // The gate does not look for rivals of what a model says, and where no external claim decides there may be some.
            self.may_be_contested();
            return;
        }
        if unit.disposition() != Disposition::Quarantined {
            let first = match claim.cardinality {
                Cardinality::One => Some(&mut self.one),
                Cardinality::Many => Some(&mut self.many),
                Cardinality::Unknown => None,
            };
            if let Some(first) = first {
                *first = Some(first.map_or(stamp, |first| first.min(stamp)));
            }
        }
        // The gate has looked for rivals in order, and unless the line may hold many values.
        let looked = matches!(
            unit.disposition(),
            Disposition::Committed | Disposition::Quarantined
        ) && in_order
            && self.cardinality() != Cardinality::Many;
        if !looked {
            self.may_be_contested();
        }
    }

    /// Something may overlap that did not before.
    pub(super) fn may_be_contested(&mut self) {
        if self.rivalry == Rivalry::Mixed {
            self.rivalry = Rivalry::Possible;
        }
    }

    /// Returns the line's cardinality as of its last unit.
    fn cardinality(&self) -> Cardinality {
        match (self.registered, self.one, self.many) {
            (Some((registered, _)), ..) => registered,
            (None, Some(_), _) => Cardinality::One,
            (None, None, Some(_)) => Cardinality::Many,
            (None, None, None) => Cardinality::Unknown,
        }
    }

    /// The gate's view of the line, but for the name of its last unit.
    pub(super) fn state(&self) -> LineState {
        LineState {
            units: self.units,
            last: None,
            registered: self.registered.map(|(registered, _)| registered),
            said_one: self.one.is_some(),
            said_many: self.many.is_some(),
        }
    }
}

/// Database text of a cardinality.
pub(super) fn cardinality_number(cardinality: Cardinality) -> usize {
    let numbered = Cardinality::ALL.iter().position(|one| *one == cardinality);
    numbered.unwrap_or_default()
}

/// The cardinality of a row.
pub(super) fn cardinality_numbered(number: u8) -> Option<Cardinality> {
    Cardinality::ALL.get(usize::from(number)).copied()
}

/// Database number of a provenance.
pub(super) const fn class_number(provenance: Provenance) -> i64 {
    match provenance.class() {
        ProvenanceClass::UserAsserted => 0,
        ProvenanceClass::FirstHand => 1,
        ProvenanceClass::Peer { .. } => 2,
        _ => 4,
    }
}

/// Tests whether the provenance in a row comes from outside of the agent.
pub(super) const fn is_external(class: i64) -> bool {
    class < 3
}

/// Database number of a unit's act.
pub(super) fn kind_number(kind: ActKind) -> usize {
    let numbered = ActKind::ALL.iter().position(|one| *one == kind);
    numbered.unwrap_or(ActKind::ALL.len())
}
