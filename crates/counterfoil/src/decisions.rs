//! Decisions of authorities about proposals: kept, listed by the memories that were used, and their outcomes (docs/format/decision.md).

use std::path::Path;

use counterfoil_actor::{DECISION, decided, outcome, outcome_id};
use counterfoil_capsule::{AgentSigner, World};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog as _, MemoryStore as _, StoreError};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Proposal, Scope, WorldId};
use counterfoil_verifier::decision::{DecisionRecord, open};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::home::Home;
use crate::keys::{self, Guarded, Key, Use};
use crate::memory::Memory;
use crate::recall::{failure, text_of};
use crate::remember::{Note, Remembered};
use crate::report::{Report, object};
use crate::{versions, when};

/// File of the authorities whose decisions count in a store: one `did:key` a line, and a name.
const AUTHORITIES: &str = "authorities";
/// No such file is longer, in bytes.
const MAX_BYTES: usize = 64 * 1024;

impl Memory {
    /// Keeps an authority's decision about `proposal` as a memory. To keep it again finds the same memory.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for a decision about another proposal, by an authority that is not one of this store, or whose
    /// signature does not hold.
    pub async fn record_decision(
        &self,
        proposal: &Proposal,
        decision: &Value,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let decision = self.opened(proposal, decision)?;
        let (kept, is_new) = self.seal(decided(proposal, &decision)).await?;
        let memories = decision.memories();
        let memories = memories.map(|(world, outcome)| used(world, outcome));
        let report = object()
            .with("decision", &kept.id)
            .with("index", kept.index)
            .with("recordedNow", is_new)
            .with("proposalId", proposal.proposal_id())
            .with("verdict", decision.verdict())
            .with("authority", authority(&decision))
            .with("decidedAt", decision.decided_at())
            .with("memories", memories.collect::<Vec<_>>());
        Report::new(&report)
    }

    /// Seals the outcome of an approved proposal. It is the latest World then, on which the next proposal is made, and
    /// names the proposal, the World that this was made on, and the signed decision. One decision has one outcome: to
    /// record the same again finds it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a decision that does not approve, or another outcome of it that is there already; as for
    /// [`record_decision`](Self::record_decision) and [`remember`](Self::remember).
    pub async fn record_outcome(
        &self,
        proposal: &Proposal,
        decision: &Value,
        note: impl Into<Note>,
    ) -> Result<Remembered, Error> {
        self.must_exist()?;
        let note = note.into();
        let scope = note.scope.clone();
        let data = note.data(&scope)?;
        let decision = self.opened(proposal, decision)?;
        let id = outcome_id(&decision).map_err(failure)?;
        let store = self.reader()?;
        let before = store.get(&id).await.map_err(StoreError::from)?;
        let at = match &before {
            Some(before) if before.data() != Some(&data) => {
                return Err(Error::input(
                    format_args!("this decision has another outcome already, {id}"),
                    "`counterfoil update` changes what it says",
                ));
            }
            Some(before) => before.created_at(),
            None => when::now()?,
        };
        let sealed = self.seal(outcome(proposal, &decision, at, data)).await?;
        Ok(sealed.0)
    }

    /// Uses of a memory, in any of its versions, by proposals about which decisions are kept here: who decided, and what became of
    /// the proposal. In the order of the log.
    ///
    /// In a scope, a proposal that used memories outside of it as well is known by its use of this one alone: the time of the decision,
    /// and its outcome for this memory.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when there is no such memory.
    pub async fn used(&self, id: &str) -> Result<Report, Error> {
        let (whole, id) = self.reaching(id).await?;
        let store = whole.reader()?;
        let named = versions::locate(&store, &id).await?;
        let chain = store.chain(&named.chain).await?;
        let chain = self.reached(&store, chain).await?.into_iter();
        let versions: Vec<WorldId> = chain.filter_map(|version| version.world_id).collect();
        let kept = self.kept_decisions(&store).await?;
        let (mut decisions, mut notices) = (Vec::new(), Vec::new());
        for id in &kept.ids {
            let Some((world, decision)) = kept.read(&store, id, &mut notices).await? else {
                continue;
            };
            let memories = decision.memories();
            let memories = memories.filter(|(world, _)| versions.contains(world));
            let memories: Vec<_> = memories
                .map(|(world, outcome)| used(world, outcome))
                .collect();
            if !memories.is_empty() {
                let is_seen = self.is_seen(&store, &decision).await?;
                decisions.push(
                    kept.row(&store, (&world, &decision), memories, is_seen)
                        .await?,
                );
            }
        }
        let report = object()
            .with("type", "counterfoil/uses")
            .with("version", "1")
            .with("memory", named.world_id)
            .with("decisions", decisions);
        Ok(Report::new(&report)?.noticed(notices))
    }

    /// The newest `max` decisions that are kept here, newest first. In a scope, those about proposals whose memories are all in
    /// it; `more` says that there are others.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when `max` is 0.
    pub async fn decisions(&self, max: usize) -> Result<Report, Error> {
        if max == 0 {
            return Err(Error::input("--max 0 lists nothing", "choose --max from 1"));
        }
        let store = self.whole().reader()?;
        let kept = self.kept_decisions(&store).await?;
        let (mut items, mut notices, mut more) = (Vec::new(), Vec::new(), false);
        for id in kept.ids.iter().rev() {
            let Some((world, decision)) = kept.read(&store, id, &mut notices).await? else {
                continue;
            };
            if !self.is_seen(&store, &decision).await? {
                continue;
            }
            more = items.len() == max;
            if more {
                break;
            }
            let memories = decision.memories();
            let memories = memories.map(|(world, outcome)| used(world, outcome));
            let memories: Vec<_> = memories.collect();
            items.push(
                kept.row(&store, (&world, &decision), memories, true)
                    .await?,
            );
        }
        let report = object()
            .with("type", "counterfoil/decisions")
            .with("version", "1")
            .with("items", items)
            .with("more", more);
        Ok(Report::new(&report)?.noticed(notices))
    }

    async fn kept_decisions(&self, store: &SqliteStore) -> Result<KeptDecisions, Error> {
        Ok(KeptDecisions {
            ids: store.named(DECISION).await?,
            known: match has_authorities(self.home()) {
                true => authorities(self.home())?,
                false => Vec::new(),
            },
            scope: self.scope().clone(),
        })
    }

    /// Tests for a decision about memories of which each is in the scope.
    async fn is_seen(&self, store: &SqliteStore, decision: &DecisionRecord) -> Result<bool, Error> {
        let mut is_seen = self.scope().is_empty();
        for (world, _) in decision.memories() {
            is_seen = store.is_in_scope(world, self.scope()).await?;
            if !is_seen {
                break;
            }
        }
        Ok(is_seen)
    }

    /// Makes a key file for an authority, which keeps no memory; returns its public half. Nothing is replaced. Of a
    /// [sealed](crate::MemoryBuilder::sealed) memory the secret is under the passphrase.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when the file is there, [`ErrorKind::Place`] when it cannot be written.
    pub fn new_key(&self, path: &Path) -> Result<DidKey, Error> {
        if path.symlink_metadata().is_ok() {
            return Err(Error::input(
                format_args!("{} is there already", path.display()),
                "name a new file: no key is replaced",
            ));
        }
        let (passphrase, guarded) = (self.home().passphrase(), self.guarded());
        if guarded == Guarded::ByPassphrase {
            passphrase.to_seal()?;
        }
        let key = Key {
            purpose: Use::Agent,
            secret: keys::fresh()?,
            guarded,
        };
        keys::write(path, &key, passphrase)?;
        Ok(key.public())
    }

    /// Opens a key file to sign decisions with. Needs no store.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for the key of a log, [`ErrorKind::Place`] when the file cannot be used.
    pub fn deciding_key(&self, path: &Path) -> Result<AgentSigner, Error> {
        let secret = keys::read(path, self.home().passphrase())?;
        if matches!(secret.purpose, Use::Log(_) | Use::Witness(_)) {
            return Err(Error::input(
                format_args!("{} is the key of a log", path.display()),
                "give a key that `counterfoil key new` has made, or that of an agent",
            ));
        }
        Ok(AgentSigner::new(secret.secret))
    }

    /// Checks a decision by the authorities of this store.
    fn opened(&self, proposal: &Proposal, decision: &Value) -> Result<DecisionRecord, Error> {
        let known = authorities(self.home())?;
        let keys: Vec<DidKey> = known.iter().map(|(key, _)| *key).collect();
        let opened = open(decision, &keys, Some(proposal));
        let opened = opened.map_err(|error| Error::new(ErrorKind::Refused, error))?;
        if is_listed(&known, &opened) {
            return Ok(opened);
        }
        let (key, name) = opened.authority();
        Err(Error::refused(
            format_args!("{key} decided as {name:?}, which is not its name in {AUTHORITIES}"),
            "ask the authority, or correct the name there",
        ))
    }
}

/// Tests whether the key is among the authorities, without a name or with the one that the decision states.
fn is_listed(known: &[(DidKey, Option<String>)], decision: &DecisionRecord) -> bool {
    let (key, name) = decision.authority();
    let mut of_key = known.iter().filter(|(known, _)| *known == key);
    of_key.any(|(_, known)| known.as_ref().is_none_or(|known| known == name))
}

/// Content of a memory; `None` where it is erased, archived or withheld, which the list of withheld memories names.
async fn content(store: &SqliteStore, id: &WorldId) -> Result<Option<World>, Error> {
    let read = store.get(id).await.map_err(StoreError::from);
    Ok(StoreError::skip_withheld(read)?)
}

/// The decision in a World, its signature checked with the key that it names; the World is named after it.
fn reopened(world: &World) -> Result<DecisionRecord, String> {
    let document = world.content_value().get("decision");
    let document = document.ok_or("it has none")?;
    let key = document.get("authority").and_then(Value::as_str);
    let key = key.and_then(|key| key.parse().ok()).ok_or("no authority")?;
    let decision = open(document, &[key], None).map_err(|error| error.to_string())?;
    let id = outcome_id(&decision).map_err(|error| error.to_string())?;
    let digits = |id: &WorldId| id.to_string().rsplit('-').next().map(str::to_owned);
    match digits(&id) == digits(world.world_id()) {
        true => Ok(decision),
        false => Err("it is named after another one".to_owned()),
    }
}

/// Decisions of a store, as a memory in `scope` reads them.
struct KeptDecisions {
    /// In the order of the log.
    ids: Vec<WorldId>,
    known: Vec<(DidKey, Option<String>)>,
    scope: Scope,
}

impl KeptDecisions {
    /// The decision of this id; `None` for one that cannot be read, which a memory without a scope notes.
    async fn read(
        &self,
        store: &SqliteStore,
        id: &WorldId,
        notices: &mut Vec<String>,
    ) -> Result<Option<(World, DecisionRecord)>, Error> {
        let Some(world) = content(store, id).await? else {
            return Ok(None);
        };
        match reopened(&world) {
            Ok(decision) => Ok(Some((world, decision))),
            Err(error) => {
                if self.scope.is_empty() {
                    notices.push(format!("{id} holds no decision: {error}"));
                }
                Ok(None)
            }
        }
    }

    /// One decision with the outcome that was recorded of it; of one that is not `seen` its time and these memories alone.
    async fn row<M: Serialize>(
        &self,
        store: &SqliteStore,
        (world, decision): (&World, &DecisionRecord),
        memories: Vec<M>,
        is_seen: bool,
    ) -> Result<impl Serialize + use<M>, Error> {
        let outcome = outcome_id(decision).map_err(failure)?;
        let outcome = match is_seen && store.is_in_scope(&outcome, &self.scope).await? {
            true => content(store, &outcome).await?,
            false => None,
        };
        let outcome = outcome.map(|outcome| {
            let id = outcome.world_id().clone();
            object().with("id", id).with("text", text_of(&outcome))
        });
        Ok(object()
            .with_some("decision", is_seen.then(|| world.world_id().clone()))
            .with_some("text", is_seen.then(|| text_of(world)))
            .with_some(
                "proposalId",
                is_seen.then(|| world.created_by().map(str::to_owned)),
            )
            .with_some("verdict", is_seen.then(|| decision.verdict()))
            .with_some("authority", is_seen.then(|| authority(decision)))
            .with_some("known", is_seen.then(|| is_listed(&self.known, decision)))
            .with("decidedAt", decision.decided_at())
            .with("memories", memories)
            .with_some("outcome", outcome))
    }
}

fn authority(decision: &DecisionRecord) -> impl Serialize + use<> {
    let (key, name) = decision.authority();
    object().with("key", key).with("name", name.to_owned())
}

fn used(world: &WorldId, outcome: &'static str) -> impl Serialize + use<> {
    object().with("id", world.clone()).with("outcome", outcome)
}

fn has_authorities(home: &Home) -> bool {
    home.dir().join(AUTHORITIES).exists()
}

/// The authorities that the operator of the store has pinned, each with the name behind its key, if one is there. Empty lines and
/// those that begin with `#` are for people.
pub(crate) fn authorities(home: &Home) -> Result<Vec<(DidKey, Option<String>)>, Error> {
    let path = home.dir().join(AUTHORITIES);
    if !has_authorities(home) {
        return Err(Error::input(
            format_args!(
                "no authority decides for this store: {} is not there",
                path.display()
            ),
            "write the did:key of each authority that may on a line of it",
        ));
    }
    let bytes = files::read("authorities", &path, MAX_BYTES, ErrorKind::Place)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong(&path, "is not UTF-8"))?;
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (key, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let key = key.parse();
            let key =
                key.map_err(|_| wrong(&path, "has a line that is no did:key of an Ed25519 key"))?;
            let name = name.trim_start();
            Ok((key, (!name.is_empty()).then(|| name.to_owned())))
        })
        .collect()
}

fn wrong(path: &Path, what: &str) -> Error {
    Error::place(
        format_args!("{} {what}", path.display()),
        "write one did:key a line, and the name of the authority behind it",
    )
}
