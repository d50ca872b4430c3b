//! A World with a field tree, as the capsule crate would seal it.

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId};
use counterfoil_verifier::payload::DisclosurePayload;
use counterfoil_verifier::{Entry, Side, field};

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

    /// The disclosure of a field by its pointer.
    pub(crate) fn disclosure(&self, pointer: &str) -> DisclosurePayload {
        let at = self.fields.iter().position(|(path, ..)| path == pointer);
        let index = at.unwrap();
        let leaves = leaves(&self.fields);
        let (path, salt, value) = &self.fields[index];
        DisclosurePayload {
            leaf_hash: leaves[index],
            siblings: siblings(index, &leaves),
            index: index.try_into().unwrap(),
            path: path.clone(),
            salt: *salt,
            value: value.clone(),
        }
    }
}

pub(crate) fn leaves(fields: &[(String, [u8; 16], String)]) -> Vec<Sha256Hash> {
    fields
        .iter()
        .map(|(path, salt, value)| field::leaf_hash(path, salt, value))
        .collect()
}

/// Sides from the shape of the tree, not from the verifier's arithmetic.
fn siblings(index: usize, leaves: &[Sha256Hash]) -> Vec<(Sha256Hash, Side)> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(k);
    let (mut path, sibling) = if index < k {
        (siblings(index, left), (tree::root(right), Side::Right))
    } else {
        (siblings(index - k, right), (tree::root(left), Side::Left))
    };
    path.push(sibling);
    path
}

/// Stands for the BLAKE3 digests, which the verifier never recomputes.
fn digest(what: &str, id: &str, root: Sha256Hash) -> Blake3Hash {
    let text = format!("{what}\n{id}\n{root}");
    Blake3Hash::from_bytes(*counterfoil_verifier::merkle::leaf_hash(text.as_bytes()).as_bytes())
}
