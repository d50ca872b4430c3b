//! One table of a settings file, read strictly: what is wrong is named with what to write instead.

use std::ops::RangeInclusive;

use counterfoil_exchange::documents::{Domain, Text};
use toml::{Table, Value};

use crate::settings_file::Wrong;

/// A table with the name that it has in the file.
pub(crate) struct Entries<'t> {
    name: &'t str,
    table: &'t Table,
}

impl<'t> Entries<'t> {
    /// The table, in which nothing but these may stand.
    pub(crate) fn closed(name: &'t str, table: &'t Table, known: &[&str]) -> Result<Self, Wrong> {
        match table.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let what = format!("`{name}.{key}` is no setting");
                Err(Wrong::new(
                    what,
                    format_args!("under [{name}] there are {}", known.join(", ")),
                ))
            }
            None => Ok(Self { name, table }),
        }
    }

    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.name)
    }

    /// A whole number within `range`; the default if the member is absent.
    pub(crate) fn number<N: TryFrom<i64> + Copy>(
        &self,
        name: &str,
        range: RangeInclusive<i64>,
        default: N,
    ) -> Result<N, Wrong> {
        let Some(value) = self.table.get(name) else {
            return Ok(default);
        };
        let number = value.as_integer().filter(|number| range.contains(number));
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| {
                let what = format!("a whole number, {} to {}", range.start(), range.end());
                Wrong::must_be(&self.key(name), &what)
            })
    }

    /// `true` or `false`, or `false` where nothing is said.
    pub(crate) fn yes(&self, name: &str) -> Result<bool, Wrong> {
        match self.table.get(name) {
            None => Ok(false),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| Wrong::must_be(&self.key(name), "true or false")),
        }
    }

    /// A text of 1 to `MAX` bytes, if there is one.
    pub(crate) fn text<const MAX: usize>(&self, name: &str) -> Result<Option<Text<MAX>>, Wrong> {
        let Some(value) = self.table.get(name) else {
            return Ok(None);
        };
        let text = value.as_str().and_then(|text| Text::new(text).ok());
        let what = format!("a text of 1 to {MAX} bytes in quotation marks");
        text.map(Some)
            .ok_or_else(|| Wrong::must_be(&self.key(name), &what))
    }

    /// One of the words, or `default` where nothing is said.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        default: T,
    ) -> Result<T, Wrong> {
        let Some(value) = self.table.get(name) else {
            return Ok(default);
        };
        let found = words.iter().find(|(word, _)| value.as_str() == Some(*word));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<String> = words
                .iter()
                .map(|(word, _)| format!("\"{word}\""))
                .collect();
            Wrong::must_be(&self.key(name), &words.join(" or "))
        })
    }

    /// Each of an array of texts, at most `most`; none where nothing is said.
    pub(crate) fn each<T>(
        &self,
        name: &str,
        most: usize,
        (read, what): (impl Fn(&str) -> Option<T>, &str),
    ) -> Result<Vec<T>, Wrong> {
        let wrong = || {
            let what = format!("an array of at most {most}, each {what}");
            Wrong::must_be(&self.key(name), &what)
        };
        let values = match self.table.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) if values.len() <= most => values,
            Some(_) => return Err(wrong()),
        };
        let read = values.iter().map(|value| value.as_str().and_then(&read));
        read.collect::<Option<_>>().ok_or_else(wrong)
    }

    /// At most 64 domains.
    pub(crate) fn domains(&self, name: &str) -> Result<Vec<Domain>, Wrong> {
        self.each(
            name,
            64,
            (
                |text| text.parse().ok(),
                "such as \"memory-systems/pruning\"",
            ),
        )
    }

    /// Value of a member.
    pub(crate) fn value(&self, name: &str) -> Option<&'t Value> {
        self.table.get(name)
    }

    /// The entry has no meaning.
    pub(crate) fn refused(&self, name: &str, what: &str) -> Wrong {
        Wrong::must_be(&self.key(name), what)
    }
}
