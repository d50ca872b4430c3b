//! Units of every act, as the gate could have written them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, DidKey, Scope, WorldId};
use proptest::collection::{btree_set, vec as list};
use proptest::prelude::*;
use serde_json::json;

use super::{Document, Entry, Format, Kind, is_decided};
use crate::time::{Boundary, ValidTime};
use crate::unit::Fingerprint;
use crate::{
    Act, ActKind, Anchor, Cardinality, ClaimBody, ClaimRef, Disposition, FactValue, Identifier,
    Provenance, ProvenanceClass, Reasons, SourceKey,
};

fn references(limit: usize) -> impl Strategy<Value = Vec<ClaimRef>> {
    btree_set("[a-z]{1,8}", 0..=limit).prop_map(|names| {
        let named = |name: String| WorldId::new(format!("ref-{name}")).unwrap();
        names.into_iter().map(named).collect()
    })
}

fn reference() -> impl Strategy<Value = ClaimRef> {
    "[a-z0-9 \\\\\"é]{1,12}".prop_map(|name| WorldId::new(format!("a-{name}")).unwrap())
}

fn boundary() -> impl Strategy<Value = Boundary> {
    let date = (1..=9999_u32, 1..=12_u32, 1..=28_u32);
    (date, 0..4_u8, 0..86_400_000_000_i64).prop_map(|((year, month, day), fineness, micros)| {
        let text = match fineness {
            0 => format!("{year:04}"),
            1 => format!("{year:04}-{month:02}"),
            _ => format!("{year:04}-{month:02}-{day:02}"),
        };
        let boundary = Boundary::parse(&text).unwrap();
        if fineness == 3 {
            Boundary::instant(boundary.begin() + micros)
        } else {
            boundary
        }
    })
}

fn valid_time() -> impl Strategy<Value = ValidTime> {
    (
        prop::option::of(boundary()),
        prop::option::of(boundary()),
        0.0..=1.0_f64,
    )
        .prop_filter("a boundary", |(from, until, _)| {
            from.is_some() || until.is_some()
        })
        .prop_map(|(from, until, confidence)| ValidTime {
            from,
            until,
            confidence: Confidence::new(confidence).unwrap(),
        })
}

fn cardinality() -> impl Strategy<Value = Cardinality> {
    prop::sample::select(Cardinality::ALL.to_vec())
}

pub(super) fn value() -> impl Strategy<Value = FactValue> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f32>()
            .prop_filter("written as a fraction", |number| number.abs() < 1e9)
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            list(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .prop_map(|value| FactValue::new(&value).unwrap())
}

prop_compose! {
    fn claim()(
        value in value(),
        valid in prop::option::of(valid_time()),
        cardinality in cardinality(),
        registered in prop::option::of(cardinality()),
        supersedes in references(16),
        domain in prop::option::of("[a-z]{1,20}".prop_map(|name| Identifier::new("domain", &name).unwrap())),
    ) -> ClaimBody {
        ClaimBody { value, valid, cardinality, registered, supersedes, domain }
    }
}

fn did() -> impl Strategy<Value = DidKey> {
    any::<[u8; 32]>().prop_map(DidKey::from_public_key)
}

fn sources() -> impl Strategy<Value = Vec<SourceKey>> {
    let source = prop_oneof![
        Just("user_asserted".to_string()),
        Just("first_hand".to_string()),
        did().prop_map(|did| format!("peer:{did}")),
        "[a-f0-9:]{1,64}".prop_map(|chain| format!("world:{chain}")),
    ];
    btree_set(source, 1..=16).prop_map(|texts| {
        texts
            .iter()
            .filter_map(|text| SourceKey::parse(text))
            .collect()
    })
}

fn act() -> impl Strategy<Value = Act> {
    let target = WorldId::new("target").unwrap();
    let on = move || target.clone();
    let some =
        |limit| references(limit).prop_filter("at least one", |references| !references.is_empty());
    prop_oneof![
        4 => claim().prop_map(Act::Claim),
        1 => (boundary(), Just(on())).prop_map(|(at, target)| Act::Bound { target, at }),
        1 => (some(20), Just(on())).prop_map(|(undoes, target)| Act::Reopen { target, undoes }),
        1 => (reference(), Just(on())).prop_map(|(by, target)| Act::Supersede { target, by }),
        1 => (references(20), Just(on())).prop_map(|(rivals, target)| Act::Affirm { target, rivals }),
        1 => Just(Act::Deny { target: on() }),
        1 => Just(Act::Undecided { target: on() }),
        1 => Just(Act::Release { target: on() }),
        1 => (sources(), Just(on()))
            .prop_map(|(sources, target)| Act::Corroborate { target, sources }),
        1 => Just(Act::Confirm { target: on() }),
        1 => (references(16), prop::option::of("[a-zé ]{1,40}"), Just(on()))
            .prop_map(|(frees, reason, target)| Act::Retract { target, frees, reason }),
    ]
}

fn provenance() -> impl Strategy<Value = Provenance> {
    prop_oneof![
        Just(ProvenanceClass::UserAsserted),
        Just(ProvenanceClass::FirstHand),
        Just(ProvenanceClass::ModelDerived),
        (did(), 0..=3_u8, any::<bool>()).prop_map(|(agent, level, inferred)| {
            ProvenanceClass::Peer {
                agent,
                level,
                inferred,
            }
        }),
    ]
    .prop_map(Provenance::assigned)
}

prop_compose! {
    fn because()(
        (rivals, more) in (references(16), 0..5_u64),
        equals in prop::option::of(reference()),
        depth in prop::option::of(any::<u32>()),
        cardinality in prop::option::of(cardinality()),
        ignored in references(16),
        re_entry in any::<bool>(),
    ) -> Reasons {
        let named = u64::try_from(rivals.len()).unwrap();
        let rival_count = if named == 16 { named + more } else { named };
        Reasons { rivals, rival_count, equals, depth, cardinality, ignored, re_entry }
    }
}

/// A disposition and row that the gate gives to such an act of such a provenance.
fn decided(act: ActKind, provenance: Provenance, choice: usize) -> (Disposition, u8) {
    let all: Vec<(Disposition, u8)> = Disposition::ALL
        .into_iter()
        .flat_map(|disposition| (0..=9).map(move |row| (disposition, row)))
        .filter(|(disposition, row)| is_decided(act, provenance, *disposition, *row))
        .collect();
    all[choice % all.len()]
}

prop_compose! {
    pub(super) fn document()(
        (subject, predicate) in ("[a-zé世]{1,12}", "[a-z.]{1,12}"),
        (number, previous) in (0..=1_767_225_600_000_000_u64, reference()),
        act in act(),
        provenance in provenance(),
        relays in btree_set(did(), 0..4),
        choice in 0..8_usize,
        because in because(),
        (worlds, chain) in (references(16), "[a-f0-9:]{1,64}"),
        derived_from in references(16),
        key in prop::option::of(("[a-z]{1,20}", any::<[u8; 32]>())),
    ) -> Document {
        // A model confirms nothing.
        let by_model = matches!(act, Act::Confirm { .. }) && !provenance.is_external();
        let provenance = match by_model {
            true => Provenance::assigned(ProvenanceClass::FirstHand),
            false => provenance,
        };
        let via = match provenance.class() {
            ProvenanceClass::Peer { agent, .. } => relays.into_iter().filter(|it| *it != agent).collect(),
            _ => Vec::new(),
        };
        let (disposition, row) = decided(act.kind(), provenance, choice);
        let named = |text: &str| Identifier::new("subject", text).unwrap();
        let anchor = |world| Anchor { world, source: chain.clone() };
        let (key, request) = key.map(|(key, hash)| (key, Fingerprint(hash))).unzip();
        let entry = Entry {
            kind: Kind::Claim,
            format: Format::V1,
            act_kind: act.kind(),
            subject: named(&subject),
            predicate: named(&predicate),
            number,
            previous: (number > 0).then_some(previous),
            provenance,
            via,
            disposition,
            row,
            because,
            anchors: worlds.into_iter().map(anchor).collect(),
            derived_from,
            key,
            request, scope: Scope::new(),
        };
        Document { entry, act }
    }
}
