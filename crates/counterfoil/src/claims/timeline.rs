//! Timelines: the claims about a subject, line by line, and the times at which they contest each other.

use std::sync::Arc;

use counterfoil_claims::belief::{
    BeliefStatus, HistoryEntry, Outline, scope_to_json, segment_to_json, timeline,
};
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{Identifier, Line};
use counterfoil_store::{AsOf, believe_whole_subject, units_of_names};
use counterfoil_types::{DidKey, Scope};
use serde::{Serialize, Serializer};

use super::access::ClaimReader;
use super::beliefs::said_of;
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
    /// Main name of the subject.
    pub subject: Identifier,
    /// Names of the subject, the main one first; none where it has one name.
    pub names: Vec<Identifier>,
    /// Claims recorded later do not count, microseconds since 1970.
    pub as_of_us: u64,
    /// The lines that have claims.
    pub lines: Vec<TimelineLine>,
}

/// Claims of one predicate in one scope.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TimelineLine {
    /// The predicate.
    pub predicate: String,
    /// The scope.
    pub scope: Scope,
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
            let claims = line.claims.iter().map(|it| said_of(it, &self.subject));
            let segments = line.segments.iter().map(segment_to_json);
            object()
                .with("predicate", &line.predicate)
                .with_some("scope", scope_to_json(&line.scope))
                .with("claims", claims.collect::<Vec<_>>())
                .with("leftOut", line.left_out)
                .with("segments", segments.collect::<Vec<_>>())
        });
        let names: Vec<&str> = self.names.iter().map(Identifier::as_str).collect();
        object()
            .with("subject", self.subject.as_str())
            .with_some("names", (!names.is_empty()).then_some(names))
            .with("asOf", when::rfc3339(self.as_of_us))
            .with("lines", lines.collect::<Vec<_>>())
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
        let (subject, aliases) = (Identifier::new("subject", named)?, &reader.settings.aliases);
        let known_us = as_of.unwrap_or(u64::MAX);
        let mut names = aliases.names(&subject, known_us);
        let of = of
            .map(|named| Identifier::new("predicate", named))
            .transpose()?;
        if names.len() == 1 {
            names.clear();
        }
        let subject = aliases.main(&subject, known_us).clone();
        let asked = AsOf {
            valid_at: None,
            as_of_us: as_of,
        };
        let (store, named) = (reader.store.as_ref(), (&subject, &reader.scope));
        let beliefs = match of {
            Some(predicate) => {
                let line = Line {
                    agent: reader.agent,
                    subject: subject.clone(),
                    predicate,
                    scope: reader.scope.clone(),
                };
                let settings = Arc::clone(&reader.settings);
                store.believe_within(line, asked, settings).await?
            }
            None => {
                let (agent, settings) = (reader.agent, &reader.settings);
                believe_whole_subject(store, agent, named, asked, settings).await?
            }
        };
        // One moment for all lines: claims recorded meanwhile are in none of them.
        let present = beliefs.first().map(|first| first.question.as_of_us);
        let as_of_us = as_of.or(present).unwrap_or_default();
        let mut lines = Vec::new();
        for belief in beliefs {
            let drawn = drawn(&reader, belief.line, as_of_us).await?;
            lines.extend(Some(drawn).filter(|drawn| !drawn.claims.is_empty()));
        }
        Ok(Timeline {
            subject,
            names,
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
    let (store, settings) = (reader.store.as_ref(), &reader.settings);
    let units = units_of_names(store, &line, as_of_us, settings).await?;
    Ok(TimelineLine {
        segments: timeline(&line, &units, as_of_us, &reader.settings),
        predicate: line.predicate.to_string(),
        scope: line.scope,
        claims,
        left_out,
    })
}
