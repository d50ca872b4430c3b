//! Decisions of authorities about proposals: kept, listed by the memories that were used, and their outcomes (docs/format/decision.md).

use std::path::Path;

use counterfoil_actor::{DECISION, decided, outcome, outcome_id};
use counterfoil_capsule::{AgentSigner, World};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog as _, MemoryStore as _, StoreError};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Proposal, WorldId};
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

    /// Decisions that are kept here about proposals that used a memory, in any of its versions: who decided, and what became of
    /// the proposal. In the order of the log.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when there is no such memory.
    pub async fn used(&self, id: &str) -> Result<Report, Error> {
        let store = self.reader()?;
        let named = versions::locate(&store, id).await?;
        let chain = store.chain(&named.chain).await?;
        let versions = chain.into_iter().filter_map(|version| version.world_id);
        let versions: Vec<WorldId> = versions.collect();
        let known = match has_authorities(self.home()) {
            true => authorities(self.home())?,
            false => Vec::new(),
        };
        let (mut decisions, mut notices) = (Vec::new(), Vec::new());
        for kept in store.named(DECISION).await? {
            let Some(world) = content(&store, &kept).await? else {
                continue;
            };
            let decision = match reopened(&world) {
                Ok(decision) => decision,
                Err(error) => {
                    notices.push(format!("{kept} holds no decision: {error}"));
                    continue;
                }
            };
            let memories = decision.memories();
            let memories = memories.filter(|(world, _)| versions.contains(world));
            let memories: Vec<_> = memories
                .map(|(world, outcome)| used(world, outcome))
                .collect();
            if memories.is_empty() {
                continue;
            }
            let led_to = outcome_id(&decision).map_err(failure)?;
            let led_to = content(&store, &led_to).await?;
            let is_known = is_listed(&known, &decision);
            let decision = shown(&world, &decision, is_known, memories, led_to.as_ref());
            decisions.push(decision);
        }
        let report = object()
            .with("type", "counterfoil/uses")
            .with("version", "1")
            .with("memory", named.world_id)
            .with("decisions", decisions);
        Ok(Report::new(&report)?.noticed(notices))
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

/// One decision, and the outcome that was recorded of it.
fn shown<M: Serialize>(
    world: &World,
    decision: &DecisionRecord,
    is_known: bool,
    memories: Vec<M>,
    outcome: Option<&World>,
) -> impl Serialize + use<M> {
    let outcome = outcome.map(|outcome| {
        let id = outcome.world_id().clone();
        object().with("id", id).with("text", text_of(outcome))
    });
    object()
        .with("decision", world.world_id().clone())
        .with("text", text_of(world))
        .with("proposalId", world.created_by().map(str::to_owned))
        .with("verdict", decision.verdict())
        .with("authority", authority(decision))
        .with("known", is_known)
        .with("decidedAt", decision.decided_at())
        .with("memories", memories)
        .with_some("outcome", outcome)
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
