//! The tables that are printed.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use crate::latency::Latency;
use crate::metrics::{Mean, Scored, by_category, by_conversation, of_conversations};
use crate::quality::Quality;

/// The category whose questions have no answer in the conversation.
const ADVERSARIAL: u64 = 5;

/// Recall and rank, ours beside plain BM25.
#[must_use]
pub fn quality(quality: &Quality) -> String {
    let mut table = table(&[
        "questions",
        "n",
        "plain @5",
        "@10",
        "@20",
        "MRR",
        "ours @5",
        "@10",
        "@20",
        "MRR",
    ]);
    let answerable = |scored: &[Scored]| -> Vec<Scored> {
        scored
            .iter()
            .filter(|one| one.category != ADVERSARIAL)
            .cloned()
            .collect()
    };
    let (plain, ours) = (answerable(&quality.plain), answerable(&quality.ours));
    for (name, plain, ours) in [
        (
            "all categories, mean of conversations",
            &quality.plain,
            &quality.ours,
        ),
        ("categories 1 to 4, mean of conversations", &plain, &ours),
    ] {
        row(
            &mut table,
            name,
            ours.len(),
            of_conversations(plain),
            of_conversations(ours),
        );
    }
    let names = [
        "multi-hop",
        "temporal",
        "open-domain",
        "single-hop",
        "adversarial",
    ];
    let categories = by_category(&quality.plain)
        .into_iter()
        .zip(by_category(&quality.ours));
    for (((category, plain), (_, ours)), name) in categories.zip(names) {
        row(
            &mut table,
            &format!("category {category} {name}"),
            ours.count,
            plain,
            ours,
        );
    }
    let each = by_conversation(&quality.plain)
        .into_iter()
        .zip(by_conversation(&quality.ours));
    for ((name, plain), (_, ours)) in each {
        row(&mut table, &name, ours.count, plain, ours);
    }
    format!("Recall of evidence turns, each conversation in a store of its own\n{table}")
}

fn row(table: &mut Table, name: &str, questions: usize, plain: Mean, ours: Mean) {
    let mut cells = vec![name.to_owned(), questions.to_string()];
    for mean in [plain, ours] {
        cells.extend(mean.score.recall.iter().map(|share| format!("{share:.3}")));
        cells.push(format!("{:.3}", mean.score.reciprocal_rank));
    }
    table.add_row(cells);
}

/// Times of recall, part by part.
#[must_use]
pub fn latency(latency: &Latency) -> String {
    let mut table = table(&["part", "p50 ms", "p99 ms"]);
    for (name, times) in [
        ("bare FTS5 query", &latency.bare),
        ("index: query, and where the words are", &latency.search),
        ("fetch 10 Worlds with receipts", &latency.fetches),
        ("prove and verify 10", &latency.proofs),
        ("recall as a whole", &latency.select),
    ] {
        let at = |rank| format!("{:.2}", ms(percentile(times, rank)));
        table.add_row(vec![name.to_owned(), at(50), at(99)]);
    }
    let per_second = ratio(latency.worlds, latency.filling.as_secs_f64());
    let bytes = ratio(
        usize::try_from(latency.database_bytes).unwrap_or(usize::MAX),
        1.0,
    ) / ratio(latency.worlds, 1.0);
    format!(
        "Recall on {} Worlds, {} questions ({per_second:.0} Worlds/s appended, {bytes:.0} B each)\n\
         {table}\nrecall / (bare query + proofs): p50 {:.2}, p99 {:.2}",
        latency.worlds,
        latency.select.len(),
        against_bare(latency, 50),
        against_bare(latency, 99),
    )
}

/// What the whole costs, in bare queries and proofs.
fn against_bare(latency: &Latency, rank: usize) -> f64 {
    let bare = percentile(&latency.bare, rank) + percentile(&latency.proofs, rank);
    ms(percentile(&latency.select, rank)) / ms(bare)
}

fn percentile(times: &[Duration], rank: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * rank).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn ratio(count: usize, by: f64) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from) / by
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
