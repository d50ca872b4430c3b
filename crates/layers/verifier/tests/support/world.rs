//! A World with a field tree, as the capsule crate would seal it.

use std::collections::BTreeSet;

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId};
use counterfoil_verifier::payload::{DisclosedField, DisclosurePayload};
use counterfoil_verifier::{Entry, field};

use super::tree;

/// Fields of every test World, sorted by pointer; `/city` differs from World to World.
const FIELDS: [(&str, &str); 7] = [
    ("/a/b", "1"),
    ("/a~1b", "2"),
    ("/city", "\"Berlin\""),
    ("/empty", "{}"),
    ("/list/0", "true"),
    ("/none", "null"),
    ("/ratio", "0.5"),
];

#[derive(Clone)]
pub(crate) struct TestWorld {
    pub(crate) entry: Entry,
    pub(crate) fields: Vec<(String, [u8; 16], String)>,
}

impl TestWorld {
    pub(crate) fn new(id: &str) -> Self {
        let fields = FIELDS.map(|(path, value)| {
            let mut salt = [0; 16];
            for (at, byte) in [path, id].concat().bytes().enumerate() {
                salt[at % 16] ^= byte.rotate_left(at.try_into().unwrap());
            }
            (path.to_string(), salt, value.to_string())
        });
        Self::of(id, fields.to_vec())
    }

    pub(crate) fn of(id: &str, fields: Vec<(String, [u8; 16], String)>) -> Self {
        let root = tree::root(&leaves(&fields));
        let entry = Entry {
            world: WorldId::new(id).unwrap(),
            capsule: digest("capsule", id, root),
            content: digest("content", id, root),
            content_size: 187,
            field_root: root,
            field_count: fields.len().try_into().unwrap(),
        };
        Self { entry, fields }
    }

    /// The disclosure of fields by their pointers, in the order of the tree.
    pub(crate) fn disclosure(&self, pointers: &[&str]) -> DisclosurePayload {
        let fields = (0..).zip(&self.fields);
        let fields = fields.filter(|(_, (path, ..))| pointers.contains(&path.as_str()));
        let fields = fields.map(|(index, (path, salt, value))| DisclosedField {
            index,
            path: path.clone(),
            salt: *salt,
            value: value.clone(),
        });
        let fields: Vec<DisclosedField> = fields.collect();
        assert_eq!(fields.len(), pointers.len());
        let known = fields.iter().map(|field| field.index).collect();
        let mut hashes = Vec::new();
        rest_of(0, &known, &leaves(&self.fields), &mut hashes);
        DisclosurePayload { fields, hashes }
    }
}

pub(crate) fn leaves(fields: &[(String, [u8; 16], String)]) -> Vec<Sha256Hash> {
    fields
        .iter()
        .map(|(path, salt, value)| field::leaf_hash(path, salt, value))
        .collect()
}

/// Roots of the subtrees that hold no known leaf, by the shape of the tree.
fn rest_of(first: u64, known: &BTreeSet<u64>, leaves: &[Sha256Hash], hashes: &mut Vec<Sha256Hash>) {
    let after = first + u64::try_from(leaves.len()).unwrap();
    if known.range(first..after).next().is_none() {
        hashes.push(tree::root(leaves));
    } else if leaves.len() > 1 {
        let k = leaves.len().next_power_of_two() / 2;
        let (left, right) = leaves.split_at(k);
        rest_of(first, known, left, hashes);
        rest_of(first + u64::try_from(k).unwrap(), known, right, hashes);
    }
}

/// Stands for the BLAKE3 digests, which the verifier never recomputes.
fn digest(what: &str, id: &str, root: Sha256Hash) -> Blake3Hash {
    let text = format!("{what}\n{id}\n{root}");
    Blake3Hash::from_bytes(*counterfoil_verifier::merkle::leaf_hash(text.as_bytes()).as_bytes())
}
