//! `fork`: chains for which their agent signed two capsules at one place (capsules 4.5, C8, C40).

mod checkpoint;
mod proof;
mod resolve;

use counterfoil_sqlite::Fork;
use serde::Serialize;

use crate::args::ForkCommand;
use crate::commands::export::chain_named;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, table, write_table};

#[derive(Debug, Serialize)]
struct Listed {
    forks: Vec<Shown>,
}

#[derive(Debug, Serialize)]
struct Shown {
    chain: String,
    agent: String,
    seq: u64,
    accepted: Option<String>,
    others: Vec<String>,
    capsules: u64,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
}

impl From<Fork> for Shown {
    fn from(fork: Fork) -> Self {
        let (state, kept, record) = match fork.resolved {
            None => ("open", None, None),
            Some((keep, record)) => ("resolved", Some(keep.to_string()), Some(record)),
        };
        Self {
            chain: fork.chain.to_string(),
            agent: fork.agent.to_string(),
            seq: fork.seq,
            accepted: fork.accepted.map(|hash| hash.to_string()),
            others: fork.others.iter().map(ToString::to_string).collect(),
            capsules: fork.capsules,
            state,
            kept,
            record,
        }
    }
}

pub(crate) async fn run(context: &Context, command: ForkCommand) -> Result<(), Failure> {
    match command {
        ForkCommand::List => list(context).await,
        ForkCommand::Show(args) => show(context, &args.chain).await,
        ForkCommand::Prove(args) => proof::prove(context, &args).await,
        ForkCommand::Check(args) => proof::check(context, &args.file),
        ForkCommand::CheckCheckpoint(args) => checkpoint::run(context, &args.file).await,
        ForkCommand::Resolve(args) => resolve::run(context, args).await,
    }
}

async fn list(context: &Context) -> Result<(), Failure> {
    let forks = context.home.reader()?.forks().await?;
    let listed = Listed {
        forks: forks.into_iter().map(Shown::from).collect(),
    };
    context.out.answer(&listed, |out| {
        if listed.forks.is_empty() {
            return writeln!(out, "No chain has forked.");
        }
        let mut rows = table(&["chain", "at", "branches", "state"]);
        for fork in &listed.forks {
            let branches = fork.others.len() + usize::from(fork.accepted.is_some());
            rows.add_row(vec![
                fork.chain.clone(),
                fork.seq.to_string(),
                branches.to_string(),
                fork.state.to_owned(),
            ]);
        }
        write_table(out, &rows)
    })
}

async fn show(context: &Context, named: &str) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let chain = chain_named(&store, named).await?;
    let forks = store.forks_of(chain).await?;
    let listed = Listed {
        forks: forks.into_iter().map(Shown::from).collect(),
    };
    context.out.answer(&listed, |out| {
        if listed.forks.is_empty() {
            return writeln!(out, "Chain {chain} has not forked.");
        }
        for fork in &listed.forks {
            let mut lines = vec![
                ("chain", fork.chain.clone()),
                ("agent", fork.agent.clone()),
                ("forked at", fork.seq.to_string()),
                ("state", fork.state.to_owned()),
            ];
            lines.extend(
                fork.accepted
                    .iter()
                    .map(|hash| ("in the chain", hash.clone())),
            );
            lines.extend(fork.others.iter().map(|hash| ("beside it", hash.clone())));
            pairs(out, &lines)?;
        }
        Ok(())
    })
}
