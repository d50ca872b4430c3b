//! The map against a naive one, and lookups against each change of a bit.

use counterfoil_capsule::line_tag;
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, Scope};
use counterfoil_verifier::map::{EMPTY, LineStanding, bit, key, leaf_hash, node_hash, value_hash};
use proptest::prelude::*;
use serde_json::json;

use super::*;

type Rows = RefCell<BTreeMap<Vec<u8>, Vec<u8>>>;
type Pairs = BTreeMap<Sha256Hash, Sha256Hash>;

/// `standing.md` §2, word for word.
fn naive_root(pairs: &Pairs, depth: usize) -> Sha256Hash {
    let mut keys = pairs.iter();
    match (keys.next(), keys.next()) {
        (None, _) => EMPTY,
        (Some((key, value)), None) => leaf_hash(key, value),
        _ => {
            let side = |right| {
                let side = pairs.iter().filter(|(key, _)| bit(key, depth) == right);
                naive_root(
                    &side.map(|(key, value)| (*key, *value)).collect(),
                    depth + 1,
                )
            };
            node_hash(&side(false), &side(true))
        }
    }
}

/// Keys that share many bits, and keys that share none.
fn keys() -> impl Strategy<Value = Sha256Hash> {
    let near = (0..32_usize, any::<[u8; 2]>()).prop_map(|(at, some)| {
        let mut bytes = [0x5a; 32];
        bytes[at] = some[0];
        bytes[31] ^= some[1];
        bytes
    });
    prop_oneof![any::<[u8; 32]>(), near].prop_map(Sha256Hash::from_bytes)
}

/// Keys with paths of a dozen siblings.
fn crowded() -> impl Strategy<Value = Sha256Hash> {
    any::<[u8; 32]>().prop_map(|mut bytes| {
        bytes[0] &= 1;
        Sha256Hash::from_bytes(bytes)
    })
}

fn value(number: u64) -> String {
    format!("value {number}")
}

fn numbered(numbers: std::ops::Range<u64>) -> Pairs {
    let pair = |number: u64| {
        let name = format!("world-{number}");
        (
            key("memory", &[name.as_bytes()]),
            value_hash(&value(number)),
        )
    };
    numbers.map(pair).collect()
}

fn flipped(hash: &Sha256Hash, bit: usize) -> Sha256Hash {
    let mut bytes = *hash.as_bytes();
    bytes[bit / 8] ^= 0x80 >> (bit % 8);
    Sha256Hash::from_bytes(bytes)
}

proptest! {
    #[test]
    fn a_set_has_one_root_whatever_the_order(
        batches in prop::collection::vec(prop::collection::vec((keys(), 0..4_u64), 0..40), 0..6),
        asked in prop::collection::vec(keys(), 8),
    ) {
        let (rows, mut all) = (Rows::default(), BTreeMap::new());
        for batch in batches {
            let changes: BTreeMap<_, _> = batch.into_iter().collect();
            let hashes = changes.iter().map(|(key, it)| (*key, value_hash(&value(*it)))).collect();
            all.extend(changes);
            let now: Pairs = all.iter().map(|(key, it)| (*key, value_hash(&value(*it)))).collect();
            prop_assert_eq!(update(&rows, &hashes).unwrap(), naive_root(&now, 0));
        }
        let now: Pairs = all.iter().map(|(key, it)| (*key, value_hash(&value(*it)))).collect();
        let expected = naive_root(&now, 0);
        prop_assert_eq!(root(&rows).unwrap(), expected);
        // At once, and one by one from the end.
        let (at_once, alone) = (Rows::default(), Rows::default());
        prop_assert_eq!(update(&at_once, &now).unwrap(), expected);
        for (key, hash) in now.iter().rev() {
            update(&alone, &BTreeMap::from([(*key, *hash)])).unwrap();
        }
        prop_assert_eq!(root(&alone).unwrap(), expected);
        prop_assert_eq!(&alone, &at_once);
        for key in all.keys().chain(&asked) {
            let value = all.get(key).map(|it| value(*it));
            let lookup = look_up(&rows, key, value.as_deref()).unwrap();
            prop_assert_eq!(lookup.check(key, &expected), Ok(value.as_deref()));
            prop_assert_eq!(Lookup::from_value(&lookup.to_value()), Ok(lookup));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// The verifier has one answer: each change of a bit of a lookup, its key, its value or the root is refused.
    #[test]
    fn each_flipped_bit_is_refused(
        pairs in prop::collection::btree_map(crowded(), Just(value_hash("v")), 0..30),
        asked in crowded(),
    ) {
        let rows = Rows::default();
        let root = update(&rows, &pairs).unwrap();
        for key in pairs.keys().next().into_iter().chain([&asked]) {
            let value = pairs.contains_key(key).then_some("v");
            let lookup = look_up(&rows, key, value).unwrap();
            for at in 0..256 {
                prop_assert!(lookup.check(key, &flipped(&root, at)).is_err());
                // Of an absent key others are absent at the same place, and have the same lookup.
                if value.is_some() {
                    prop_assert!(lookup.check(&flipped(key, at), &root).is_err());
                }
                for number in 0..lookup.siblings.len() {
                    let mut wrong = lookup.clone();
                    wrong.siblings[number] = flipped(&wrong.siblings[number], at);
                    prop_assert!(wrong.check(key, &root).is_err());
                }
                if let Some((other, value)) = lookup.other {
                    for other in [(flipped(&other, at), value), (other, flipped(&value, at))] {
                        let wrong = Lookup { other: Some(other), ..lookup.clone() };
                        prop_assert!(wrong.check(key, &root).is_err());
                    }
                }
            }
            let wrong_value = match value {
                Some(_) => ["w", "u", "\u{1}"].map(str::to_owned).map(Some).to_vec(),
                None => vec![Some("v".to_owned())],
            };
            for value in wrong_value.into_iter().chain([None]).filter(|it| it.as_deref() != value) {
                let wrong = Lookup { value, ..lookup.clone() };
                prop_assert!(wrong.check(key, &root).is_err());
            }
            for shorter in [lookup.siblings.get(1..), lookup.siblings.split_last().map(|it| it.1)] {
                let Some(shorter) = shorter else { continue };
                let wrong = Lookup { siblings: shorter.to_vec(), ..lookup.clone() };
                prop_assert!(wrong.check(key, &root).is_err());
            }
            let siblings = [lookup.siblings.clone(), vec![EMPTY]].concat();
            let wrong = Lookup { siblings, ..lookup };
            prop_assert!(wrong.check(key, &root).is_err());
        }
    }
}

proptest! {
    #[test]
    fn foreign_rows_are_refused_and_never_followed_without_end(
        rows in prop::collection::btree_map(
            prop::collection::vec(0..16_u8, 0..3), prop::collection::vec(any::<u8>(), 0..140), 0..6),
        asked in keys(),
    ) {
        let rows = Rows::new(rows);
        let _ = look_up(&rows, &asked, None);
        let _ = update(&rows, &BTreeMap::from([(asked, EMPTY)]));
    }
}

#[test]
fn a_thousand_keys_have_the_naive_root() {
    for count in [0, 1, 2, 16, 17, 1_000] {
        let pairs = numbered(0..count);
        let rows = Rows::default();
        assert_eq!(update(&rows, &pairs).unwrap(), naive_root(&pairs, 0));
    }
}

/// Slow without optimisation: `cargo test --release -p counterfoil-store map -- --ignored`.
#[test]
#[ignore = "takes minutes in a debug build"]
fn a_million_keys_have_the_naive_root_and_short_lookups() {
    let (count, rows) = (1 << 20, Rows::default());
    for start in (0..count).step_by(1 << 12) {
        update(&rows, &numbered(start..start + (1 << 12))).unwrap();
    }
    let (pairs, root) = (numbered(0..count), root(&rows).unwrap());
    assert_eq!(root, naive_root(&pairs, 0));
    let mut longest = 0;
    for number in (0..count).step_by(1_021) {
        let key = key("memory", &[format!("world-{number}").as_bytes()]);
        let lookup = look_up(&rows, &key, Some(&value(number))).unwrap();
        assert!(lookup.check(&key, &root).unwrap().is_some());
        longest = longest.max(lookup.siblings.len());
    }
    assert!((20..=40).contains(&longest), "{longest}");
}

#[test]
fn a_bucket_holds_leaves_of_its_own_place_alone() {
    let leaves = [1, 2].map(|byte| (Sha256Hash::from_bytes([byte; 32]), EMPTY));
    let bytes = Node::Bucket(leaves.to_vec()).to_bytes();
    for (place, is_there) in [
        (vec![], true),
        (vec![0], true),
        (vec![1], false),
        (vec![0, 1], false),
    ] {
        assert_eq!(
            Node::from_bytes(&place, &bytes).is_some(),
            is_there,
            "{place:?}"
        );
    }
}

#[test]
fn edited_and_missing_rows_are_found_by_lookups() {
    let pairs = numbered(0..1_000);
    let rows = Rows::default();
    let root = update(&rows, &pairs).unwrap();
    let (number, name) = (7, "world-7");
    let key = key("memory", &[name.as_bytes()]);
    let good = look_up(&rows, &key, Some(&value(number))).unwrap();
    assert!(matches!(
        look_up(&rows, &key, Some("another")),
        Err(StoreError::IndexDamaged { .. })
    ));
    assert!(matches!(
        look_up(&rows, &key, None),
        Err(StoreError::IndexDamaged { .. })
    ));
    let place: Vec<u8> = vec![node::nibble(&key, 0)];
    let kept = rows.borrow_mut().remove(&place);
    assert!(look_up(&rows, &key, Some(&value(number))).is_err());
    rows.borrow_mut().insert(place.clone(), kept.unwrap());
    assert_eq!(look_up(&rows, &key, Some(&value(number))).unwrap(), good);
    // A subtree that the path does not enter: the lookup is another one, which the root refuses.
    let beside = usize::from(15 - node::nibble(&key, 0));
    rows.borrow_mut().get_mut(&Vec::new()).unwrap()[3 + 32 * beside] ^= 1;
    let wrong = look_up(&rows, &key, Some(&value(number))).unwrap();
    assert!(wrong.check(&key, &root).is_err());
}

/// Three lines of one agent: of two units, of one unit, and of none.
fn golden_lines() -> Vec<Value> {
    let agent: DidKey = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"
        .parse()
        .unwrap();
    let secret = [7; 32];
    let lines = [
        ("alice", "lives in", Some((2, 42))),
        ("alic", "elives in", Some((1, 7))),
        ("zo\u{e9}", "", None),
    ]
    .map(|(subject, predicate, units)| {
        let tag = line_tag(&secret, subject, predicate, &Scope::new());
        let value = units.map(|(count, last): (u64, u8)| LineStanding {
            count,
            last: u64::from(last),
            capsule: Blake3Hash::from_bytes([last; 32]),
        });
        let units = value.map(|it| json!([it.count, it.last, it.capsule]));
        let key = LineStanding::key(&agent, &tag);
        (key, value, json!({"secret": Sha256Hash::from_bytes(secret).to_hex(), "subject": subject, "predicate": predicate, "tag": tag.to_string(),
            "agent": agent, "key": key.to_hex(), "units": units}))
    });
    let rows = Rows::default();
    let values = lines
        .iter()
        .filter_map(|(key, value, _)| Some((*key, value.as_ref()?.to_text())));
    let values: BTreeMap<_, _> = values.collect();
    let pairs = values.iter().map(|(key, value)| (*key, value_hash(value)));
    update(&rows, &pairs.collect()).unwrap();
    let with_lookup = |(key, _, mut line): (Sha256Hash, _, Value)| {
        let lookup = look_up(&rows, &key, values.get(&key).map(String::as_str)).unwrap();
        line["lookup"] = lookup.to_value();
        line
    };
    lines.map(with_lookup).to_vec()
}

/// `tests/vectors/map/v1.json`, which a second implementation checks too. `GOLDEN=write` writes it.
#[test]
fn the_golden_lookups_are_these() {
    let asked = |number: u64| {
        let name = format!("world-{number}");
        let value = value(number);
        (name, value)
    };
    let of = |count: u64| {
        let pairs = numbered(0..count);
        let rows = Rows::default();
        let root = update(&rows, &pairs).unwrap();
        let lookups: Vec<Value> = [0, 1, 7, 999, 1_000, 1_001, 1_002, 1_003]
            .into_iter()
            .map(|number| {
                let (name, value) = asked(number);
                let key = key("memory", &[name.as_bytes()]);
                let value = pairs.contains_key(&key).then_some(value);
                let lookup = look_up(&rows, &key, value.as_deref()).unwrap();
                assert_eq!(lookup.check(&key, &root), Ok(value.as_deref()));
                json!({"context": "memory", "fields": [name], "key": key.to_hex(), "lookup": lookup.to_value()})
            })
            .collect();
        json!({"keys": count, "root": root.to_hex(), "lookups": lookups})
    };
    let maps = [of(0), of(1), of(2), of(40), of(1_000)];
    let golden = json!({"type": "map", "maps": maps, "lines": golden_lines()});
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/vectors/map/v1.json"
    );
    if std::env::var("GOLDEN").is_ok_and(|it| it == "write") {
        let text = serde_json::to_string_pretty(&golden).unwrap();
        std::fs::write(path, text + "\n").unwrap();
    }
    let written: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(written, golden);
}
