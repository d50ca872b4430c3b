//! Tells what a file is from how it begins, never from its name.

use std::path::Path;

use counterfoil_types::json::Value;

use super::{BYTE_ORDER_MARK, chat};
use crate::error::Error;
use crate::import::ImportFormat;

/// Detects the format of a file from its first bytes.
pub(crate) fn detect(path: &Path, head: &[u8]) -> Result<ImportFormat, Error> {
    let content = head
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(head)
        .trim_ascii_start();
    if content.is_empty() {
        return Err(Error::input(
            format_args!("{} is empty", path.display()),
            "name a file with turns in it",
        ));
    }
    by_content(content).ok_or_else(|| {
        Error::input(
            format_args!(
                "{} is in none of the formats that are imported, as far as its beginning tells",
                path.display()
            ),
            "say what it is with --format; `counterfoil import --help` lists the formats",
        )
    })
}

fn by_content(content: &[u8]) -> Option<ImportFormat> {
    let end = content.iter().position(|byte| *byte == b'\n');
    let first = content
        .get(..end.unwrap_or(content.len()))?
        .trim_ascii_end();
    match content.first()? {
        b'[' if std::str::from_utf8(first).is_ok_and(|line| chat::stamp(line).is_some()) => {
            Some(ImportFormat::Chat)
        }
        b'[' => Some(document(content).unwrap_or(ImportFormat::Locomo)),
        b'{' => Some(object(first, end.is_some(), content)),
        b'-' if first == b"---" => Some(ImportFormat::Markdown),
        b'#' => Some(ImportFormat::Markdown),
        _ => None,
    }
}

/// Format of a document that another program exported, by the members that it alone has.
fn document(content: &[u8]) -> Option<ImportFormat> {
    let has = |member: &str| mentions(content, member.as_bytes());
    if let Some(format) = of_agents(content) {
        Some(format)
    } else if has("\"mapping\"") && (has("\"current_node\"") || has("\"create_time\"")) {
        Some(ImportFormat::Chatgpt)
    } else if has("\"chat_messages\"") {
        Some(ImportFormat::Claude)
    } else if has("\"memory\"") && has("\"id\"") && !has("\"session_1\"") {
        Some(ImportFormat::Mem0)
    } else {
        None
    }
}

/// Format of a dump of another memory for agents. In a text of a turn its quotes would be escaped.
fn of_agents(content: &[u8]) -> Option<ImportFormat> {
    let has = |members: &[&str]| {
        let quoted = members.iter().map(|member| format!("\"{member}\""));
        quoted
            .into_iter()
            .all(|it| mentions(content, it.as_bytes()))
    };
    if has(&["agents", "block_ids"]) || has(&["agent_type", "core_memory"]) {
        Some(ImportFormat::Letta)
    } else if ["source_description", "valid_at", "episodes"]
        .iter()
        .any(|of_zep| has(&["uuid", "content", of_zep]))
    {
        Some(ImportFormat::Zep)
    } else if has(&["key", "value", "namespace"]) || has(&["key", "value", "prefix"]) {
        Some(ImportFormat::Langgraph)
    } else {
        None
    }
}

/// A file that begins with an object: a line that is one, or a document that is spread over lines.
fn object(first: &[u8], has_more: bool, content: &[u8]) -> ImportFormat {
    let is = |value: &Value, kind: &str| value.get("type").is_some_and(|it| it == kind);
    let has = |value: &Value, name: &str| value.get(name).is_some();
    let is_line = |value: &Value| has(value, "text") || has(value, "time") || has(value, "type");
    let whole = serde_json::from_slice::<Value>(first);
    if !whole.as_ref().is_ok_and(is_line)
        && let Some(format) = of_agents(content)
    {
        return format;
    }
    match whole {
        Ok(value) if is(&value, "memory_capsule") => ImportFormat::Capsules,
        Ok(value) if has(&value, "text") || has(&value, "time") => ImportFormat::Jsonl,
        Ok(value) if is(&value, "entity") || is(&value, "relation") => ImportFormat::MemoryJson,
        Ok(value) if has(&value, "messages") || has(&value, "role") => ImportFormat::Messages,
        Ok(value) if value.get("conversation").is_some_and(Value::is_object) => {
            ImportFormat::Locomo
        }
        Ok(value) if has(&value, "session_1") => ImportFormat::Locomo,
        Ok(_) => document(first).unwrap_or(ImportFormat::Jsonl),
        // The first lines of an export may be longer than what is looked at.
        Err(_) if first.starts_with(br#"{"agent":"did:key:"#) => ImportFormat::Capsules,
        Err(error) if error.is_eof() && !mentions(first, b"\"text\"") => {
            document(content).unwrap_or(ImportFormat::Locomo)
        }
        Err(_) if !has_more && mentions(first, b"\"session_1\"") => ImportFormat::Locomo,
        Err(_) if has_more => ImportFormat::Jsonl,
        Err(_) => document(first).unwrap_or(ImportFormat::Jsonl),
    }
}

fn mentions(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(head: &str) -> Option<ImportFormat> {
        by_content(head.trim_ascii_start().as_bytes())
    }

    #[test]
    fn each_format_is_told_by_how_it_begins() {
        for (head, format) in [
            ("[2025-03-01 10:15] Ada: hi\n", ImportFormat::Chat),
            ("[\n {\"qa\": []", ImportFormat::Locomo),
            ("[{\"qa\":[", ImportFormat::Locomo),
            ("{\n  \"conversation\": {", ImportFormat::Locomo),
            (
                "{\"sample_id\":\"c\",\"conversation\":{\"session_1\":[{\"text\":\"",
                ImportFormat::Locomo,
            ),
            (
                "{\"conversation\":\"c\",\"time\":\"t\",\"text\":\"x\"}\n{",
                ImportFormat::Jsonl,
            ),
            (
                "{\"conversation\":\"c\",\"text\":\"x\n{",
                ImportFormat::Jsonl,
            ),
            ("  {\"a\":1}\n", ImportFormat::Jsonl),
            (
                "[{\"title\":\"Bread\",\"create_time\":1.5,\"mapping\":{\"a\":",
                ImportFormat::Chatgpt,
            ),
            (
                "[\n{\"uuid\":\"c\",\n\"chat_messages\": [",
                ImportFormat::Claude,
            ),
            (
                "{\"role\":\"user\",\"content\":\"hi\"}\n{",
                ImportFormat::Messages,
            ),
            (
                "{\"messages\":[{\"role\":\"user\"}]}",
                ImportFormat::Messages,
            ),
            (
                "{\"type\":\"entity\",\"name\":\"Kit\",\"observations\":[]}\n",
                ImportFormat::MemoryJson,
            ),
            (
                "{\"type\":\"relation\",\"from\":\"a\"}",
                ImportFormat::MemoryJson,
            ),
            (
                "[{\"id\":\"1\",\"memory\":\"likes rye\"}]",
                ImportFormat::Mem0,
            ),
            (
                "{\"results\":[{\"id\":\"1\",\"memory\":\"x\"}]}",
                ImportFormat::Mem0,
            ),
            (
                "{\n \"results\": [\n {\"id\": \"1\", \"memory\": \"x\"}",
                ImportFormat::Mem0,
            ),
            ("---\ntitle: Bread\n---\n", ImportFormat::Markdown),
            ("# Bread\n", ImportFormat::Markdown),
        ] {
            assert_eq!(told(head), Some(format), "{head}");
        }
    }

    #[test]
    fn dumps_of_other_memories_are_told_by_their_members() {
        for (head, format) in [
            (
                r#"{"agents":[{"name":"Q","block_ids":[],"messages":[{"content":[{"text":""#,
                ImportFormat::Letta,
            ),
            (
                "{\n  \"agent_type\": \"a\",\n  \"core_memory\": [",
                ImportFormat::Letta,
            ),
            (
                r#"{"agent_type":"m","core_memory":[],"messages":[]}"#,
                ImportFormat::Letta,
            ),
            (
                r#"{"episodes":[{"uuid":"1","content":"x","source_description":""}]}"#,
                ImportFormat::Zep,
            ),
            (
                r#"{"episodes":[{"uuid":"1","content":"x","created_at":"2025-01-01T00:00:00Z"}]}"#,
                ImportFormat::Zep,
            ),
            (
                r#"[{"uuid":"1","content":"x","valid_at":"2025-01-01T00:00:00Z"}]"#,
                ImportFormat::Zep,
            ),
            (
                "[{\"uuid\":\"1\",\n\"source_description\":\"\",\"content\":\"x\"}",
                ImportFormat::Zep,
            ),
            (
                r#"[{"namespace":["memories"],"key":"1","value":{"content":{"memory":"x"}}}]"#,
                ImportFormat::Langgraph,
            ),
            (
                r#"{"items":[{"prefix":"a","key":"1","value":{}}]}"#,
                ImportFormat::Langgraph,
            ),
            // A turn of our own may have members of these names.
            (
                "{\"text\":\"\",\"time\":\"t\",\"key\":1,\"value\":1,\"namespace\":1}\n",
                ImportFormat::Jsonl,
            ),
        ] {
            assert_eq!(told(head), Some(format), "{head}");
        }
    }

    #[test]
    fn other_files_are_not_guessed() {
        for head in ["hello", "SQLite format 3\0", "x,y,z\n"] {
            assert_eq!(told(head), None, "{head:?}");
        }
    }
}
