//! Forks: chains for which their agent signed two capsules at one place (capsules 4.5, C8, C40).

use counterfoil_sqlite::Fork;
use serde::Serialize;

use crate::error::Error;
use crate::export::chain_named;
use crate::memory::Memory;
use crate::report::Report;

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

impl Memory {
    /// Chains that their agent signed twice; of one chain, named by its id or by a memory in it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such chain.
    pub async fn forks(&self, chain: Option<&str>) -> Result<Report, Error> {
        let store = self.reader()?;
        let (forks, chain) = match chain {
            None => (store.forks().await?, None),
            Some(named) => {
                let chain = chain_named(&store, named).await?;
                (store.forks_of(chain).await?, Some(chain.to_string()))
            }
        };
        let forks = forks.into_iter().map(Shown::from).collect();
        Ok(Report::new(&Listed { forks })?.with("chain", chain))
    }

    /// A proof that a chain was signed twice, which anyone can check; canonical JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the chain has not forked as far as this store has seen.
    pub async fn fork_proof(&self, chain: &str) -> Result<String, Error> {
        let store = self.reader()?;
        let chain = chain_named(&store, chain).await?;
        let proof = store.fork_proof(chain).await?.ok_or_else(|| {
            Error::input(
                format_args!("chain {chain} has not forked, as far as this store has seen"),
                "see `counterfoil fork list`",
            )
        })?;
        let text = counterfoil_types::json::canonical(&proof.to_value())
            .map_err(|_| Error::bug("a proof that is no JSON"))?;
        Ok(text + "\n")
    }
}
