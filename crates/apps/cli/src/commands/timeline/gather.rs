//! What there is to draw: the claims of each line, and when they contest each other.

use std::sync::Arc;

use counterfoil_claims::belief::timeline;
use counterfoil_claims::time::Micros;
use counterfoil_claims::{Identifier, Line};
use counterfoil_store::AsOf;

use super::{DrawnLine, Timeline};
use crate::args::TimelineArgs;
use crate::claims::desk::{Desk, predicate, subject};
use crate::failure::Failure;

/// The most claims of a line that are drawn, the newest.
const DRAWN: usize = 60;

pub(super) async fn gather(desk: &Desk, args: &TimelineArgs) -> Result<Timeline, Failure> {
    let subject = subject(&args.subject)?;
    let predicates = match &args.predicate {
        Some(named) => vec![predicate(named)?],
        None => {
            desk.store
                .predicates(desk.agent, Some(subject.clone()))
                .await?
        }
    };
    let asked = AsOf {
        valid_at: None,
        as_of_us: args.as_of,
    };
    // One moment for all lines: what is recorded meanwhile is in none of them.
    let as_of_us = match args.as_of {
        Some(as_of) => as_of,
        None => present(desk, &subject, predicates.first(), asked).await?,
    };
    let mut lines = Vec::new();
    for predicate in predicates {
        let line = Line {
            agent: desk.agent,
            subject: subject.clone(),
            predicate,
        };
        let drawn = one(desk, line, as_of_us).await?;
        lines.extend(Some(drawn).filter(|drawn| !drawn.claims.is_empty()));
    }
    Ok(Timeline {
        subject: subject.to_string(),
        as_of_us,
        now: Micros::try_from(as_of_us).unwrap_or(Micros::MAX),
        lines,
    })
}

/// The present of the store, as it is for every belief.
async fn present(
    desk: &Desk,
    subject: &Identifier,
    predicate: Option<&Identifier>,
    asked: AsOf,
) -> Result<u64, Failure> {
    let Some(predicate) = predicate else {
        return Ok(0);
    };
    let line = Line {
        agent: desk.agent,
        subject: subject.clone(),
        predicate: predicate.clone(),
    };
    Ok(desk.believe(line, asked).await?.question.as_of_us)
}

async fn one(desk: &Desk, line: Line, as_of_us: u64) -> Result<DrawnLine, Failure> {
    let asked = AsOf {
        valid_at: None,
        as_of_us: Some(as_of_us),
    };
    let settings = Arc::clone(&desk.settings);
    let mut claims = desk
        .store
        .claim_history(line.clone(), asked, settings)
        .await?;
    let left_out = claims.len().saturating_sub(DRAWN);
    claims.drain(..left_out);
    let units = desk.store.units(line.clone(), Some(as_of_us)).await?;
    Ok(DrawnLine {
        segments: timeline(&line, &units, as_of_us),
        predicate: line.predicate.to_string(),
        claims,
        left_out,
    })
}
