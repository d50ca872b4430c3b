//! Where a turn stands among its neighbours: positions count up within a conversation's session.

use std::collections::HashMap;

/// Hands out positions. A turn that cannot be read takes one too, so that mending its line later
/// moves none of the others, whose ids depend on their place.
#[derive(Debug, Default)]
pub(super) struct Positions {
    next: HashMap<Dialogue, u64>,
    last: Option<Dialogue>,
}

type Dialogue = (String, Option<String>);

impl Positions {
    /// The next position, from 0, in this session of this conversation.
    pub(super) fn take(&mut self, conversation: &str, session: Option<&str>) -> u64 {
        let dialogue = (conversation.to_owned(), session.map(str::to_owned));
        let position = advance(self.next.entry(dialogue.clone()).or_default());
        self.last = Some(dialogue);
        position
    }

    /// Leaves a gap where a line of unknown origin stood: in the session of the line before.
    pub(super) fn skip(&mut self) {
        if let Some(next) = self.last.as_ref().and_then(|last| self.next.get_mut(last)) {
            advance(next);
        }
    }
}

fn advance(next: &mut u64) -> u64 {
    let position = *next;
    *next = next.saturating_add(1);
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_counts_for_itself_and_keeps_gaps() {
        let mut positions = Positions::default();
        positions.skip();
        assert_eq!(positions.take("a", Some("1")), 0);
        assert_eq!(positions.take("a", Some("2")), 0);
        assert_eq!(positions.take("a", Some("1")), 1);
        positions.skip();
        assert_eq!(positions.take("a", Some("1")), 3);
        assert_eq!(positions.take("a", None), 0);
    }
}
