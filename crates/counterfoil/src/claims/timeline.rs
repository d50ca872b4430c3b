//! Timelines: the claims about a subject, line by line, and the times at which they contest each other.

use std::sync::Arc;

use counterfoil_claims::belief::{BeliefStatus, HistoryEntry, Outline, segment_to_json, timeline};
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{Identifier, Line};
use counterfoil_store::AsOf;
use counterfoil_types::DidKey;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::access::ClaimReader;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::object;
use crate::when;

/// Most claims of a line, the newest.
const DRAWN: usize = 60;

/// Claims about a subject, as known at one time.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Timeline {
    /// The subject.
    pub subject: String,
    /// Claims recorded later do not count, microseconds since 1970.
    pub as_of_us: u64,
    /// The lines that have claims.
    pub lines: Vec<TimelineLine>,
}

/// Claims of one predicate.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TimelineLine {
    /// The predicate.
    pub predicate: String,
    /// The newest 60 claims, in the order of their numbers.
    pub claims: Vec<HistoryEntry>,
    /// Number of older claims.
    pub left_out: usize,
    /// Beliefs over all of time, each with the window in which it holds.
    pub segments: Vec<(Window, Outline)>,
}

impl Timeline {
    /// Time as of which the claims are known, as a valid time.
    pub fn now(&self) -> Micros {
        Micros::try_from(self.as_of_us).unwrap_or(Micros::MAX)
    }
}

impl TimelineLine {
    /// Returns the windows in which sources contradict each other; adjacent ones are joined.
    pub fn contested(&self) -> Vec<Window> {
        let mut found: Vec<Window> = Vec::new();
        let segments = self.segments.iter();
        for (window, _) in segments.filter(|(_, it)| it.status == BeliefStatus::Contested) {
            match found.last_mut() {
                Some(last) if last.end.is_some() && last.end == window.start => {
                    last.end = window.end;
                }
                _ => found.push(*window),
            }
        }
        found
    }
}

impl Serialize for Timeline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.lines.iter().map(|line| {
            json!({
                "predicate": line.predicate,
                "claims": line.claims.iter().map(HistoryEntry::to_json).collect::<Vec<_>>(),
                "leftOut": line.left_out,
                "segments": line.segments.iter().map(segment_to_json).collect::<Vec<_>>(),
            })
        });
        object()
            .with("subject", &self.subject)
            .with("asOf", when::rfc3339(self.as_of_us))
            .with("lines", lines.collect::<Vec<Value>>())
            .serialize(serializer)
    }
}

impl Memory {
    /// Collects the claims about a subject, and a predicate if one is named. Claims recorded after `as_of`, microseconds
    /// since 1970 and now by default, do not count.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for names that are empty or too long.
    pub async fn timeline(
        &self,
        named: &str,
        of: Option<&str>,
        as_of: Option<u64>,
        agent: Option<DidKey>,
    ) -> Result<Timeline, Error> {
        let reader = ClaimReader::open(self, agent).await?;
        let subject = Identifier::new("subject", named)?;
        let predicates = match of {
            Some(named) => vec![Identifier::new("predicate", named)?],
            None => {
                let of = Some(subject.clone());
                reader.store.predicates(reader.agent, of).await?
            }
        };
        let line = |predicate: &Identifier| Line {
            agent: reader.agent,
            subject: subject.clone(),
            predicate: predicate.clone(),
        };
        // One moment for all lines: claims recorded meanwhile are in none of them.
        let as_of_us = match (as_of, predicates.first()) {
            (Some(as_of), _) => as_of,
            (None, None) => 0,
            // The present of the store, as every belief has it.
            (None, Some(first)) => {
                let belief = reader.believe(line(first), AsOf::default()).await?;
                belief.question.as_of_us
            }
        };
        let mut lines = Vec::new();
        for predicate in predicates {
            let drawn = drawn(&reader, line(&predicate), as_of_us).await?;
            lines.extend(Some(drawn).filter(|drawn| !drawn.claims.is_empty()));
        }
        Ok(Timeline {
            subject: subject.to_string(),
            as_of_us,
            lines,
        })
    }
}

async fn drawn(reader: &ClaimReader, line: Line, as_of_us: u64) -> Result<TimelineLine, Error> {
    let asked = AsOf {
        valid_at: None,
        as_of_us: Some(as_of_us),
    };
    let settings = Arc::clone(&reader.settings);
    let claims = reader.store.claim_history(line.clone(), asked, settings);
    let mut claims = claims.await?;
    let left_out = claims.len().saturating_sub(DRAWN);
    claims.drain(..left_out);
    let units = reader.store.units(line.clone(), Some(as_of_us)).await?;
    Ok(TimelineLine {
        segments: timeline(&line, &units, as_of_us, &reader.settings),
        predicate: line.predicate.to_string(),
        claims,
        left_out,
    })
}
