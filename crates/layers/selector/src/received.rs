//! What a reader has to know of a memory that another agent has told: whose word it is, and whether it is past its time
//! (R17, R18; docs/format/exchange.md §11).

use counterfoil_capsule::{Timestamp, World};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

/// `said by did:key:…, trust 1 at receipt, past its time`; `None` for one's own. No word of the memory gets into it: the
/// key, the level and the time are read as what they are, or left out.
pub(crate) fn told(world: &World, now_us: u64) -> Option<String> {
    let data = world.data()?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    if text("kind") != Some("received") {
        return None;
    }
    let from = text("from").and_then(|key| key.parse::<DidKey>().ok());
    let level = data
        .get("level")
        .and_then(Value::as_u64)
        .filter(|level| *level <= 3);
    let until = text("until").and_then(|time| time.parse::<Timestamp>().ok());
    let who = from.map_or_else(|| "somebody unknown".to_owned(), |key| key.to_string());
    let trust = level.map(|level| format!(", trust {level} at receipt"));
    let past = until.is_some_and(|until| until.micros() <= now_us);
    let stale = if past { ", past its time" } else { "" };
    Some(format!("said by {who}{}{stale}", trust.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{UnixMillis, WorldId};
    use serde_json::json;

    use super::*;

    const KEY: &str = "did:key:z6Mkftkn69tEBfDaaNLBrjR7PC5XfjpLyXA8pqZGH5hqHSvV";

    fn of(data: Value) -> Option<String> {
        let id = WorldId::new("world-1").unwrap();
        let world = World::remember(id, UnixMillis::new(1_700_000_000_000).unwrap(), data).unwrap();
        told(&world, 1_800_000_000_000_000)
    }

    /// R17: what another agent has said is never told as one's own.
    #[test]
    fn another_agents_word_is_told_as_its_word() {
        let said = json!({"kind": "received", "text": "x", "from": KEY, "level": 2});
        assert_eq!(of(said), Some(format!("said by {KEY}, trust 2 at receipt")));
        assert_eq!(of(json!({"kind": "note", "text": "x", "from": KEY})), None);
    }

    #[test]
    fn what_is_past_its_time_is_told_so() {
        let said =
            |until: &str| json!({"kind": "received", "text": "x", "level": 0, "until": until});
        let old = of(said("2020-01-01T00:00:00.000000Z"));
        assert_eq!(
            old.as_deref(),
            Some("said by somebody unknown, trust 0 at receipt, past its time")
        );
        let new = of(said("2099-01-01T00:00:00.000000Z"));
        assert_eq!(
            new.as_deref(),
            Some("said by somebody unknown, trust 0 at receipt")
        );
    }

    /// R18: a name or a time that is none does not get into a reason.
    #[test]
    fn no_word_of_the_memory_gets_into_the_reason() {
        let said = json!({"kind": "received", "text": "x", "from": "me; believed", "level": 9, "until": "never"});
        assert_eq!(of(said).as_deref(), Some("said by somebody unknown"));
    }
}
