//! Where answers go: one JSON document with `--json`, aligned lines without it.

mod ids;
mod lines;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::thread;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::Row;
use counterfoil::{Memory, RecallDocument, Report, WorldId, write_file};
use counterfoil_verify::{Form, terminal};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;

use lines::lines_text;
pub(crate) use table::table;
use table::write_table;

/// The most characters of an id that is withheld.
const NAMED: usize = 200;

/// Standard output, in the form that was asked for.
pub(crate) struct Output {
    form: Form,
    memory: Memory,
    /// Type of a document that names none: `counterfoil/` and the command.
    kind: String,
}

impl Output {
    pub(crate) fn new(form: Form, memory: Memory, command: &str) -> Self {
        Self {
            form,
            memory,
            kind: format!("counterfoil/{command}"),
        }
    }

    pub(crate) const fn form(&self) -> Form {
        self.form
    }

    /// Writes the document with `--json`, and otherwise what `human` writes.
    pub(crate) fn answer(
        &self,
        document: &impl Serialize,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.write(|| Ok(self.with_notes(json_text(document)?)), human)
    }

    /// Writes a recall document with `--json`, each memory on a line of its own, and otherwise what `human` writes.
    pub(crate) fn recalled(
        &self,
        document: &RecallDocument,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let json = || {
            let ahead = self.memory.log_ahead().map(|ahead| json!(ahead));
            Ok(with_member(lines_text(document)?, "logAhead", ahead))
        };
        self.write(json, human)
    }

    /// Writes text as it is, whatever the form.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// The document with `logAhead` where the log is ahead of the clock, and with `withheld` where memories were.
    fn with_notes(&self, mut document: String) -> String {
        let ahead = self.memory.log_ahead().map(|ahead| json!(ahead));
        let withheld = (!self.memory.withheld().is_empty()).then(|| self.list_withheld());
        for (name, note) in [("logAhead", ahead), ("withheld", withheld)] {
            document = with_member(document, name, note);
        }
        typed(&document, &self.kind)
    }

    /// Short forms of ids, for people; none if the store cannot be read. The store is asked on a thread of its own, as answers
    /// are written inside of a runtime.
    pub(crate) fn short_ids(&self, ids: BTreeSet<WorldId>) -> BTreeMap<WorldId, String> {
        if ids.is_empty() {
            return BTreeMap::new();
        }
        let (memory, ids) = (self.memory.clone(), ids.into_iter().collect::<Vec<_>>());
        let short = thread::scope(|scope| {
            let asked =
                scope.spawn(|| counterfoil::blocking::Memory::over(memory)?.short_ids(&ids));
            asked.join()
        });
        let short = short.ok().and_then(Result::ok).unwrap_or_default();
        ids.into_iter().zip(short).collect()
    }

    fn list_withheld(&self) -> Value {
        let withheld = self.memory.withheld().into_iter();
        withheld
            .map(|(id, code)| json!({ "id": id, "code": code }))
            .collect()
    }

    /// Names each withheld memory on a line of standard error, and fails then. A command that failed for that reason alone
    /// answers with the list.
    pub(crate) fn withheld(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        let withheld = self.memory.withheld();
        for (id, code) in &withheld {
            let id = terminal::plain(id, NAMED);
            match id.strip_prefix("index ") {
                None => notice(format_args!(
                    "{id} is withheld ({code}): it is not what was sealed; run `counterfoil check` and restore it, or add \
                     --unsafe to see what is there"
                )),
                Some(table) => notice(format_args!(
                    "the index has not all of its rows, or too many ({table}): memories may be left out; run `counterfoil rebuild`"
                )),
            }
        }
        match done {
            done if withheld.is_empty() => done,
            Err(failure) if !failure.is_withheld() => Err(failure),
            done => {
                if done.is_err() && self.form == Form::Json {
                    let listed = json_text(&json!({ "withheld": self.list_withheld() }))?;
                    self.text(&typed(&listed, &self.kind))?;
                }
                Err(Failure::Withheld)
            }
        }
    }

    fn write(
        &self,
        json: impl FnOnce() -> io::Result<String>,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match self.form {
            Form::Json => out.write_all(json()?.as_bytes())?,
            Form::Human => {
                let mut text = Vec::new();
                human(&mut text)?;
                let text = String::from_utf8_lossy(&text);
                let short = self.short_ids(ids::in_text(&text).collect());
                out.write_all(ids::replaced_in_columns(&text, &short).as_bytes())?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Writes a report, its notices, and gives what it found wrong.
    pub(crate) fn report(
        &self,
        report: &Report,
        human: impl FnOnce(&mut dyn Write, &Value) -> io::Result<()>,
    ) -> Result<(), Failure> {
        report.notices().iter().for_each(notice);
        let json = || Ok(self.with_notes(report_text(report)));
        let shown = match self.form {
            Form::Human => {
                let mut ids = BTreeSet::new();
                ids::collect(report.value(), &mut ids);
                ids::replaced(report.value(), &self.short_ids(ids))
            }
            Form::Json => Value::Null,
        };
        self.write(json, |out| human(out, &shown))?;
        report
            .problem()
            .map_or(Ok(()), |error| Err(error.clone().into()))
    }

    /// Writes a report as lines of a heading and what [`filled`] makes of the document.
    pub(crate) fn lines(&self, report: &Report, names: &[(&str, &str)]) -> Result<(), Failure> {
        self.report(report, |out, value| members(out, value, names))
    }

    /// Writes a report as a table of the items of its list of that name (nothing for the whole), or a sentence where there are none.
    pub(crate) fn list(
        &self,
        report: &Report,
        (name, nothing): (&str, &str),
        names: &[(&str, &str)],
    ) -> Result<(), Failure> {
        self.report(report, |out, value| match items(value, name) {
            [] => writeln!(out, "{nothing}"),
            items => columns(out, items, names),
        })
    }

    /// Writes a document into a file that was named, or else to standard output.
    pub(crate) fn document(&self, text: &str, file: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = file else {
            return self.text(text);
        };
        write_file(path, text)?;
        self.written(path)
    }

    /// Reports the file of a written document. For anything but a plain file, such as `/dev/stdout`, the
    /// document alone is the answer.
    pub(crate) fn written(&self, path: &Path) -> Result<(), Failure> {
        if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let shown = path.display().to_string();
        self.answer(&serde_json::json!({ "output": shown }), |out| {
            pairs(out, &[("written to", shown.clone())])
        })
    }
}

/// The document with a type and a version, if it names no type; a list is its member `items`.
fn typed(document: &str, kind: &str) -> String {
    let version = version_of(kind);
    let head = format!("{{\n  \"type\": \"{kind}\",\n  \"version\": \"{version}\"");
    if let Some(members) = document.strip_prefix("{\n") {
        return match document.contains("\n  \"type\": ") {
            true => document.to_owned(),
            false => format!("{head},\n{members}"),
        };
    }
    match document.trim_end() {
        "{}" => format!("{head}\n}}\n"),
        list if list.starts_with('[') => {
            let list = list.replace('\n', "\n  ");
            format!("{head},\n  \"items\": {list}\n}}\n")
        }
        _ => document.to_owned(),
    }
}

/// Version of the documents of a type that have no format of their own: 2 where a member was `worldId` in the first
/// (docs/guide/stability.md).
pub(crate) fn version_of(kind: &str) -> &'static str {
    match kind.strip_prefix("counterfoil/") {
        Some(
            "as-of" | "check" | "decided" | "extract" | "guard" | "history" | "remember"
            | "rollback" | "update",
        ) => "2",
        _ => "1",
    }
}

/// Writes a problem as one line of JSON to standard error.
pub(crate) fn error_document(problem: &Value) {
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(
        io::stderr(),
        "{}",
        terminal::plain_json(&problem.to_string())
    );
}

/// The document with one more member, if there is one.
fn with_member(mut document: String, name: &str, note: Option<Value>) -> String {
    if let Some(note) = note
        && let Some(members) = document.strip_suffix("\n}\n").map(str::len)
    {
        document.truncate(members);
        document.push_str(&format!(",\n  \"{name}\": {note}\n}}\n"));
    }
    document
}

/// Returns true on a terminal: progress is for people alone.
pub(crate) fn shows_progress(form: Form) -> bool {
    form == Form::Human && io::stderr().is_terminal()
}

/// The document as it is written with `--json`: what would steer a terminal is escaped in it.
pub(crate) fn json_text(document: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(terminal::plain_json(&text) + "\n")
}

/// The document of a report as it is written with `--json`.
pub(crate) fn report_text(report: &Report) -> String {
    terminal::plain_json(report.json()) + "\n"
}

/// The most characters of a notice.
const NOTICE_LIMIT: usize = 2000;
/// The most characters of a member that is shown.
const MEMBER_LIMIT: usize = 1024;

/// Says something to the person, beside the answer; it may quote what others wrote.
pub(crate) fn notice(text: impl fmt::Display) {
    // A closed standard error leaves nobody to tell.
    let line = terminal::plain(&text.to_string().replace('\n', " "), NOTICE_LIMIT);
    let _ = writeln!(io::stderr(), "counterfoil: {line}");
}

/// Says what went wrong, in red on a terminal that has colours.
pub(crate) fn failed(text: impl fmt::Display) {
    let line = terminal::plain(&text.to_string().replace('\n', " "), NOTICE_LIMIT);
    let red = style(&io::stderr(), AnsiColor::Red);
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(io::stderr(), "{red}counterfoil:{red:#} {line}");
}

/// Text for standard output in a colour, where that has colours (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM`).
pub(crate) fn coloured(text: &str, colour: AnsiColor) -> String {
    let style = style(&io::stdout(), colour);
    format!("{style}{text}{style:#}")
}

fn style(stream: &impl RawStream, colour: AnsiColor) -> Style {
    match AutoStream::choice(stream) {
        ColorChoice::Never => Style::new(),
        _ => colour.on_default(),
    }
}

/// Lines of a heading and a text.
pub(crate) type Lines = Vec<(&'static str, String)>;

/// The member of that name, or the value at that JSON pointer (nothing for the whole).
fn find<'d>(document: &'d Value, name: &str) -> Option<&'d Value> {
    match name.is_empty() || name.starts_with('/') {
        true => document.pointer(name),
        false => document.get(name),
    }
}

/// The value there as a person reads it; nothing where it is absent.
pub(crate) fn text(document: &Value, name: &str) -> String {
    match find(document, name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Local name of an agent, or else its shortened key.
pub(crate) fn called(agent: &Value) -> String {
    let key = text(agent, "key").parse();
    match agent.get("name").and_then(Value::as_str) {
        Some(name) => counterfoil::text::name(name),
        None => key.map_or_else(|_| String::new(), |key| counterfoil::text::brief(&key)),
    }
}

/// The number there; 0 where it is absent.
pub(crate) fn number(document: &Value, name: &str) -> u64 {
    text(document, name).parse().unwrap_or_default()
}

/// The items of the list of that name.
pub(crate) fn items<'d>(document: &'d Value, name: &str) -> &'d [Value] {
    let list = find(document, name).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// Texts of the items of the list of that name, with `between` them.
pub(crate) fn joined(document: &Value, name: &str, between: &str) -> String {
    texts(document, name).collect::<Vec<_>>().join(between)
}

/// Texts of the items of the list of that name, as they are.
pub(crate) fn texts<'d>(document: &'d Value, name: &str) -> impl Iterator<Item = String> + use<'d> {
    items(document, name).iter().map(|item| text(item, ""))
}

/// Most characters of a text that is cut to a line of a table.
const LINE_LIMIT: usize = 60;

/// Text with the members that it names in braces, such as `{seq} of {chain}`; a name or a JSON pointer alone is replaced by its
/// member. What would steer a terminal is escaped in them.
///
/// `{receipt|-}` has a text for an absent member, and `{signs?all:some}` one of two texts or JSON pointers, the first for a
/// member that is there and not false.
/// `{state:words}` has blanks for underlines, `{at:minute}` a time to the minute, `{:agent}` the name of an agent, `{of:list}` the
/// items, `{question:line}` 60 characters on one line, `{why:100}` at most so many characters.
pub(crate) fn filled(document: &Value, template: &str) -> String {
    let member = |part: &str| {
        if let Some((name, texts)) = part.split_once('?') {
            let (yes, no) = texts.split_once(':').unwrap_or((texts, ""));
            let holds = !["", "false"].contains(&text(document, name).as_str());
            let chosen = if holds { yes } else { no };
            return match chosen.starts_with('/') {
                true => terminal::plain(&text(document, chosen), MEMBER_LIMIT),
                false => chosen.to_owned(),
            };
        }
        let (named, absent) = part.split_once('|').unwrap_or((part, ""));
        let (name, form) = named.split_once(':').unwrap_or((named, ""));
        let plain = |text: &str| terminal::plain(text, form.parse().unwrap_or(MEMBER_LIMIT));
        let found = text(document, name);
        let found = match form {
            "words" => plain(&found.replace('_', " ")),
            "minute" => found.chars().take(16).collect::<String>().replace('T', " "),
            "agent" => called(find(document, name).unwrap_or(&Value::Null)),
            "list" => plain(&joined(document, name, ", ")),
            "line" => one_line(&found, LINE_LIMIT),
            _ => plain(&found),
        };
        if found.is_empty() {
            absent.to_owned()
        } else {
            found
        }
    };
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    if template.starts_with('/') || template.chars().all(is_name) {
        return member(template);
    }
    let parts = template.split(['{', '}']).enumerate();
    parts
        .map(|(at, part)| match at % 2 {
            0 => part.to_owned(),
            _ => member(part),
        })
        .collect()
}

/// Beginning of a text, on one line.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    terminal::plain(&text.replace(['\n', '\t', '\r'], " "), limit)
}

/// Lines that the templates of [`filled`] make of the items of their lists, one list after the other.
pub(crate) fn each<'d>(
    document: &'d Value,
    lists: &'d [(&str, &str)],
) -> impl Iterator<Item = String> + 'd {
    let of = |(name, line): &'d (&str, &str)| {
        let items = items(document, name).iter();
        items.map(move |item| filled(item, line))
    };
    lists.iter().flat_map(of)
}

/// Texts as lines, the first with this heading.
pub(crate) fn under(
    heading: &'static str,
    texts: impl IntoIterator<Item = String>,
) -> impl Iterator<Item = (&'static str, String)> {
    let headings = [heading].into_iter().chain(std::iter::repeat(""));
    headings.zip(texts)
}

/// A table of the items, each column a heading and what [`filled`] makes of the item.
pub(crate) fn columns(
    out: &mut dyn Write,
    items: &[Value],
    names: &[(&str, &str)],
) -> io::Result<()> {
    let headings: Vec<&str> = names.iter().map(|(heading, _)| *heading).collect();
    let cells = |item| names.iter().map(move |(_, name)| filled(item, name));
    rows(out, &headings, items.iter().map(cells))
}

/// Lines of a heading and what [`filled`] makes of the document; without those that begin with `?` and have no text.
pub(crate) fn lines_of<'n>(document: &Value, names: &[(&'n str, &str)]) -> Vec<(&'n str, String)> {
    let lines = names.iter().filter_map(|(heading, name)| {
        let text = filled(document, name.strip_prefix('?').unwrap_or(name));
        (!text.is_empty() || !name.starts_with('?')).then_some((*heading, text))
    });
    lines.collect()
}

/// Writes [`lines_of`] the document.
pub(crate) fn members(
    out: &mut dyn Write,
    document: &Value,
    names: &[(&str, &str)],
) -> io::Result<()> {
    pairs(out, &lines_of(document, names))
}

/// Writes a table.
pub(crate) fn rows<R: Into<Row>>(
    out: &mut dyn Write,
    headings: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    let mut table = table(headings);
    table.add_rows(rows);
    write_table(out, &table)
}

/// Lines of `name  value`, the values one under the other.
pub(crate) fn pairs(out: &mut dyn Write, pairs: &[(&str, String)]) -> io::Result<()> {
    let width = pairs
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    pairs
        .iter()
        .try_for_each(|(name, value)| writeln!(out, "{name:<width$}  {value}"))
}

/// `3 memories`, `1 memory`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_one_under_the_other() {
        let mut out = Vec::new();
        pairs(&mut out, &[("a", "1".into()), ("long", "2".into())]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a     1\nlong  2\n");
    }
}
