//! The memory tool of a model: files below `/memories`, each a chain of versions (decision 0074).

mod command;
mod path;
mod text;

use std::sync::Arc;

use counterfoil_sqlite::SqliteStore;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, WorldId};
use serde::Serialize;

use crate::error::Error;
use crate::file_chains::{FileWrite, Folder, SealedFile, SealedFiles, sealed_files};
use crate::folder::{FileContent, MAX_FILE_BYTES};
use crate::memory::Memory;
use crate::repeated::is_late;
use command::Command;
use path::{ROOT, ToolPath};

/// Attempts while other programs write first.
const TRIES: u32 = 3;

/// Commands of the memory tool `memory_20250818`, carried out on memories: `view`, `create`, `str_replace`, `insert`, `delete`, `rename`.
///
/// Each file is a memory, and each change a version of it, in the scope that the memory is bound to. All that is written is the word of a
/// model. A file that is deleted is forgotten, and its versions stay.
#[derive(Clone)]
pub struct MemoryTool {
    memory: Memory,
}

/// Answer to a command, as the model gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryToolResult {
    /// The command was not carried out.
    pub is_error: bool,
    /// The text that the contract of the tool asks for.
    pub text: String,
}

/// Reason why a command was not carried out.
enum Fault {
    /// The model's: it is answered.
    Command(String),
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// The files as they are, and where they are changed.
struct Files<'m> {
    memory: &'m Memory,
    folder: Folder,
    sealed: SealedFiles,
}

impl MemoryTool {
    /// The tool over a memory; within its scope, if it is bound to one.
    pub const fn new(memory: Memory) -> Self {
        Self { memory }
    }

    /// Carries out one command, given as the model sends it: `{"command": "view", "path": "/memories"}`. A fault of the
    /// command is an answer.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn run(&self, command: &Value) -> Result<MemoryToolResult, Error> {
        let command = match serde_json::from_value::<Command>(command.clone()) {
            Ok(command) => command,
            Err(error) => return Ok(answer(true, format!("Error: {error}"))),
        };
        if self.memory.home().is_missing() {
            // A command that fails without any file fails without a store.
            return match self.files().carry_out(&command).await {
                Err(Fault::Command(text)) => Ok(answer(true, text)),
                _ => Err(self.memory.home().missing()),
            };
        }
        self.memory.must_exist()?;
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match self.attempt(&command).await {
                Ok(text) => return Ok(answer(false, text)),
                Err(Fault::Command(text)) => return Ok(answer(true, text)),
                // Another program was faster: the command is for what it wrote.
                Err(Fault::Failed(error)) if tries > 0 && is_late(error.store()) => {}
                Err(Fault::Failed(error)) => return Err(error),
            }
        }
    }

    async fn attempt(&self, command: &Command) -> Result<String, Fault> {
        let whole = self.memory.whole();
        let (store, agent): (Arc<SqliteStore>, DidKey) = match command {
            Command::View { .. } => (whole.reader()?, whole.home().agent_public()?),
            _ => (whole.writer()?, whole.signer()?.agent()),
        };
        let mut files = self.files();
        files.sealed = sealed_files(&store, &files.folder, agent).await?;
        // A person has forgotten them.
        files.sealed.files.retain(|file| !file.is_forgotten);
        files.carry_out(command).await
    }

    /// The files where none is sealed.
    fn files(&self) -> Files<'_> {
        let scope = self.memory.scope().clone();
        Files {
            memory: &self.memory,
            folder: Folder::new("memory-tool", ROOT.to_owned(), scope).of_model(),
            sealed: SealedFiles::default(),
        }
    }
}

impl Files<'_> {
    async fn carry_out(&self, command: &Command) -> Result<String, Fault> {
        match command {
            Command::View { path, view_range } => self.view(&parsed(path)?, *view_range),
            Command::Create { path, file_text } => self.create(&parsed(path)?, file_text).await,
            Command::StrReplace {
                path,
                old_str,
                new_str,
            } => {
                let path = parsed(path)?;
                let missing = || {
                    format!("Error: The path {path} does not exist. Please provide a valid path.")
                };
                let file = self
                    .file(&path)
                    .ok_or_else(missing)
                    .map_err(Fault::Command)?;
                let edited = text::replaced(&path, &file.text, (old_str, new_str));
                let (edited, said) = edited.map_err(Fault::Command)?;
                self.write(Some(file), &path, edited).await?;
                Ok(said)
            }
            Command::Insert {
                path,
                insert_line,
                insert_text,
            } => {
                let path = parsed(path)?;
                let file = self.file(&path).ok_or_else(|| missing(&path))?;
                let edited = text::inserted(&file.text, *insert_line, insert_text);
                self.write(Some(file), &path, edited.map_err(Fault::Command)?)
                    .await?;
                Ok(format!("The file {path} has been edited."))
            }
            Command::Delete { path } => self.delete(&parsed(path)?).await,
            Command::Rename { old_path, new_path } => {
                self.rename(&parsed(old_path)?, &parsed(new_path)?).await
            }
        }
    }

    fn file(&self, path: &ToolPath) -> Option<&SealedFile> {
        self.sealed
            .files
            .iter()
            .find(|file| file.path == path.below())
    }

    /// Files of a folder, with their paths relative to it.
    fn in_folder<'f>(&'f self, path: &'f ToolPath) -> Vec<(&'f str, &'f SealedFile)> {
        let files = self.sealed.files.iter();
        let within = |file: &'f SealedFile| Some((path.within(&file.path)?, file));
        files.filter_map(within).collect()
    }

    fn is_there(&self, path: &ToolPath) -> bool {
        path.is_root() || self.file(path).is_some() || !self.in_folder(path).is_empty()
    }

    fn view(&self, path: &ToolPath, range: Option<[i64; 2]>) -> Result<String, Fault> {
        if let Some(file) = self.file(path) {
            return text::content(path, &file.text, range).map_err(Fault::Command);
        }
        if !self.is_there(path) {
            return Err(Fault::Command(format!(
                "The path {path} does not exist. Please provide a valid path."
            )));
        }
        let files = self.in_folder(path).into_iter();
        let files: Vec<_> = files.map(|(path, file)| (path, file.text.len())).collect();
        Ok(text::listing(path, &files))
    }

    async fn create(&self, path: &ToolPath, text: &str) -> Result<String, Fault> {
        if self.is_there(path) {
            return Err(Fault::Command(format!("Error: File {path} already exists")));
        }
        self.must_not_be_in_a_file(path)?;
        self.write(None, path, text.to_owned()).await?;
        Ok(format!("File created successfully at: {path}"))
    }

    async fn delete(&self, path: &ToolPath) -> Result<String, Fault> {
        self.must_be_changeable(path)?;
        let files = self.files_at(path);
        for (_, file) in &files {
            self.memory.forget_file(file).await?;
        }
        Ok(format!("Successfully deleted {path}"))
    }

    async fn rename(&self, old: &ToolPath, new: &ToolPath) -> Result<String, Fault> {
        self.must_be_changeable(old)?;
        if self.is_there(new) {
            return Err(Fault::Command(format!(
                "Error: The destination {new} already exists"
            )));
        }
        self.must_not_be_in_a_file(new)?;
        if old.within(new.below()).is_some() {
            return Err(Fault::Command(format!(
                "Error: The destination {new} is inside of {old}"
            )));
        }
        let files = self.files_at(old).into_iter();
        let moved = files.map(|(below, file)| {
            let path = match below {
                "" => new.to_string(),
                below => format!("{new}/{below}"),
            };
            Ok((file, parsed(&path)?))
        });
        let moved = moved.collect::<Result<Vec<_>, Fault>>()?;
        let writes = moved.iter().map(|(file, path)| FileWrite {
            file: Some(*file),
            path: path.below().to_owned(),
            content: content(file.text.clone()),
        });
        let writes: Vec<_> = writes.collect();
        let whole = self.memory.whole();
        whole
            .write_files(&self.folder, &self.sealed, &writes)
            .await?;
        Ok(format!("Successfully renamed {old} to {new}"))
    }

    /// The file of this path, or those of the folder.
    fn files_at<'f>(&'f self, path: &'f ToolPath) -> Vec<(&'f str, &'f SealedFile)> {
        match self.file(path) {
            Some(file) => vec![("", file)],
            None => self.in_folder(path),
        }
    }

    fn must_be_changeable(&self, path: &ToolPath) -> Result<(), Fault> {
        if path.is_root() {
            return Err(Fault::Command(format!(
                "Error: The path {path} itself cannot be changed"
            )));
        }
        match self.is_there(path) {
            true => Ok(()),
            false => Err(missing(path)),
        }
    }

    /// Refuses a path through a file, as if that was a folder.
    fn must_not_be_in_a_file(&self, path: &ToolPath) -> Result<(), Fault> {
        let below = path.below();
        let above = self.sealed.files.iter().find(|file| {
            let rest = below.strip_prefix(file.path.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        });
        match above {
            None => Ok(()),
            Some(file) => Err(Fault::Command(format!(
                "Error: {ROOT}/{} is a file",
                file.path
            ))),
        }
    }

    /// Seals a text as the next version of a file, or as a new one. The same text again is no version.
    async fn write(
        &self,
        file: Option<&SealedFile>,
        path: &ToolPath,
        text: String,
    ) -> Result<Option<WorldId>, Fault> {
        if file.is_some_and(|file| file.text == text) {
            return Ok(None);
        }
        let content = content(text);
        let refused = match &content.text {
            text if text.contains('\0') => Some("contains the character NUL"),
            text if text.len() > MAX_FILE_BYTES => Some("is above 512 KiB"),
            _ if !self.folder.takes(path.below(), &content) => Some("is above 1 MiB as JSON"),
            _ => None,
        };
        if let Some(why) = refused {
            return Err(Fault::Command(format!("Error: The text of {path} {why}")));
        }
        // Up to here nothing needs a store.
        self.memory.must_exist()?;
        let write = FileWrite {
            file,
            path: path.below().to_owned(),
            content,
        };
        let whole = self.memory.whole();
        let written = whole
            .write_files(&self.folder, &self.sealed, &[write])
            .await?;
        Ok(written.into_iter().next().map(|(id, _)| id))
    }
}

const fn content(text: String) -> FileContent {
    FileContent {
        text,
        owner: None,
        modified: None,
    }
}

fn parsed(path: &str) -> Result<ToolPath, Fault> {
    ToolPath::parse(path).ok_or_else(|| {
        let shown: String = path.chars().take(80).collect();
        let refused = format!("Error: {shown:?} is no path of a file or folder in {ROOT}");
        Fault::Command(refused)
    })
}

fn missing(path: &ToolPath) -> Fault {
    Fault::Command(format!("Error: The path {path} does not exist"))
}

const fn answer(is_error: bool, text: String) -> MemoryToolResult {
    MemoryToolResult { is_error, text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecallOptions;

    async fn tool() -> (tempfile::TempDir, Memory, MemoryTool) {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let tool = MemoryTool::new(memory.clone());
        (folder, memory, tool)
    }

    impl MemoryTool {
        async fn said(&self, command: Value) -> String {
            let result = self.run(&command).await.unwrap();
            assert!(!result.is_error, "{command}: {}", result.text);
            result.text
        }

        async fn refused(&self, command: Value) -> String {
            let result = self.run(&command).await.unwrap();
            assert!(result.is_error, "{command}: {}", result.text);
            result.text
        }
    }

    fn create(path: &str, text: &str) -> Value {
        json!({"command": "create", "path": path, "file_text": text})
    }

    fn view(path: &str) -> Value {
        json!({"command": "view", "path": path})
    }

    async fn recalled(memory: &Memory, query: &str) -> usize {
        let recalled = memory.recall(query, &RecallOptions::default()).await;
        recalled.unwrap().hits().len()
    }

    /// The answers of the contract, and nothing else.
    #[tokio::test]
    async fn each_command_answers_as_the_contract_says() {
        let (_folder, _, tool) = tool().await;
        let empty = tool.said(view("/memories")).await;
        assert!(empty.ends_with("node_modules:\n0B\t/memories"), "{empty}");
        let created = tool.said(create("/memories/days/a.md", "one\ntwo\n")).await;
        assert_eq!(created, "File created successfully at: /memories/days/a.md");
        let again = tool.refused(create("/memories/days/a.md", "x")).await;
        assert_eq!(again, "Error: File /memories/days/a.md already exists");
        let replace = |old: &str| json!({"command": "str_replace", "path": "/memories/days/a.md", "old_str": old, "new_str": "2"});
        let edited = tool.said(replace("two")).await;
        assert_eq!(
            edited,
            "The memory file has been edited.\n     1\tone\n     2\t2"
        );
        let insert = |path: &str| json!({"command": "insert", "path": path, "insert_line": 2, "insert_text": "three"});
        let inserted = tool.said(insert("/memories/days/a.md")).await;
        assert_eq!(inserted, "The file /memories/days/a.md has been edited.");
        assert_eq!(
            tool.said(view("/memories/days/a.md")).await,
            "Here's the content of /memories/days/a.md with line numbers:\n     1\tone\n     2\t2\n     3\tthree"
        );
        let rename =
            |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
        let renamed = tool
            .said(rename("/memories/days", "/memories/nights"))
            .await;
        assert_eq!(
            renamed,
            "Successfully renamed /memories/days to /memories/nights"
        );
        let listed = tool.said(view("/memories")).await;
        assert!(
            listed.ends_with("12B\t/memories\n12B\t/memories/nights\n12B\t/memories/nights/a.md"),
            "{listed}"
        );
    }

    /// What is wrong with a command is an answer of the contract, and nothing is changed.
    #[tokio::test]
    async fn a_wrong_command_is_answered_as_the_contract_says() {
        let (_folder, _, tool) = tool().await;
        tool.said(create("/memories/nights/a.md", "one\n2\n")).await;
        let replace = |path: &str| json!({"command": "str_replace", "path": path, "old_str": "2"});
        let insert = |path: &str| json!({"command": "insert", "path": path, "insert_line": 2, "insert_text": "3"});
        let rename =
            |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
        let delete = |path: &str| json!({"command": "delete", "path": path});
        for (command, text) in [
            (
                view("/memories/days"),
                "The path /memories/days does not exist. Please provide a valid path.",
            ),
            (
                insert("/memories/days/a.md"),
                "Error: The path /memories/days/a.md does not exist",
            ),
            (
                replace("/memories/days/a.md"),
                "Error: The path /memories/days/a.md does not exist. Please provide a valid path.",
            ),
            (
                insert("/memories/nights"),
                "Error: The path /memories/nights does not exist",
            ),
            (
                delete("/memories/days"),
                "Error: The path /memories/days does not exist",
            ),
            (
                rename("/memories/days", "/memories/a"),
                "Error: The path /memories/days does not exist",
            ),
            (
                rename("/memories/nights/a.md", "/memories/nights"),
                "Error: The destination /memories/nights already exists",
            ),
            (
                rename("/memories/nights", "/memories/nights/deep"),
                "Error: The destination /memories/nights/deep is inside of /memories/nights",
            ),
            (
                create("/memories/nights/a.md/b", "x"),
                "Error: /memories/nights/a.md is a file",
            ),
            (
                create("/memories/nights", "x"),
                "Error: File /memories/nights already exists",
            ),
            (
                delete("/memories"),
                "Error: The path /memories itself cannot be changed",
            ),
            (
                view("/memories/../etc"),
                "Error: \"/memories/../etc\" is no path of a file or folder in /memories",
            ),
            (
                create("/memories/z", "\0"),
                "Error: The text of /memories/z contains the character NUL",
            ),
        ] {
            assert_eq!(tool.refused(command).await, text);
        }
        assert_eq!(
            tool.said(delete("/memories/nights")).await,
            "Successfully deleted /memories/nights"
        );
    }

    /// GRD-5; mutant `a-tool-writes-as-the-user`.
    #[tokio::test]
    async fn what_a_model_writes_is_a_models_word_and_each_change_a_version() {
        let (_folder, memory, tool) = tool().await;
        tool.said(create("/memories/a.md", "Kit likes tea")).await;
        let edit = json!({"command": "str_replace", "path": "/memories/a.md", "old_str": "tea", "new_str": "coffee"});
        tool.said(edit).await;
        tool.said(json!({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"})).await;
        let hits = memory
            .recall("coffee", &RecallOptions::default())
            .await
            .unwrap();
        let id = hits.hits().first().unwrap().id.to_string();
        let history = memory.history(&id, 10).await.unwrap();
        assert_eq!(history.number("/count"), Some(3));
        for version in 0..3 {
            let id = history.text(&format!("/versions/{version}/id")).unwrap();
            let shown = memory.show(id).await.unwrap();
            assert_eq!(shown.text("/world/data/channel"), Some("model"));
        }
    }

    /// GRD-7; mutant `a-deleted-file-is-recalled`: a deleted file is found no more, its versions stay, and a new file under its path is another memory.
    #[tokio::test]
    async fn what_is_deleted_is_forgotten_and_not_lost() {
        let (_folder, memory, tool) = tool().await;
        tool.said(create("/memories/a.md", "The heron key")).await;
        let hits = memory
            .recall("heron", &RecallOptions::default())
            .await
            .unwrap();
        let id = hits.hits().first().unwrap().id.to_string();
        tool.said(json!({"command": "delete", "path": "/memories/a.md"}))
            .await;
        assert_eq!(recalled(&memory, "heron").await, 0);
        let shown = memory.show(&id).await.unwrap();
        assert_eq!(shown.text("/world/data/text"), Some("The heron key"));
        tool.said(create("/memories/a.md", "The heron is back"))
            .await;
        assert_eq!(recalled(&memory, "heron").await, 1);
        assert_eq!(
            memory.history(&id, 9).await.unwrap().number("/count"),
            Some(1)
        );
    }

    /// Each scope has a folder of its own, which another one does not reach.
    #[tokio::test]
    async fn a_scope_has_its_own_files() {
        let (_folder, memory, tool) = tool().await;
        let kit = MemoryTool::new(memory.scoped(&"user=kit".parse().unwrap()).unwrap());
        kit.said(create("/memories/a.md", "of Kit")).await;
        tool.refused(view("/memories/a.md")).await;
        tool.said(create("/memories/a.md", "of all")).await;
        assert!(kit.said(view("/memories/a.md")).await.ends_with("of Kit"));
    }

    /// Two programs that create the same file at once make one.
    #[tokio::test]
    async fn a_file_is_created_once() {
        let (_folder, memory, tool) = tool().await;
        let other = MemoryTool::new(memory.clone());
        let command = create("/memories/a.md", "x");
        let (one, two) = tokio::join!(tool.run(&command), other.run(&command));
        let created = [one.unwrap(), two.unwrap()].map(|result| result.is_error);
        assert!(created.contains(&false));
        let listed = tool.said(view("/memories")).await;
        assert_eq!(listed.matches("a.md").count(), 1, "{listed}");
    }
}
