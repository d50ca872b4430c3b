//! Asking those of the known agents that may know of a topic, at once, for one answer (docs/format/exchange.md §9.1).

mod merged;
mod referrals;

use std::cmp::Reverse;

use counterfoil_exchange::checks::knows_of;
use counterfoil_exchange::documents::Domain;
use counterfoil_exchange::trust::{KnownAgent, Level, Records, TrustSettings};
use counterfoil_http::client::ClientSettings;
use counterfoil_peer::{ExchangeQuestion, ExchangeReport, Host, Transport};
use counterfoil_types::DidKey;
use merged::Answers;
use referrals::Referrals;

use super::asking::{AskOptions, client_settings};
use super::settings;
use super::way::Way;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::text::typed;
use crate::when;

/// Most agents that are asked at once.
const MOST_AGENTS: u8 = 32;

/// Most hops of referrals from a known agent on.
const MOST_HOPS: u8 = 2;

/// Topic of a question to several agents.
#[derive(Debug)]
struct Topic<'a> {
    words: &'a str,
    domain: Option<Domain>,
}

/// Agent that is to be asked.
#[derive(Debug)]
struct Candidate {
    key: DidKey,
    address: String,
    level: Level,
    /// Another agent has named the address.
    is_foreign: bool,
    /// Agents that have referred to it, and the domain that each named.
    referred_by: Vec<(DidKey, Domain)>,
}

/// Agent that was asked, and the result.
#[derive(Debug)]
struct AskedAgent {
    agent: Candidate,
    /// The report of the exchange, or the reason for which there is none.
    result: Result<ExchangeReport, String>,
}

impl Memory {
    /// Asks the known agents that may know of a topic, at once, and merges what they say into one answer: each value with the agents
    /// that say so, the most trusted first. `topic` is a domain or words; `question` is asked instead of "what do you know about
    /// TOPIC?".
    ///
    /// Asked are the agents that name a domain which covers the topic's, lies in it or is named by its words; if there are none, those
    /// that name no domain and are trusted enough to decide a belief. Distrusted agents are not asked, and of the others at most
    /// [`AskOptions::max_agents`], the most trusted first. Each has [`AskOptions::timeout`] for itself, and its answer is checked and
    /// stored as [`ask`](Self::ask) does. With [`AskOptions::follow_referrals`] the agents that those name are asked, too.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) if no agent is known to ask, or for an option without meaning;
    /// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) once the interruption flag is set.
    pub async fn who_knows(
        &self,
        topic: &str,
        question: Option<&str>,
        options: &AskOptions,
    ) -> Result<Report, Error> {
        let settings = settings::read(self.home())?;
        let topic = Topic::new(topic, options.domain.as_ref(), &settings.vocabulary);
        let options = &AskOptions {
            domain: topic.domain.clone(),
            ..options.clone()
        };
        if options.cursor.is_some() || !(1..=MOST_AGENTS).contains(&options.max_agents) {
            return Err(Error::input(
                format_args!(
                    "1 to {MOST_AGENTS} agents are asked at once, each from the beginning"
                ),
                "leave out the cursor, and name fewer agents",
            ));
        }
        let natural = format!("what do you know about {}?", topic.words);
        let question = options.question(question.unwrap_or(&natural))?;
        let (host, records) = self.asking(options).await?;
        let net = client_settings(options.plain_http, options.ca.as_deref())?;
        let now_us = records.present(when::stamp()?.micros());
        let mut chosen = topic.candidates((&records, now_us), &host.own_keys, &settings.trust);
        if chosen.is_empty() {
            return Err(Error::input(
                format_args!(
                    "no agent is known that names a domain of {}",
                    typed(topic.words)
                ),
                "`counterfoil peer list` shows the domains of each, `counterfoil peer add NAME DID --domain D` names one",
            ));
        }
        let mut not_asked = chosen.len().saturating_sub(options.max_agents.into());
        chosen.truncate(options.max_agents.into());
        let mut referrals = Referrals::new(
            (&records, now_us),
            &settings.trust,
            &host.own_keys,
            options,
            &chosen,
        );
        let mut asked: Vec<AskedAgent> = Vec::new();
        for hop in 0..=MOST_HOPS {
            let question = ExchangeQuestion {
                include_referrals: options.follow_referrals && hop < MOST_HOPS,
                ..question.clone()
            };
            let round = self.ask_at_once(&host, chosen, &question, options, &net);
            let round = round.await?;
            chosen = referrals.candidates(&round);
            asked.extend(round);
            if chosen.is_empty() {
                break;
            }
        }
        not_asked += referrals.not_asked();
        let records = self.trust_records().await?;
        let natural = question.query.natural.as_str();
        let mut answers = Answers::new(&topic, natural, records)?;
        asked.iter().for_each(|asked| answers.add(asked));
        answers.into_report(self, not_asked).await
    }

    /// Asks each of the agents at its first address.
    async fn ask_at_once(
        &self,
        host: &Host,
        chosen: Vec<Candidate>,
        question: &ExchangeQuestion,
        options: &AskOptions,
        net: &ClientSettings,
    ) -> Result<Vec<AskedAgent>, Error> {
        let mut asked: Vec<AskedAgent> = Vec::new();
        let mut ways = Vec::new();
        for agent in chosen {
            let (key, address) = (agent.key, agent.address.as_str());
            let way = match agent.is_foreign && !options.private_addresses {
                true => Way::to_public(key, address, net),
                false => Way::to(Some(key), address, net, None),
            };
            let result = Err(way
                .as_ref()
                .map_or_else(ToString::to_string, |_| String::new()));
            if let Ok(way) = way {
                ways.push((asked.len(), host.draw()?, way));
            }
            asked.push(AskedAgent { agent, result });
        }
        let timeout_us = u64::try_from(options.timeout.as_micros()).unwrap_or(u64::MAX);
        let questions = ways.iter_mut().map(|(_, id, way)| {
            let question = ExchangeQuestion {
                peer: way.peer,
                address: way.address.clone(),
                timeout_us,
                ..question.clone()
            };
            let transport: &mut dyn Transport = way.transport.as_mut();
            (id.clone(), question, transport)
        });
        let next = "`counterfoil exchange list` shows the questions, `counterfoil exchange resume ID` goes on with one";
        let asking = host.ask_each(questions.collect());
        let reports = self.unless_interrupted(next, asking).await?;
        // Faults of agents are in their reports: this agent itself fails with all of them.
        if reports.iter().all(Result::is_err) {
            reports.into_iter().next().transpose()?;
            return Ok(asked);
        }
        for ((at, ..), report) in ways.iter().zip(reports) {
            if let Some(asked) = asked.get_mut(*at) {
                asked.result = report.map_err(|error| error.to_string());
            }
        }
        Ok(asked)
    }
}

impl<'a> Topic<'a> {
    /// The domain is the one that was given, or that of a word of the vocabulary, or the topic itself: never one that another agent
    /// has named, as trust in a domain counts for all inside of it.
    fn new(words: &'a str, given: Option<&Domain>, vocabulary: &[(String, Domain)]) -> Self {
        let has = |word: &str| {
            let mut words = words.split(|letter: char| !letter.is_alphanumeric());
            words.any(|own| own.to_lowercase() == word)
        };
        let of_word = || vocabulary.iter().find(|(word, _)| has(word));
        let domain = given.cloned();
        let domain = domain.or_else(|| of_word().map(|(_, domain)| domain.clone()));
        Self {
            words,
            domain: domain.or_else(|| words.parse().ok()),
        }
    }

    /// The agents to ask, with the level of trust in each, the most trusted first.
    fn candidates(
        &self,
        (records, now_us): (&Records, u64),
        own: &[DidKey],
        trust: &TrustSettings,
    ) -> Vec<Candidate> {
        let domain = self.domain.as_ref();
        let mut known: Vec<_> = records
            .present_agents()
            .into_iter()
            .filter(|known| !own.contains(&known.key))
            .filter(|known| !known.addresses.is_empty())
            .map(|known| {
                (
                    records.level(&known.key, domain, now_us, trust).level,
                    known,
                )
            })
            .filter(|(level, _)| *level > Level::Anonymous)
            .collect();
        known.sort_by_cached_key(|(level, known)| {
            let name = known.name.as_ref().map(ToString::to_string);
            (Reverse(*level), name, known.key.to_string())
        });
        let knows = |known: &KnownAgent| knows_of(&known.domains, domain, self.words);
        if known.iter().any(|(_, known)| knows(known)) {
            known.retain(|(_, known)| knows(known));
        } else {
            let minimum = records.minimum(domain, now_us);
            known.retain(|(level, known)| known.domains.is_empty() && *level >= minimum);
        }
        let candidates = known.into_iter().filter_map(|(level, known)| {
            Some(Candidate {
                key: known.key,
                address: known.addresses.first()?.to_string(),
                level,
                is_foreign: false,
                referred_by: Vec::new(),
            })
        });
        candidates.collect()
    }
}
