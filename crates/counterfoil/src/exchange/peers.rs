//! Other agents: their names and keys, and how far each is trusted (docs/format/trust.md).

use std::collections::HashSet;
use std::path::Path;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::documents::{Domain, Text};
use counterfoil_exchange::trust::{
    KnownAgent, Level, LocalRecord, MAX_ADDRESSES, MAX_DOMAINS, Mark, ONE_PPM, TrustPath,
    TrustReport,
};
use counterfoil_http::HttpError;
use counterfoil_http::client::{Client, ClientSettings};
use counterfoil_types::DidKey;
use counterfoil_verifier::AnchorError;
use counterfoil_verifier::note::VerifierKey;

use super::records::{TrustRecords, called, cap_views, caps, known};
use super::way::is_url;
use super::{chain, settings};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::{Report, object, some};
use crate::words::count;
use crate::{text, when};

/// Description of another agent. Empty members keep the recorded ones.
#[derive(Debug, Clone, Default)]
pub struct PeerOptions {
    /// URLs and folders at which the agent is asked.
    pub addresses: Vec<String>,
    /// Verifier key of its log.
    pub log: Option<String>,
    /// Domains of its knowledge.
    pub domains: Vec<Domain>,
    /// Allows plain HTTP to other machines for the agent card. Default: false.
    pub plain_http: bool,
}

/// Distrust of an agent, or an observation that lowers its level.
#[derive(Debug, Clone, Default)]
pub struct DistrustOptions {
    /// Domain of the distrust; all by default.
    pub domain: Option<Domain>,
    /// Reason in words.
    pub reason: Option<String>,
    /// Name or key of another agent that distrusts it, in place of this one.
    pub by: Option<String>,
    /// Observation that is recorded, in place of distrust.
    pub mark: Option<Mark>,
    /// Observation that is taken back.
    pub clear: Option<Mark>,
}

impl Memory {
    /// Lists the known agents, with the level of trust in each; about any domain by default.
    ///
    /// # Errors
    /// The store or its settings cannot be read.
    pub async fn peers(&self, domain: Option<&Domain>) -> Result<Report, Error> {
        let settings = settings::read(self.home())?.trust;
        let records = self.trust_records().await?;
        let now_us = records.present(when::stamp()?.micros());
        let mut known = records.known();
        known.sort_by_cached_key(|known| {
            let name = known.name.as_ref().map(ToString::to_string);
            (name, known.key.to_string())
        });
        let peers = known.iter().map(|known| {
            let found = records.level(&known.key, domain, now_us, &settings);
            object()
                .with_some("name", known.name.as_ref())
                .with("key", known.key)
                .with("level", found.level.number())
                .with("levelName", found.level.name())
                .with_some("caps", cap_views(&found))
                .with("addresses", &known.addresses)
                .with_some("log", known.log.as_ref().map(ToString::to_string))
                .with("domains", &known.domains)
                .with("signs", known.signs)
                .with_some("sameAgent", some(&known.same_agent))
        });
        let peers: Vec<_> = peers.collect();
        Report::new(&object().with("domain", domain).with("peers", peers))
    }

    /// Gives an agent a name. `agent` is its key, or a URL that serves its agent card.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a name that is taken, and [`ErrorKind::Unproven`] for a URL that does not answer.
    pub async fn add_peer(
        &self,
        name: &str,
        agent: &str,
        options: PeerOptions,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let name = peer_name(name)?;
        let log = options.log.as_deref().map(str::parse).transpose();
        let log: Option<VerifierKey> = log.map_err(|error: AnchorError| {
            Error::input(
                format_args!("--log is no verifier key ({error})"),
                "give the line that `counterfoil anchors` of that agent writes as verifierKey",
            )
        })?;
        let (key, card) = if is_url(agent) {
            let parts = card(agent, options.plain_http).await?;
            (parts.agent.public_key, Some(parts))
        } else {
            let key = agent.parse().map_err(|error| {
                Error::input(
                    format_args!("{} is no key ({error})", text::typed(agent)),
                    "give its did:key, or the https:// URL at which it serves its agent card",
                )
            })?;
            (key, None)
        };
        let mut records = self.open_records().await?;
        records.must_be_another(&key)?;
        must_be_free(&records, &name, &key)?;
        let named = card.iter().map(|_| agent);
        let named = named.chain(options.addresses.iter().map(String::as_str));
        let mut addresses = named.map(address).collect::<Result<Vec<_>, _>>()?;
        let before = records.records.of_key(&key);
        if let (true, Some(before)) = (addresses.is_empty(), &before) {
            addresses.clone_from(&before.addresses);
        }
        let mut seen = HashSet::new();
        addresses.retain(|address| seen.insert(address.clone()));
        at_most("addresses", addresses.len(), MAX_ADDRESSES)?;
        let (card_log, card_domains, signs) = card
            .map(|card| (card.log, card.domains, card.signs))
            .unwrap_or_default();
        let (known_log, known_domains) = before
            .map(|before| (before.log, before.domains))
            .unwrap_or_default();
        let given = [options.domains, card_domains, known_domains];
        let domains = given.into_iter().find(|domains| !domains.is_empty());
        let domains = domains.unwrap_or_default();
        at_most("domains", domains.len(), MAX_DOMAINS)?;
        let log = log.or(card_log).or(known_log);
        let report = Report::new(
            &object()
                .with("name", &name)
                .with("key", key)
                .with("addresses", &addresses)
                .with_some("log", log.as_ref().map(ToString::to_string))
                .with("domains", &domains)
                .with("signs", signs),
        );
        let record = LocalRecord::Peer {
            name,
            key,
            addresses,
            log,
            domains,
        };
        records.keep(record).await?;
        if signs {
            records.keep(LocalRecord::Pin { key, signs }).await?;
        }
        report
    }

    /// Records that an agent signs all that it sends, or by `signs` that it need not; `None` leaves that as it is.
    /// `succession` is the file of its key chain, whose last key takes the place of the known one.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an unknown agent, and for a key chain that does not continue the known key.
    pub async fn pin_peer(
        &self,
        agent: &str,
        signs: Option<bool>,
        succession: Option<&Path>,
    ) -> Result<Report, Error> {
        let mut records = self.open_records().await?;
        let mut known = records.other(agent)?;
        let mut succeeded = Vec::new();
        if let Some(path) = succession {
            let keys = chain::read(path)?;
            let Some(at) = keys.iter().position(|key| *key == known.key) else {
                return Err(Error::input(
                    format_args!("the key chain does not hold the key {}", known.key),
                    "ask this agent for its own",
                ));
            };
            for to in keys.into_iter().skip(at + 1) {
                records.must_be_another(&to)?;
                let from = std::mem::replace(&mut known.key, to);
                records.keep(LocalRecord::Succession { from, to }).await?;
                succeeded.push(from);
            }
            if succeeded.is_empty() {
                return Err(Error::input(
                    "the key chain ends with the key that is known",
                    "nothing has to be done",
                ));
            }
        }
        if let Some(signs) = signs {
            let key = known.key;
            records.keep(LocalRecord::Pin { key, signs }).await?;
        }
        let known = records.records.of_key(&known.key).unwrap_or(known);
        let pinned = object()
            .with("key", known.key)
            .with_some("name", known.name)
            .with("signs", known.signs)
            .with("succeeded", succeeded);
        Report::new(&pinned)
    }

    /// Sets the lowest level at which claims of other agents decide a belief, in a domain or in all; 2 by default. Claims of
    /// agents below it are shown beside the belief, and contest nothing. `level`: 1 to 3.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for another level.
    pub async fn set_peer_minimum(
        &self,
        level: u8,
        domain: Option<Domain>,
    ) -> Result<Report, Error> {
        let level = Level::of_number(level).filter(|level| *level > Level::Anonymous);
        let level = level.ok_or_else(|| {
            Error::input(
                "claims decide from level 1, 2 or 3 on",
                "name one of these; `counterfoil peer distrust` is for an agent that decides nothing",
            )
        })?;
        let mut records = self.open_records().await?;
        let record = LocalRecord::Minimum {
            domain: domain.clone(),
            level,
        };
        records.keep(record).await?;
        let set = object()
            .with("domain", domain)
            .with("level", level.number())
            .with("levelName", level.name());
        Report::new(&set)
    }

    /// Trusts an agent directly, at level 3, in a domain or in all; until a time or for good.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an agent that is unknown or this one.
    pub async fn trust_peer(
        &self,
        agent: &str,
        domain: Option<Domain>,
        until: Option<Timestamp>,
    ) -> Result<Report, Error> {
        let mut records = self.open_records().await?;
        let known = records.other(agent)?;
        let record = LocalRecord::DirectTrust {
            key: known.key,
            domain: domain.clone(),
            expires: until,
        };
        let found = self
            .decide(&mut records, record, &known, domain.as_ref())
            .await?;
        let caps = caps(&records.records, &found);
        let trusted = object()
            .with("key", known.key)
            .with_some("name", known.name)
            .with("domain", domain)
            .with_some("until", until)
            .with("level", found.level.number())
            .with("levelName", found.level.name())
            .with_some("caps", cap_views(&found));
        let caps = caps.iter().map(|cap| format!("its level is {cap}"));
        Ok(Report::new(&trusted)?.noticed(caps))
    }

    /// Distrusts an agent, at level 0, or records what lowers its level. Detail `by`: name of the agent that disputes.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an agent that is unknown or this one, and for a reason of more than 1,024 bytes.
    pub async fn distrust_peer(
        &self,
        agent: &str,
        options: DistrustOptions,
    ) -> Result<Report, Error> {
        let mut records = self.open_records().await?;
        let known = records.other(agent)?;
        let (key, domain) = (known.key, options.domain);
        let reason = options.reason.map(Text::new).transpose().map_err(|error| {
            Error::input(
                format_args!("--reason is too long ({error})"),
                "say it in fewer words",
            )
        })?;
        let by = match &options.by {
            Some(by) if options.mark.or(options.clear).is_none() => Some(records.other(by)?.key),
            _ => None,
        };
        let record = match (options.mark, options.clear, by) {
            (Some(mark), ..) => LocalRecord::Mark {
                key,
                mark,
                evidence: None,
            },
            (None, Some(mark), _) => LocalRecord::Clear { key, mark },
            (None, None, Some(by)) => LocalRecord::Dispute {
                by,
                key,
                domain: domain.clone(),
                reason,
            },
            (None, None, None) => LocalRecord::Distrust {
                key,
                domain: domain.clone(),
                reason,
            },
        };
        let recorded = record.name();
        let found = self
            .decide(&mut records, record, &known, domain.as_ref())
            .await?;
        let distrusted = object()
            .with("key", key)
            .with_some("name", known.name)
            .with("recorded", recorded)
            .with("domain", domain)
            .with_some("mark", options.mark.or(options.clear))
            .with_some("by", by)
            .with("level", found.level.number())
            .with("levelName", found.level.name())
            .with_some("caps", cap_views(&found));
        let by = by.map(|by| called(&records.records, &by));
        Ok(Report::new(&distrusted)?.with("by", by))
    }

    /// Records a decision, and returns the trust in the agent after it.
    async fn decide(
        &self,
        records: &mut TrustRecords,
        record: LocalRecord,
        known: &KnownAgent,
        domain: Option<&Domain>,
    ) -> Result<TrustReport, Error> {
        let settings = settings::read(self.home())?.trust;
        records.keep(record).await?;
        let now_us = records.records.present(when::stamp()?.micros());
        let records = &records.records;
        Ok(records.level(&known.key, domain, now_us, &settings))
    }

    /// Explains the trust in an agent: the paths of vouches and their arithmetic. Details `caps`, in words, and `decayPpm`,
    /// what a further hop leaves.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a name that no agent or more than one has.
    pub async fn explain_trust(
        &self,
        agent: &str,
        domain: Option<&Domain>,
    ) -> Result<Report, Error> {
        let settings = settings::read(self.home())?.trust;
        let records = self.trust_records().await?;
        let known = known(&records, agent)?;
        let now_us = records.present(when::stamp()?.micros());
        let found = records.level(&known.key, domain, now_us, &settings);
        let paths = found.paths.iter().map(|path| {
            let called = path.keys.iter().map(|key| called(&records, key));
            object()
                .with("keys", &path.keys)
                .with("called", called.collect::<Vec<_>>())
                .with("vouches", &path.vouches)
                .with("edgesPpm", &path.edges_ppm)
                .with("weightPpm", path.weight_ppm)
        });
        let explanation = object()
            .with("key", known.key)
            .with_some("name", known.name)
            .with("domain", domain)
            .with("level", found.level.number())
            .with("levelName", found.level.name())
            .with_some("caps", cap_views(&found))
            .with("why", why(&found, domain.is_some()))
            .with("scorePpm", found.score_ppm)
            .with("thresholdPpm", found.threshold_ppm)
            .with("paths", paths.collect::<Vec<_>>())
            .with("leftOut", found.left_out);
        Ok(Report::new(&explanation)?
            .with("caps", caps(&records, &found))
            .with("decayPpm", settings.decay_ppm.min(ONE_PPM)))
    }
}

/// The reason of a level in a sentence.
fn why(found: &TrustReport, has_domain: bool) -> String {
    let sum = format!("{} of {} ppm", found.score_ppm, found.threshold_ppm);
    let roots = u64::try_from(found.paths.len()).unwrap_or(u64::MAX);
    let roots = count(roots, "root vouches", "roots vouch");
    let is_sure = |path: &TrustPath| path.edges_ppm.len() == 1 && path.weight_ppm >= ONE_PPM;
    match (found.level, found.paths.as_slice()) {
        (Level::Direct, _) => "this agent trusts it itself".to_owned(),
        (Level::Anonymous, _) => "it is not trusted".to_owned(),
        (Level::Vouched, [_, _, ..]) if found.score_ppm >= found.threshold_ppm => {
            format!("{roots} over separate paths: {sum}")
        }
        (Level::Vouched, _) => "a root vouches for it directly, and is sure".to_owned(),
        (Level::Identified, _) if !found.caps.is_empty() => "it is capped".to_owned(),
        (Level::Identified, []) if !has_domain => {
            "vouches count in a domain alone: name one with --domain".to_owned()
        }
        (Level::Identified, []) => "nobody who is trusted vouches for it".to_owned(),
        (Level::Identified, [path]) if !is_sure(path) => {
            "one path: two roots are needed, or one that vouches directly and is sure".to_owned()
        }
        (Level::Identified, _) => format!("{roots}: {sum}"),
    }
}

/// Fetches the agent card at `url`, signed with the key that it names.
async fn card(
    url: &str,
    plain_http: bool,
) -> Result<counterfoil_exchange::documents::CapabilityParts, Error> {
    let settings = ClientSettings {
        plain_http,
        extra_ca_pem: None,
    };
    let failed = |error| match error {
        HttpError::Unreachable(_) => Error::new(ErrorKind::Unproven, error),
        error => Error::new(ErrorKind::Input, error),
    };
    let client = Client::new(url, &settings).map_err(failed)?;
    let card = client.agent_card().await.map_err(failed)?;
    Ok(card.parts().clone())
}

/// Checks a name: neither a key nor an address, as both may stand where a name may.
fn peer_name(name: &str) -> Result<Text<128>, Error> {
    let strange = |letter: char| letter.is_control() || "/\\:".contains(letter);
    let is_plain = !name.starts_with(['-', '.']) && name.trim() == name && !name.contains(strange);
    match Text::new(name) {
        Ok(name) if is_plain => Ok(name),
        Ok(_) => Err(Error::input(
            format_args!("{} can be no name", text::typed(name)),
            "leave out / \\ : and control characters, and do not begin with - or .",
        )),
        Err(error) => Err(Error::input(
            format_args!("this can be no name ({error})"),
            "choose another",
        )),
    }
}

fn must_be_free(records: &TrustRecords, name: &Text<128>, key: &DidKey) -> Result<(), Error> {
    let taken = records.records.known().into_iter().any(|known| {
        known.name.as_ref() == Some(name) && known.key != *key && !known.same_agent.contains(key)
    });
    if taken {
        return Err(Error::input(
            format_args!("another agent is called {}", text::typed(name)),
            "choose another name; if it changed its key, give its key chain: \
             `counterfoil peer pin NAME --succession FILE`",
        ));
    }
    Ok(())
}

/// Returns a URL as it is, and a folder with its whole path.
fn address(address: &str) -> Result<Text<2048>, Error> {
    let wrong = |why: &dyn core::fmt::Display| {
        Error::input(
            format_args!("{} can be no address ({why})", text::typed(address)),
            "give a URL that begins with https://, or a folder",
        )
    };
    if is_url(address) {
        return Text::new(address).map_err(|error| wrong(&error));
    }
    if address.contains("://") {
        return Err(wrong(&"such URLs are not asked"));
    }
    let path = std::path::absolute(address).map_err(|error| wrong(&error))?;
    let path = path
        .to_str()
        .ok_or_else(|| wrong(&"its path is no Unicode text"))?;
    Text::new(path).map_err(|error| wrong(&error))
}

fn at_most(what: &str, found: usize, limit: usize) -> Result<(), Error> {
    if found > limit {
        return Err(Error::input(
            format_args!("these are {found} {what}, and at most {limit} are kept"),
            "name fewer",
        ));
    }
    Ok(())
}
