//! The World: v1.0 shape, absent is not null, unknown members kept, `metadata` outside the content.

use counterfoil_capsule::{MEMORY_SCHEMA, Receipt, World};
use counterfoil_types::json::{self, Value};
use counterfoil_types::{ReadError, UnixMillis, WorldId};
use proptest::prelude::*;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::common::{any_json, note};

/// A World as the TypeScript project writes one.
fn upstream() -> Value {
    json!({
        "worldId": "33b1111a99ee", "schemaHash": "schema-abc", "snapshotHash": "5f2e",
        "createdAt": 1_700_000_000_000_u64, "createdBy": "prop-1",
        "executionTraceRef": { "uri": "trace:1", "hash": "ab", "size": 12 },
    })
}

fn read(value: &Value) -> Result<World, ReadError> {
    World::from_json(value.to_string().as_bytes())
}

#[test]
fn an_upstream_world_is_read_and_written_unchanged() {
    let world = read(&upstream()).unwrap();
    assert_eq!(world.to_value(), upstream());
    assert_eq!(serde_json::to_value(&world).unwrap(), upstream());
    assert_eq!(world.world_id(), &WorldId::new("33b1111a99ee").unwrap());
    assert_eq!(world.schema_hash(), "schema-abc");
    assert_eq!(world.snapshot_hash(), "5f2e");
    assert_eq!(world.created_at().value(), 1_700_000_000_000);
    assert_eq!(world.created_by(), Some("prop-1"));
    assert_eq!((world.data(), world.metadata()), (None, None));
}

/// CAP-13.
#[test]
fn unknown_members_are_kept_and_are_content() {
    let mut value = upstream();
    value["parentWorldId"] = json!(null);
    value["terminalStatus"] = json!("completed");
    let world = read(&value).unwrap();
    assert_eq!(world.to_value(), value);
    assert_ne!(
        world.content().unwrap(),
        read(&upstream()).unwrap().content().unwrap()
    );
}

#[test]
fn absent_is_not_null() {
    for (member, null_is) in [
        ("worldId", false),
        ("schemaHash", false),
        ("snapshotHash", false),
        ("createdAt", false),
        ("createdBy", true),
    ] {
        let mut value = upstream();
        value[member] = Value::Null;
        assert_eq!(read(&value).is_ok(), null_is, "{member}: null");
        value.as_object_mut().unwrap().remove(member);
        assert!(read(&value).is_err(), "{member} left out");
    }
    for member in ["executionTraceRef", "metadata"] {
        let mut value = upstream();
        value[member] = Value::Null;
        assert!(read(&value).is_err(), "{member}: null");
        value.as_object_mut().unwrap().remove(member);
        assert!(read(&value).is_ok(), "{member} left out");
    }
    let mut value = upstream();
    value["data"] = Value::Null;
    assert_eq!(read(&value).unwrap().data(), Some(&Value::Null));
}

#[test]
fn what_is_wrong_is_named() {
    let error = read(&json!({ "createdBy": 7, "executionTraceRef": {} })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "worldId must be non-empty string; schemaHash must be string; \
         snapshotHash must be string; createdAt must be positive integer; \
         createdBy must be string; executionTraceRef: uri must be string; hash must be string"
    );
}

#[test]
fn times_are_javascript_numbers() {
    for (written, millis) in [("1.0", 1), ("1.7e12", 1_700_000_000_000), ("5", 5)] {
        let text = upstream().to_string().replace("1700000000000", written);
        let world = World::from_json(text.as_bytes()).unwrap();
        assert_eq!(world.created_at().value(), millis);
        assert!(
            world
                .content()
                .unwrap()
                .contains(&format!(r#""createdAt":{millis},"#))
        );
    }
    for written in ["0", "-1", "1.5", "9007199254740992", "\"1\"", "null"] {
        let text = upstream().to_string().replace("1700000000000", written);
        assert!(World::from_json(text.as_bytes()).is_err(), "{written}");
    }
}

#[test]
fn a_remembered_world_names_its_schema_and_its_snapshot() {
    let world = note();
    let hash = |text: &str| hex::encode(Sha256::digest(text));
    assert_eq!(world.schema_hash(), hash(MEMORY_SCHEMA));
    let data = r#"{"kind":"note","text":"the key is under the blue pot"}"#;
    assert_eq!(world.snapshot_hash(), hash(data));
    assert_eq!(world.created_by(), None);
    assert_eq!(read(&world.to_value()).unwrap(), world);
}

#[test]
fn duplicate_members_are_refused() {
    let text = upstream()
        .to_string()
        .replacen('{', r#"{"worldId":"other","#, 1);
    assert!(matches!(
        World::from_json(text.as_bytes()),
        Err(ReadError::Json(_))
    ));
}

#[test]
fn metadata_is_not_content() {
    let mut value = upstream();
    value["metadata"] = json!({ "receipt": 1, "note": "x" });
    let world = read(&value).unwrap();
    assert_eq!(
        world.content().unwrap(),
        read(&upstream()).unwrap().content().unwrap()
    );
    assert_eq!(world.metadata().unwrap().len(), 2);
    assert!(Receipt::of(&world).is_err());
    assert_eq!(world.to_value(), value);
    assert_eq!(world.without_metadata(), read(&upstream()).unwrap());
}

/// The same members in another order, as text: `order` deals them out at each level.
fn permuted(value: &Value, order: u64) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| permuted(item, order)).collect();
            format!("[ {} ]", items.join(" , "))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| Sha256::digest(format!("{order}{name}")).to_vec());
            let members = members.into_iter().map(|(name, member)| {
                format!(
                    "{}: {}",
                    Value::from(name.as_str()),
                    permuted(member, order)
                )
            });
            format!("{{\n{} }}", members.collect::<Vec<_>>().join(",\n"))
        }
        scalar => scalar.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_members_and_white_space_do_not_matter(data in any_json(), order: u64) {
        let mut value = upstream();
        value["data"] = data;
        let world = World::from_json(permuted(&value, order).as_bytes()).unwrap();
        prop_assert_eq!(world.content().unwrap(), read(&value).unwrap().content().unwrap());
    }

    #[test]
    fn every_world_survives_json(data in any_json(), millis in 1..=9_007_199_254_740_991_u64, id in "\\PC{1,30}") {
        let id = WorldId::new(id).unwrap();
        let world = counterfoil_capsule::remember(id, UnixMillis::new(millis).unwrap(), data).unwrap();
        let again = read(&world.to_value()).unwrap();
        prop_assert_eq!(again.content().unwrap(), world.content().unwrap());
        let content = world.content().unwrap();
        prop_assert_eq!(&json::canonical(world.content_value()).unwrap(), &content);
        prop_assert_eq!(World::from_json(content.as_bytes()).unwrap().content().unwrap(), content);
    }
}
