//! Claims of a mempill 0.4 database: read without writing a byte of it, and judged as if they were stated now.
//!
//! Its windows are half-open between instants, so an end is taken over as the instant that it is. Its assertions become
//! ends; of a claim that was reopened nothing is left to take over but that it is open.

mod source;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Assertion, Cardinality, ClaimRef, Disposition, FactValue, Identifier, Submission, Target,
};
use counterfoil_store::ClaimRequest;
use counterfoil_types::Confidence;
use counterfoil_types::json::{Limits, parse};

use self::source::{Bound, Database, Row};
use super::{Importer, Place, Said, no_claim_of, no_claims};
use crate::claims::bulk::{BATCH, Judged};
use crate::error::Error;

pub(super) use source::is_database;

/// The most claims that one may be derived from here.
const MAX_DERIVED: usize = 16;

/// Refuses a database of which no claim can be taken over.
pub(super) fn check(file: &Path, channel: Said, from_agent: Option<&str>) -> Result<(), Error> {
    let mut database = Database::open(file, from_agent)?;
    let (mut read, mut first) = (0, None);
    while let Some(row) = database.next_claim()? {
        let Err(why) = submission(&row, channel, &Refs::default()) else {
            return Ok(());
        };
        read += 1;
        first.get_or_insert((row.id, why));
    }
    Err(match first {
        None => no_claims(),
        Some((id, why)) => no_claim_of(read, Place::Claim(id), &why),
    })
}

pub(super) async fn import(
    importer: &mut Importer<'_>,
    file: &Path,
    from_agent: Option<&str>,
) -> Result<(), Error> {
    let mut database = Database::open(file, from_agent)?;
    let channel = importer.channel;
    let mut refs = Refs::default();
    while let Some(row) = database.next_claim()? {
        importer.report.read += 1;
        let place = Place::Claim(row.id.clone());
        if row.derived_from.iter().any(|id| refs.waiting.contains(id)) {
            refs.learn(importer.flush().await?);
        }
        match submission(&row, channel, &refs) {
            Ok(submission) => {
                tell_losses(importer, &row, channel, &refs);
                let predicate = submission.predicate().clone();
                // Before the batch is full: who writes it has to hear what its claims are called.
                if importer.batch.len() + 1 >= BATCH {
                    refs.learn(importer.flush().await?);
                }
                refs.waiting.insert(row.id.clone());
                importer
                    .take(place, &predicate, ClaimRequest::Submit(submission))
                    .await?;
            }
            Err(why) => importer.report.refuse(place, why),
        }
    }
    refs.learn(importer.flush().await?);
    ends(importer, &mut database, channel, &refs).await?;
    for (what, number) in database.left_over()? {
        importer.report.lose(what, number);
    }
    Ok(())
}

/// Ids in this store for the claims of the database.
#[derive(Default)]
struct Refs {
    waiting: HashSet<String>,
    known: HashMap<String, Known>,
}

struct Known {
    reference: ClaimRef,
    /// True if it belongs to this claim alone: then the end of the claim ends it.
    own: bool,
}

impl Refs {
    fn learn(&mut self, judged: Vec<(Place, Judged)>) {
        self.waiting.clear();
        let agrees = [Disposition::Corroborated, Disposition::Confirmed];
        for (place, (outcome, _)) in judged {
            if let Place::Claim(id) = place {
                let own = !agrees.contains(&outcome.disposition) && outcome.written.is_some();
                let reference = outcome.reference;
                self.known.insert(id, Known { reference, own });
            }
        }
    }
}

fn submission(row: &Row, channel: Said, refs: &Refs) -> Result<Submission, String> {
    let said = said(row)?.within(channel);
    let value = parse(row.value.as_bytes(), Limits::CONTENT).map_err(|error| error.to_string())?;
    let subject = Identifier::new("subject", &row.subject).map_err(|error| error.to_string())?;
    let predicate =
        Identifier::new("predicate", &row.predicate).map_err(|error| error.to_string())?;
    let value = FactValue::new(&value).map_err(|error| error.to_string())?;
    let sources = row.derived_from.iter().filter_map(|id| refs.known.get(id));
    let mut sources: Vec<ClaimRef> = sources
        .map(|known| known.reference.clone())
        .take(MAX_DERIVED)
        .collect();
    sources.sort();
    sources.dedup();
    let submission = Submission::new(&said.channel(), subject, predicate, value)
        .cardinality(match row.cardinality.as_str() {
            "Functional" => Cardinality::One,
            "SetValued" => Cardinality::Many,
            _ => Cardinality::Unknown,
        })
        .derived_from(sources)
        .and_then(|submission| submission.keyed(&key(&row.id, said)))
        .map_err(|error| error.to_string())?;
    match valid(row)? {
        Some(valid) => submission.valid(valid).map_err(|error| error.to_string()),
        None => Ok(submission),
    }
}

/// The ids of a database are its own, so a second import finds what the first has written.
fn key(id: &str, said: Said) -> String {
    format!("mempill:{}:{id}", said.name())
}

fn said(row: &Row) -> Result<Said, String> {
    said_by(&row.provenance)
}

fn said_by(provenance: &str) -> Result<Said, String> {
    Ok(match provenance {
        "External_UserAsserted" => Said::User,
        "External_ExternalFirstHand" => Said::FirstHand,
        "ModelDerived" => Said::Model,
        "RecallReEntry" => Said::Recall,
        _ => return Err("its provenance is none that mempill 0.4 writes".to_owned()),
    })
}

fn valid(row: &Row) -> Result<Option<ValidTime>, String> {
    let from = row.from.as_ref().map(|from| from.boundary()).transpose()?;
    let until = row
        .until
        .as_ref()
        .map(|until| until.instant())
        .transpose()?;
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    Ok(Some(ValidTime {
        from,
        until: until.map(Boundary::instant),
        confidence: confidence(row.confidence)?,
    }))
}

/// Rounds a single-precision confidence: the database stores 0.9 as 0.8999999761581421.
fn confidence(stored: f64) -> Result<Confidence, String> {
    let rounded = format!("{stored:.6}").parse().unwrap_or(stored);
    Confidence::new(rounded).map_err(|error| error.to_string())
}

fn tell_losses(importer: &mut Importer<'_>, row: &Row, channel: Said, refs: &Refs) {
    let known = row
        .derived_from
        .iter()
        .filter(|id| refs.known.contains_key(*id));
    let lost = row
        .derived_from
        .len()
        .saturating_sub(known.count().min(MAX_DERIVED));
    let lowered = said(row).is_ok_and(|said| !said.is_within(channel));
    let report = &mut importer.report;
    report.lose("provenances, lowered to --channel", u64::from(lowered));
    report.lose(
        "links to claims that they were derived from",
        u64::try_from(lost).unwrap_or(u64::MAX),
    );
    report.lose("times of recording: they are recorded now", 1);
    let coarse_end = row.until.as_ref().is_some_and(source::Moment::is_coarse);
    report.lose(
        "granularities of ends: they end at an instant",
        u64::from(coarse_end),
    );
    report.lose(
        "confidences in a value",
        u64::from(row.value_confidence < 1.0),
    );
    report.lose("criticalities", u64::from(row.criticality != "Medium"));
    report.lose("metadata", u64::from(row.has_metadata));
}

/// The last assertion of each claim, if it ends it.
async fn ends(
    importer: &mut Importer<'_>,
    database: &mut Database,
    channel: Said,
    refs: &Refs,
) -> Result<(), Error> {
    for bound in database.bounds()? {
        let place = Place::Assertion(bound.id.clone());
        match end(&bound, channel, refs) {
            Ok(Some((predicate, request))) => importer.take(place, &predicate, request).await?,
            Ok(None) => importer
                .report
                .lose("ends of claims that another one stands for", 1),
            Err(why) => importer.report.refuse(place, why),
        }
    }
    importer.flush().await?;
    Ok(())
}

fn end(
    bound: &Bound,
    channel: Said,
    refs: &Refs,
) -> Result<Option<(Identifier, ClaimRequest)>, String> {
    let Some(known) = refs.known.get(&bound.target).filter(|known| known.own) else {
        return Ok(None);
    };
    let predicate =
        Identifier::new("predicate", &bound.predicate).map_err(|error| error.to_string())?;
    let said = said_by(&bound.provenance)?.within(channel);
    let target = Target::Claim(known.reference.clone());
    let assertion = Assertion::end(&said.channel(), target, Some(bound.at.boundary()?))
        .keyed(&key(&bound.id, said))
        .map_err(|error| error.to_string())?;
    Ok(Some((predicate, ClaimRequest::Assert(assertion))))
}
