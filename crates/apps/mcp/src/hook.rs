//! Hooks of coding agents: they seal the user's turns, bring memories into the conversation, and never stand in its way.
//!
//! A hook answers with JSON on standard output. An error is one line for standard error: a turn goes on without its memory.

use std::path::Path;
use std::time::Duration;

use counterfoil::{Detail, Memory, Note, RecallOptions};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls;
use crate::failure::Failure;
use crate::resources;
use crate::transcript::{self, BEGIN, END, MAX_TEXT, Speaker, Turn, own_words};

/// Most memories and contested beliefs at the start of a session.
const RECENT: usize = 10;
/// Most memories beside a prompt, and their tokens together.
const BESIDE: usize = 5;
const BESIDE_TOKENS: usize = 600;
/// Longest injected text, in characters: some 1,500 tokens.
const MAX_INJECTED: usize = 6_000;
/// Longest question that a prompt is taken for, in characters.
const MAX_QUESTION: usize = 500;
/// Time after which a hook gives up, but for the import of a transcript.
const PATIENCE: Duration = Duration::from_secs(2);
const IMPORT_PATIENCE: Duration = Duration::from_secs(25);

/// Event of a coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// A session begins: recent memories and contested beliefs are injected.
    SessionStart,
    /// The user has written: the turn is sealed, and memories that answer it are injected.
    UserPrompt,
    /// The conversation is about to be shortened: its turns are sealed.
    PreCompact,
    /// A session ends: its turns are sealed.
    SessionEnd,
}

/// Members of the input that are used; a host may send others.
#[derive(Debug, Deserialize)]
struct Input {
    #[serde(default)]
    session_id: String,
    transcript_path: Option<String>,
    prompt: Option<String>,
}

/// Runs a hook. Returns the JSON for standard output, and one line for standard error if something went wrong.
pub async fn run_hook(memory: &Memory, event: HookEvent, input: &str) -> (String, Option<String>) {
    let patience = match event {
        HookEvent::SessionStart | HookEvent::UserPrompt => PATIENCE,
        HookEvent::PreCompact | HookEvent::SessionEnd => IMPORT_PATIENCE,
    };
    let answered = tokio::time::timeout(patience, answer(memory, event, input)).await;
    let (context, problem) = match answered {
        Ok(Ok((context, problem))) => (context, problem),
        Ok(Err(failure)) => (None, Some(failure)),
        Err(_) => (
            None,
            Some(Failure::new("busy", "the store is busy", "nothing is lost")),
        ),
    };
    let output = match (event, context) {
        (HookEvent::SessionStart, Some(context)) => injected("SessionStart", &context),
        (HookEvent::UserPrompt, Some(context)) => injected("UserPromptSubmit", &context),
        _ => json!({}),
    };
    (output.to_string(), problem.map(|failure| failure.line()))
}

async fn answer(
    memory: &Memory,
    event: HookEvent,
    input: &str,
) -> Result<(Option<String>, Option<Failure>), Failure> {
    let input: Input = serde_json::from_str(input).map_err(|_| {
        Failure::arguments(
            "standard input is no JSON of a hook",
            "let the coding agent start this command",
        )
    })?;
    memory.must_exist()?;
    match event {
        HookEvent::SessionStart => Ok((Some(at_start(memory).await?), None)),
        HookEvent::UserPrompt => {
            let given = input.prompt.as_deref().unwrap_or_default();
            let Some(prompt) = own_words(given) else {
                let problem = (given.len() > MAX_TEXT).then(|| {
                    Failure::arguments(
                        format!(
                            "the prompt has more than {} KiB and is not sealed",
                            MAX_TEXT >> 10
                        ),
                        "a file of that size is better imported: `counterfoil import`",
                    )
                });
                return Ok((None, problem));
            };
            let beside = beside(memory, &input.session_id, &prompt).await;
            let turn = Turn {
                speaker: Speaker::User,
                text: prompt,
            };
            let sealed = seal(memory, &input.session_id, turn).await;
            let (context, problem) = match beside {
                Ok(context) => (context, sealed.err()),
                Err(failure) => (None, Some(failure)),
            };
            Ok((context, problem))
        }
        HookEvent::PreCompact | HookEvent::SessionEnd => {
            let Some(path) = &input.transcript_path else {
                return Ok((None, None));
            };
            let turns = transcript::turns(Path::new(path)).map_err(|error| {
                Failure::arguments(
                    format!("the transcript cannot be read ({error})"),
                    "look at the path that the coding agent gave",
                )
            })?;
            // One that is refused does not stand in the way of those after it.
            let mut problem = None;
            for turn in turns {
                if let Err(failure) = seal(memory, &input.session_id, turn).await {
                    problem.get_or_insert(failure);
                }
            }
            Ok((None, problem))
        }
    }
}

/// Memories that were recorded last, and contested beliefs.
async fn at_start(memory: &Memory) -> Result<String, Failure> {
    let recent = resources::recent(memory, RECENT).await?;
    let contested = resources::contested(memory, RECENT).await?;
    Ok(format!(
        "Recent memories. {recent}\nContested beliefs. {contested}"
    ))
}

/// Memories that are likely to answer a prompt; none where nothing does.
async fn beside(memory: &Memory, session: &str, prompt: &str) -> Result<Option<String>, Failure> {
    let question: String = prompt.chars().take(MAX_QUESTION).collect();
    let options = RecallOptions {
        max: BESIDE,
        token_budget: Some(BESIDE_TOKENS),
        ..RecallOptions::default()
    };
    // A prompt of other signs than words asks for nothing.
    let Ok(recalled) = memory.recall(&question, &options).await else {
        return Ok(None);
    };
    if recalled.hits().is_empty() || !recalled.is_likely() {
        return Ok(None);
    }
    let mut document = calls::document_of(&recalled, Detail::Full)?;
    let items = document.get_mut("items").and_then(Value::as_array_mut);
    let Some(items) = items else {
        return Ok(None);
    };
    // The turns of this session are in the conversation already.
    items.retain(|item| item.pointer("/data/source/session") != Some(&session.into()));
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        item.remove("data");
    }
    match items.is_empty() {
        true => Ok(None),
        false => Ok(Some(calls::listed(&document))),
    }
}

/// Seals a turn, once in its session.
async fn seal(memory: &Memory, session: &str, turn: Turn) -> Result<(), Failure> {
    let speaker = turn.speaker;
    let mut named = blake3::Hasher::new();
    for part in [speaker.name(), session, &turn.text] {
        named.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        named.update(part.as_bytes());
    }
    let key = format!("turn:{}", named.finalize().to_hex());
    let data = json!({
        "kind": "turn",
        "text": turn.text,
        "speaker": speaker.name(),
        "channel": speaker.channel(),
        "source": {"format": "coding-agent", "session": session},
    });
    memory.remember(Note::document(data).key(key)).await?;
    Ok(())
}

/// The answer of a hook that injects a text. The marks let a later hook tell it from the words of a turn.
fn injected(event: &str, context: &str) -> Value {
    let context: String = context.chars().take(MAX_INJECTED).collect();
    json!({
        "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": format!("{BEGIN}\n{context}\n{END}"),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    async fn memory(folder: &Path) -> Memory {
        Memory::create(folder.join("memory")).await.unwrap()
    }

    async fn count(memory: &Memory) -> u64 {
        let report = memory.stats(false).await.unwrap();
        let mut pointers = ["/memories", "/worlds"].iter();
        pointers.find_map(|it| report.number(it)).unwrap()
    }

    fn context(output: &str) -> String {
        let output: Value = serde_json::from_str(output).unwrap();
        let context = output.pointer("/hookSpecificOutput/additionalContext");
        context
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    #[tokio::test]
    async fn a_prompt_is_sealed_once_and_memories_come_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path()).await;
        memory.remember("Kit is allergic to sesame").await.unwrap();
        let input = json!({"session_id": "s", "prompt": "Which allergy to sesame does Kit have?"});
        let (output, problem) = run_hook(&memory, HookEvent::UserPrompt, &input.to_string()).await;
        assert_eq!(problem, None);
        let context = context(&output);
        assert!(
            context.contains("\"Kit is allergic to sesame\""),
            "{output}"
        );
        assert!(
            context.starts_with(BEGIN) && context.ends_with(END),
            "{output}"
        );
        let before = count(&memory).await;
        run_hook(&memory, HookEvent::UserPrompt, &input.to_string()).await;
        assert_eq!(count(&memory).await, before);
    }

    /// Memories that were injected came back as turns of the user, and each session remembered them again.
    #[tokio::test]
    async fn injected_memories_are_not_remembered_again() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path()).await;
        memory.remember("Kit is allergic to sesame").await.unwrap();
        let start = json!({"session_id": "s"}).to_string();
        let (output, _) = run_hook(&memory, HookEvent::SessionStart, &start).await;
        let injected = context(&output);
        assert!(injected.contains("sesame"), "{output}");
        let before = count(&memory).await;
        let prompt = json!({"session_id": "s", "prompt": injected}).to_string();
        let (_, problem) = run_hook(&memory, HookEvent::UserPrompt, &prompt).await;
        assert_eq!((problem, count(&memory).await), (None, before));
        let mut transcript = tempfile::NamedTempFile::new().unwrap();
        for content in [json!(injected), json!([{"type": "text", "text": injected}])] {
            let line = json!({"type": "user", "message": {"content": content}});
            writeln!(transcript, "{line}").unwrap();
        }
        let end = json!({"session_id": "s", "transcript_path": transcript.path()}).to_string();
        let (_, problem) = run_hook(&memory, HookEvent::SessionEnd, &end).await;
        assert_eq!((problem, count(&memory).await), (None, before));
    }

    #[tokio::test]
    async fn a_transcript_adds_the_turns_that_are_not_sealed_yet() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path()).await;
        let prompt = json!({"session_id": "s", "prompt": "I moved to Porto"}).to_string();
        run_hook(&memory, HookEvent::UserPrompt, &prompt).await;
        let before = count(&memory).await;
        let mut transcript = tempfile::NamedTempFile::new().unwrap();
        for (kind, text) in [("user", "I moved to Porto"), ("assistant", "Noted: Porto.")] {
            let line = json!({"type": kind, "message": {"content": text}, "timestamp": "2026-01-02T03:04:05Z"});
            writeln!(transcript, "{line}").unwrap();
        }
        let end = json!({"session_id": "s", "transcript_path": transcript.path()}).to_string();
        for event in [HookEvent::PreCompact, HookEvent::SessionEnd] {
            let (output, problem) = run_hook(&memory, event, &end).await;
            assert_eq!((output.as_str(), problem), ("{}", None));
            assert_eq!(count(&memory).await, before + 1);
        }
    }

    /// A turn that its user had taken back ended the import of all that followed.
    #[tokio::test]
    async fn what_was_taken_back_stays_so_and_the_rest_is_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path()).await;
        let mut transcript = tempfile::NamedTempFile::new().unwrap();
        for text in ["My card is 1234", "We ship on Friday"] {
            writeln!(
                transcript,
                "{}",
                json!({"type": "user", "message": {"content": text}})
            )
            .unwrap();
        }
        let prompt = json!({"session_id": "s", "prompt": "My card is 1234"}).to_string();
        run_hook(&memory, HookEvent::UserPrompt, &prompt).await;
        let options = RecallOptions::default();
        let card = memory.recall("card", &options).await.unwrap();
        let id = card.hits()[0].id.to_string();
        memory.forget(&id, "secret").await.unwrap();
        let end = json!({"session_id": "s", "transcript_path": transcript.path()}).to_string();
        let (_, problem) = run_hook(&memory, HookEvent::SessionEnd, &end).await;
        assert_eq!(problem, None);
        let found = memory.recall("Friday", &options).await.unwrap();
        assert_eq!(found.hits().len(), 1);
        assert!(
            memory
                .recall("card", &options)
                .await
                .unwrap()
                .hits()
                .is_empty()
        );
    }

    #[tokio::test]
    async fn a_prompt_that_is_too_long_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let memory = memory(folder.path()).await;
        let prompt = json!({"session_id": "s", "prompt": "x".repeat(MAX_TEXT + 1)}).to_string();
        let (output, problem) = run_hook(&memory, HookEvent::UserPrompt, &prompt).await;
        assert_eq!(output, "{}");
        assert!(problem.unwrap().contains("256 KiB"));
    }

    #[tokio::test]
    async fn what_goes_wrong_is_one_line_and_the_turn_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = Memory::builder(folder.path().join("none")).build();
        let start = json!({"session_id": "s"}).to_string();
        let memory = memory(folder.path()).await;
        let end = json!({"session_id": "s", "transcript_path": "/none"}).to_string();
        for (memory, event, input) in [
            (&nowhere, HookEvent::SessionStart, start.as_str()),
            (&memory, HookEvent::SessionEnd, &end),
            (&memory, HookEvent::UserPrompt, "no JSON"),
        ] {
            let (output, problem) = run_hook(memory, event, input).await;
            assert_eq!(output, "{}");
            assert!(!problem.unwrap().contains('\n'));
        }
    }
}
