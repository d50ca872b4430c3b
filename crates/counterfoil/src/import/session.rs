//! Place of a turn among its neighbours: positions count up within a conversation's session.

use std::collections::HashMap;

/// Hands out positions. A turn that cannot be read leaves a gap wherever it may have stood, so that
/// it finds a free place when its line is mended and the record imported again.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    next: HashMap<Dialogue, u64>,
    last: Option<Dialogue>,
    /// Lines of unknown origin since the last turn.
    skipped: u64,
}

type Dialogue = (String, Option<String>);

impl Positions {
    /// The next position, from 0, in this session of this conversation.
    pub(crate) fn take(&mut self, conversation: &str, session: Option<&str>) -> u64 {
        let dialogue = (conversation.to_owned(), session.map(str::to_owned));
        let skipped = std::mem::take(&mut self.skipped);
        // In the session of the line before, the gap was left when the line was skipped.
        let gap = if self.last.as_ref() == Some(&dialogue) {
            0
        } else {
            skipped
        };
        let next = self.next.entry(dialogue.clone()).or_default();
        let position = next.saturating_add(gap);
        *next = position.saturating_add(1);
        self.last = Some(dialogue);
        position
    }

    /// Leaves a gap where a line of unknown origin stood: in the session of the line before, and in
    /// that of the line after.
    pub(crate) fn skip(&mut self) {
        self.skipped = self.skipped.saturating_add(1);
        if let Some(next) = self.last.as_ref().and_then(|last| self.next.get_mut(last)) {
            *next = next.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A refused first line left no gap in its own session but one in the session before, so that
    /// mending it moved every turn of that session, whose ids then hung on their place.
    #[test]
    fn a_skipped_line_leaves_a_gap_in_both_sessions_that_it_may_be_of() {
        let mut positions = Positions::default();
        positions.skip();
        assert_eq!(positions.take("a", Some("1")), 1);
        positions.skip();
        assert_eq!(positions.take("a", Some("2")), 1);
        assert_eq!(positions.take("a", Some("1")), 3);
        positions.skip();
        assert_eq!(positions.take("a", Some("1")), 5);
        assert_eq!(positions.take("a", None), 0);
    }
}
