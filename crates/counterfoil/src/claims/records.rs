//! Units as they were recorded: one of them, the ledger, and the claims that wait for a verdict.

use std::sync::Arc;

use counterfoil_claims::belief::unit_to_json;
use counterfoil_claims::{Act, Unit};
use counterfoil_types::json::Value;
use serde::Serialize;
use serde_json::json;

use super::access::ClaimReader;
use super::answer::{grounds, why};
use super::refusals::no_claim;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::{text, versions, when};

/// Most characters of an act in the ledger.
const ACT: usize = 72;
/// Most characters of the value of a waiting claim.
const WAITING: usize = 40;

/// Unit in the ledger.
#[derive(Serialize)]
struct Entry {
    entry: &'static str,
    #[serde(flatten)]
    unit: Value,
}

impl Memory {
    /// Reports one unit as it was recorded, and why the gate admitted it. Detail `lines`: pairs of name and value.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a reference that names no claim.
    pub async fn claim_unit(&self, named: &str) -> Result<Report, Error> {
        let store = ClaimReader::open(self, None).await?.store;
        let unit = store.unit_of(&self.find_id(named).await?).await?;
        let unit = unit.ok_or_else(|| no_claim(named))?;
        let world = match store.capsule(unit.index()).await? {
            Some(stored) => versions::content(&stored)?,
            None => None,
        };
        let document = world.as_ref().and_then(|world| world.data().cloned());
        let shown = object()
            .with("ref", unit.reference())
            .with("index", unit.index())
            .with("recordedAt", when::rfc3339(unit.stamp().micros()))
            .with("agent", unit.line().agent)
            .with("unit", document.unwrap_or_default())
            .with("why", why(unit.disposition(), unit.row(), unit.because()));
        let because = grounds(store.as_ref(), unit.because()).await?;
        Ok(Report::new(&shown)?
            .with("lines", lines(&unit))
            .with("became", unit.disposition().name())
            .with("because", because))
    }

    /// The claim of that name, of this agent: to be said again or corrected.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a reference that names no claim of this agent.
    pub async fn own_claim(&self, named: &str) -> Result<Unit, Error> {
        let reader = ClaimReader::open(self, None).await?;
        let unit = reader.store.unit_of(&self.find_id(named).await?).await?;
        let own = unit.filter(|unit| unit.line().agent == reader.agent);
        own.ok_or_else(|| no_claim(named))
    }

    /// Lists decisions of the gate, the newest last. Detail `rows`: a row of texts for
    /// each entry.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a `max` outside of 1 to 1,000.
    pub async fn claim_ledger(
        &self,
        claim: Option<&str>,
        before: Option<u64>,
        max: usize,
    ) -> Result<Report, Error> {
        if !(1..=1000).contains(&max) {
            return Err(Error::input(
                format_args!("--max {max} is no number of entries"),
                "choose --max from 1 to 1000",
            ));
        }
        let reader = ClaimReader::open(self, None).await?;
        let claim = match claim {
            Some(named) => Some(self.find_id(named).await?),
            None => None,
        };
        let page = reader
            .store
            .ledger(reader.agent, reader.scope.clone(), claim, before, max);
        let units = page.await?;
        let oldest = units
            .first()
            .map(Unit::index)
            .filter(|_| units.len() >= max);
        let (entries, rows): (Vec<Entry>, Vec<_>) = units.iter().map(of_unit).unzip();
        let ledger = object()
            .with("entries", entries)
            .with_some("before", oldest);
        Ok(Report::new(&ledger)?.with("rows", rows))
    }

    /// Lists the claims that wait for a verdict. Detail `rows`: a row of texts for each; `oracle`: whether claims wait
    /// for a verdict at all.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn pending(&self) -> Result<Report, Error> {
        let reader = ClaimReader::open(self, None).await?;
        let settings = Arc::clone(&reader.settings);
        let mut waiting = reader.store.pending(reader.agent, settings).await?;
        waiting.retain(|(claim, ..)| claim.line().scope.contains(&reader.scope));
        let said = |unit: &Unit| {
            let value = text::value_of(unit);
            value.map_or_else(String::new, |value| text::limited(value, WAITING))
        };
        let row = |(claim, rivals, expires_us): &(Unit, Vec<Unit>, u64)| {
            let against: Vec<String> = rivals.iter().map(said).collect();
            [
                text::name(claim.reference()),
                about(claim),
                said(claim),
                against.join(", "),
                text::recorded(*expires_us),
            ]
        };
        let document = |(claim, rivals, expires_us): &(Unit, Vec<Unit>, u64)| {
            json!({
                "handle": claim.reference(),
                "claim": unit_to_json(claim),
                "rivals": rivals.iter().map(unit_to_json).collect::<Vec<_>>(),
                "expiresAt": when::rfc3339(*expires_us),
            })
        };
        let documents: Vec<Value> = waiting.iter().map(document).collect();
        Ok(Report::new(&json!({ "pending": documents }))?
            .with("rows", waiting.iter().map(row).collect::<Vec<_>>())
            .with("oracle", reader.settings.oracle_days.is_some()))
    }
}

/// The line of a unit, on one line of text.
fn about(unit: &Unit) -> String {
    let line = unit.line();
    let (subject, predicate) = (text::name(&line.subject), text::name(&line.predicate));
    format!("{subject} {predicate}")
}

fn of_unit(unit: &Unit) -> (Entry, [String; 6]) {
    let mut says = text::act(unit);
    if says.chars().count() > ACT {
        says = says.chars().take(ACT).chain(['…']).collect();
    }
    let row = [
        text::recorded(unit.stamp().micros()),
        about(unit),
        says,
        text::provenance(unit.provenance()),
        unit.disposition().name().replace('_', " "),
        text::name(unit.reference()),
    ];
    let unit = unit_to_json(unit);
    (
        Entry {
            entry: "unit",
            unit,
        },
        row,
    )
}

/// Names and values that describe a unit.
fn lines(unit: &Unit) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("unit", text::name(unit.reference())),
        ("says", text::act(unit)),
        ("about", about(unit)),
        ("number", unit.number().to_string()),
    ];
    if let Act::Claim(body) = unit.act() {
        lines.extend(body.valid.map(|valid| ("holds", text::valid(&valid))));
        let supersedes = body.supersedes.iter();
        lines.extend(supersedes.map(|it| ("supersedes", text::name(it))));
    }
    lines.push(("said by", text::provenance(unit.provenance())));
    lines.extend(unit.via().iter().map(|it| ("through", text::brief(it))));
    lines.push(("recorded", text::recorded(unit.stamp().micros())));
    lines.push(("agent", unit.line().agent.to_string()));
    lines.extend(unit.cited().map(|world| ("rests on", text::name(world))));
    let derived = unit.derived_from().iter();
    lines.extend(derived.map(|it| ("derived from", text::name(it))));
    lines.extend(unit.key().map(|key| ("key", text::name(key))));
    lines
}
