//! The field tree: a Merkle tree over the scalars of a content, for partial disclosure (Appendix E).
//!
//! One leaf for each scalar and each empty array or object, sorted by the bytes of its JSON pointer
//! (RFC 6901); the tree is that of RFC 6962 §2.1. Every leaf has a salt of its own, derived from
//! the content salt and the path: the same content and salt give the same tree, and who sees one
//! field cannot guess its neighbours.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Limits, Value};
use counterfoil_verifier::payload::{DisclosedField, DisclosurePayload};
use counterfoil_verifier::{field, merkle};

use crate::digest::FieldSalts;
use crate::error::CapsuleError;

/// Limit on the bytes of all paths together: 16 MiB. A long name above many fields is part of the path
/// of each, so that a small content could otherwise cost gigabytes of hashing.
const MAX_PATH_BYTES: usize = 16 << 20;

/// The tree over one content. It borrows the content, so that a field can be disclosed.
#[derive(Debug, Clone)]
pub struct FieldTree<'c> {
    salts: FieldSalts,
    leaves: Vec<Leaf<'c>>,
}

#[derive(Debug, Clone)]
struct Leaf<'c> {
    path: String,
    value: &'c Value,
    hash: Sha256Hash,
}

impl<'c> FieldTree<'c> {
    /// Builds the tree over a content, of which the salt is `salt`.
    ///
    /// # Errors
    /// [`CapsuleError::Json`] when a value has no canonical form or lies deeper than 64,
    /// [`CapsuleError::ContentTooWide`] above 10,000 fields or 16 MiB of paths.
    pub fn build(content: &'c Value, salt: &[u8; 32]) -> Result<Self, CapsuleError> {
        let salts = FieldSalts::new(salt);
        let mut walk = Walk {
            salts: &salts,
            path: String::with_capacity(64),
            path_bytes: 0,
            leaves: Vec::with_capacity(16),
        };
        walk.visit(content, Limits::CONTENT.depth)?;
        let mut leaves = walk.leaves;
        leaves.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        Ok(Self { salts, leaves })
    }

    /// The root that the entry names.
    pub fn root(&self) -> Sha256Hash {
        merkle::root(&self.hashes())
    }

    /// Number of leaves; at least one.
    pub fn len(&self) -> u64 {
        count(self.leaves.len())
    }

    /// Always `false`: a content is at least one value.
    pub const fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// JSON pointer and value of each field, in the order of the leaves.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let leaves = self.leaves.iter();
        leaves.map(|leaf| (leaf.path.as_str(), leaf.value))
    }

    /// Canonical JSON of the field at each path that is `wanted`, with the hashes that lead from these fields to the root;
    /// `None` if no field is.
    pub fn disclose(&self, wanted: impl Fn(&str) -> bool) -> Option<DisclosurePayload> {
        let (mut fields, mut hashes) = (Vec::new(), Vec::new());
        let mut known = Vec::with_capacity(self.leaves.len());
        for (index, leaf) in self.leaves.iter().enumerate() {
            let is_wanted = wanted(&leaf.path);
            known.push(is_wanted);
            if is_wanted {
                fields.push(DisclosedField {
                    index: count(index),
                    path: leaf.path.clone(),
                    salt: self.salts.of(&leaf.path),
                    value: json::canonical(leaf.value).ok()?,
                });
            }
        }
        rest_of(&known, &self.hashes(), &mut hashes);
        (!fields.is_empty()).then_some(DisclosurePayload { fields, hashes })
    }

    fn hashes(&self) -> Vec<Sha256Hash> {
        self.leaves.iter().map(|leaf| leaf.hash).collect()
    }
}

/// Collects the leaves below one value after another; `path` is the pointer of the current one.
struct Walk<'c, 's> {
    salts: &'s FieldSalts,
    path: String,
    path_bytes: usize,
    leaves: Vec<Leaf<'c>>,
}

impl<'c> Walk<'c, '_> {
    fn visit(&mut self, value: &'c Value, depth: usize) -> Result<(), CapsuleError> {
        match value {
            Value::Array(items) if !items.is_empty() => {
                let depth = below(depth)?;
                items.iter().enumerate().try_for_each(|(index, item)| {
                    self.within(&index.to_string(), |walk| walk.visit(item, depth))
                })
            }
            Value::Object(members) if !members.is_empty() => {
                let depth = below(depth)?;
                members.iter().try_for_each(|(name, member)| {
                    self.within(name, |walk| walk.visit(member, depth))
                })
            }
            field => self.push(field),
        }
    }

    fn within(
        &mut self,
        name: &str,
        visit: impl FnOnce(&mut Self) -> Result<(), CapsuleError>,
    ) -> Result<(), CapsuleError> {
        let outer = self.path.len();
        push_token(&mut self.path, name);
        visit(self)?;
        self.path.truncate(outer);
        Ok(())
    }

    fn push(&mut self, value: &'c Value) -> Result<(), CapsuleError> {
        self.path_bytes += self.path.len();
        if self.path_bytes > MAX_PATH_BYTES {
            return Err(CapsuleError::ContentTooWide {
                limit: MAX_PATH_BYTES,
                what: "path bytes",
            });
        }
        if self.leaves.len() >= Limits::CONTENT.nodes {
            let limit = Limits::CONTENT.nodes;
            return Err(CapsuleError::ContentTooWide {
                limit,
                what: "fields",
            });
        }
        let canonical = json::canonical(value).map_err(refused)?;
        let hash = field::leaf_hash(&self.path, &self.salts.of(&self.path), &canonical);
        self.leaves.push(Leaf {
            path: self.path.clone(),
            value,
            hash,
        });
        Ok(())
    }
}

/// RFC 6901 §3: `~` and `/` inside a name are escaped.
fn push_token(path: &mut String, name: &str) {
    path.push('/');
    for character in name.chars() {
        // To write into a String does not fail.
        let _ = match character {
            '~' => path.write_str("~0"),
            '/' => path.write_str("~1"),
            other => path.write_char(other),
        };
    }
}

fn below(depth: usize) -> Result<usize, CapsuleError> {
    let limit = Limits::CONTENT.depth;
    depth
        .checked_sub(1)
        .ok_or(refused(json::JsonError::TooDeep { limit }))
}

/// Roots of the largest subtrees without a known leaf, from left to right.
fn rest_of(known: &[bool], leaves: &[Sha256Hash], hashes: &mut Vec<Sha256Hash>) {
    if !known.contains(&true) {
        hashes.push(merkle::root(leaves));
    } else if leaves.len() > 1 {
        let middle = merkle::split(leaves.len());
        let (left, right) = leaves.split_at(middle);
        let (known_left, known_right) = known.split_at(middle);
        rest_of(known_left, left, hashes);
        rest_of(known_right, right, hashes);
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn refused(source: json::JsonError) -> CapsuleError {
    CapsuleError::Json {
        what: "World",
        source,
    }
}
