//! A file as a chain: each content that it had is a version of one memory (decision 0074).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_actor::ActError;
use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{ChainId, Timestamp, World};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog as _, Draft, StoreError, StoredCapsule, mutation};
use counterfoil_types::json::{Limits, Value, canonical};
use counterfoil_types::{DidKey, Scope, WorldId};
use serde_json::json;

use crate::error::Error;
use crate::folder::FileContent;
use crate::import::id_key;
use crate::memory::Memory;
use crate::recall::failure;
use crate::remember::{named_id, random_id};
use crate::{versions, when};

/// Most chains of one folder, those of removed files included.
const MAX_CHAINS: usize = 10_000;
/// Most versions in one transaction.
const BATCH: usize = 128;
/// Most versions behind the head among which the last sealed one is looked for.
const MAX_EDITS: u64 = 64;
/// Most earlier versions with which a content is compared.
const MAX_EARLIER: u64 = 256;
/// Bytes of a memory beside its data.
const ENVELOPE: usize = 4096;
/// Digits of an id that the files of one folder share.
const SHARED: usize = 8;
/// First part of what ids of files are hashes of.
const DOMAIN: &str = "counterfoil file chain";
/// Reason of the tombstone of a file that was removed.
const REMOVED: &str = "the file was removed";

/// A folder whose files are chains.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// Program that seals its files.
    by: &'static str,
    name: String,
    scope: Scope,
    /// Channel of all that is written into it.
    channel: Option<&'static str>,
}

/// A file as it was sealed last.
#[derive(Debug, Clone)]
pub(crate) struct SealedFile {
    /// Id of its first version.
    pub(crate) id: WorldId,
    pub(crate) path: String,
    pub(crate) text: String,
    /// Number of the version that was sealed last.
    pub(crate) seq: u64,
    pub(crate) sealed_at: Timestamp,
    /// Its memory was forgotten, though the file was not removed.
    pub(crate) is_forgotten: bool,
    chain: ChainId,
    head: StoredCapsule,
}

/// Files of a folder as they were sealed last, by path.
#[derive(Debug, Default)]
pub(crate) struct SealedFiles {
    pub(crate) files: Vec<SealedFile>,
    /// Ids that are taken.
    used: BTreeSet<WorldId>,
}

impl SealedFiles {
    /// Returns true if nothing of the folder was ever sealed.
    pub(crate) fn is_new(&self) -> bool {
        self.used.is_empty()
    }
}

/// Next content of a file: of a new one, or of one that is sealed.
#[derive(Debug)]
pub(crate) struct FileWrite<'f> {
    pub(crate) file: Option<&'f SealedFile>,
    pub(crate) path: String,
    pub(crate) content: FileContent,
}

impl Folder {
    pub(crate) const fn new(by: &'static str, name: String, scope: Scope) -> Self {
        Self {
            by,
            name,
            scope,
            channel: None,
        }
    }

    /// The same folder, with all that is written into it as the word of a model.
    pub(crate) fn of_model(self) -> Self {
        Self {
            channel: Some("model"),
            ..self
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Beginning of the ids of its files. A file of another folder may share it.
    fn prefix(&self) -> Result<String, Error> {
        let named = self.canonical(&[])?;
        let digest = blake3::hash(named.as_bytes()).to_hex();
        Ok(digest.get(..SHARED).unwrap_or(&digest).to_owned())
    }

    /// Id of the first version of a file. It follows from the path and from the ids that are taken, so that of two programs that
    /// seal the same new file one meets the other.
    fn id(
        &self,
        path: &str,
        used: &BTreeSet<WorldId>,
        secret: &[u8; 32],
    ) -> Result<WorldId, Error> {
        let prefix = self.prefix()?;
        for number in 0..=used.len() {
            let named = self.canonical(&[path.into(), number.into()])?;
            let digest = blake3::keyed_hash(secret, named.as_bytes()).to_hex();
            let rest = digest.get(..32 - SHARED).unwrap_or(&digest);
            let id = named_id(&format!("{prefix}{rest}"))?;
            if !used.contains(&id) {
                return Ok(id);
            }
        }
        Err(Error::bug("a file without an id"))
    }

    fn canonical(&self, more: &[Value]) -> Result<String, Error> {
        let mut parts = vec![json!(DOMAIN), json!(self.by), json!(self.name)];
        parts.push(json!(self.scope));
        parts.extend_from_slice(more);
        canonical(&Value::Array(parts)).map_err(|_| Error::bug("a folder without a name"))
    }

    /// Data of a version.
    fn data(&self, path: &str, content: &FileContent) -> Value {
        let mut data = json!({
            "kind": "note",
            "text": content.text,
            "file": {
                "by": self.by,
                "folder": self.name,
                "path": path,
                "hash": hash_of(&content.text),
                "owner": content.owner,
            },
            "scope": (!self.scope.is_empty()).then_some(&self.scope),
            "channel": self.channel,
        });
        let members = data.as_object_mut();
        members.into_iter().for_each(|members| {
            members.retain(|_, value| !value.is_null());
            if let Some(file) = members.get_mut("file").and_then(Value::as_object_mut) {
                file.retain(|_, value| !value.is_null());
            }
        });
        data
    }

    /// Tests whether a file with this content fits into one memory.
    pub(crate) fn takes(&self, path: &str, content: &FileContent) -> bool {
        let written = canonical(&self.data(path, content));
        written.is_ok_and(|it| it.len().saturating_add(ENVELOPE) <= Limits::CONTENT.bytes)
    }

    /// Path and text of a version that was sealed from a file of this folder; `None` for any other, such as one that `update` wrote.
    fn sealed(&self, world: &World) -> Option<(String, String)> {
        let data = world.data()?;
        let member = |name: &str| data.pointer(name).and_then(Value::as_str);
        let text = member("/text")?;
        let is_own = member("/file/by") == Some(self.by)
            && member("/file/folder") == Some(&self.name)
            && Scope::of(Some(data)) == self.scope
            && member("/channel") == self.channel
            && member("/file/hash") == Some(hash_of(text).as_str());
        let path = member("/file/path").filter(|_| is_own)?;
        Some((path.to_owned(), text.to_owned()))
    }
}

fn hash_of(text: &str) -> String {
    format!("blake3:{}", blake3::hash(text.as_bytes()).to_hex())
}

/// The files of a folder as `agent` sealed them last, without those that were removed.
///
/// # Errors
/// [`ErrorKind::Input`](crate::ErrorKind::Input) above 10,000 chains; [`ErrorKind::Withheld`](crate::ErrorKind::Withheld) for a
/// version that is not what was sealed.
pub(crate) async fn sealed_files(
    store: &SqliteStore,
    folder: &Folder,
    agent: DidKey,
) -> Result<SealedFiles, Error> {
    let prefix = named_id(&folder.prefix()?)?.to_string();
    let ids = store
        .ids_with_prefix(&prefix, MAX_CHAINS + 1, &Scope::new())
        .await?;
    if ids.len() > MAX_CHAINS {
        return Err(Error::input(
            format_args!(
                "the folder {} had more than {MAX_CHAINS} files",
                folder.name
            ),
            "seal it under another name",
        ));
    }
    let forgotten = forgotten(store, agent).await?;
    let mut sealed = SealedFiles::default();
    for id in ids {
        if let Some((chain, 0)) = store.chain_of(&id).await?
            && let Some(mut file) = last_seal(store, folder, agent, (id.clone(), chain)).await?
        {
            match forgotten.get(&chain) {
                Some(true) => {}
                found => {
                    file.is_forgotten = found.is_some();
                    sealed.files.push(file);
                }
            }
        }
        sealed.used.insert(id);
    }
    sealed.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(sealed)
}

/// The last version of a chain that was sealed from a file; `None` once the content of the head is erased.
async fn last_seal(
    store: &SqliteStore,
    folder: &Folder,
    agent: DidKey,
    (id, chain): (WorldId, ChainId),
) -> Result<Option<SealedFile>, Error> {
    let Some(head) = store.head(&chain).await?.filter(|it| it.agent == agent) else {
        return Ok(None);
    };
    let mut newest: Option<StoredCapsule> = None;
    for back in 0..=head.seq.min(MAX_EDITS) {
        let seq = head.seq - back;
        let Some(stored) = store.version(&chain, seq).await? else {
            return Ok(None);
        };
        let Some(world) = versions::content(&stored)? else {
            return Ok(None);
        };
        let sealed_at = stored.header.recorded();
        let head = newest.get_or_insert(stored);
        if let Some((path, text)) = folder.sealed(&world) {
            return Ok(Some(SealedFile {
                id,
                path,
                text,
                seq,
                sealed_at,
                is_forgotten: false,
                chain,
                head: head.clone(),
            }));
        }
    }
    Ok(None)
}

/// Chains that `agent` has forgotten: true where their file was removed.
async fn forgotten(
    store: &SqliteStore,
    agent: DidKey,
) -> Result<BTreeMap<ChainId, bool>, StoreError> {
    let mut forgotten = BTreeMap::new();
    for (_, header, tombstone) in store.tombstones(None).await? {
        if header.agent() == agent
            && let Some((chain, _)) = store.chain_of(&tombstone.world).await?
        {
            let removed = tombstone.reason.to_string() == REMOVED;
            *forgotten.entry(chain).or_insert(false) |= removed;
        }
    }
    Ok(forgotten)
}

/// The newest of the versions before the last seal that has this text.
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn earlier_with(
    store: &SqliteStore,
    file: &SealedFile,
    text: &str,
) -> Result<Option<u64>, Error> {
    for seq in (file.seq.saturating_sub(MAX_EARLIER)..file.seq).rev() {
        let stored = match store.version(&file.chain, seq).await {
            Err(StoreError::Archived { .. }) => continue,
            found => found?,
        };
        let world = stored.as_ref().map(versions::content).transpose()?;
        let world = world.flatten();
        let said = world
            .as_ref()
            .and_then(|it| it.data()?.get("text")?.as_str());
        if said == Some(text) {
            return Ok(Some(seq));
        }
    }
    Ok(None)
}

impl Memory {
    /// Seals contents of files, each as a version of its chain. Returns the ids of the versions and their numbers.
    ///
    /// # Errors
    /// [`StoreError::HeadMoved`] and [`StoreError::WorldConflict`] when another program was faster.
    pub(crate) async fn write_files(
        &self,
        folder: &Folder,
        sealed: &SealedFiles,
        writes: &[FileWrite<'_>],
    ) -> Result<Vec<(WorldId, u64)>, Error> {
        let (signer, store) = (self.signer()?, self.writer()?);
        let secret = id_key(&self.home().log_key()?.secret.expose_seed());
        let (mut used, now) = (sealed.used.clone(), when::now()?);
        let mut written = Vec::with_capacity(writes.len());
        for batch in writes.chunks(BATCH) {
            let mut drafts = Vec::with_capacity(batch.len());
            for write in batch {
                let data = folder.data(&write.path, &write.content);
                let at = write.content.modified.unwrap_or(now).min(now);
                drafts.push(match write.file {
                    Some(file) => {
                        let new = (random_id()?, at);
                        written.push((new.0.clone(), file.head.header.seq() + 1));
                        mutation::mutated(&file.head, Change::Replacement(&data), new)?
                    }
                    None => {
                        let id = folder.id(&write.path, &used, &secret)?;
                        used.insert(id.clone());
                        written.push((id.clone(), 0));
                        let world = counterfoil_capsule::remember(id, at, data);
                        Draft::new(world.map_err(ActError::from).map_err(failure)?)
                    }
                });
            }
            store.append(signer.clone(), drafts).await?;
        }
        Ok(written)
    }

    /// Leaves the memory of a removed file out of every selection; its versions stay.
    ///
    /// # Errors
    /// As [`Memory::forget`].
    pub(crate) async fn forget_file(&self, file: &SealedFile) -> Result<(), Error> {
        self.forget(&file.id.to_string(), REMOVED).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_types::UnixMillis;

    use super::*;
    use crate::folder::MAX_FILE_BYTES;

    fn content(text: &str) -> FileContent {
        FileContent {
            text: text.to_owned(),
            owner: None,
            modified: None,
        }
    }

    fn folder() -> Folder {
        Folder::new("guard", "notes".to_owned(), Scope::new())
    }

    /// GRD-4; mutant `an-edit-is-a-seal`.
    #[test]
    fn a_version_that_no_file_had_is_no_seal() {
        let world = |data: Value| {
            let (id, at) = (WorldId::new("w").unwrap(), UnixMillis::new(5).unwrap());
            counterfoil_capsule::remember(id, at, data).unwrap()
        };
        let data = folder().data("a.md", &content("x"));
        let sealed = Some(("a.md".to_owned(), "x".to_owned()));
        assert_eq!(folder().sealed(&world(data.clone())), sealed);
        for (member, value) in [
            ("text", json!("y")),
            ("channel", json!("model")),
            ("scope", json!({"user": "kit"})),
            (
                "file",
                json!({"by": "guard", "folder": "notes", "path": "a.md"}),
            ),
        ] {
            let mut edited = data.clone();
            edited[member] = value;
            assert_eq!(folder().sealed(&world(edited)), None, "{member}");
        }
        let other = Folder::new("guard", "letters".to_owned(), Scope::new());
        assert_eq!(other.sealed(&world(data.clone())), None);
        assert_eq!(folder().of_model().sealed(&world(data)), None);
    }

    #[test]
    fn a_path_that_is_used_again_has_another_id() {
        let (mut used, secret) = (BTreeSet::new(), [7; 32]);
        let first = folder().id("a.md", &used, &secret).unwrap();
        assert_eq!(folder().id("a.md", &used, &secret).unwrap(), first);
        used.insert(first.clone());
        let second = folder().id("a.md", &used, &secret).unwrap();
        assert_ne!(first, second);
        let prefix = named_id(&folder().prefix().unwrap()).unwrap().to_string();
        for id in [first, second] {
            assert!(id.to_string().starts_with(&prefix), "{id}");
        }
    }

    #[test]
    fn what_does_not_fit_into_a_memory_is_known_before() {
        assert!(folder().takes("a.md", &content(&"x".repeat(MAX_FILE_BYTES))));
        assert!(!folder().takes("a.md", &content(&"\u{1}".repeat(MAX_FILE_BYTES))));
    }
}
