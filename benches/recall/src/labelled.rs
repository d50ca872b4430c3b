//! Reads the labelled set of this repository: `benches/recall/data`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use counterfoil_types::UnixMillis;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::corpus::{Corpus, Question, Turn};

/// The languages: of each there is a file of memories.
pub const LANGUAGES: [&str; 4] = ["en", "de", "fr", "zh"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryLine {
    conversation: String,
    session: String,
    id: String,
    speaker: String,
    time: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionLine {
    language: String,
    kind: String,
    question: String,
    #[serde(default)]
    memories: Vec<String>,
    #[serde(default)]
    none: bool,
}

/// Reads the set as one corpus, so that the memories of each language are among those of the others.
///
/// # Errors
/// A file is missing, is not of this format, names a memory that is not there, or says both or neither of `memories` and
/// `none`.
pub fn load() -> Result<Corpus> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut turns: Vec<Turn> = Vec::new();
    let mut lengths: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for language in LANGUAGES {
        for line in lines::<MemoryLine>(&folder.join(format!("{language}.jsonl")))? {
            let session = (line.conversation.clone(), line.session.clone());
            let length = lengths.entry(session).or_default();
            let ms = line.time.parse::<Timestamp>()?.as_millisecond();
            let earlier = places.insert(line.id.clone(), turns.len());
            anyhow::ensure!(earlier.is_none(), "{} is there twice", line.id);
            turns.push(Turn {
                conversation: line.conversation,
                session: line.session,
                position: *length,
                id: line.id,
                speaker: line.speaker,
                text: line.text,
                caption: None,
                time: line.time,
                created_at: UnixMillis::new(u64::try_from(ms)?)?,
            });
            *length += 1;
        }
    }
    let questions = lines::<QuestionLine>(&folder.join("questions.jsonl"))?.into_iter();
    let question = |line: QuestionLine| {
        anyhow::ensure!(line.none == line.memories.is_empty(), "{:?}", line.question);
        let ids = line.memories.iter();
        let place = |id: &String| places.get(id).copied().with_context(|| id.clone());
        Ok(Question {
            text: line.question,
            language: line.language,
            kind: line.kind,
            evidence: ids.map(place).collect::<Result<_>>()?,
            answerable: !line.none,
        })
    };
    Ok(Corpus {
        name: "labelled".to_owned(),
        questions: questions.map(question).collect::<Result<_>>()?,
        turns,
    })
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().map(serde_json::from_str);
    let lines: Result<_, _> = lines.collect();
    lines.with_context(|| file.display().to_string())
}
