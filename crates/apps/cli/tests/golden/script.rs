//! Runs a script, and writes down what comes of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use tempfile::TempDir;

use crate::names::Names;

/// A script that is run in a folder of its own.
pub(crate) struct Script {
    pub(crate) folder: TempDir,
    pub(crate) names: Names,
    pub(crate) transcript: String,
    /// Standard output of the last command, as it was.
    pub(crate) last: Vec<u8>,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) background: Option<(Child, BufReader<ChildStdout>)>,
}

impl Script {
    pub(crate) fn new() -> Self {
        // Columns are as wide as its path, wherever other temporary files lie.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap().display().to_string();
        Self {
            names: Names::new(root),
            folder,
            transcript: String::new(),
            last: Vec::new(),
            variables: BTreeMap::new(),
            background: None,
        }
    }

    pub(crate) fn run(&mut self, text: &str) {
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

    pub(crate) fn program(&self, args: &[&str]) -> Command {
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

/// The program that is run.
pub(crate) fn binary() -> OsString {
    std::env::var_os("GOLDEN_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_counterfoil").into())
}
