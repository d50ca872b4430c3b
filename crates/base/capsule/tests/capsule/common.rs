//! Worlds, agents and capsules for the tests of this crate.

use std::collections::BTreeMap;

use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleId, Header, Position, SealedCapsule, SecretKey, Signer, Stamp,
    StoredParts, Surroundings, Timestamp, Verdict, World, check_capsule, seal_world,
};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, UnixMillis, WorldId};
use proptest::prelude::*;

/// 2026-02-10T00:00:00.123456Z
pub(crate) const NOW: u64 = 1_770_681_600_123_456;
pub(crate) const SALT: [u8; 32] = [0xa5; 32];

pub(crate) fn signer() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

/// Knows no key chain.
pub(crate) const NO_KEYS: BTreeMap<DidKey, Vec<DidKey>> = BTreeMap::new();

pub(crate) fn stranger() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([8; 32]))
}

pub(crate) fn world(data: Value) -> World {
    let id = WorldId::new("world-123").unwrap();
    counterfoil_capsule::remember(id, UnixMillis::new(1_770_000_000_000).unwrap(), data).unwrap()
}

pub(crate) fn note() -> World {
    world(serde_json::json!({ "kind": "note", "text": "the key is under the blue pot" }))
}

pub(crate) fn id(number: u8) -> CapsuleId {
    CapsuleId::from_parts(NOW / 1000, [number; 10])
}

/// A stamp of exactly this time.
pub(crate) fn stamp(micros: u64) -> Stamp {
    Stamp::next(micros, None).unwrap()
}

pub(crate) fn at(micros: u64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

pub(crate) fn seal(world: &World) -> SealedCapsule {
    seal_as(world, 1, &signer())
}

/// A seed of this number by this agent.
pub(crate) fn seal_as(world: &World, number: u8, signer: &dyn Signer) -> SealedCapsule {
    seal_world(world, &Position::seed(id(number), stamp(NOW)), SALT, signer).unwrap()
}

/// The surroundings of the capsule after `predecessor`.
pub(crate) fn after(predecessor: &Header) -> Surroundings<'_> {
    Surroundings {
        predecessor: Some(predecessor),
        ..Surroundings::default()
    }
}

pub(crate) fn delta() -> BodyRef {
    BodyRef::delta(&[3; 32], "[]", "rev-json-patch/1").unwrap()
}

/// The capsule after `predecessor`, sealed at `micros`.
pub(crate) fn successor(predecessor: &Header, number: u8, micros: u64) -> SealedCapsule {
    let position = Position::after(predecessor, delta(), id(number), stamp(micros));
    seal_world(&note(), &position, SALT, &signer()).unwrap()
}

/// The bytes of a capsule, owned, so that a test can spoil them.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    pub(crate) header: Vec<u8>,
    pub(crate) entry: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    pub(crate) payload: Vec<u8>,
    pub(crate) salt: [u8; 32],
    pub(crate) delta: Option<(Vec<u8>, [u8; 32])>,
}

impl Bytes {
    pub(crate) fn of(sealed: &SealedCapsule) -> Self {
        Self {
            header: sealed.header.canonical().into(),
            entry: sealed.entry.to_text().into(),
            signature: sealed.signature.to_vec(),
            payload: sealed.payload.clone().into(),
            salt: sealed.salt,
            delta: sealed.header.previous().map(|_| (b"[]".to_vec(), [3; 32])),
        }
    }

    pub(crate) fn parts(&self) -> StoredParts<'_> {
        StoredParts {
            header: &self.header,
            entry: &self.entry,
            signature: Some(&self.signature),
            payload: Some(&self.payload),
            salt: Some(&self.salt),
            delta: self.delta.as_ref().map(|(delta, _)| delta.as_slice()),
            delta_salt: self.delta.as_ref().map(|(_, salt)| salt),
        }
    }

    pub(crate) fn check(&self) -> Verdict {
        self.check_in(&Surroundings::default())
    }

    pub(crate) fn check_in(&self, around: &Surroundings<'_>) -> Verdict {
        check_capsule(&self.parts(), around)
    }
}

/// Any JSON that has a canonical form, not too large.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        any_double().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map("[a-z~/é\\PC]{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Finite, and no integer that other parsers round.
fn any_double() -> impl Strategy<Value = f64> {
    let integral = 9_007_199_254_740_991.0..1e21;
    any::<f64>().prop_filter("exchangeable", move |double| {
        double.is_finite() && !integral.contains(&double.abs())
    })
}
