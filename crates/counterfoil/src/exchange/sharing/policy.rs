//! The `[[share]]` rules of `exchange.toml` as a document, in which comments and all else stay as they are.

use std::path::{Path, PathBuf};

use counterfoil_exchange::answering::{PassOn, Share};
use counterfoil_types::{DidKey, Scope};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

use crate::error::Error;
use crate::exchange::settings::parse;
use crate::files::write_file;
use crate::settings_file;

/// Name of the rules in the file.
const SHARE: &str = "share";
/// Addressee for all agents.
pub(super) const ALL: &str = "*";

/// Rule for one label.
pub(super) struct Rule {
    pub(super) label: String,
    /// Keys that the rule is for; `None`: all agents that sign.
    pub(super) to: Option<Vec<DidKey>>,
    pub(super) predicates: Vec<String>,
    /// Scope of the shared memories; empty: any.
    pub(super) scope: Scope,
    /// Agents that get a memory by it may hand it on.
    pub(super) pass_on: PassOn,
}

impl Rule {
    /// Returns true if a rule of the policy is for the same agents.
    pub(super) fn is_for(&self, one: &Share) -> bool {
        match (&self.to, &one.to) {
            (None, None) => true,
            (Some(keys), Some(others)) => same(keys, others),
            _ => false,
        }
    }

    /// Returns true if a rule of the policy is this one.
    pub(super) fn is_in(&self, one: &Share) -> bool {
        one.continues
            && one.pass_on == self.pass_on
            && one.labels.contains(&self.label)
            && self.is_for(one)
            && same(&self.predicates, &one.predicates)
            && one.scope == self.scope
            && one.domains.is_empty()
            && one.level.number() <= 1
    }

    fn table(&self) -> Table {
        let texts = |texts: &[String]| value(texts.iter().collect::<Array>());
        let mut table = Table::new();
        let to = self.to.as_ref().map(|keys| {
            let keys = keys.iter().map(ToString::to_string);
            value(keys.collect::<Array>())
        });
        table.insert("to", to.unwrap_or_else(|| value(ALL)));
        table.insert("labels", texts(std::slice::from_ref(&self.label)));
        if !self.predicates.is_empty() {
            table.insert("predicates", texts(&self.predicates));
        }
        if !self.scope.is_empty() {
            table.insert("scope", value(self.scope.to_string()));
        }
        if self.pass_on.is_allowed() {
            table.insert("pass_on", value(true));
        }
        table.insert("continues", value(true));
        table
    }
}

/// Compares lists without regard to their order.
pub(super) fn same<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.len() == other.len() && one.iter().all(|it| other.contains(it))
}

/// The file, and its text when it was read.
pub(super) struct Policy {
    path: PathBuf,
    before: String,
    document: DocumentMut,
    rules: Vec<Share>,
}

impl Policy {
    /// Reads the file; a missing one is empty.
    pub(super) fn open(path: PathBuf) -> Result<Self, Error> {
        let before = settings_file::read(&path, |text| Ok(text.to_owned()))?;
        let rules = read(&path, &before)?;
        let document = before.parse().map_err(|error: toml_edit::TomlError| {
            Error::place(
                format_args!("{}: {}", path.display(), error.message()),
                "mend it",
            )
        })?;
        Ok(Self {
            path,
            before,
            document,
            rules,
        })
    }

    /// Rules in their order, as of the last reading or saving.
    pub(super) fn rules(&self) -> &[Share] {
        &self.rules
    }

    /// Adds a rule before the others.
    pub(super) fn add(&mut self, rule: &Rule) {
        let table = rule.table();
        match self.document.get_mut(SHARE) {
            Some(Item::Value(toml_edit::Value::Array(rules))) => {
                rules.insert(0, table.into_inline_table());
            }
            Some(Item::ArrayOfTables(rules)) => {
                let all = std::iter::once(table).chain(std::mem::take(rules));
                *rules = all.collect();
            }
            _ => {
                let mut rules = ArrayOfTables::new();
                rules.push(table);
                self.document.insert(SHARE, Item::ArrayOfTables(rules));
            }
        }
    }

    /// Takes a label out of the rule at `at`, and the rule with its last label.
    ///
    /// # Errors
    /// The rule decides alone, and without it others after it would.
    pub(super) fn remove(&mut self, at: usize, label: &str) -> Result<(), Error> {
        let Some(rule) = self.rules.get(at) else {
            return Ok(());
        };
        let has_others = rule.labels.iter().any(|own| own != label);
        let hides_others = !rule.continues && self.rules.len() > at.saturating_add(1);
        if !has_others && hides_others {
            return Err(Error::input(
                format_args!(
                    "rule {} decides alone, and without it those after it would share more with its agents",
                    at.saturating_add(1)
                ),
                format_args!("edit {} by hand", self.path.display()),
            ));
        }
        match self.document.get_mut(SHARE) {
            Some(Item::Value(toml_edit::Value::Array(rules))) if !has_others => {
                rules.remove(at);
            }
            Some(Item::Value(toml_edit::Value::Array(rules))) => {
                let rule = rules
                    .get_mut(at)
                    .and_then(|rule| rule.as_inline_table_mut());
                rule.into_iter().for_each(|rule| take_label(rule, label));
            }
            Some(Item::ArrayOfTables(rules)) if !has_others => {
                rules.remove(at);
                if rules.is_empty() {
                    self.document.remove(SHARE);
                }
            }
            Some(Item::ArrayOfTables(rules)) => {
                let rule = rules.get_mut(at);
                rule.into_iter().for_each(|rule| take_label(rule, label));
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the file as a whole, if it is unchanged since it was read and all in it has a meaning.
    pub(super) fn save(&mut self) -> Result<(), Error> {
        let text = self.document.to_string();
        let rules = read(&self.path, &text)?;
        let now: String = settings_file::read(&self.path, |text| Ok(text.to_owned()))?;
        if now != self.before {
            return Err(Error::place(
                format_args!("{} was changed meanwhile", self.path.display()),
                "run the command again",
            ));
        }
        write_file(&self.path, &text)?;
        (self.before, self.rules) = (text, rules);
        Ok(())
    }
}

fn read(path: &Path, text: &str) -> Result<Vec<Share>, Error> {
    let settings = settings_file::check(path, text, parse)?;
    Ok(settings.answering.shares)
}

fn take_label(rule: &mut dyn TableLike, label: &str) {
    let labels = rule.get_mut("labels").and_then(Item::as_array_mut);
    if let Some(labels) = labels {
        labels.retain(|own| own.as_str() != Some(label));
    }
}
