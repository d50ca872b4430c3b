//! The tables that are printed.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use counterfoil_selector::metrics::{AnswerScore, ScoreSummary, auc, calibration_error};

use crate::calibration;
use crate::corpus::{Corpus, Question};
use crate::held_out::{Fold, ablations, summarised};
use crate::labelled::LANGUAGES;
use crate::latency::{Latency, Times};
use crate::locomo::CATEGORIES;
use crate::quality::{Answer, Measured};
use crate::vectors::VectorTimes;

/// Measures that are printed, by their place in a score.
const COLUMNS: [(&str, usize); 5] = [
    ("hit@10", 2),
    ("R@5", 3),
    ("R@10", 4),
    ("R@20", 5),
    ("MRR", 6),
];

/// Kinds of the labelled set that have an answer.
const KINDS: [&str; 6] = [
    "exact",
    "paraphrase",
    "name",
    "time",
    "multi-hop",
    "negation",
];

/// Corpora, each with its scores.
pub type MeasuredCorpora<'m> = &'m [(&'m Corpus, &'m Measured)];

/// Recall and rank on LoCoMo: plain, as shipped, with settings that were chosen on the other conversations, and with parts
/// left out.
#[must_use]
pub fn locomo(measured: MeasuredCorpora<'_>, folds: &[Fold]) -> String {
    let mut table = scores_table();
    let all = |_: &Question| true;
    let left_out = || {
        let corpora = measured.iter().map(|(corpus, _)| *corpus);
        corpora.zip(folds.iter().map(|fold| fold.scores.clone()))
    };
    with_and_without(&mut table, "plain BM25", parts(measured, plain).collect());
    with_and_without(&mut table, "as shipped", parts(measured, shipped).collect());
    with_and_without(&mut table, "left out", left_out().collect());
    for (number, category) in CATEGORIES.iter().enumerate().skip(1) {
        let of = |question: &Question| question.kind == *category;
        let name = format!("{number} {category}");
        let as_shipped = summarised(parts(measured, shipped), of, true);
        row(&mut table, &format!("as shipped, {name}"), as_shipped);
        row(
            &mut table,
            &format!("left out, {name}"),
            summarised(left_out(), of, true),
        );
    }
    for (part, fold) in left_out().zip(folds) {
        let it = fold.setting.weights;
        let [_, near1, near2, date] = it.words;
        let words = if fold.setting.keeps_stop_words {
            "all words"
        } else {
            "content words"
        };
        let name = format!(
            "{}: near {near1} {near2}, date {date}, unit {}, session {}, dated {}, speaker {}, own {}, answers {}, asks {}, {words}",
            part.0.name, it.unit, it.session, it.dated, it.speaker, it.own, it.answers, it.asks
        );
        row(&mut table, &name, summarised([part], all, true));
    }
    for (at, (name, _)) in ablations().iter().enumerate() {
        let of = parts(measured, |it| {
            it.by_setting.get(at).cloned().unwrap_or_default()
        });
        row(&mut table, name, summarised(of, all, false));
    }
    let curves: Vec<&Measured> = measured.iter().map(|(_, it)| *it).collect();
    format!(
        "LoCoMo, mean of conversations (rows of a category: of questions), each conversation in a store of its own\n{table}\n{}\n\
         calibration error by curves that were fitted on the other conversations: {}",
        confidence(measured, |question| !question.answerable),
        number(calibration::left_out(&curves)),
    )
}

/// Confidence where most of what answers the questions is taken away.
#[must_use]
pub fn thinned(measured: MeasuredCorpora<'_>) -> String {
    let confidence = confidence(measured, |question| !question.answerable);
    format!("every third session alone, {confidence}")
}

fn number(value: Option<f64>) -> String {
    value.map_or("none".to_owned(), |it| format!("{it:.3}"))
}

/// A row of all categories, and one of those that have an answer.
fn with_and_without(table: &mut Table, name: &str, parts: Vec<(&Corpus, Vec<AnswerScore>)>) {
    let all = summarised(parts.clone(), |_| true, false);
    row(table, &format!("{name}, all categories"), all);
    let answerable = summarised(parts, |question| question.answerable, false);
    row(table, &format!("{name}, 1 to 4"), answerable);
}

/// Recall and rank on the labelled set.
#[must_use]
pub fn labelled(measured: MeasuredCorpora<'_>) -> String {
    let mut table = scores_table();
    let answerable = |question: &Question| question.answerable;
    row(
        &mut table,
        "plain BM25",
        summarised(parts(measured, plain), answerable, true),
    );
    row(
        &mut table,
        "as shipped",
        summarised(parts(measured, shipped), answerable, true),
    );
    for kind in KINDS {
        let of = |question: &Question| question.kind == kind;
        row(
            &mut table,
            kind,
            summarised(parts(measured, shipped), of, true),
        );
    }
    for language in LANGUAGES {
        let of = |question: &Question| question.answerable && question.language == language;
        row(
            &mut table,
            language,
            summarised(parts(measured, shipped), of, true),
        );
    }
    for (at, (name, _)) in ablations().iter().enumerate() {
        let of = parts(measured, |it| {
            it.by_setting.get(at).cloned().unwrap_or_default()
        });
        row(&mut table, name, summarised(of, answerable, true));
    }
    let mut lines = vec![format!(
        "The labelled set, all languages in one store\n{table}"
    )];
    lines.push(confidence(measured, |question| !question.answerable));
    for language in LANGUAGES {
        let other = |question: &Question| question.language != language;
        let of = confidence_of(measured, |question| !question.answerable, other);
        lines.push(format!("{language}: {of}"));
    }
    lines.join("\n")
}

fn plain(measured: &Measured) -> Vec<AnswerScore> {
    measured.plain.clone()
}

fn shipped(measured: &Measured) -> Vec<AnswerScore> {
    measured.shipped.iter().map(|answer| answer.score).collect()
}

fn parts<'m>(
    measured: MeasuredCorpora<'m>,
    scores: impl Fn(&Measured) -> Vec<AnswerScore>,
) -> impl Iterator<Item = (&'m Corpus, Vec<AnswerScore>)> {
    measured
        .iter()
        .map(move |(corpus, it)| (*corpus, scores(it)))
}

fn confidence(
    measured: MeasuredCorpora<'_>,
    is_unanswerable: impl Fn(&Question) -> bool,
) -> String {
    confidence_of(measured, is_unanswerable, |_| false)
}

/// Area under the curve and calibration error of the confidence.
fn confidence_of(
    measured: MeasuredCorpora<'_>,
    is_unanswerable: impl Fn(&Question) -> bool,
    is_left_out: impl Fn(&Question) -> bool,
) -> String {
    let (mut with, mut without, mut judged) = (Vec::new(), Vec::new(), Vec::new());
    for (corpus, it) in measured {
        for (question, answer) in corpus.questions.iter().zip(&it.shipped) {
            if is_left_out(question) {
                continue;
            }
            let Answer {
                confidence,
                is_right,
                highest,
                ..
            } = *answer;
            match is_unanswerable(question) {
                true => without.push(highest),
                false => with.push(highest),
            }
            judged.push((confidence, is_right));
        }
    }
    format!(
        "confidence: AUC {} of the highest of the first ten, {} questions with an answer against {} without; expected \
         calibration error {} of the first memory",
        number(auc(&with, &without)),
        with.len(),
        without.len(),
        number(calibration_error(&judged)),
    )
}

fn scores_table() -> Table {
    let mut header = vec!["questions", "n"];
    header.extend(COLUMNS.iter().map(|(name, _)| *name));
    table(&header)
}

fn row(table: &mut Table, name: &str, summary: ScoreSummary) {
    let mut cells = vec![name.to_owned(), summary.count.to_string()];
    let cell = |(_, at): &(&str, usize)| {
        let of = |score: AnswerScore| score.get(*at).copied().unwrap_or_default();
        let [mean, low, high] = [summary.mean, summary.low, summary.high].map(of);
        format!("{mean:.3} [{low:.3} {high:.3}]")
    };
    cells.extend(COLUMNS.iter().map(cell));
    table.add_row(cells);
}

/// Times of recall, part by part.
#[must_use]
pub fn latency(latency: &Latency) -> String {
    let mut table = table(&["part", "p50 ms", "p99 ms", "processor ms, mean"]);
    for (name, times) in [
        ("bare FTS5 query", &latency.bare),
        ("index: rows, and what they are weighed by", &latency.search),
        ("fetch 10 Worlds with receipts", &latency.fetches),
        ("prove and verify 10", &latency.proofs),
        ("recall as a whole", &latency.select),
    ] {
        let at = |rank| format!("{:.2}", ms(percentile(&times.each, rank)));
        let mean = format!("{:.2}", ms(mean(times)));
        table.add_row(vec![name.to_owned(), at(50), at(99), mean]);
    }
    let per_second = ratio(latency.worlds, latency.filling.as_secs_f64());
    let bytes = ratio(
        usize::try_from(latency.database_bytes).unwrap_or(usize::MAX),
        1.0,
    ) / ratio(latency.worlds, 1.0);
    let against = |times: &Times| {
        let wall =
            |rank| ms(percentile(&times.each, rank)) / ms(percentile(&latency.bare.each, rank));
        let used = ms(mean(times)) / ms(mean(&latency.bare));
        format!(
            "p50 {:.3}, p99 {:.3}, processor {used:.3}",
            wall(50),
            wall(99)
        )
    };
    format!(
        "Recall on {} Worlds, {} questions ({per_second:.0} Worlds/s appended, {bytes:.0} B each)\n\
         {table}\nfirst search of the process: {:.1} ms\nindex / bare query: {}\nrecall / bare query: {}",
        latency.worlds,
        latency.select.each.len(),
        ms(latency.first),
        against(&latency.search),
        against(&latency.select),
    )
}

fn mean(times: &Times) -> Duration {
    let count = u32::try_from(times.each.len().max(1)).unwrap_or(u32::MAX);
    times.used / count
}

/// The search by meaning, beside a scan of all vectors.
#[must_use]
pub fn vectors(times: &VectorTimes) -> String {
    let mut table = table(&["part", "p50 ms", "p99 ms"]);
    for (name, times) in [
        ("search by meaning", &times.search),
        ("cosines of all, in memory", &times.exact),
    ] {
        let at = |rank| format!("{:.2}", ms(percentile(times, rank)));
        table.add_row(vec![name.to_owned(), at(50), at(99)]);
    }
    let number = |bytes: u64| ratio(usize::try_from(bytes).unwrap_or(usize::MAX), 1.0);
    let worlds = ratio(times.worlds, 1.0);
    format!(
        "Vectors of {} Worlds, {} questions ({:.0} vectors/s added, {:.0} B each in the database)\n{table}\n\
         first search, which reads the sign bits: {:.0} ms, {:.0} MB more in memory\n\
         search / cosines of all: p50 {:.3}; {:.3} of the exact nearest 10 found",
        times.worlds,
        times.search.len(),
        worlds / times.adding.as_secs_f64(),
        number(times.bytes) / worlds,
        ms(times.first),
        number(times.resident) / 1e6,
        ms(percentile(&times.search, 50)) / ms(percentile(&times.exact, 50)),
        times.found,
    )
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
