//! Rows of nodes: a *bucket* of up to 16 leaves, or the 16 subtrees four levels below an inner node.

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::map::{EMPTY, bit, leaf_hash, node_hash};

/// Key and SHA-256 of its value.
pub(super) type Leaf = (Sha256Hash, Sha256Hash);

/// Largest number of leaves in a bucket.
pub(super) const BUCKET: usize = 16;
/// Levels of the tree in a row: bits of a key.
pub(super) const LEVELS: usize = 4;
const SLOTS: usize = 1 << LEVELS;
const HASH: usize = 32;

/// The first byte of a row.
const OF_BUCKET: u8 = 0;
const OF_INNER: u8 = 1;

/// Hash of a subtree, with the number of its keys as far as the hash of the subtree above depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) hash: Sha256Hash,
    /// True if the subtree has exactly one key.
    is_leaf: bool,
}

impl Summary {
    pub(super) const EMPTY: Self = Self {
        hash: EMPTY,
        is_leaf: false,
    };

    const fn leaf(hash: Sha256Hash) -> Self {
        Self {
            hash,
            is_leaf: true,
        }
    }

    fn is_empty(self) -> bool {
        self.hash == EMPTY
    }

    /// The subtree over two halves: a key that is alone is a leaf, however high.
    fn join(left: Self, right: Self) -> Self {
        match (left.is_empty(), right.is_empty()) {
            (true, _) if right.is_leaf || right.is_empty() => right,
            (_, true) if left.is_leaf => left,
            _ => Self {
                hash: node_hash(&left.hash, &right.hash),
                is_leaf: false,
            },
        }
    }
}

/// One row.
pub(super) enum Node {
    /// 0 to 16 leaves, sorted by key.
    Bucket(Vec<Leaf>),
    Inner(Box<Inner>),
}

/// The subtrees four levels below: more than 16 keys together.
pub(super) struct Inner {
    slots: [Summary; SLOTS],
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            slots: [Summary::EMPTY; SLOTS],
        }
    }
}

impl Inner {
    pub(super) fn has(&self, slot: u8) -> bool {
        let place = self.slots.get(usize::from(slot));
        place.is_some_and(|summary| !summary.is_empty())
    }

    pub(super) fn set(&mut self, slot: u8, summary: Summary) {
        if let Some(place) = self.slots.get_mut(usize::from(slot)) {
            *place = summary;
        }
    }
}

impl Node {
    /// The hash of the subtree whose row is `depth` rows below the root.
    pub(super) fn summary(&self, depth: usize) -> Summary {
        match self {
            Self::Bucket(leaves) => of_leaves(leaves, depth * LEVELS),
            Self::Inner(inner) => Halves::of(inner).summary(),
        }
    }

    /// Row: `00` and key and value hash of each leaf; or `01`, two bytes of which bit `i` says that subtree `i` is a leaf, and
    /// the hashes of the 16 subtrees.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(3 + SLOTS * HASH);
        match self {
            Self::Bucket(leaves) => {
                bytes.push(OF_BUCKET);
                for (key, value) in leaves {
                    bytes.extend_from_slice(key.as_bytes());
                    bytes.extend_from_slice(value.as_bytes());
                }
            }
            Self::Inner(inner) => {
                let slots = &inner.slots;
                bytes.push(OF_INNER);
                let flags = slots.iter().rev();
                let flags = flags.fold(0_u16, |flags, it| flags << 1 | u16::from(it.is_leaf));
                bytes.extend_from_slice(&flags.to_be_bytes());
                for slot in slots {
                    bytes.extend_from_slice(slot.hash.as_bytes());
                }
            }
        }
        bytes
    }

    /// Reads the row at `place`: the leaves of a bucket belong there, so each path in it comes to an end.
    pub(super) fn from_bytes(place: &[u8], bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        match *kind {
            OF_BUCKET => {
                let (hashes, over) = rest.as_chunks::<HASH>();
                let (leaves, odd) = hashes.as_chunks::<2>();
                let hash = |bytes: &[u8; HASH]| Sha256Hash::from_bytes(*bytes);
                let leaves = leaves.iter().map(|[key, value]| (hash(key), hash(value)));
                let leaves: Vec<Leaf> = leaves.collect();
                let is_sorted = leaves.is_sorted_by(|one, two| one.0 < two.0);
                let is_whole = over.is_empty() && odd.is_empty() && leaves.len() <= BUCKET;
                let belongs =
                    |(key, _): &Leaf| (0..).zip(place).all(|(at, it)| nibble(key, at) == *it);
                (is_sorted && is_whole && leaves.iter().all(belongs))
                    .then_some(Self::Bucket(leaves))
            }
            OF_INNER => {
                let (flags, hashes) = rest.split_first_chunk::<2>()?;
                let flags = u16::from_be_bytes(*flags);
                let (hashes, over) = hashes.as_chunks::<HASH>();
                let hashes: &[[u8; HASH]; SLOTS] = hashes.try_into().ok()?;
                let mut at = 0;
                let slots = hashes.map(|hash| {
                    let is_leaf = flags >> at & 1 == 1;
                    at += 1;
                    Summary {
                        hash: Sha256Hash::from_bytes(hash),
                        is_leaf,
                    }
                });
                over.is_empty()
                    .then(|| Self::Inner(Box::new(Inner { slots })))
            }
            _ => None,
        }
    }
}

/// Subtrees of an inner node below one of the nodes in its row: 16, 8, 4, 2 or 1.
#[derive(Clone, Copy)]
pub(super) struct Halves<'n> {
    slots: &'n [Summary],
    first: u8,
}

impl<'n> Halves<'n> {
    pub(super) fn of(inner: &'n Inner) -> Self {
        Self {
            slots: &inner.slots,
            first: 0,
        }
    }

    /// Returns false where a path ends, in the row at least: without keys, with one, or at a subtree with a row of its own.
    pub(super) fn is_divided(self) -> bool {
        let summary = self.summary();
        self.slots.len() > 1 && !summary.is_empty() && !summary.is_leaf
    }

    pub(super) fn split(self) -> (Self, Self) {
        let half = self.slots.len() / 2;
        let (left, right) = self.slots.split_at(half);
        let first = self.first + u8::try_from(half).unwrap_or_default();
        (
            Self {
                slots: left,
                ..self
            },
            Self {
                slots: right,
                first,
            },
        )
    }

    pub(super) fn summary(self) -> Summary {
        match self.slots {
            [] => Summary::EMPTY,
            [one] => *one,
            _ => {
                let (left, right) = self.split();
                Summary::join(left.summary(), right.summary())
            }
        }
    }

    /// The number of the subtree that has the keys, where it is one.
    pub(super) fn only(self) -> Option<u8> {
        let mut numbered = (self.first..).zip(self.slots);
        numbered.find(|(_, it)| !it.is_empty()).map(|(at, _)| at)
    }
}

/// The path to `key` below a bucket, whose row is `depth` rows below the root: pushes siblings from above, and returns the
/// only leaf at its end.
pub(super) fn in_bucket(
    leaves: &[Leaf],
    key: &Sha256Hash,
    depth: usize,
    siblings: &mut Vec<Sha256Hash>,
) -> Option<Leaf> {
    let (mut leaves, mut at) = (leaves, depth * LEVELS);
    while leaves.len() > 1 {
        let (left, right) = halves(leaves, at);
        let (own, beside) = match bit(key, at) {
            true => (right, left),
            false => (left, right),
        };
        at += 1;
        siblings.push(of_leaves(beside, at).hash);
        leaves = own;
    }
    leaves.first().copied()
}

fn of_leaves(leaves: &[Leaf], at: usize) -> Summary {
    match leaves {
        [] => Summary::EMPTY,
        [(key, value)] => Summary::leaf(leaf_hash(key, value)),
        _ => {
            let (left, right) = halves(leaves, at);
            Summary::join(of_leaves(left, at + 1), of_leaves(right, at + 1))
        }
    }
}

/// Leaves by bit `at` of their keys. Sorted leaves that share the bits before are sorted by it.
fn halves(leaves: &[Leaf], at: usize) -> (&[Leaf], &[Leaf]) {
    leaves.split_at(leaves.partition_point(|(key, _)| !bit(key, at)))
}

/// The four bits of a key by which a row `depth` rows below the root divides its keys.
pub(super) fn nibble(key: &Sha256Hash, depth: usize) -> u8 {
    let byte = key.as_bytes().get(depth / 2).copied().unwrap_or_default();
    match depth % 2 {
        0 => byte >> 4,
        _ => byte & 15,
    }
}
