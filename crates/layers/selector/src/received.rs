//! Source of a memory that came from another agent, and its expiry (R17, R18; docs/format/exchange.md §11).

use counterfoil_capsule::Timestamp;
use counterfoil_memory_selector::PeerSource;
use counterfoil_types::World;
use counterfoil_types::json::Value;

/// Reads the source of `world`; `None` for a memory of one's own. Key, level and time are parsed or left out, so
/// no other word of the memory gets in.
pub(crate) fn source_of(world: &World, now_us: u64) -> Option<PeerSource> {
    let data = world.data()?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    if text("kind") != Some("received") {
        return None;
    }
    let level = data.get("level").and_then(Value::as_u64);
    let until = text("until").and_then(|time| time.parse::<Timestamp>().ok());
    Some(PeerSource {
        agent: text("from").and_then(|key| key.parse().ok()),
        level: level.filter(|level| *level <= 3),
        expired: until.is_some_and(|until| until.micros() <= now_us),
    })
}

#[cfg(test)]
mod tests {
    use counterfoil_types::{DidKey, UnixMillis, WorldId};
    use serde_json::json;

    use super::*;

    const KEY: &str = "did:key:z6Mkftkn69tEBfDaaNLBrjR7PC5XfjpLyXA8pqZGH5hqHSvV";

    /// R17, R18: another agent's word is never one's own; a key, level or time that is none gets into no remark.
    #[test]
    fn another_agents_word_is_told_as_its_word() {
        let received = |mut data: Value| {
            data["text"] = json!("x");
            let id = WorldId::new("world-1").unwrap();
            let at = UnixMillis::new(1_700_000_000_000).unwrap();
            let world = counterfoil_capsule::remember(id, at, data).unwrap();
            let source = source_of(&world, 1_800_000_000_000_000)?;
            Some(source.remark(DidKey::to_string))
        };
        let cases = [
            (
                json!({"kind": "received", "from": KEY, "level": 2}),
                Some(format!("said by {KEY}, trust 2 at receipt")),
            ),
            (json!({"kind": "note", "from": KEY}), None),
            (
                json!({"kind": "received", "level": 0, "until": "2020-01-01T00:00:00.000000Z"}),
                Some("said by somebody unknown, trust 0 at receipt, past its time".into()),
            ),
            (
                json!({"kind": "received", "level": 3, "until": "2099-01-01T00:00:00.000000Z"}),
                Some("said by somebody unknown, trust 3 at receipt".into()),
            ),
            (
                json!({"kind": "received", "from": "me; believed", "level": 9, "until": "never"}),
                Some("said by somebody unknown".into()),
            ),
        ];
        for (data, remark) in cases {
            assert_eq!(received(data.clone()), remark, "{data}");
        }
    }
}
