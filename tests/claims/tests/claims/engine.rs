//! The oracle's plain words in the types of the engine, and back.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_claims::belief::{self, HistoryEntry};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::{Boundary, ValidTime, Window};
use counterfoil_claims::{
    Assertion, Cardinality, Channel, Channels, ClaimError, ClaimOutcome, FactValue, Identifier,
    Line, Settings, Submission, Target, Vocabulary,
};
use counterfoil_claims_tests::answer::{self, Answer, Done, Past, Refused};
use counterfoil_claims_tests::calendar::Micros;
use counterfoil_claims_tests::request::{self, Asserted, Cited, Id, NOBODY, Request, Who, Wish};
use counterfoil_store::ClaimRequest;
use counterfoil_types::{Confidence, DidKey, Scope, WorldId};

use crate::backend::{Asked, Host, LineName};

/// Which WorldId stands for which number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) units: Vec<WorldId>,
    ids: HashMap<WorldId, Id>,
    pub(crate) worlds: Vec<WorldId>,
}

static SIGNERS: LazyLock<Vec<Arc<AgentSigner>>> = LazyLock::new(|| {
    (0..32)
        .map(|seed| Arc::new(AgentSigner::new(SecretKey::from_seed([seed; 32]))))
        .collect()
});

pub(crate) fn signer(agent: u8) -> Arc<dyn Signer> {
    SIGNERS[usize::from(agent)].clone()
}

pub(crate) fn did(agent: u8) -> DidKey {
    signer(agent).agent()
}

pub(crate) fn channel(who: Who) -> Channel {
    let channels = Channels::of_host();
    match who {
        Who::Model => channels.model(),
        Who::Recall => channels.recall(),
        Who::FirstHand => channels.first_hand(),
        Who::User => channels.user(),
        Who::Peer { number, level } => channels
            .peer(DidKey::from_public_key([number; 32]), level)
            .unwrap(),
    }
}

pub(crate) fn identifier(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

pub(crate) fn line(agent: u8, line: &LineName) -> Line {
    Line {
        agent: did(agent),
        subject: identifier(&line.0),
        predicate: identifier(&line.1),
        scope: Scope::new(),
    }
}

pub(crate) fn value(canonical: &str) -> FactValue {
    FactValue::new(&serde_json::from_str(canonical).unwrap()).unwrap()
}

pub(crate) fn settings(host: &Host) -> Settings {
    let registered = host.registered.iter();
    Settings {
        vocabulary: Vocabulary::new(
            registered.map(|(predicate, one)| (identifier(predicate), 0, cardinality(*one))),
        )
        .into(),
        oracle_days: host.has_oracle.then_some(30),
        ..Settings::default()
    }
}

pub(crate) fn asked(asked: Asked) -> counterfoil_store::AsOf {
    counterfoil_store::AsOf {
        valid_at: asked.valid_at,
        as_of_us: asked.as_of.map(|as_of| u64::try_from(as_of).unwrap_or(0)),
    }
}

fn cardinality(one: request::Cardinality) -> Cardinality {
    let name = format!("{one:?}").to_lowercase();
    name.parse().unwrap()
}

pub(crate) fn valid_time(valid: &request::Valid) -> ValidTime {
    let boundary =
        |text: &Option<String>| text.as_deref().map(|text| Boundary::parse(text).unwrap());
    ValidTime {
        from: boundary(&valid.from),
        until: boundary(&valid.until),
        confidence: Confidence::new(valid.confidence).unwrap(),
    }
}

impl Names {
    pub(crate) fn id(&self, world: &WorldId) -> Id {
        self.ids.get(world).copied().unwrap_or(NOBODY)
    }

    fn ids(&self, worlds: &[WorldId]) -> Vec<Id> {
        worlds.iter().map(|world| self.id(world)).collect()
    }

    /// The name of a unit, or one that nobody has.
    pub(crate) fn world(&self, id: Id) -> WorldId {
        let name = self.units.get(id).cloned();
        name.unwrap_or_else(|| WorldId::new("nobody-has-this-name").unwrap())
    }

    fn worlds(&self, ids: &[Id]) -> Vec<WorldId> {
        ids.iter().map(|id| self.world(*id)).collect()
    }

    fn cited(&self, cited: &[Cited]) -> Vec<WorldId> {
        let name = |one: &Cited| match one {
            Cited::World(number) => {
                let name = self.worlds.get(*number).cloned();
                name.unwrap_or_else(|| WorldId::new(format!("no-such-world-{number}")).unwrap())
            }
            Cited::Unit(id) => self.world(*id),
        };
        cited.iter().map(name).collect()
    }

    pub(crate) fn written(&mut self, world: &WorldId) -> Id {
        if let Some(id) = self.ids.get(world) {
            return *id;
        }
        self.units.push(world.clone());
        self.ids.insert(world.clone(), self.units.len() - 1);
        self.units.len() - 1
    }

    /// What the engine is told.
    pub(crate) fn request(&self, request: &Request) -> Result<ClaimRequest, ClaimError> {
        let channel = channel(request.who);
        match &request.wish {
            Wish::State(said) => {
                let mut submission = Submission::new(
                    &channel,
                    Identifier::new("subject", &said.subject)?,
                    Identifier::new("predicate", &said.predicate)?,
                    FactValue::new(&serde_json::from_str(&said.value).unwrap())?,
                );
                if said.extracted {
                    submission = submission.extracted();
                }
                if said.asks {
                    submission = submission.asking();
                }
                if said.replaces {
                    submission = submission.replacing();
                }
                if let Some(valid) = &said.valid {
                    submission = submission.valid(valid_time(valid))?;
                }
                if let Some(key) = &request.key {
                    submission = submission.keyed(key)?;
                }
                let submission = submission
                    .cardinality(cardinality(said.said))
                    .superseding(self.worlds(&said.supersedes))?
                    .citing(self.cited(&said.anchors))?
                    .derived_from(self.worlds(&said.derived_from))?;
                Ok(ClaimRequest::Submit(submission))
            }
            Wish::Assert(target, asserted, evidence) => {
                let assertion = self.assertion(&channel, target, asserted, evidence)?;
                Ok(ClaimRequest::Assert(match &request.key {
                    Some(key) => assertion.keyed(key)?,
                    None => assertion,
                }))
            }
        }
    }

    fn assertion(
        &self,
        channel: &Channel,
        target: &request::Target,
        asserted: &Asserted,
        evidence: &[Cited],
    ) -> Result<Assertion, ClaimError> {
        let claim = match target {
            request::Target::Claim(id) => self.world(*id),
            request::Target::Line(..) => self.world(NOBODY),
        };
        let verdict =
            |verdict| Assertion::verdict(channel, claim.clone(), verdict, self.cited(evidence));
        Ok(match asserted {
            Asserted::End(at) => {
                let at = at.as_deref().map(|at| Boundary::parse(at).unwrap());
                let target = match target {
                    request::Target::Claim(_) => Target::Claim(claim),
                    request::Target::Line(subject, predicate) => Target::Line {
                        subject: identifier(subject),
                        predicate: identifier(predicate),
                    },
                };
                Assertion::end(channel, target, at)
            }
            Asserted::Reopen => Assertion::reopen(channel, claim),
            Asserted::Supersede(by) => Assertion::supersede(channel, claim, self.world(*by)),
            Asserted::Release => Assertion::release(channel, claim),
            Asserted::Retract(reason) => Assertion::retract(channel, claim, reason.clone())?,
            Asserted::Affirm => verdict(OracleVerdict::Affirm)?,
            Asserted::Deny => verdict(OracleVerdict::Deny)?,
            Asserted::Undecided => verdict(OracleVerdict::Unknown)?,
        })
    }

    pub(crate) fn answer(&mut self, answer: Result<ClaimOutcome, ClaimError>) -> Answer {
        let outcome = match answer {
            Ok(outcome) => outcome,
            Err(refusal) => return Answer::Refused(vec![refused(&refusal)]),
        };
        let written = outcome
            .written
            .as_ref()
            .map(|(world, ..)| self.written(world));
        let mut ignored = self.ids(&outcome.because.ignored);
        ignored.sort_unstable();
        Answer::Done(Done {
            disposition: word(answer::Disposition::named, outcome.disposition),
            row: outcome.row,
            reference: self.id(&outcome.reference),
            written,
            rivals: self.ids(&outcome.because.rivals),
            equals: outcome.because.equals.as_ref().map(|world| self.id(world)),
            depth: outcome.because.depth,
            ignored,
            echo: outcome.because.re_entry,
        })
    }

    pub(crate) fn belief(&self, belief: &belief::Belief) -> answer::Belief {
        answer::Belief {
            status: word(answer::Status::named, belief.status),
            support: belief
                .support
                .map(|support| word(answer::Support::named, support)),
            sides: belief.sides.iter().map(|side| self.side(side)).collect(),
            alternatives: belief
                .alternatives
                .iter()
                .map(|side| self.side(side))
                .collect(),
            markers: markers(&belief.markers),
        }
    }

    fn side(&self, side: &belief::BeliefSide) -> answer::Side {
        let claims = side.claims.iter();
        answer::Side {
            value: side.value.canonical().to_owned(),
            claims: claims
                .map(|claim| (self.id(&claim.reference), span(claim.window)))
                .collect(),
            corroborations: usize::try_from(side.corroborations).unwrap(),
            confirmed: micros(side.confirmed.micros()),
            currency: word(answer::Currency::named, side.currency),
            markers: markers(&side.markers),
        }
    }

    pub(crate) fn history(&self, entries: &[HistoryEntry]) -> Vec<Past> {
        let past = |entry: &HistoryEntry| Past {
            claim: self.id(entry.claim.reference()),
            state: word(answer::State::named, entry.state),
            window: (!entry.window.is_empty()).then(|| span(entry.window)),
            corroborations: usize::try_from(entry.corroborations).unwrap(),
        };
        entries.iter().map(past).collect()
    }
}

pub(crate) fn micros(stamp: u64) -> Micros {
    i64::try_from(stamp).unwrap()
}

fn span(window: Window) -> answer::Span {
    (window.start, window.end)
}

fn markers(markers: &[belief::Marker]) -> Vec<answer::Marker> {
    let markers = markers.iter();
    markers
        .map(|marker| word(answer::Marker::named, marker))
        .collect()
}

/// The oracle's word for a word of the engine: both have the names of the page.
fn word<T>(named: fn(&str) -> Option<T>, word: impl std::fmt::Debug) -> T {
    let name = format!("{word:?}");
    named(&name).unwrap_or_else(|| panic!("a word that is unknown here: {name}"))
}

fn refused(refusal: &ClaimError) -> Refused {
    match refusal {
        ClaimError::KeyReused { .. } => Refused::KeyReused,
        ClaimError::ClaimNotFound(_) => Refused::ClaimNotFound,
        ClaimError::OtherLine(_) => Refused::OtherLine,
        ClaimError::AnchorNotFound(_) => Refused::AnchorNotFound,
        ClaimError::Itself(_) => Refused::Itself,
        ClaimError::TooMany { .. } => Refused::TooMany,
        ClaimError::ManyValues { .. } => Refused::ManyValues,
        ClaimError::SecondValue { .. } => Refused::SecondValue,
        ClaimError::Ambiguous { found } => Refused::Ambiguous(usize::try_from(*found).unwrap()),
        ClaimError::IncoherentWindow => Refused::IncoherentWindow,
        ClaimError::InsufficientProvenance { .. } => Refused::InsufficientProvenance,
        ClaimError::InadmissibleEvidence => Refused::InadmissibleEvidence,
        ClaimError::HandleNotFound(_) => Refused::HandleNotFound,
        other => panic!("a refusal that the oracle does not know: {other}"),
    }
}
