//! Half-open windows of valid time.

use super::Micros;

/// `[start, end)`; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    /// The first instant in it.
    pub start: Option<Micros>,
    /// The first instant after it.
    pub end: Option<Micros>,
}

impl Window {
    /// Returns whether it holds `at`.
    #[must_use]
    pub fn contains(&self, at: Micros) -> bool {
        self.start.is_none_or(|start| start <= at) && self.end.is_none_or(|end| at < end)
    }

    /// Returns whether both hold some instant.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        let start = self.start.max(other.start);
        let end = match (self.end, other.end) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let shared = Self { start, end };
        !self.is_empty() && !other.is_empty() && !shared.is_empty()
    }

    /// Returns whether it holds no instant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!((self.start, self.end), (Some(start), Some(end)) if start >= end)
    }
}
