//! `timeline`: when the claims about a subject hold, drawn in the terminal or as SVG.

mod gather;
mod scale;
mod svg;
mod text;

use counterfoil_claims::belief::{BeliefStatus, HistoryEntry, Segment};
use counterfoil_claims::time::{Micros, Window};
use counterfoil_types::json::Value;
use serde::Serialize;
use serde_json::json;

use crate::args::TimelineArgs;
use crate::claims::dates;
use crate::claims::desk::Desk;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;

/// What is drawn.
struct Timeline {
    subject: String,
    as_of_us: u64,
    now: Micros,
    lines: Vec<DrawnLine>,
}

/// The claims of one predicate.
struct DrawnLine {
    predicate: String,
    /// In the order of their numbers, the newest of them.
    claims: Vec<HistoryEntry>,
    /// How many older ones are not drawn.
    left_out: usize,
    /// What is believed, over all of time.
    segments: Vec<Segment>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    subject: String,
    as_of: String,
    lines: Vec<Value>,
}

pub(crate) async fn run(context: &Context, args: TimelineArgs) -> Result<(), Failure> {
    let desk = Desk::reading(&context.home, args.agent)?;
    let timeline = gather::gather(&desk, &args).await?;
    let drawn = timeline.lines.iter().flat_map(|line| &line.claims);
    desk.hand_out_claims(drawn.map(|entry| &entry.claim)).await;
    if let Some(path) = &args.svg {
        write_file(path, &svg::draw(&timeline))?;
        return context.out.written(path);
    }
    context
        .out
        .answer(&document(&timeline), |out| text::draw(out, &timeline))
}

fn document(timeline: &Timeline) -> Document {
    let lines = timeline.lines.iter().map(|line| {
        json!({
            "predicate": line.predicate,
            "claims": line.claims.iter().map(HistoryEntry::to_json).collect::<Vec<_>>(),
            "leftOut": line.left_out,
            "segments": line.segments.iter().map(Segment::to_json).collect::<Vec<_>>(),
        })
    });
    Document {
        subject: timeline.subject.clone(),
        as_of: dates::rfc3339(timeline.as_of_us),
        lines: lines.collect(),
    }
}

impl DrawnLine {
    /// When sources contradict each other; what touches is one.
    fn contested(&self) -> Vec<Window> {
        let mut found: Vec<Window> = Vec::new();
        let segments = self.segments.iter();
        for segment in segments.filter(|it| it.belief.status == BeliefStatus::Contested) {
            let window = segment.window;
            match found.last_mut() {
                Some(last) if last.end.is_some() && last.end == window.start => {
                    last.end = window.end;
                }
                _ => found.push(window),
            }
        }
        found
    }
}
