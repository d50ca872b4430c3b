//! Measures recall by a file of questions, each with the memories that answer it.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::Path;

use counterfoil_selector::metrics::{
    AnswerScore, MEASURES, auc, calibration_error, score, summary,
};
use counterfoil_store::{CapsuleLog as _, open_plain};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Limits, Value, parse};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::import::{Line, Lines};
use crate::memory::Memory;
use crate::recall::{Hit, RecallOptions};
use crate::report::{Report, object};
use crate::versions::locate;

/// Most bytes of a line.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Most questions of a file.
const MAX_QUESTIONS: usize = 10_000;
/// Most memories that answer a question.
const MAX_MEMORIES: usize = 100;
/// Number of memories that are recalled for a question.
const RECALLED: usize = 100;
/// Number of memories among which one that answers must be.
const FIRST: usize = 10;
/// Digits of a measure behind the point, as a power of ten.
const PRECISION: f64 = 10_000.0;

/// One question of the file. `answers` has one element for each memory: the ids of all its versions.
struct LabelledQuestion {
    line: u64,
    text: String,
    memories: Vec<String>,
    answers: Vec<BTreeSet<WorldId>>,
}

/// One measure with its interval.
#[derive(Serialize)]
struct MeasureRow {
    measure: &'static str,
    mean: f64,
    low: f64,
    high: f64,
}

/// A question of which no memory is among the first ten.
#[derive(Serialize)]
struct MissRow {
    line: u64,
    question: String,
    memories: Vec<String>,
    /// From 1; `None` beyond the first 100.
    rank: Option<usize>,
}

impl Memory {
    /// Recalls each question of a file of JSON Lines, and measures how often the memories that answer it are found, with 95 %
    /// bootstrap intervals. A line is `{"question": "…", "memories": ["world-…"]}` with ids or beginnings of ids, or
    /// `{"question": "…", "none": true}` for a question that no memory answers; other members are passed over. Any version
    /// of a named memory counts. In a scope, its memories alone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a file that cannot be read, that holds no question or more than 10,000, and for a line that is
    /// no question or names no memory of this store: the error names it.
    pub async fn eval(&self, file: &Path) -> Result<Report, Error> {
        let questions = read(self, file).await?;
        let options = RecallOptions {
            max: RECALLED,
            ..RecallOptions::default()
        };
        let (mut scores, mut missed) = (Vec::new(), Vec::new());
        let (mut with, mut without, mut judged) = (Vec::new(), Vec::new(), Vec::new());
        for question in &questions {
            let recalled = self.recall(&question.text, &options).await;
            let recalled = recalled.map_err(|error| match error.kind() {
                ErrorKind::Input => in_line(file, question.line, error),
                _ => error,
            })?;
            let hits = recalled.hits();
            let confidences = hits.iter().take(FIRST).map(|hit| hit.confidence.value());
            let confidence = confidences.fold(0.0, f64::max);
            let first = hits.first();
            let of_first = first.map_or(0.0, |hit| hit.confidence.value());
            let answers = |hit: &Hit| question.answers.iter().any(|ids| ids.contains(&hit.id));
            judged.push((of_first, first.is_some_and(answers)));
            if question.answers.is_empty() {
                without.push(confidence);
                continue;
            }
            with.push(confidence);
            let rank = |ids: &BTreeSet<WorldId>| hits.iter().position(|hit| ids.contains(&hit.id));
            let ranks: Vec<Option<usize>> = question.answers.iter().map(rank).collect();
            scores.push(score(&ranks));
            let best = ranks.iter().flatten().min();
            if best.is_none_or(|rank| *rank >= FIRST) {
                missed.push(MissRow {
                    line: question.line,
                    question: question.text.clone(),
                    memories: question.memories.clone(),
                    rank: best.map(|rank| rank + 1),
                });
            }
        }
        let result = object()
            .with("questions", questions.len())
            .with("answerable", with.len())
            .with("unanswerable", without.len())
            .with("measures", measures(scores))
            .with_some("abstentionAuc", auc(&with, &without).map(rounded))
            .with_some("calibrationError", calibration_error(&judged).map(rounded))
            .with("missed", missed);
        Report::new(&result)
    }
}

fn measures(scores: Vec<AnswerScore>) -> Vec<MeasureRow> {
    if scores.is_empty() {
        return Vec::new();
    }
    let of = summary(&[scores]);
    let ends = of.mean.into_iter().zip(of.low.into_iter().zip(of.high));
    let rows = MEASURES.into_iter().zip(ends);
    rows.map(|(measure, (mean, (low, high)))| MeasureRow {
        measure,
        mean: rounded(mean),
        low: rounded(low),
        high: rounded(high),
    })
    .collect()
}

fn rounded(value: f64) -> f64 {
    (value * PRECISION).round() / PRECISION
}

/// Reads all questions, and finds their memories in the scope.
async fn read(memory: &Memory, path: &Path) -> Result<Vec<LabelledQuestion>, Error> {
    let unreadable = |error: std::io::Error| {
        Error::input(
            format_args!("{} cannot be read ({error})", path.display()),
            "name a file of questions, one JSON object a line",
        )
    };
    let file = open_plain(path).map_err(unreadable)?;
    let mut lines = Lines::limited(BufReader::new(file), MAX_LINE_BYTES);
    let mut questions = Vec::new();
    while let Some((line, bytes)) = lines.next_line().map_err(unreadable)? {
        let parsed = match bytes {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Whole(bytes) => question(&bytes),
            Line::TooLong { bytes, .. } => Err(format!(
                "{bytes} bytes long, above the limit of {MAX_LINE_BYTES}; ask in fewer words"
            )),
        };
        let (text, memories) = parsed.map_err(|why| in_line(path, line, why))?;
        if questions.len() == MAX_QUESTIONS {
            return Err(in_line(
                path,
                line,
                format_args!("more than {MAX_QUESTIONS} questions; split the file"),
            ));
        }
        let mut answers = BTreeSet::new();
        for id in &memories {
            let found = versions_of(memory, id).await;
            answers.insert(found.map_err(|error| match error.kind() {
                ErrorKind::Input => in_line(path, line, error),
                _ => error,
            })?);
        }
        questions.push(LabelledQuestion {
            line,
            text,
            memories,
            answers: answers.into_iter().collect(),
        });
    }
    if questions.is_empty() {
        return Err(Error::input(
            format_args!("{} holds no question", path.display()),
            "write one JSON object a line: {\"question\": \"…\", \"memories\": [\"world-…\"]}",
        ));
    }
    Ok(questions)
}

fn in_line(path: &Path, line: u64, why: impl core::fmt::Display) -> Error {
    let place = format_args!("{}, line {line}: {why}", path.display()).to_string();
    Error::new(ErrorKind::Input, place)
}

/// The question of a line, and the ids of the memories that answer it; of none if there is no answer.
fn question(bytes: &[u8]) -> Result<(String, Vec<String>), String> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let value = parse(bytes, Limits::CONTENT)
        .map_err(|error| error.to_string().replace("at line 1, column", "at column"))?;
    let Value::Object(members) = &value else {
        return Err("not a JSON object; write one object a line".to_owned());
    };
    let Some(text) = members.get("question").and_then(Value::as_str) else {
        return Err("`question` is missing or no string; add it".to_owned());
    };
    let none = match members.get("none") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err("`none` is neither true nor false; leave it out".to_owned()),
    };
    let ids = match members.get("memories") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(ids)) => ids
            .iter()
            .map(|id| id.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
    };
    let Some(ids) = ids else {
        return Err("`memories` is no array of ids; write [\"world-…\"]".to_owned());
    };
    match (none, ids.len()) {
        (false, 0) => Err(
            "no memory is named; add `memories`, or \"none\": true if no memory answers it"
                .to_owned(),
        ),
        (true, 1..) => {
            Err("`none` is true and `memories` names some; remove one of the two".to_owned())
        }
        (_, many) if many > MAX_MEMORIES => Err(format!(
            "{many} memories, above the limit of {MAX_MEMORIES}; name those that answer best"
        )),
        _ => Ok((text.to_owned(), ids)),
    }
}

/// Ids of all versions of the memory that an id or its beginning names.
async fn versions_of(memory: &Memory, id: &str) -> Result<BTreeSet<WorldId>, Error> {
    let (whole, id) = memory.reaching(id).await?;
    let store = whole.reader()?;
    let located = locate(&store, &id).await?;
    let versions = store.chain(&located.chain).await?.into_iter();
    let ids = versions.filter_map(|version| version.world_id);
    Ok(ids.chain([located.world_id]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_question_is_refused_with_what_to_do() {
        for (line, why) in [
            ("hello", "not JSON"),
            ("[1]", "one object a line"),
            (r#"{"memories":["world-1"]}"#, "`question` is missing"),
            (r#"{"question":7,"memories":["world-1"]}"#, "no string"),
            (r#"{"question":"q"}"#, "\"none\": true"),
            (r#"{"question":"q","memories":[]}"#, "\"none\": true"),
            (r#"{"question":"q","memories":"world-1"}"#, "no array"),
            (r#"{"question":"q","memories":[1]}"#, "no array"),
            (r#"{"question":"q","none":1}"#, "neither true nor false"),
            (
                r#"{"question":"q","memories":["world-1"],"none":true}"#,
                "remove one",
            ),
        ] {
            let error = question(line.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
        let many = vec!["\"world-1\""; MAX_MEMORIES + 1].join(",");
        let line = format!(r#"{{"question":"q","memories":[{many}]}}"#);
        assert!(question(line.as_bytes()).unwrap_err().contains("limit"));
        assert_eq!(
            question(r#"{"question":"q","memories":["w"],"kind":"x"}"#.as_bytes()),
            Ok(("q".into(), vec!["w".into()]))
        );
        assert_eq!(
            question(br#"{"question":"q","none":true}"#),
            Ok(("q".into(), Vec::new()))
        );
    }
}
