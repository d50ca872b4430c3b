//! Numbers with their nouns.

/// `3 memories`, `1 memory`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
