//! Names of a subject (docs/format/claims.md 1, 4, 7).

use crate::calendar::Micros;
use crate::entry::Entry;
use crate::oracle::Oracle;

/// A record: since when, the name, and the main name or that it is none.
pub(crate) type Named = (Micros, String, Option<String>);

impl Oracle {
    /// A record about a name, after everything that was recorded; when it counts from.
    pub fn name(&mut self, now: Micros, name: &str, main: Option<&str>) -> Micros {
        let after = |last: Micros, entry: &Entry| last.max(entry.stamp + 1);
        let units = self.entries().iter().fold(now, after);
        let since = units.max(self.last_world() + 1);
        let record = (since, name.to_owned(), main.map(str::to_owned));
        self.named.push(record);
        since
    }

    /// The main name of a subject at a time. A record counts if the main name is no other one then, and the name has none.
    #[must_use]
    pub fn main(&self, subject: &str, at: Micros) -> String {
        let mut others: Vec<(&str, &str)> = Vec::new();
        for (_, name, main) in self.named.iter().filter(|(since, ..)| *since <= at) {
            let is_other = |of: &str| others.iter().any(|(other, _)| *other == of);
            let has_others = others.iter().any(|(_, main)| main == name);
            match main {
                Some(main) if main == name || is_other(main) || has_others => continue,
                _ => others.retain(|(other, _)| other != name),
            }
            others.extend(main.as_ref().map(|main| (name.as_str(), main.as_str())));
        }
        let found = others.iter().find(|(other, _)| *other == subject);
        found.map_or(subject, |(_, main)| *main).to_owned()
    }

    /// The other names of a subject that is a main name, in their order.
    pub(crate) fn other_names(&self, subject: &str, at: Micros) -> Vec<String> {
        let mut names: Vec<String> = self.named.iter().map(|(_, name, _)| name.clone()).collect();
        names.retain(|name| name != subject && self.main(name, at) == subject);
        names.sort();
        names.dedup();
        names
    }

    /// A line under the main name of its subject.
    #[must_use]
    pub fn main_line(&self, line: &(String, String), at: Micros) -> (String, String) {
        (self.main(&line.0, at), line.1.clone())
    }

    /// The units of an agent until a time as a reader sees them: under main names, in the order of their times.
    pub(crate) fn read(&self, agent: u8, as_of: Micros) -> Vec<Entry> {
        let own = self.entries().iter();
        let own = own.filter(|entry| entry.agent == agent && entry.stamp <= as_of);
        let mut read: Vec<Entry> = own.cloned().collect();
        read.sort_by_key(|entry| entry.stamp);
        for (number, entry) in read.iter_mut().enumerate() {
            entry.line = self.main_line(&entry.line, as_of);
            entry.number = number;
        }
        read
    }
}
