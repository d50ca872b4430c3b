//! The row of a line: what is known of it without looking at its units.

use counterfoil_claims::{
    Act, Cardinality, Disposition, Identifier, Line, LineState, Provenance, ProvenanceClass, Unit,
};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{DidKey, Scope};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::checks::{Check, damaged, signed};
use super::{linked, tags};
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
    /// The log index of the unit that was remembered last.
    pub(super) newest: u64,
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
        "agent, line, units, last, newest, earliest, latest, registered, registered_number, one, many, tag, rivalry, \
         present, levels, subject, predicate, scope, checked"
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
            newest: unit.index(),
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

    /// The row of a line, if there is one.
    pub(super) fn find(
        connection: &Connection,
        agent: i64,
        line: &Line,
    ) -> Result<Option<Self>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM claim_line WHERE agent = ?1 AND subject = ?2 AND predicate = ?3 AND scope = ?4"
        );
        let [subject, predicate, scope] = names(line);
        let names = params![agent, subject, predicate, scope];
        match connection.find_with(sql, names, Self::read)? {
            None => Ok(None),
            Some(row) => row.map(|(row, ..)| Some(row)),
        }
    }

    /// A row of [`LineRow::COLUMNS`], with the names of its line; an error when it is not as it was written.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Result<(Self, Names), StoreError>> {
        let read = Self::parse(row).unwrap_or_default();
        Ok(read.ok_or_else(|| damaged("claim_line")))
    }

    fn parse(row: &Row<'_>) -> rusqlite::Result<Option<(Self, Names)>> {
        let registered = row.get::<_, Option<i64>>(7)?.and_then(cardinality_numbered);
        let read = Self {
            agent: row.get(0)?,
            line: row.get(1)?,
            units: row.get(2)?,
            last: row.get(3)?,
            newest: row.get(4)?,
            earliest: row.get(5)?,
            latest: row.get(6)?,
            registered: registered.zip(row.get(8)?),
            one: row.get(9)?,
            many: row.get(10)?,
            tag: row.get(11)?,
            rivalry: match row.get(12)? {
                0 => Rivalry::None,
                1 => Rivalry::Mixed,
                _ => Rivalry::Possible,
            },
            in_tree: row.get(13)?,
            levels: row.get(14)?,
        };
        let names: Names = [row.get(15)?, row.get(16)?, row.get(17)?];
        let is_as_written = row.get::<_, i64>(18)? == read.check(&names);
        Ok(is_as_written.then_some((read, names)))
    }

    /// The columns but for the names and the check.
    fn columns(&self) -> [Option<i64>; 15] {
        let (registered, number) = self.registered.unzip();
        let rivalry = match self.rivalry {
            Rivalry::None => 0,
            Rivalry::Mixed => 1,
            Rivalry::Possible => 2,
        };
        [
            Some(self.agent),
            Some(signed(self.line)),
            Some(signed(self.units)),
            Some(signed(self.last)),
            Some(signed(self.newest)),
            Some(signed(self.earliest)),
            Some(signed(self.latest)),
            registered.map(cardinality_number),
            number.map(signed),
            self.one.map(signed),
            self.many.map(signed),
            self.tag,
            Some(rivalry),
            Some(i64::from(self.in_tree)),
            Some(self.levels),
        ]
    }

    /// The empty scope is left out, as in rows from before there were scopes.
    fn check(&self, names: &Names) -> i64 {
        let names = names.iter().enumerate();
        let names = names.filter(|(at, name)| *at < 2 || !name.is_empty());
        let names = names.fold(Check::new(), |check, (_, name)| check.text(name));
        let columns = self.columns().into_iter();
        columns.fold(names, Check::optional).finish()
    }

    /// Writes the row after `unit`; `before` is the current row.
    pub(super) fn save(
        &self,
        connection: &Connection,
        line: &Line,
        before: Option<&Self>,
    ) -> Result<(), StoreError> {
        let names = names(line);
        let (checked, [subject, predicate, scope]) = (self.check(&names), &names);
        let grown = before.map(|before| Self {
            units: self.units,
            last: self.last,
            newest: self.newest,
            latest: self.latest,
            ..before.clone()
        });
        // Most units change nothing else.
        if grown.as_ref() == Some(self) {
            return connection.run(
                "UPDATE claim_line SET units = ?4, last = ?5, newest = ?6, latest = ?7, checked = ?8
                 WHERE agent = ?1 AND subject = ?2 AND predicate = ?3 AND scope = ?9",
                params![
                    self.agent,
                    subject,
                    predicate,
                    self.units,
                    self.last,
                    self.newest,
                    self.latest,
                    checked,
                    scope
                ],
            );
        }
        let texts = names.iter().map(|name| Value::from(name.clone()));
        let columns = self.columns().into_iter().map(Value::from);
        let all = columns.chain(texts).chain([Value::from(checked)]);
        connection.run(
            concat!(
                "INSERT OR REPLACE INTO claim_line (",
                columns!(),
                ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
            ),
            params_from_iter(all),
        )?;
        let (agent, number) = (self.agent, signed(self.line));
        if before.is_none() {
            let [subject, predicate] = tags::of_line(line);
            linked::add(
                connection,
                [linked::LINE, agent, subject, predicate, number],
            )?;
        }
        match self.rivalry {
            Rivalry::Possible => linked::add(connection, [linked::RIVALS, agent, number, 0, 0]),
            _ => Ok(()),
        }
    }

    /// Takes in what a unit says of the line.
    pub(super) fn note(&mut self, unit: &Unit) {
        let (number, stamp) = (unit.number(), unit.stamp().micros());
        let in_order = stamp > self.latest;
        if number >= self.units {
            self.units = number.saturating_add(1);
            self.last = unit.index();
        }
        self.newest = unit.index();
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
        // The gate does not look for rivals of an agent that is not trusted yet, nor for it among those of others.
        if !unit.provenance().is_trusted() {
            self.rivalry = Rivalry::Possible;
        }
        // The gate has looked for rivals in order, and unless the line may hold many values, by its units or the vocabulary.
        let looked = matches!(
            unit.disposition(),
            Disposition::Committed | Disposition::Quarantined
        ) && in_order
            && self.cardinality() != Cardinality::Many
            && unit.because().cardinality != Some(Cardinality::Many);
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

/// Subject, predicate, and the text of the scope, as columns have them.
pub(crate) type Names = [String; 3];

pub(super) fn names(line: &Line) -> Names {
    let [subject, predicate] = [&line.subject, &line.predicate].map(ToString::to_string);
    let scope = match line.scope.is_empty() {
        true => String::new(),
        false => line.scope.to_string(),
    };
    [subject, predicate, scope]
}

/// Names that a list goes on after: those of `after`, else the beginning of a subject, else that of all lines.
pub(crate) fn names_after(subject: Option<&Identifier>, after: Option<&Line>) -> Names {
    let begin = || {
        [
            subject.map(ToString::to_string).unwrap_or_default(),
            String::new(),
            String::new(),
        ]
    };
    after.map_or_else(begin, names)
}

/// The line of an agent with these names.
pub(super) fn line_named(
    agent: DidKey,
    [subject, predicate, scope]: &Names,
) -> Result<Line, StoreError> {
    let scope = match scope.is_empty() {
        true => Ok(Scope::new()),
        false => scope.parse(),
    };
    Ok(Line {
        agent,
        subject: identifier("subject", subject)?,
        predicate: identifier("predicate", predicate)?,
        scope: scope.map_err(|_| damaged("claim_line"))?,
    })
}

/// An identifier in a row of a line.
pub(super) fn identifier(what: &'static str, text: &str) -> Result<Identifier, StoreError> {
    Identifier::new(what, text)
        .map_err(|error| StoreError::corrupt(StoreLocation::table("claim_line"), error))
}

/// Database number of a cardinality.
pub(super) fn cardinality_number(cardinality: Cardinality) -> i64 {
    let mut numbered = (0..).zip(Cardinality::ALL);
    numbered
        .find(|(_, one)| *one == cardinality)
        .map_or(0, |(number, _)| number)
}

/// The cardinality of a row.
pub(super) fn cardinality_numbered(number: i64) -> Option<Cardinality> {
    Cardinality::ALL.get(usize::try_from(number).ok()?).copied()
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
