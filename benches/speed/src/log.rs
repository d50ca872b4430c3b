//! A log of a million entries in memory, a few of which are real capsules with receipts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use counterfoil_capsule::{
    AgentSigner, CapsuleId, Position, SealedCapsule, SecretKey, Signer as _, Stamp, World,
    seal_world,
};
use counterfoil_prover::{MemoryVerifier, MerkleProver};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::StoreError;
use counterfoil_store::log::{Frontier, NodeReader, NoteSigner, inclusion};
use counterfoil_store::map::{look_up, update};
use counterfoil_types::{MemoryRef, Sha256Hash, UnixMillis, VerificationProof, WorldId};
use counterfoil_verifier::map::{KeyMark, MemoryStanding, value_hash};
use counterfoil_verifier::opened::EntrySignature;
use counterfoil_verifier::{Anchors, KeyFingerprint, LogAnchor, MerkleVerifier, TlogProof, merkle};
use serde_json::{Value, json};

/// 2026-06-01T00:00:00Z.
pub(crate) const START_MILLIS: u64 = 1_780_272_000_000;

/// Every level of the tree, each with the hashes of its complete subtrees.
#[derive(Default)]
struct Nodes(Vec<Vec<Sha256Hash>>);

impl NodeReader for Nodes {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let row = self.0.get(usize::try_from(level).unwrap_or(usize::MAX));
        let node = row.and_then(|row| row.get(usize::try_from(index).unwrap_or(usize::MAX)));
        node.copied().ok_or(StoreError::OutOfRange {
            what: "node",
            asked: index,
            size: 0,
        })
    }
}

/// Real capsules at the end of a log of 2^20 entries, and what an authority trusts.
pub(crate) struct LargeLog {
    nodes: Nodes,
    capsules: Vec<SealedCapsule>,
    /// Rows of its map, which has as many memories.
    map: RefCell<BTreeMap<Vec<u8>, Vec<u8>>>,
    checkpoint: String,
    pub(crate) size: u64,
    pub(crate) log_key: NoteSigner,
}

pub(crate) fn world(number: u64) -> Result<World> {
    let text = format!("The supplier moved the delivery of crate {number} to Thursday at nine.");
    let data = serde_json::json!({"kind": "note", "text": text});
    let at = UnixMillis::new(START_MILLIS + number)?;
    Ok(counterfoil_capsule::remember(
        WorldId::new(format!("world-{number:032x}"))?,
        at,
        data,
    )?)
}

pub(crate) fn agent() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

pub(crate) fn log_signer() -> Result<NoteSigner> {
    Ok(NoteSigner::new(
        "bench.example/log",
        SecretKey::from_seed([9; 32]),
    )?)
}

/// An empty store in a new folder, with the guard beside it.
pub(crate) fn new_store(folder: &Path) -> Result<SqliteStore> {
    std::fs::create_dir_all(folder)?;
    let (database, guard) = (folder.join("memory.db"), folder.join("last-checkpoint"));
    let options = Options::writable(database, log_signer()?, guard);
    Ok(SqliteStore::create(options)?)
}

impl LargeLog {
    pub(crate) fn new(size: u64, real: u64) -> Result<Self> {
        let (agent, log_key) = (agent(), log_signer()?);
        let capsules: Vec<_> = (0..real)
            .map(|number| seal(number, &agent))
            .collect::<Result<_>>()?;
        let filler = (0..size - real).map(|n| merkle::leaf_hash(&n.to_be_bytes()));
        let leaves = filler.chain(capsules.iter().map(|capsule| capsule.entry.leaf_hash()));
        let (mut nodes, mut frontier) = (Nodes::default(), Frontier::load(&Nodes::default(), 0)?);
        for leaf in leaves {
            for (level, hash) in frontier.append(leaf).into_iter().enumerate() {
                if nodes.0.len() == level {
                    nodes.0.push(Vec::new());
                }
                nodes
                    .0
                    .get_mut(level)
                    .context("levels grow by one")?
                    .push(hash);
            }
        }
        let map = RefCell::default();
        let mut changes = BTreeMap::new();
        for index in 0..size {
            let own = index.checked_sub(size - real);
            let world = match own {
                Some(number) => world(number)?.world_id().clone(),
                None => WorldId::new(format!("filler-{index}"))?,
            };
            let value = MemoryStanding::new(index).to_text();
            changes.insert(MemoryStanding::key(&world), value_hash(&value));
        }
        let map_root = update(&map, &changes)?;
        let checkpoint = log_key.checkpoint_with_map((size, frontier.root()), map_root)?;
        Ok(Self {
            nodes,
            capsules,
            map,
            checkpoint,
            size,
            log_key,
        })
    }

    pub(crate) fn anchors(&self) -> Result<Anchors> {
        let log = LogAnchor::new(self.log_key.verifier_key().clone());
        Ok(Anchors::new(vec![log])?)
    }

    /// Author and standing of a real capsule, as a proposal attests them.
    pub(crate) fn attested(&self, number: u64) -> Result<Value> {
        let index = self.index(number)?;
        let sealed = self.capsules.get(usize::try_from(number)?);
        let sealed = sealed.context("no such capsule")?;
        let world = world(number)?.world_id().clone();
        let value = MemoryStanding::new(index).to_text();
        let memory = MemoryStanding::key(&world);
        let standing = look_up(&self.map, &memory, Some(&value))?;
        let signature = EntrySignature {
            key_id: KeyFingerprint::of(&sealed.key),
            value: sealed.signature,
        };
        let author = json!({"header": sealed.header.canonical(), "signature": signature});
        Ok(json!({"author": author, "standing": {"memory": standing, "key": 0}}))
    }

    /// Lookup of the mark on the key that signed all of them.
    pub(crate) fn marks(&self) -> Result<Value> {
        let key = KeyMark::key(&agent().agent(), 0);
        Ok(json!([look_up(&self.map, &key, None)?]))
    }

    fn index(&self, number: u64) -> Result<u64> {
        Ok(self.size - u64::try_from(self.capsules.len())? + number)
    }

    pub(crate) fn checkpoint(&self) -> &str {
        &self.checkpoint
    }

    /// The `merkle` proof of a real capsule, made by `prove` from its World and receipt.
    pub(crate) fn proof(
        &self,
        number: u64,
        discloses: bool,
    ) -> Result<(MemoryRef, VerificationProof)> {
        let index = self.index(number)?;
        let sealed = self
            .capsules
            .get(usize::try_from(number)?)
            .context("no such capsule")?;
        let receipt = sealed
            .receipt()
            .context("a record")?
            .with_tlog_proof(TlogProof {
                index,
                hashes: inclusion(&self.nodes, index, self.size)?,
                checkpoint: self.checkpoint.clone(),
            });
        let world = receipt.beside(world(number)?);
        let memory = MemoryRef::new(world.world_id().clone());
        let prover = MerkleProver::new(MerkleVerifier::new(self.anchors()?));
        let prover = match discloses {
            true => prover.disclosing([""]),
            false => prover,
        };
        let proof = prover
            .prove(&memory, &world)
            .into_proof()
            .context("prove refused")?;
        Ok((memory, proof))
    }
}

pub(crate) fn seal(number: u64, agent: &AgentSigner) -> Result<SealedCapsule> {
    let mut id = [0; 16];
    id.copy_from_slice(&u128::from(number + 1).to_be_bytes());
    let stamp = Stamp::next((START_MILLIS + number) * 1000, None)?;
    let position = Position::seed(capsule_id(id)?, stamp);
    Ok(seal_world(&world(number)?, &position, [3; 32], agent)?)
}

/// The version and variant bits of a UUIDv7 over a number.
fn capsule_id(mut bytes: [u8; 16]) -> Result<CapsuleId> {
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
    *version = (*version & 0x0f) | 0x70;
    *variant = (*variant & 0x3f) | 0x80;
    Ok(CapsuleId::from_bytes(bytes)?)
}
