//! Places in a store, for messages.

/// A place in a store: a table, and the entry in it where there is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreLocation {
    table: String,
    index: Option<u64>,
}

impl StoreLocation {
    /// The table as a whole.
    pub fn table(table: impl Into<String>) -> Self {
        Self {
            table: table.into(),
            index: None,
        }
    }

    /// The row of `table` that belongs to the log entry `index`.
    pub fn entry(table: impl Into<String>, index: u64) -> Self {
        Self {
            table: table.into(),
            index: Some(index),
        }
    }

    /// The table's name.
    pub fn table_name(&self) -> &str {
        &self.table
    }

    /// The log index, where the place is one entry.
    pub const fn index(&self) -> Option<u64> {
        self.index
    }
}

impl core::fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.index {
            Some(index) => write!(f, "table {}, entry {index}", self.table),
            None => write!(f, "table {}", self.table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_the_table_and_the_entry() {
        let entry = StoreLocation::entry("log", 7);
        assert_eq!(entry.to_string(), "table log, entry 7");
        assert_eq!(StoreLocation::table("head").to_string(), "table head");
    }
}
