//! `counterfoil reach`: one log on many machines, its ground in PostgreSQL.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil::{Memory, Report};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{filled, items, members};

/// Commands about the shared ground.
#[derive(Debug, Subcommand)]
pub(crate) enum ReachCommand {
    /// Make the tables of a database, or bring them to the newest version
    Init(GroundArgs),
    /// Make the folder a node of a log, with a copy of its keys
    Join {
        #[command(flatten)]
        ground: GroundArgs,
        /// The folder of the log's keys
        #[arg(long, value_name = "FOLDER")]
        keys: PathBuf,
        /// Take the ground as it is although the log has signed more, which a failover has lost: only once that is decided
        #[arg(long)]
        accept_ground: bool,
    },
    /// Say where the ground is, how durable a commit there is, and which nodes have taken in all erasures
    Nodes {
        /// Take a node out of the list, whose machine is gone: erasures do not wait for it any more
        #[arg(long, value_name = "NAME")]
        forget: Option<String>,
    },
}

/// The place of a ground.
#[derive(Debug, Args)]
pub(crate) struct GroundArgs {
    /// The database, as postgres://USER@HOST/DATABASE; the password comes from $PGPASSWORD
    #[arg(value_name = "URL")]
    url: String,
    /// Another database for the keys of content, with a shorter life of its backups
    #[arg(long = "ground-keys", value_name = "URL")]
    keys_url: Option<String>,
}

impl ReachCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Init(ground) => {
                let ready = Memory::prepare_ground(&ground.url, ground.keys_url.as_deref()).await?;
                context.out.lines(&ready, &[("ready", "ground")])
            }
            Self::Join {
                ground,
                keys,
                accept_ground,
            } => {
                let (url, keys_url) = (ground.url.as_str(), ground.keys_url.as_deref());
                let joined = match accept_ground {
                    true => context.memory.join_accepting(url, keys_url, &keys).await?,
                    false => context.memory.join(url, keys_url, &keys).await?,
                };
                nodes(context, &joined)
            }
            Self::Nodes { forget } => {
                if let Some(name) = forget {
                    context.memory.forget_node(&name).await?;
                }
                nodes(context, &context.memory.reach().await?)
            }
        }
    }
}

/// Prints the ground and its nodes.
pub(crate) fn nodes(context: &Context, found: &Report) -> Result<(), Failure> {
    context.out.report(found, |out, found| {
        let lines = [
            ("ground", "ground"),
            ("entries", "size"),
            (
                "a commit is",
                "synchronous_commit {synchronousCommit}, standbys {standbys|none}",
            ),
            (
                "keys of content",
                "{keysApart?in a database of their own:in the same database}",
            ),
        ];
        members(out, found, &lines)?;
        items(found, "nodes").iter().try_for_each(|node| {
            let line =
                "node  {name}{own? (this one):}: {erased?has:has not} taken in all that was erased";
            writeln!(out, "{}", filled(node, line))
        })
    })
}
