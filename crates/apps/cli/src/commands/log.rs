//! `log`: the log as others read it, in the formats of C2SP. What is printed was checked before.

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};
use serde::Serialize;

use crate::args::{ConsistencyArgs, ExportArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::floor::checkpoint_in;
use crate::output::pairs;

#[derive(Serialize)]
struct Signed {
    origin: String,
    size: u64,
    root: String,
    note: String,
}

pub(crate) async fn checkpoint(context: &Context) -> Result<(), Failure> {
    let note = context
        .home
        .reader()?
        .checkpoint()
        .await?
        .ok_or_else(empty)?;
    let checkpoint = checkpoint_in(&note).ok_or_else(damaged)?;
    let signed = Signed {
        origin: checkpoint.origin().to_owned(),
        size: checkpoint.size(),
        root: base64(checkpoint.root()),
        note,
    };
    context
        .out
        .answer(&signed, |out| write!(out, "{}", signed.note))
}

#[derive(Serialize)]
struct Consistent {
    from: Tree,
    to: Tree,
    hashes: Vec<String>,
}

#[derive(Serialize)]
struct Tree {
    size: u64,
    root: String,
}

pub(crate) async fn consistency(context: &Context, args: ConsistencyArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let size = store.size().await?;
    let (from, to) = (args.from, args.to.unwrap_or(size));
    if from == 0 || from > to || to > size {
        return Err(Failure::input(
            format_args!("there is no proof from {from} to {to} in a log of {size} entries"),
            "choose 1 <= --from <= --to within it",
        ));
    }
    let (old, new) = (root_at(&store, from).await?, root_at(&store, to).await?);
    let hashes = store.consistency(from, to).await?;
    verify_consistency((from, old), (to, new), &hashes)
        .map_err(|error| Failure::refused(error, "run `counterfoil audit`"))?;
    if to == size {
        matches_checkpoint(&store, new).await?;
    }
    let proof = Consistent {
        from: Tree {
            size: from,
            root: base64(old),
        },
        to: Tree {
            size: to,
            root: base64(new),
        },
        hashes: hashes.iter().copied().map(base64).collect(),
    };
    context.out.answer(&proof, |out| {
        pairs(
            out,
            &[
                ("from", format!("{}  {}", proof.from.size, proof.from.root)),
                ("to", format!("{}  {}", proof.to.size, proof.to.root)),
            ],
        )?;
        proof
            .hashes
            .iter()
            .try_for_each(|hash| writeln!(out, "hash  {hash}"))
    })
}

/// The root that the last entry of the log at `size` leads to.
pub(crate) async fn root_at(store: &SqliteStore, size: u64) -> Result<Sha256Hash, Failure> {
    let last = size.saturating_sub(1);
    let capsule = store.capsule(last).await?.ok_or_else(|| {
        Failure::from(StoreError::corrupt(
            StoreLocation::entry("capsule", last),
            "there is no capsule",
        ))
    })?;
    let path = store.inclusion(last, size).await?;
    root_from_inclusion_proof(last, size, &capsule.entry.leaf_hash(), &path)
        .map_err(|error| Failure::refused(error, "run `counterfoil audit`"))
}

async fn matches_checkpoint(store: &SqliteStore, root: Sha256Hash) -> Result<(), Failure> {
    let note = store.checkpoint().await?.ok_or_else(empty)?;
    match checkpoint_in(&note) {
        Some(checkpoint) if checkpoint.root() == root => Ok(()),
        _ => Err(damaged()),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exported {
    folder: String,
    tree_size: u64,
}

pub(crate) async fn export(context: &Context, args: ExportArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    if store.size().await? == 0 {
        return Err(empty());
    }
    std::fs::create_dir_all(&args.dir).map_err(|error| {
        Failure::input(
            format_args!("the folder {} cannot be made ({error})", args.dir.display()),
            "choose another one",
        )
    })?;
    let tree_size = store.export_tiles(&args.dir).await?;
    let exported = Exported {
        folder: args.dir.display().to_string(),
        tree_size,
    };
    context.out.answer(&exported, |out| {
        pairs(
            out,
            &[
                ("written to", exported.folder.clone()),
                ("entries", exported.tree_size.to_string()),
            ],
        )
    })
}

fn empty() -> Failure {
    Failure::input("the log is empty", "remember something first")
}

fn damaged() -> Failure {
    Failure::refused(
        "the signed checkpoint is not that of the log",
        "run `counterfoil audit`",
    )
}

fn base64(hash: Sha256Hash) -> String {
    STANDARD.encode(hash.as_bytes())
}
