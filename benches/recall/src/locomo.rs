//! Reads LoCoMo conversations (Maharana et al. 2024) for measuring: turns, questions, evidence.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use counterfoil_types::UnixMillis;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::corpus::{Corpus, Question, Turn};

/// The categories by their number.
pub const CATEGORIES: [&str; 6] = [
    "none",
    "multi-hop",
    "temporal",
    "open-domain",
    "single-hop",
    "adversarial",
];
/// The category whose questions have no answer in the conversation.
const ADVERSARIAL: u64 = 5;

/// Reads the file: conversations, with those of their questions that have at least one evidence that names a turn.
///
/// # Errors
/// The file is not there, or is not of this format.
pub fn load(file: &Path) -> Result<Vec<Corpus>> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let samples: Vec<Value> = serde_json::from_slice(&bytes)?;
    samples.iter().map(conversation).collect()
}

fn conversation(sample: &Value) -> Result<Corpus> {
    let name = text(sample, "sample_id")?;
    let sessions = sample
        .get("conversation")
        .context("a sample has no conversation")?;
    let mut turns = Vec::new();
    for session in 1.. {
        let Some(time) = sessions.get(format!("session_{session}_date_time")) else {
            break;
        };
        let time = time.as_str().context("a session's time is no text")?;
        let said = sessions
            .get(format!("session_{session}"))
            .and_then(Value::as_array);
        for (position, said) in said.into_iter().flatten().enumerate() {
            turns.push(turn(&name, session, position, time, said)?);
        }
    }
    let questions = sample
        .get("qa")
        .and_then(Value::as_array)
        .context("a sample has no qa")?;
    Ok(Corpus {
        name,
        questions: questions_of(questions, &turns)?,
        turns,
    })
}

fn turn(
    conversation: &str,
    session: u64,
    position: usize,
    time: &str,
    said: &Value,
) -> Result<Turn> {
    Ok(Turn {
        conversation: conversation.to_owned(),
        session: session.to_string(),
        position,
        id: text(said, "dia_id")?,
        speaker: text(said, "speaker")?,
        text: text(said, "text")?,
        caption: text(said, "blip_caption").ok(),
        time: time.to_owned(),
        created_at: instant(time)?,
    })
}

fn text(value: &Value, name: &str) -> Result<String> {
    let text = value.get(name).and_then(Value::as_str);
    text.map(str::to_owned)
        .with_context(|| format!("{name} is missing or no text"))
}

/// `1:56 pm on 8 May, 2023`.
fn instant(time: &str) -> Result<UnixMillis> {
    let time = DateTime::strptime("%I:%M %p on %d %B, %Y", time)
        .with_context(|| format!("{time:?} is no time of a session"))?;
    let ms = time.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond();
    Ok(UnixMillis::new(u64::try_from(ms)?)?)
}

fn questions_of(questions: &[Value], turns: &[Turn]) -> Result<Vec<Question>> {
    let places: BTreeMap<&str, usize> = turns
        .iter()
        .enumerate()
        .map(|(place, turn)| (turn.id.as_str(), place))
        .collect();
    let mut with_evidence = Vec::new();
    for question in questions {
        let named = question.get("evidence").and_then(Value::as_array);
        let ids = named
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .flat_map(ids);
        let mut evidence: Vec<usize> = ids
            .filter_map(|id| places.get(id.as_str()).copied())
            .collect();
        evidence.sort_unstable();
        evidence.dedup();
        if !evidence.is_empty() {
            let category = question.get("category").and_then(Value::as_u64);
            let category = category.unwrap_or_default();
            let name = usize::try_from(category)
                .ok()
                .and_then(|at| CATEGORIES.get(at));
            with_evidence.push(Question {
                text: text(question, "question")?,
                language: "en".to_owned(),
                kind: name.copied().context("an unknown category")?.to_owned(),
                evidence,
                answerable: category != ADVERSARIAL,
            });
        }
    }
    Ok(with_evidence)
}

/// Several ids may stand in one text, and `D30:05` is `D30:5`.
fn ids(text: &str) -> impl Iterator<Item = String> {
    text.split([';', ' ']).filter_map(|id| {
        let (session, turn) = id.trim().strip_prefix('D')?.split_once(':')?;
        Some(format!(
            "D{}:{}",
            session.parse::<u32>().ok()?,
            turn.parse::<u32>().ok()?
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_split_and_brought_to_one_form() {
        let read: Vec<String> = ids("D30:05; D1:2 D3:x D").collect();
        assert_eq!(read, ["D30:5", "D1:2"]);
    }

    #[test]
    fn a_session_time_is_read_as_utc() {
        assert_eq!(
            instant("1:56 pm on 8 May, 2023").unwrap().value(),
            1_683_554_160_000
        );
        assert_eq!(
            instant("12:05 am on 1 January, 2024").unwrap().value(),
            1_704_067_500_000
        );
        assert!(instant("soon").is_err());
    }
}
