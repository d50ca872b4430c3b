//! A timeline in the terminal: as wide as it is, and plain.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table};
use counterfoil::{Timeline, TimelineLine};
use counterfoil_claims::belief::{ClaimState, HistoryEntry};

use super::scale::Scale;
use crate::commands::believe::also_named;
use crate::output::table;
use counterfoil::text as telling;

/// Width in columns without a terminal.
const WIDTH: u32 = 110;
/// Width of a bar, in columns.
const BARS: core::ops::RangeInclusive<u32> = 20..=120;
/// The most characters of a value, and of a predicate.
const LABEL: usize = 24;

pub(super) fn draw(out: &mut dyn Write, timeline: &Timeline) -> io::Result<()> {
    if timeline.lines.is_empty() {
        return writeln!(
            out,
            "Nothing was said of {}.",
            telling::name(&timeline.subject)
        );
    }
    let scale = Scale::of(timeline);
    let (beside, width) = layout(timeline);
    let mut table = empty(beside, &axis(scale, width));
    for line in &timeline.lines {
        let now = Some(timeline.now()).filter(|now| scale.shows(*now));
        let contested = line.contested();
        let drawn = Row {
            scale,
            width,
            now: now.map(|now| scale.place(now, width.saturating_sub(1))),
            contested: contested.iter().map(|it| scale.span(*it, width)).collect(),
        };
        for (at, entry) in line.claims.iter().enumerate() {
            let predicate = if at == 0 {
                of_line(line)
            } else {
                String::new()
            };
            let row = row(beside, entry, drawn.bar(entry));
            table.add_row([vec![short(&predicate)], row].concat());
        }
    }
    let names = also_named(&timeline.names).map(|names| format!(", also named {names}"));
    let subject = telling::name(&timeline.subject);
    writeln!(out, "{subject}{}\n", names.unwrap_or_default())?;
    for line in table.lines() {
        let line = line.strip_prefix(' ').unwrap_or(&line);
        writeln!(out, "{}", line.trim_end())?;
    }
    for line in timeline.lines.iter().filter(|line| line.left_out > 0) {
        let predicate = of_line(line);
        writeln!(
            out,
            "{predicate}: {} older claims are not drawn",
            line.left_out
        )?;
    }
    writeln!(
        out,
        "\n━ said from outside   ┄ said by a model   ▒ contested   ◀ ▶ open   │ as known {}",
        telling::recorded(timeline.as_of_us)
    )
}

/// Predicate of a line, with its scope if it has one.
pub(super) fn of_line(line: &TimelineLine) -> String {
    let predicate = telling::name(&line.predicate);
    match line.scope.is_empty() {
        true => predicate,
        false => format!("{predicate} ({})", telling::name(&line.scope)),
    }
}

/// Column beside the bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// The window of a claim, and its state.
    All,
    /// On a narrow terminal: its state.
    State,
}

/// Chooses the column beside the bars, and the width of the bars.
fn layout(timeline: &Timeline) -> (Beside, u32) {
    let room = |beside| {
        let mut others = empty(beside, "");
        for line in &timeline.lines {
            for entry in &line.claims {
                let predicate = short(&telling::name(&line.predicate));
                others.add_row([vec![predicate], row(beside, entry, String::new())].concat());
            }
        }
        let all = others.width().map_or(WIDTH, u32::from);
        let widths = others.column_max_content_widths();
        // Each column has a blank on both sides.
        let taken: u32 = widths.iter().map(|width| u32::from(*width) + 2).sum();
        all.saturating_sub(taken + 1).min(*BARS.end())
    };
    let width = room(Beside::All);
    if BARS.contains(&width) {
        return (Beside::All, width);
    }
    (Beside::State, room(Beside::State).max(*BARS.start()))
}

fn empty(beside: Beside, axis: &str) -> Table {
    let headings = ["predicate", "value", axis, "holds", "state"];
    let shown = headings
        .into_iter()
        .filter(|name| beside == Beside::All || *name != "holds");
    let mut table = table(&shown.collect::<Vec<_>>());
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn row(beside: Beside, entry: &HistoryEntry, bar: String) -> Vec<String> {
    let value = telling::claimed(&entry.claim, LABEL);
    let mut row = vec![value, bar];
    if beside == Beside::All {
        row.push(telling::window(entry.window));
    }
    row.push(entry.state.name().to_owned());
    row
}

fn short(name: &str) -> String {
    match name.char_indices().nth(LABEL) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or(name)),
        None => name.to_owned(),
    }
}

/// The labels of the ticks, each where its tick is.
fn axis(scale: Scale, width: u32) -> String {
    let room = usize::try_from(width).unwrap_or(usize::MAX);
    let mut axis = String::new();
    for tick in scale.ticks(room) {
        let at = usize::try_from(scale.place(tick.at, width.saturating_sub(1))).unwrap_or(0);
        let drawn = axis.chars().count();
        if at < drawn || (drawn > 0 && at == drawn) {
            continue;
        }
        axis.extend(std::iter::repeat_n(' ', at - drawn));
        axis.push_str(&tick.label);
    }
    axis
}

/// A row of the drawing.
struct Row {
    scale: Scale,
    width: u32,
    /// The column of the present.
    now: Option<u32>,
    /// The columns that are contested.
    contested: Vec<(u32, u32)>,
}

impl Row {
    /// One character for each column.
    fn bar(&self, entry: &HistoryEntry) -> String {
        let window = entry.window;
        let (from, to) = self.scale.span(window, self.width);
        let last = self.width.saturating_sub(1);
        let external = entry.claim.provenance().is_external();
        let counts = !matches!(
            entry.state,
            ClaimState::Quarantined | ClaimState::Denied | ClaimState::Retracted
        );
        let contested = |column| {
            let mut spans = self.contested.iter();
            external && counts && spans.any(|(from, to)| within(column, *from, *to))
        };
        let letter = |column: u32| match column {
            _ if window.is_empty() || !within(column, from, to) => {
                if self.now == Some(column) {
                    '│'
                } else {
                    ' '
                }
            }
            0 if window.start.is_none() => '◀',
            _ if column == last && window.end.is_none() => '▶',
            _ if contested(column) => '▒',
            _ if external && counts => '━',
            _ => '┄',
        };
        (0..self.width).map(letter).collect()
    }
}

/// Returns true if a column is part of a span. A span is drawn, however short it is.
const fn within(column: u32, from: u32, to: u32) -> bool {
    column >= from && (column < to || column == from)
}
