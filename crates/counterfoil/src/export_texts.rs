//! Memories as other programs read them: JSON Lines, Markdown, and `memory.json` of the MCP reference server. Without proofs.

use std::io::{self, Write};

use counterfoil_capsule::World;
use counterfoil_store::StoreError;
use counterfoil_types::json::Value;
use counterfoil_types::{Scope, WorldId, words};
use serde_json::json;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::{member, text_of};
use crate::report::{Report, object};
use crate::{versions, when};

/// Memories that are listed at once.
const PAGE: usize = 5_000;

words! {
    /// Formats of an export that other programs read.
    pub enum ExportFormat {
        /// One object a line, as [`ImportFormat::Jsonl`](crate::ImportFormat::Jsonl) is read.
        Jsonl = "jsonl",
        /// A section for each memory.
        Markdown = "markdown",
        /// `memory.json` of the MCP reference server: an entity for each memory.
        MemoryJson = "memory-json",
    }
}

/// A memory as it is written.
struct Written<'w> {
    id: &'w WorldId,
    text: String,
    who: Option<String>,
    time: String,
    data: &'w Value,
}

impl Memory {
    /// Writes the newest version of each memory in a format of other programs, the last recorded first. Left out, and counted, are facts and
    /// anything erased, archived or withheld; earlier versions and proofs are not in these formats.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when `out` takes no more.
    pub async fn export_texts(
        &self,
        format: ExportFormat,
        out: &mut (dyn Write + Send),
    ) -> Result<Report, Error> {
        let agent = self.home().agent_public()?;
        let (whole, scope) = (self.whole(), self.scope());
        let store = whole.reader()?;
        let standing = store.standing_at(when::stamp()?, &agent, scope).await?;
        let index = standing.map(|(_, index, _)| index);
        let (mut written, mut left_out, mut listed) = (0_u64, 0_u64, 0);
        while let Some(index) = index {
            let ids = store
                .current_at(index, &agent, scope, (listed, PAGE))
                .await?;
            if ids.is_empty() {
                break;
            }
            listed += ids.len();
            for id in &ids {
                let stored = match versions::stored(&store, id).await {
                    Err(StoreError::Archived { .. }) => None,
                    stored => StoreError::skip_withheld(stored)?,
                };
                let world = stored
                    .as_ref()
                    .map(versions::content)
                    .transpose()?
                    .flatten();
                let world = world.filter(|it| Scope::of(it.data()).contains(scope));
                match world.as_ref().and_then(Written::of) {
                    Some(memory) => {
                        let text = memory.line(format);
                        out.write_all(text.as_bytes()).map_err(unwritable)?;
                        written += 1;
                    }
                    None => left_out += 1,
                }
            }
        }
        out.flush().map_err(unwritable)?;
        Report::new(
            &object()
                .with("format", format.name())
                .with("memories", written)
                .with("leftOut", left_out),
        )
    }
}

impl<'w> Written<'w> {
    /// `None` for a fact, which only holds among the others of its line.
    fn of(world: &'w World) -> Option<Self> {
        let data = world.data()?;
        let is_fact = data.get("kind").is_some_and(|kind| kind == "claim");
        (!is_fact).then(|| Self {
            id: world.world_id(),
            text: text_of(world),
            who: member(world, "speaker").map(str::to_owned),
            time: when::rfc3339(world.created_at().value().saturating_mul(1000)),
            data,
        })
    }

    fn line(&self, format: ExportFormat) -> String {
        match format {
            ExportFormat::Jsonl => {
                let source = |name: &str| self.data.pointer(&format!("/source/{name}"))?.as_str();
                let line = json!({
                    "conversation": source("conversation").unwrap_or("counterfoil"),
                    "session": source("session"),
                    "id": source("id").map_or_else(|| self.id.to_string(), str::to_owned),
                    "speaker": self.who,
                    "time": self.time,
                    "text": self.text,
                    "memory": self.id,
                    "scope": self.data.get("scope"),
                    "tags": self.data.get("tags"),
                });
                one_line(line)
            }
            ExportFormat::Markdown => {
                let who = self.who.as_ref().map(|who| format!(", {who}"));
                let heading = format!("{}{}", self.time, who.unwrap_or_default());
                let heading = heading.replace(char::is_control, " ");
                format!(
                    "## {heading}\n\n{}\n\n`{}`\n\n",
                    self.text.trim_end(),
                    self.id
                )
            }
            ExportFormat::MemoryJson => {
                let entity = json!({
                    "type": "entity", "name": self.id, "entityType": "memory", "observations": [self.text],
                });
                let said = self.who.as_ref().map(|who| {
                    let relation = json!({
                        "type": "relation", "from": self.id, "to": who, "relationType": "said_by",
                    });
                    one_line(relation)
                });
                one_line(entity) + &said.unwrap_or_default()
            }
        }
    }
}

/// An object without the members that have no value, on one line.
fn one_line(mut object: Value) -> String {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    format!("{object}\n")
}

fn unwritable(error: io::Error) -> Error {
    Error::input(
        format_args!("the output takes no more ({error})"),
        "choose another",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportFormat, ImportOptions, Note};

    async fn exported(memory: &Memory, format: ExportFormat) -> (String, Report) {
        let mut out = Vec::new();
        let report = memory.export_texts(format, &mut out).await.unwrap();
        (String::from_utf8(out).unwrap(), report)
    }

    /// Law: what is written as JSON Lines and imported elsewhere says the same, and is the same when it is written again.
    #[tokio::test]
    async fn what_is_exported_is_imported_again() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("one")).await.unwrap();
        let kit = "user=kit".parse().unwrap();
        memory
            .remember(Note::from("Kit must not eat sesame").who("Ada").scope(kit))
            .await
            .unwrap();
        let lines = "Two\nlines, and \"quotes\"";
        let id = memory.remember(lines).await.unwrap().id.to_string();
        memory
            .update(&id, &crate::Edit::set("/text", "Three\nlines\nnow"))
            .await
            .unwrap();
        let gone = memory.remember("Forgotten").await.unwrap().id.to_string();
        memory.forget(&gone, "asked to").await.unwrap();
        let (text, report) = exported(&memory, ExportFormat::Jsonl).await;
        assert_eq!(
            (report.number("/memories"), text.lines().count()),
            (Some(2), 2)
        );
        assert!(!text.contains("Forgotten") && !text.contains("Two"));
        let file = folder.path().join("export.jsonl");
        std::fs::write(&file, &text).unwrap();
        let other = Memory::create(folder.path().join("two")).await.unwrap();
        let options = ImportOptions::default();
        let imported = other.import(&file, options).await.unwrap();
        assert_eq!(imported.number("/added"), Some(2));
        assert_eq!(imported.text("/format"), Some(ImportFormat::Jsonl.name()));
        let (again, _) = exported(&other, ExportFormat::Jsonl).await;
        let texts = |text: &str| {
            let lines = text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            let said =
                lines.map(|line| ["text", "speaker", "time"].map(|name| line[name].to_string()));
            said.collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(texts(&again), texts(&text));
    }

    #[tokio::test]
    async fn a_scope_is_exported_alone_and_facts_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        assert_eq!(exported(&memory, ExportFormat::Markdown).await.0, "");
        let kit = memory.scoped(&"user=kit".parse().unwrap()).unwrap();
        kit.remember(Note::from("Kit bakes").who("Ada"))
            .await
            .unwrap();
        memory.remember("Bo sings").await.unwrap();
        let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": "Porto"});
        memory
            .claim_of_model(fact.as_object().unwrap(), &[])
            .await
            .unwrap();
        let (text, report) = exported(&kit, ExportFormat::MemoryJson).await;
        assert!(text.contains("Kit bakes") && !text.contains("Bo"), "{text}");
        assert!(
            text.contains("\"relationType\":\"said_by\",\"to\":\"Ada\""),
            "{text}"
        );
        assert_eq!(
            (report.number("/memories"), report.number("/leftOut")),
            (Some(1), Some(0))
        );
        let (text, report) = exported(&memory, ExportFormat::Markdown).await;
        assert!(
            text.contains(", Ada\n\nKit bakes\n\n`mem_") && text.contains("Bo sings"),
            "{text}"
        );
        assert_eq!(
            (report.number("/memories"), report.number("/leftOut")),
            (Some(2), Some(1))
        );
    }
}
