//! Golden transcripts: the output, the files and the exit code of every command, as `golden/*.txt` record them.
//!
//! A script is run in a temporary folder of its own. Its lines:
//!
//! ```text
//! $ counterfoil remember "a note"   a command: the program (after VAR=VALUE), or a built-in of `Script::built_in`
//! > text                            the standard input of the command above, or the content of the file it writes
//! | text                            standard output       ~ ends without a newline
//! ! text                            standard error        ? 3    the exit code, unless it is 0
//! ```
//!
//! `GOLDEN=write cargo test -p counterfoil-cli --test golden` records all anew; `GOLDEN_BINARY=FILE` runs another build.
//! Ids, hashes, keys, signatures and ports are random: each is written as its kind and its number in the script
//! (`[id1]`, `[hash2]`), so that equal ones stay equal; `$ set NAME /pointer` keeps one of the last JSON as `$NAME`.
//! Times after 2025 are written with zeros (`[ms]` as a number); durations, and sizes of what is signed, as `[n]`.
//! Not deterministic otherwise, and how the scripts pass it by: the order of equally ranked memories (queries with
//! distinct ranks), of keys and hashes by value (`unnumbered` before a
//! command leaves the numbers out; a proof of a fork is written and not printed), columns beside times (spaces are
//! collapsed), ages (stores are seconds old), and what two processes print at once (`stop` prints what was
//! printed in the background).

#![cfg(unix)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

macro_rules! scripts {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { check(stringify!($name)); })*
        const ALL: &[&str] = &[$(stringify!($name)),*];
    };
}

scripts![
    help,
    memories,
    import,
    claims,
    extract,
    proofs,
    keys,
    upkeep,
    travel,
    peers,
    exchange,
    conversation,
    serving,
    refusals,
    demo
];

#[test]
fn every_script_is_run_and_every_command_is_in_one() {
    let mut scripts = String::new();
    for file in fs::read_dir(SCRIPTS).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(ALL.contains(&name), "{name} is not in the list of scripts");
        scripts += &fs::read_to_string(&path).unwrap();
    }
    let missing: Vec<String> = commands(&[])
        .into_iter()
        .filter(|path| !scripts.contains(&format!("counterfoil {path} ")))
        .collect();
    assert!(missing.is_empty(), "in no script: {missing:?}");
}

/// The commands that have none below them.
fn commands(above: &[&str]) -> Vec<String> {
    let help = Command::new(binary()).args(above).arg("--help").output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    let Some((_, list)) = help.split_once("Commands:\n") else {
        return vec![above.join(" ")];
    };
    list.lines()
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .flat_map(|name| commands(&[above, &[name]].concat()))
        .collect()
}

fn binary() -> OsString {
    std::env::var_os("GOLDEN_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_counterfoil").into())
}

fn check(name: &str) {
    let path = Path::new(SCRIPTS).join(name).with_extension("txt");
    let expected = fs::read_to_string(&path).unwrap();
    let mut script = Script::new();
    script.run(&expected);
    let actual = &script.transcript;
    if std::env::var_os("GOLDEN").is_some_and(|it| it == "write") {
        return fs::write(&path, actual).unwrap();
    }
    if *actual == expected {
        return;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.txt"));
    fs::write(&kept, actual).unwrap();
    let line = actual
        .lines()
        .zip(expected.lines())
        .take_while(|(it, was)| it == was)
        .count();
    let at = |text: &str| {
        text.lines()
            .skip(line)
            .take(3)
            .collect::<Vec<_>>()
            .join("\n")
    };
    panic!(
        "golden/{name}.txt, line {}: expected\n{}\nand got\n{}\n; see `diff {} {}`",
        line + 1,
        at(&expected),
        at(actual),
        path.display(),
        kept.display()
    );
}

struct Script {
    folder: TempDir,
    names: Names,
    transcript: String,
    /// Standard output of the last command, as it was.
    last: Vec<u8>,
    variables: BTreeMap<String, String>,
    background: Option<(Child, BufReader<std::process::ChildStdout>)>,
}

impl Script {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().display().to_string();
        Self {
            names: Names {
                root,
                ..Names::default()
            },
            folder,
            transcript: String::new(),
            last: Vec::new(),
            variables: BTreeMap::new(),
            background: None,
        }
    }

    fn run(&mut self, text: &str) {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let output = line.starts_with(['|', '!', '?', '~']);
            if !output {
                self.transcript += line;
                self.transcript.push('\n');
            }
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            let mut input = String::new();
            while let Some(line) = lines.next_if(|line| line.starts_with('>')) {
                self.transcript += line;
                self.transcript.push('\n');
                input += line.get(2..).unwrap_or_default();
                input.push('\n');
            }
            let (command, input) = (self.filled(command), self.filled(&input));
            self.execute(&words(&command), &input);
        }
    }

    /// A line with the values of the variables in it.
    fn filled(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (name, value) in self.variables.iter().rev() {
            line = line.replace(&format!("${name}"), value);
        }
        line
    }

    fn execute(&mut self, words: &[String], input: &str) {
        // What is sorted by random values is written without their numbers.
        if let [first, words @ ..] = words
            && first == "unnumbered"
        {
            self.names.unnumbered = true;
            self.execute(words, input);
            self.names.unnumbered = false;
            return;
        }
        let variables = words.iter().take_while(|word| word.contains('=')).count();
        let (variables, words) = words.split_at(variables);
        let [name, args @ ..] = words else {
            panic!("no command")
        };
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        if name != "counterfoil" {
            println!("{words:?}");
            let text = self.built_in(name, &args, input);
            return self.note('|', text.as_bytes());
        }
        let mut command = self.program(&args);
        command.envs(variables.iter().filter_map(|it| it.split_once('=')));
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads no input may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        self.note('|', &stdout);
        self.note('!', &stderr);
        if !status.success() {
            self.transcript += &format!("? {}\n", status.code().unwrap());
        }
        self.last = stdout;
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .arg0("counterfoil")
            .args(args)
            .current_dir(&self.names.root);
        command
            .env_clear()
            .env("COUNTERFOIL_DIR", "store")
            .env("HOME", &self.names.root);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }

    fn built_in(&mut self, name: &str, args: &[&str], input: &str) -> String {
        let at = |index: usize| self.folder.path().join(args[index]);
        match name {
            "write" => {
                fs::create_dir_all(at(0).parent().unwrap()).unwrap();
                fs::write(at(0), input).unwrap();
            }
            // Names a member of the last JSON, or without a pointer the last output.
            "set" => {
                let text = String::from_utf8(self.last.clone()).unwrap();
                let value = args.get(1).map_or_else(
                    || text.trim().to_owned(),
                    |pointer| {
                        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                        let value = json
                            .pointer(pointer)
                            .unwrap_or_else(|| panic!("{pointer}: {text}"));
                        value
                            .as_str()
                            .map_or_else(|| value.to_string(), str::to_owned)
                    },
                );
                self.variables.insert(args[0].to_owned(), value);
            }
            // The standard output of the last command, without a change.
            "save" => fs::write(at(0), &self.last).unwrap(),
            "cat" => {
                self.last = fs::read(at(0)).unwrap();
                return String::from_utf8_lossy(&self.last).into_owned();
            }
            "ls" => {
                self.names.unnumbered = true;
                let lines = listing(&at(0), &at(0));
                let mut lines: Vec<_> = lines.iter().map(|it| self.names.normalise(it)).collect();
                self.names.unnumbered = false;
                lines.sort();
                return lines.concat();
            }
            "sample" => copy(&Path::new(REPOSITORY).join(args[0]), &at(1)),
            "copy" => copy(&at(0), &at(1)),
            "remove" if at(0).is_dir() => fs::remove_dir_all(at(0)).unwrap(),
            "remove" => fs::remove_file(at(0)).unwrap(),
            "mode" => fs::set_permissions(
                at(1),
                fs::Permissions::from_mode(u32::from_str_radix(args[0], 8).unwrap()),
            )
            .unwrap(),
            "edit" => {
                let text = fs::read_to_string(at(0)).unwrap();
                assert!(text.contains(args[1]), "{} is not in {}", args[1], args[0]);
                fs::write(at(0), text.replacen(args[1], args[2], 1)).unwrap();
            }
            // Changes a database past its triggers.
            "sql" => {
                let database = rusqlite::Connection::open(at(0)).unwrap();
                let mut all = database
                    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
                    .unwrap();
                let triggers = all
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                    .unwrap();
                let triggers: Vec<(String, String)> = triggers.collect::<Result<_, _>>().unwrap();
                for (name, _) in &triggers {
                    database
                        .execute_batch(&format!("DROP TRIGGER \"{name}\""))
                        .unwrap();
                }
                database.execute_batch(args[1]).unwrap();
                for (_, sql) in &triggers {
                    database.execute_batch(sql).unwrap();
                }
            }
            "get" => {
                let mut stream = std::net::TcpStream::connect(args[0]).unwrap();
                write!(
                    stream,
                    "GET {} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
                    args[1]
                )
                .unwrap();
                let mut answer = String::new();
                stream.read_to_string(&mut answer).unwrap();
                return answer.split_once("\r\n\r\n").unwrap().1.to_owned() + "\n";
            }
            // Starts the program; the first adds that it waits for a line, which it prints.
            "start" | "spawn" => {
                assert!(self.background.is_none(), "one at a time");
                let mut child = self
                    .program(&args[1..])
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                let mut output = BufReader::new(child.stdout.take().unwrap());
                let mut line = String::new();
                if name == "start" {
                    output.read_line(&mut line).unwrap();
                }
                self.last = line.clone().into_bytes();
                self.background = Some((child, output));
                return line;
            }
            // Waits until there is a document in a folder.
            "await" => {
                let is_there = |path: PathBuf| path.extension().is_some_and(|end| end == "json");
                let any = || {
                    fs::read_dir(at(0))
                        .is_ok_and(|mut it| it.any(|it| is_there(it.unwrap().path())))
                };
                while !any() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            // Interrupts it and prints the rest of its output.
            "stop" => {
                let (mut child, mut output) = self.background.take().unwrap();
                Command::new("kill")
                    .args(["-INT", &child.id().to_string()])
                    .status()
                    .unwrap();
                let mut rest = String::new();
                output.read_to_string(&mut rest).unwrap();
                child
                    .stderr
                    .take()
                    .unwrap()
                    .read_to_string(&mut rest)
                    .unwrap();
                return format!("{rest}exit code {:?}\n", child.wait().unwrap().code());
            }
            _ => panic!("no built-in {name}"),
        }
        String::new()
    }

    fn note(&mut self, mark: char, output: &[u8]) {
        let text = self.names.normalise(&String::from_utf8_lossy(output));
        for line in text.lines() {
            self.transcript.push(mark);
            if !line.is_empty() {
                self.transcript.push(' ');
            }
            self.transcript += line;
            self.transcript.push('\n');
        }
        if !text.is_empty() && !text.ends_with('\n') {
            self.transcript += "~\n";
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.background.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Splits a command at spaces; quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote, mut open) = (vec![], None, false);
    for letter in command.chars() {
        match (quote, letter) {
            (None, ' ') => open = false,
            (None, '"' | '\'') => {
                quote = Some(letter);
                if !open {
                    words.push(String::new());
                }
                open = true;
            }
            (Some(end), letter) if end == letter => quote = None,
            (_, letter) => {
                if !open {
                    words.push(String::new());
                }
                open = true;
                words.last_mut().unwrap().push(letter);
            }
        }
    }
    words
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// Files below a folder, with their modes.
fn listing(folder: &Path, root: &Path) -> Vec<String> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    paths.sort();
    let lines = paths.iter().flat_map(|path| {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let own = format!("{mode:o} {}\n", path.strip_prefix(root).unwrap().display());
        let below = if path.is_dir() {
            listing(path, root)
        } else {
            vec![]
        };
        [vec![own], below].concat()
    });
    lines.collect()
}

/// Random values of a script, and the placeholder of each.
#[derive(Default)]
struct Names {
    root: String,
    by_value: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, u32>,
    /// Whether only kinds are written: where random names are sorted.
    unnumbered: bool,
}

impl Names {
    fn normalise(&mut self, text: &str) -> String {
        let text = text.replace(&self.root, "[dir]");
        let (mut done, mut rest) = (String::new(), text.as_str());
        while let Some(first) = rest.chars().next() {
            let member = done.trim_end();
            let is_segment = done
                .lines()
                .next_back()
                .is_some_and(|it| it.starts_with("segment-"));
            let is_size = ["size", "bytes", "payloadBytes", "us"];
            let is_size = is_size
                .iter()
                .any(|name| member.ends_with(&format!("\"{name}\":")));
            let content = done.rsplit("content blake3:").next();
            let is_content = content.is_some_and(|it| it.len() < 12 && it.ends_with("] "));
            let digits = run(rest, |letter| letter.is_ascii_digit());
            let found = if (is_size || is_content) && digits > 0
                || digits == 4 && is_segment && rest[4..].starts_with(' ')
            {
                Some((digits, "[n]".to_owned()))
            } else if first.is_ascii_alphanumeric() || first == '/' || first == '+' {
                self.time(rest).or_else(|| self.random(rest))
            } else {
                None
            };
            let length = match found {
                Some((length, name)) => {
                    done += &name;
                    length
                }
                None => {
                    // An escape of JSON is no part of the word behind it.
                    let escaped = usize::from(rest.starts_with("\\n"));
                    let word = run(rest, |letter| letter.is_ascii_alphanumeric());
                    let length = if escaped == 1 {
                        2
                    } else {
                        word.max(first.len_utf8())
                    };
                    done += &rest[..length];
                    length
                }
            };
            rest = &rest[length..];
        }
        // The columns of a table are as wide as the fraction of a second that was printed.
        while done.contains(":00.0Z ") && done.contains("   ") {
            done = done.replace("   ", "  ");
        }
        done
    }

    /// An address on this machine; a time since 2026, in one of its forms; a duration.
    fn time(&mut self, text: &str) -> Option<(usize, String)> {
        let digits = run(text, |letter| letter.is_ascii_digit());
        let after = text[digits..].chars().next().unwrap_or(' ');
        let number: u64 = text[..digits].parse().ok()?;
        let now = |unit: u64| (1_767_225_600 * unit..4_102_444_800 * unit).contains(&number);
        let port = text
            .strip_prefix("127.0.0.1:")
            .map(|it| run(it, |letter| letter.is_ascii_digit()));
        if let Some(length @ 4..) = port {
            let length = "127.0.0.1:".len() + length;
            return Some((length, self.name("address", &text[..length])));
        }
        if !after.is_ascii_alphanumeric() && (now(1_000) || now(1)) {
            return Some((digits, if now(1) { "[s]" } else { "[ms]" }.to_owned()));
        }
        if after == '-' && (2026..2100).contains(&number) {
            let shape = "0000-00-00T00:00:00";
            let same = text
                .chars()
                .zip(shape.chars())
                .take_while(|(letter, shape)| match shape {
                    '0' => letter.is_ascii_digit(),
                    'T' => *letter == 'T' || *letter == ' ',
                    shape => letter == shape,
                });
            let length = [19, 16, 10]
                .into_iter()
                .find(|it| *it <= same.clone().count())?;
            let rest = &text[length..];
            let fraction = run(rest, |letter| letter == '.' || letter.is_ascii_digit());
            let zeros = text[..length]
                .chars()
                .map(|it| if it.is_ascii_digit() { '0' } else { it });
            let fraction_shape = if fraction > 1 && rest.starts_with('.') {
                ".0"
            } else {
                ""
            };
            let taken = if fraction_shape.is_empty() {
                0
            } else {
                fraction
            };
            return Some((length + taken, zeros.collect::<String>() + fraction_shape));
        }
        let number = run(text, |letter| letter == '.' || letter.is_ascii_digit());
        let is_duration = [" ms", " s", " bytes"].into_iter().any(|unit| {
            text[number..]
                .strip_prefix(unit)
                .is_some_and(|it| !it.starts_with(char::is_alphanumeric))
        });
        is_duration.then(|| (number, "[n]".to_owned()))
    }

    /// A word that is random: hexadecimal, base58 or base64.
    fn random(&mut self, text: &str) -> Option<(usize, String)> {
        let is_hex = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
        let dashed = run(text, |letter| is_hex(letter) || letter == '-');
        if dashed == 36 && text[..dashed].split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
            return Some((dashed, self.name("uuid", &text[..dashed])));
        }
        let hex = run(text, is_hex);
        let word = run(text, |letter| letter.is_ascii_alphanumeric());
        if hex == word && hex >= 6 {
            let value = &text[..hex];
            let known = self
                .by_value
                .iter()
                .find(|(known, _)| hex < 16 && known.starts_with(value));
            if let Some((_, name)) = known {
                return Some((hex, format!("{}~{hex}]", name.trim_end_matches(']'))));
            }
            let kind = match hex {
                ..16 => return None,
                32 => "id",
                64 => "hash",
                _ => "hex",
            };
            return Some((hex, self.name(kind, value)));
        }
        // The two ends of a key.
        let end = text[word..]
            .strip_prefix('…')
            .map(|it| run(it, |letter| letter.is_ascii_alphanumeric()));
        let known = self
            .by_value
            .iter()
            .find(|(it, _)| word > 5 && it.starts_with(&text[..word]));
        if let (Some(end), Some((_, name))) = (end, known) {
            return Some((
                word + '…'.len_utf8() + end,
                format!("{}~]", name.trim_end_matches(']')),
            ));
        }
        let length = run(text, |letter| {
            letter.is_ascii_alphanumeric() || "+/=".contains(letter)
        });
        let value = &text[..length];
        let mixed = value.contains(|it: char| it.is_ascii_lowercase())
            && value.contains(|it: char| it.is_ascii_uppercase());
        let kind = if value.starts_with("z6Mk") {
            "key"
        } else {
            "text"
        };
        (length >= 40 && mixed).then(|| (length, self.name(kind, value)))
    }

    fn name(&mut self, kind: &'static str, value: &str) -> String {
        if self.unnumbered {
            return format!("[{kind}]");
        }
        if let Some(name) = self.by_value.get(value) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("[{kind}{count}]");
        self.by_value.insert(value.to_owned(), name.clone());
        name
    }
}

/// The length of the longest beginning whose letters all pass.
fn run(text: &str, passes: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !passes(letter)).unwrap_or(text.len())
}
