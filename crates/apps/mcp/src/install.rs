//! The entry of this server in the configuration of a client: printed, or merged into the file that the client reads.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use counterfoil::{Error, write_file};
use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Largest configuration file that is read, in bytes.
const MAX_FILE: u64 = 4 << 20;
/// Name of the entry.
const NAME: &str = "counterfoil";
/// Option that binds a command to a scope.
const SCOPE: &str = "--scope";
/// Events of a coding agent that hooks are installed for, with the word of the hook.
const EVENTS: [(&str, &str); 4] = [
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt"),
    ("PreCompact", "pre-compact"),
    ("SessionEnd", "session-end"),
];

/// MCP client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code: `.mcp.json` and `.claude/settings.json` of a project.
    ClaudeCode,
    /// Cursor: `.cursor/mcp.json` of a project.
    Cursor,
    /// Codex: `.codex/config.toml` of the user.
    Codex,
    /// Visual Studio Code: `.vscode/mcp.json` of a project.
    VsCode,
    /// Zed: `.config/zed/settings.json` of the user.
    Zed,
}

/// Options of the entry in the configuration of a client.
#[derive(Debug, Clone, Default)]
pub struct InstallOptions {
    /// Program to start, and the arguments before `mcp`, such as `--dir DIR`.
    pub command: Vec<String>,
    /// Arguments after `mcp`.
    pub arguments: Vec<String>,
    /// Installs the hooks too; Claude Code alone has them.
    pub hooks: bool,
    /// Folder of the project.
    pub project: PathBuf,
    /// Home folder of the user.
    pub home: PathBuf,
}

/// One file of a client as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The file.
    pub path: PathBuf,
    /// Its text with the entry.
    pub text: String,
    /// False if the file has the entry already.
    pub changes: bool,
}

impl Client {
    /// All, in the order of their names.
    pub const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
    ];

    /// Word for the client.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
        }
    }

    /// Reads the files of the client, and merges the entry into them. Nothing is written.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) for a file that is not what the client writes, such as JSON with
    /// comments, for another entry of the same name, and for hooks where the client has none.
    pub fn plan(self, options: &InstallOptions) -> Result<Vec<Installation>, Error> {
        if options.hooks && self != Self::ClaudeCode {
            return Err(Error::input(
                format_args!("{} has no hooks that are known", self.name()),
                "leave --hooks out",
            ));
        }
        let (project, home) = (&options.project, &options.home);
        let entry = options.entry();
        let server = |path: PathBuf, group: &str, entry: Value| {
            let merged = merged(&path, |file| put(file, group, NAME, entry))?;
            Ok(vec![merged])
        };
        match self {
            Self::ClaudeCode => {
                let mut files = server(project.join(".mcp.json"), "mcpServers", entry)?;
                if options.hooks {
                    let path = project.join(".claude").join("settings.json");
                    files.push(merged(&path, |file| hooks(file, options))?);
                }
                Ok(files)
            }
            Self::Cursor => server(
                project.join(".cursor").join("mcp.json"),
                "mcpServers",
                entry,
            ),
            Self::VsCode => {
                let entry = with(entry, "type", "stdio");
                server(project.join(".vscode").join("mcp.json"), "servers", entry)
            }
            Self::Zed => {
                let entry = with(entry, "source", "custom");
                let path = home.join(".config").join("zed").join("settings.json");
                server(path, "context_servers", entry)
            }
            Self::Codex => Ok(vec![codex(
                &home.join(".codex").join("config.toml"),
                options,
            )?]),
        }
    }
}

impl Installation {
    /// Writes the file, and leaves what it was beside it as `.bak` or `.bak1` and so on. Returns the path of that copy, if there
    /// was a file.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) when a file cannot be written.
    pub fn write(&self) -> Result<Option<PathBuf>, Error> {
        let refused = |error: std::io::Error| {
            Error::input(
                format_args!("{} cannot be written ({error})", self.path.display()),
                "check your rights, or use --print",
            )
        };
        if !self.changes {
            return Ok(None);
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(refused)?;
        }
        let backup = match self.path.exists() {
            true => Some(self.back_up().map_err(refused)?),
            false => None,
        };
        write_file(&self.path, &self.text)?;
        Ok(backup)
    }

    fn back_up(&self) -> std::io::Result<PathBuf> {
        let bytes = fs::read(&self.path)?;
        for number in 0..1_000_u32 {
            let ending = match number {
                0 => "bak".to_owned(),
                number => format!("bak{number}"),
            };
            let mut path = self.path.clone().into_os_string();
            path.push(".");
            path.push(&ending);
            let path = PathBuf::from(path);
            match fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path)
            {
                Ok(mut file) => {
                    std::io::Write::write_all(&mut file, &bytes)?;
                    return Ok(path);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(std::io::Error::other("there are a thousand copies"))
    }
}

impl InstallOptions {
    /// Program, and all arguments of the server.
    fn parts(&self) -> (String, Vec<String>) {
        let mut words = self.command.iter().cloned();
        let program = words.next().unwrap_or_else(|| NAME.to_owned());
        let arguments = words.chain(["mcp".to_owned()]);
        (program, arguments.chain(self.arguments.clone()).collect())
    }

    fn entry(&self) -> Value {
        let (command, args) = self.parts();
        json!({"command": command, "args": args})
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|client| client.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is no client that is known; these are: {names}")
        })
    }
}

/// An entry with another member.
fn with(mut entry: Value, name: &str, word: &str) -> Value {
    if let Some(members) = entry.as_object_mut() {
        members.insert(name.to_owned(), word.into());
    }
    entry
}

/// The text of a file; `None` where there is none.
fn read(path: &Path) -> Result<Option<String>, Error> {
    let refused = |error: &dyn fmt::Display| {
        Error::input(
            format_args!("{} cannot be read ({error})", path.display()),
            "use --print and enter it yourself",
        )
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(&error)),
        Ok(found) if found.len() > MAX_FILE => return Err(refused(&"it is too large")),
        Ok(_) => {}
    }
    let text = fs::read_to_string(path).map_err(|error| refused(&error))?;
    Ok(Some(text))
}

/// The JSON file of a client after `change`.
fn merged(
    path: &Path,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<bool, String>,
) -> Result<Installation, Error> {
    let text = read(path)?;
    let refused = |why: &str| {
        Error::input(
            format_args!("{}: {why}", path.display()),
            "nothing was changed; use --print and enter it yourself",
        )
    };
    let was = text.as_deref().unwrap_or_default();
    let mut file = match was.trim() {
        "" => Map::new(),
        json => match serde_json::from_str(json) {
            Ok(Value::Object(members)) => members,
            Ok(_) => return Err(refused("it is no JSON object")),
            Err(_) => return Err(refused("it is no plain JSON, perhaps it has comments")),
        },
    };
    let changes = change(&mut file).map_err(|why| refused(&why))?;
    Ok(Installation {
        path: path.to_owned(),
        text: match changes {
            true => format!("{:#}\n", Value::Object(file)),
            false => was.to_owned(),
        },
        changes,
    })
}

/// Puts an entry into a group of the file. Returns false if it is there already.
fn put(
    file: &mut Map<String, Value>,
    group: &str,
    name: &str,
    entry: Value,
) -> Result<bool, String> {
    let members = file.entry(group).or_insert_with(|| json!({}));
    let members = members
        .as_object_mut()
        .ok_or_else(|| format!("`{group}` is no object"))?;
    match members.get(name) {
        Some(there) if *there == entry => Ok(false),
        Some(_) => Err(format!("`{group}` has another entry `{name}`")),
        None => {
            members.insert(name.to_owned(), entry);
            Ok(true)
        }
    }
}

/// Adds the hooks of this program, each once. Those of others stay.
fn hooks(file: &mut Map<String, Value>, options: &InstallOptions) -> Result<bool, String> {
    let (program, _) = options.parts();
    // A hook reaches what the session reaches, and seals turns where the session finds them.
    let scope = options.arguments.iter();
    let scope = scope.skip_while(|word| *word != SCOPE).take(2);
    let before = options.command.iter().skip(1).chain(scope);
    let before = before.map(|word| shell(word));
    let before: Vec<String> = std::iter::once(shell(&program)).chain(before).collect();
    let all = file.entry("hooks").or_insert_with(|| json!({}));
    let all = all.as_object_mut().ok_or("`hooks` is no object")?;
    let mut changes = false;
    for (event, word) in EVENTS {
        let command = format!("{} hook {word}", before.join(" "));
        let hook = json!({"type": "command", "command": command, "timeout": 30});
        let group = all.entry(event).or_insert_with(|| json!([]));
        let group = group
            .as_array_mut()
            .ok_or_else(|| format!("`hooks.{event}` is no array"))?;
        let is_there = group.iter().any(|matcher| {
            let hooks = matcher.get("hooks").and_then(Value::as_array);
            hooks.is_some_and(|hooks| hooks.contains(&hook))
        });
        if !is_there {
            group.push(json!({"hooks": [hook]}));
            changes = true;
        }
    }
    Ok(changes)
}

/// A word of a command line for a POSIX shell.
fn shell(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-=,:+@%".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The TOML file of Codex with the entry; all else in it stays as it is written.
fn codex(path: &Path, options: &InstallOptions) -> Result<Installation, Error> {
    let was = read(path)?.unwrap_or_default();
    let refused = |why: &dyn fmt::Display| {
        Error::input(
            format_args!("{}: {why}", path.display()),
            "nothing was changed; use --print and enter it yourself",
        )
    };
    let mut file: DocumentMut = was.parse().map_err(|_| refused(&"it is no TOML"))?;
    let (program, arguments) = options.parts();
    let mut entry = Table::new();
    entry.insert("command", value(program));
    entry.insert("args", value(arguments.into_iter().collect::<Array>()));
    let servers = file.entry("mcp_servers").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers
        .as_table_like_mut()
        .ok_or_else(|| refused(&"`mcp_servers` is no table"))?;
    let changes = match servers.get(NAME) {
        Some(there) if is_same(there, &entry) => false,
        Some(_) => return Err(refused(&"`mcp_servers` has another entry `counterfoil`")),
        None => {
            servers.insert(NAME, Item::Table(entry));
            true
        }
    };
    Ok(Installation {
        path: path.to_owned(),
        text: if changes { file.to_string() } else { was },
        changes,
    })
}

fn is_same(there: &Item, entry: &Table) -> bool {
    let command = |name: &str| there.get(name)?.as_str().map(str::to_owned);
    let args = there.get("args").and_then(Item::as_array);
    let args: Option<Vec<&str>> =
        args.map(|args| args.iter().filter_map(|it| it.as_str()).collect());
    let expected = entry.get("args").and_then(Item::as_array);
    let expected: Option<Vec<&str>> =
        expected.map(|args| args.iter().filter_map(|it| it.as_str()).collect());
    command("command").as_deref() == entry.get("command").and_then(Item::as_str) && args == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folder: &Path) -> InstallOptions {
        InstallOptions {
            command: vec!["counterfoil".into(), "--dir".into(), "/a b/it's".into()],
            arguments: vec!["--scope".into(), "user=kit".into()],
            hooks: false,
            project: folder.to_owned(),
            home: folder.to_owned(),
        }
    }

    #[test]
    fn each_client_has_an_entry_and_a_second_installation_changes_nothing() {
        for client in Client::ALL {
            let folder = tempfile::tempdir().unwrap();
            let options = options(folder.path());
            let plan = client.plan(&options).unwrap();
            for file in &plan {
                assert!(file.changes && file.text.contains("user=kit"), "{client}");
                assert_eq!(file.write().unwrap(), None);
            }
            let again = client.plan(&options).unwrap();
            assert!(again.iter().all(|file| !file.changes), "{client}");
            for (before, after) in plan.iter().zip(&again) {
                assert_eq!(before.text, after.text, "{client}");
            }
        }
    }

    /// Entries that a user has written stay, and a copy of the file as it was lies beside it.
    #[test]
    fn the_rest_of_a_file_stays_and_a_copy_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path());
        let path = folder.path().join(".mcp.json");
        let was = r#"{"other": [1], "mcpServers": {"github": {"command": "gh"}}}"#;
        fs::write(&path, was).unwrap();
        let plan = Client::ClaudeCode.plan(&options).unwrap();
        let backup = plan[0].write().unwrap().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), was);
        let now: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(now["other"], json!([1]));
        assert_eq!(now["mcpServers"]["github"]["command"], "gh");
        assert_eq!(now["mcpServers"]["counterfoil"]["args"][2], "mcp");

        let path = folder.path().join(".codex").join("config.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            &path,
            "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n",
        )
        .unwrap();
        Client::Codex.plan(&options).unwrap()[0].write().unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.starts_with("# mine\nmodel = \"o\"\n"), "{now}");
        assert!(now.contains("[mcp_servers.other]") && now.contains("[mcp_servers.counterfoil]"));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path());
        let path = folder.path().join(".mcp.json");
        for text in [
            "{ // a comment\n}",
            "[]",
            r#"{"mcpServers": 1}"#,
            r#"{"mcpServers": {"counterfoil": {"command": "mine"}}}"#,
        ] {
            fs::write(&path, text).unwrap();
            assert!(Client::ClaudeCode.plan(&options).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// AGT-7; mutant `hook-without-scope`: hooks without the scope of their session brought in memories of others, and sealed turns where the session did not find them.
    #[test]
    fn hooks_are_added_beside_those_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.hooks = true;
        assert!(Client::Zed.plan(&options).is_err());
        let path = folder.path().join(".claude").join("settings.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let other = json!({"hooks": [{"type": "command", "command": "mine"}]});
        fs::write(
            &path,
            json!({"hooks": {"SessionStart": [other]}}).to_string(),
        )
        .unwrap();
        let plan = Client::ClaudeCode.plan(&options).unwrap();
        plan[1].write().unwrap();
        let now: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(now["hooks"]["SessionStart"][0], other);
        let added = &now["hooks"]["SessionStart"][1]["hooks"][0]["command"];
        assert_eq!(
            added,
            r"counterfoil --dir '/a b/it'\''s' --scope user=kit hook session-start"
        );
        assert!(!Client::ClaudeCode.plan(&options).unwrap()[1].changes);
    }
}
