//! `peer add`: a name for a key, where it is asked, its log.

use counterfoil_exchange::documents::{Domain, Text};
use counterfoil_exchange::trust::{LocalRecord, MAX_ADDRESSES, MAX_DOMAINS};
use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;
use serde::Serialize;

use super::card;
use crate::args::PeerAddArgs;
use crate::claims::telling;
use crate::context::Context;
use crate::exchange::peers::Desk;
use crate::failure::Failure;
use crate::output::pairs;

#[derive(Serialize)]
struct Added {
    name: String,
    key: String,
    addresses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    domains: Vec<String>,
    signs: bool,
}

/// Description of an agent, by its card or by the command line.
struct Said {
    key: DidKey,
    address: Option<String>,
    log: Option<VerifierKey>,
    domains: Vec<Domain>,
    signs: bool,
}

/// The newest record of a key replaces the one before: fields that are not given anew are carried over.
pub(super) async fn run(context: &Context, args: PeerAddArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let name = name(&args.name)?;
    let log = args.log.as_deref().map(log).transpose()?;
    let said = said(&args).await?;
    let mut desk = Desk::open(&context.home).await?;
    desk.must_be_another(&said.key)?;
    must_be_free(&desk, &name, &said.key)?;
    let addresses = said.address.into_iter().chain(args.at);
    let mut addresses = addresses
        .map(|at| address(&at))
        .collect::<Result<Vec<_>, _>>()?;
    let before = desk.records.of_key(&said.key);
    if let (true, Some(before)) = (addresses.is_empty(), &before) {
        addresses.clone_from(&before.addresses);
    }
    let mut seen = std::collections::HashSet::new();
    addresses.retain(|address| seen.insert(address.clone()));
    at_most("addresses", addresses.len(), MAX_ADDRESSES)?;
    let known = before.as_ref().map(|before| before.domains.clone());
    let given = [args.domains, said.domains, known.unwrap_or_default()];
    let domains = given.into_iter().find(|domains| !domains.is_empty());
    let domains = domains.unwrap_or_default();
    let log = log
        .or(said.log)
        .or_else(|| before.and_then(|before| before.log));
    at_most("domains", domains.len(), MAX_DOMAINS)?;
    let added = Added {
        name: name.to_string(),
        key: said.key.to_string(),
        addresses: addresses.iter().map(ToString::to_string).collect(),
        log: log.as_ref().map(ToString::to_string),
        domains: domains.iter().map(ToString::to_string).collect(),
        signs: said.signs,
    };
    let key = said.key;
    desk.keep(LocalRecord::Peer {
        name,
        key,
        addresses,
        log,
        domains,
    })
    .await?;
    if said.signs {
        desk.keep(LocalRecord::Pin { key, signs: true }).await?;
    }
    context.out.answer(&added, |out| {
        let mut lines = vec![
            ("added", telling::name(&added.name)),
            ("key", added.key.clone()),
        ];
        lines.extend(
            added
                .addresses
                .iter()
                .map(|at| ("asked at", telling::name(at))),
        );
        let log = added.log.as_deref().map(telling::name);
        let unknown = || "not known: receipts from it cannot be checked (--log)".to_owned();
        lines.push(("its log", log.unwrap_or_else(unknown)));
        if !added.domains.is_empty() {
            lines.push(("knows of", added.domains.join(", ")));
        }
        if added.signs {
            lines.push(("signs", "all that it sends".to_owned()));
        }
        pairs(out, &lines)
    })
}

async fn said(args: &PeerAddArgs) -> Result<Said, Failure> {
    if card::is_url(&args.agent) {
        let capability = card::fetch(&args.agent, args.plain_http).await?;
        let parts = capability.parts().clone();
        return Ok(Said {
            key: parts.agent.public_key,
            address: Some(args.agent.clone()),
            log: parts.log,
            domains: parts.domains,
            signs: parts.signs,
        });
    }
    let key = args.agent.parse().map_err(|error| {
        Failure::input(
            format_args!("{} is no key ({error})", telling::typed(&args.agent)),
            "give its did:key, or the https:// URL at which it serves its agent card",
        )
    })?;
    Ok(Said {
        key,
        address: None,
        log: None,
        domains: Vec::new(),
        signs: false,
    })
}

/// A name that is neither a key nor an address: both may stand where a name may.
fn name(text: &str) -> Result<Text<128>, Failure> {
    let strange = |letter: char| letter.is_control() || "/\\:".contains(letter);
    let is_plain = !text.starts_with(['-', '.']) && text.trim() == text && !text.contains(strange);
    let name = Text::new(text).map_err(|error| error.to_string());
    match name {
        Ok(name) if is_plain => Ok(name),
        Ok(_) => Err(Failure::input(
            format_args!("{} can be no name", telling::typed(text)),
            "leave out / \\ : and control characters, and do not begin with - or .",
        )),
        Err(error) => Err(Failure::input(
            format_args!("this can be no name ({error})"),
            "choose another",
        )),
    }
}

fn log(text: &str) -> Result<VerifierKey, Failure> {
    text.parse().map_err(|error| {
        Failure::input(
            format_args!("--log is no verifier key ({error})"),
            "give the line that `counterfoil anchors` of that agent writes as verifierKey",
        )
    })
}

fn must_be_free(desk: &Desk, name: &Text<128>, key: &DidKey) -> Result<(), Failure> {
    let taken = desk.records.known().into_iter().any(|known| {
        known.name.as_ref() == Some(name) && known.key != *key && !known.same_agent.contains(key)
    });
    if taken {
        return Err(Failure::input(
            format_args!("another agent is called {}", telling::typed(name)),
            "choose another name; if it changed its key, give its key chain: \
             `counterfoil peer pin NAME --succession FILE`",
        ));
    }
    Ok(())
}

/// A URL as it is, a folder with its whole path.
fn address(text: &str) -> Result<Text<2048>, Failure> {
    let wrong = |why: &dyn core::fmt::Display| {
        Failure::input(
            format_args!("{} can be no address ({why})", telling::typed(text)),
            "give a URL that begins with https://, or a folder",
        )
    };
    if card::is_url(text) {
        return Text::new(text).map_err(|error| wrong(&error));
    }
    if text.contains("://") {
        return Err(wrong(&"such URLs are not asked"));
    }
    let path = std::path::absolute(text).map_err(|error| wrong(&error))?;
    let path = path
        .to_str()
        .ok_or_else(|| wrong(&"its path is no Unicode text"))?;
    Text::new(path).map_err(|error| wrong(&error))
}

fn at_most(what: &str, found: usize, limit: usize) -> Result<(), Failure> {
    if found > limit {
        return Err(Failure::input(
            format_args!("these are {found} {what}, and at most {limit} are kept"),
            "name fewer",
        ));
    }
    Ok(())
}
