//! Commands of a script that are not the program: files, variables, and what runs in the background.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::script::Script;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

impl Script {
    /// Runs a built-in, and gives its output.
    pub(crate) fn built_in(&mut self, name: &str, args: &[&str], input: &str) -> String {
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
            "without" => {
                let text = fs::read_to_string(at(0)).unwrap();
                let lines = text.lines().filter(|line| !line.contains(args[1]));
                let kept: String = lines.map(|line| format!("{line}\n")).collect();
                assert_ne!(kept, text, "{} is not in {}", args[1], args[0]);
                fs::write(at(0), kept).unwrap();
            }
            "pipe" => {
                let made = Command::new("mkfifo").arg(at(0)).status();
                assert!(made.unwrap().success());
            }
            "sql" => forge(&at(0), args[1]),
            _ => return self.process(name, args),
        }
        String::new()
    }

    fn process(&mut self, name: &str, args: &[&str]) -> String {
        match name {
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
                    fs::read_dir(self.folder.path().join(args[0]))
                        .is_ok_and(|mut it| it.any(|it| is_there(it.unwrap().path())))
                };
                while !any() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            // Ends it and prints the rest of its output. An interrupt is ignored by what a shell started in the background.
            "stop" => {
                let (mut child, mut output) = self.background.take().unwrap();
                Command::new("kill")
                    .args(["-TERM", &child.id().to_string()])
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
}

/// Changes a database past its triggers.
fn forge(path: &Path, sql: &str) {
    let database = rusqlite::Connection::open(path).unwrap();
    let mut all = database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap();
    let triggers = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let triggers: Vec<(String, String)> = triggers.unwrap().collect::<Result<_, _>>().unwrap();
    for (name, _) in &triggers {
        database
            .execute_batch(&format!("DROP TRIGGER \"{name}\""))
            .unwrap();
    }
    database.execute_batch(sql).unwrap();
    for (_, sql) in &triggers {
        database.execute_batch(sql).unwrap();
    }
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
