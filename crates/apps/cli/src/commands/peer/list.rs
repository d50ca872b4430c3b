//! `peer list`: the agents that are known here, and how far each is trusted.

use counterfoil_exchange::trust::KnownAgent;
use serde::Serialize;

use super::name;
use crate::args::PeerListArgs;
use crate::claims::telling;
use crate::context::Context;
use crate::exchange::peers::{self, Standing, called};
use crate::exchange::settings;
use crate::failure::Failure;
use crate::output::{table, write_table};
use crate::when;

#[derive(Serialize)]
struct Listed {
    domain: Option<String>,
    peers: Vec<Shown>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    key: String,
    #[serde(flatten)]
    standing: Standing,
    addresses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    domains: Vec<String>,
    signs: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_agent: Vec<String>,
}

pub(super) async fn run(context: &Context, args: PeerListArgs) -> Result<(), Failure> {
    let settings = settings::read(&context.home)?.trust;
    let store = context.home.reader()?;
    let records = peers::records(&context.home, &store).await?;
    let (domain, now_us) = (args.domain.as_ref(), when::stamp()?.micros());
    let shown = records.known().into_iter().map(|known| {
        let found = records.level(&known.key, domain, now_us, &settings);
        shown(&known, Standing::of(&found))
    });
    let mut listed = Listed {
        domain: domain.map(ToString::to_string),
        peers: shown.collect(),
    };
    listed
        .peers
        .sort_by(|a, b| (&a.name, &a.key).cmp(&(&b.name, &b.key)));
    context.out.answer(&listed, |out| {
        if listed.peers.is_empty() {
            return writeln!(
                out,
                "No agent is known here; `counterfoil peer add NAME DID|URL` adds one."
            );
        }
        let mut rows = table(&["name", "level", "signs", "asked at", "key"]);
        for peer in &listed.peers {
            let key = peer.key.parse().ok();
            let called = key.map_or_else(String::new, |key| called(&records, &key));
            rows.add_row(vec![
                called,
                peer.standing.in_words(),
                if peer.signs { "all" } else { "" }.to_owned(),
                peer.addresses
                    .first()
                    .map(telling::name)
                    .unwrap_or_default(),
                peer.key.clone(),
            ]);
        }
        write_table(out, &rows)
    })
}

fn shown(known: &KnownAgent, standing: Standing) -> Shown {
    Shown {
        name: name(known),
        key: known.key.to_string(),
        standing,
        addresses: known.addresses.iter().map(ToString::to_string).collect(),
        log: known.log.as_ref().map(ToString::to_string),
        domains: known.domains.iter().map(ToString::to_string).collect(),
        signs: known.signs,
        same_agent: known.same_agent.iter().map(ToString::to_string).collect(),
    }
}
