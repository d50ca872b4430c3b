//! New versions of a memory: edits, and the state of an earlier version.

use std::sync::Arc;

use counterfoil_capsule::delta::{Change, normalise};
use counterfoil_capsule::{Signer, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::mutation;
use counterfoil_store::{AppendReport, CapsuleLog, Head, StoreError, StoredCapsule};
use counterfoil_types::Scope;
use counterfoil_types::json::Value;

use crate::error::Error;
use crate::memory::Memory;
use crate::remember::{random_id, unacknowledged};
use crate::report::{Report, object};
use crate::versions::{self, Changes, Located};
use crate::when;

/// Most attempts at an update while other programs write first.
const TRIES: u32 = 3;

/// Change of a memory's content.
///
/// ```
/// use counterfoil::Edit;
///
/// let moved = Edit::set("/text", "in Porto").expecting("world-1");
/// ```
#[derive(Debug, Clone)]
pub struct Edit {
    asked: Asked,
    expect: Option<String>,
    derive: bool,
}

impl Edit {
    /// Sets the value at a JSON pointer (RFC 6901) within the content.
    pub fn set(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::of(Asked::Set(vec![(path.into(), value.into())]))
    }

    /// Sets another value as well; on edits that [`Edit::set`] began.
    #[must_use]
    pub fn and_set(mut self, path: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Asked::Set(set) = &mut self.asked {
            set.push((path.into(), value.into()));
        }
        self
    }

    /// Applies a JSON patch (RFC 6902) or, of an object, a merge patch (RFC 7396).
    pub const fn patch(patch: Value) -> Self {
        Self::of(Asked::Patch(patch))
    }

    /// Replaces the whole content.
    pub const fn replace(content: Value) -> Self {
        Self::of(Asked::Replacement(content))
    }

    /// Writes only when this version is the newest.
    #[must_use]
    pub fn expecting(mut self, version: impl Into<String>) -> Self {
        self.expect = Some(version.into());
        self
    }

    /// Makes a memory of one's own from the version, in a chain of its own.
    #[must_use]
    pub const fn deriving(mut self) -> Self {
        self.derive = true;
        self
    }

    const fn of(asked: Asked) -> Self {
        Self {
            asked,
            expect: None,
            derive: false,
        }
    }
}

impl Memory {
    /// Writes a new version of a memory, under an id of its own. Every earlier version stays.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory, it is another agent's, or the edit does
    /// not fit; also when [`Edit::expecting`] names a version that is not the newest.
    pub async fn update(&self, id: &str, edit: &Edit) -> Result<Report, Error> {
        self.must_exist()?;
        let (whole, id) = self.reaching(id).await?;
        let id = id.as_str();
        let (agent, store) = (whole.signer()?, whole.writer()?);
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match attempt((&store, self.scope()), &agent, id, edit).await {
                // Another program was faster: what was asked for holds for its version as well.
                Err(error) if !matches!(error.store(), Some(StoreError::HeadMoved { .. })) => {
                    return Err(error);
                }
                Err(_) if edit.expect.is_none() && tries > 0 => {}
                Err(_) => return Err(moved(&store, id, edit).await?),
                Ok(made) => return report(edit, &made),
            }
        }
    }

    /// Brings the state of version `to` back, as a new version with the same content byte for byte.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such version, or it is the current one.
    pub async fn rollback(&self, id: &str, to: u64) -> Result<Report, Error> {
        self.must_exist()?;
        let (whole, id) = self.reaching(id).await?;
        let id = id.as_str();
        let (agent, store) = (whole.signer()?, whole.writer()?);
        let named = versions::locate(&store, id).await?;
        let head = head_of(&store, &named).await?;
        if to == head.seq {
            return Err(Error::input(
                format_args!("version {to} of that memory is the current one"),
                "name an earlier one that `counterfoil history` lists",
            ));
        }
        let new = (random_id()?, when::now()?);
        let id = new.0.clone();
        let appended = mutation::rollback_to(store.as_ref(), agent, &named.chain, to, new).await;
        let appended = appended.map_err(|error| unacknowledged(&id, error))?;
        let target = version(&store, &named, to).await?;
        let capsule = version(&store, &named, head.seq + 1).await?;
        let missing = || Error::bug("a version without content");
        let before = versions::content(&target)?.ok_or_else(missing)?;
        let after = versions::content(&capsule)?.ok_or_else(missing)?;
        if before.state() != after.state() {
            return Err(Error::bug("a rollback to another state"));
        }
        let restored = object()
            .with("id", before.world_id())
            .with("seq", to)
            .with("snapshotHash", before.snapshot_hash());
        Report::new(
            &object()
                .with("id", id)
                .with("chain", appended.chain)
                .with("seq", head.seq + 1)
                .with("index", appended.index)
                .with("treeSize", appended.tree_size)
                .with("restored", restored),
        )
    }
}

/// The memory is not at the version that was meant.
async fn moved(store: &SqliteStore, id: &str, edit: &Edit) -> Result<Error, Error> {
    let named = versions::locate(store, id).await?;
    let head = head_of(store, &named).await?;
    let newest = version(store, &named, head.seq).await?;
    let newest = newest.entry.world().map(ToString::to_string);
    let newest = newest.unwrap_or_default();
    let expected = edit
        .expect
        .as_ref()
        .map_or_else(String::new, |expected| format!(", not {expected}"));
    Ok(Error::input(
        format_args!("nothing was written: the newest version is {newest}{expected}"),
        format_args!("look at it, and run the same command with --expect {newest}"),
    ))
}

/// A version that was written.
struct Made {
    before: StoredCapsule,
    old: World,
    new: World,
    appended: AppendReport,
}

async fn attempt(
    (store, bound): (&SqliteStore, &Scope),
    agent: &Arc<dyn Signer>,
    id: &str,
    edit: &Edit,
) -> Result<Made, Error> {
    let named = versions::locate(store, id).await?;
    let head = head_of(store, &named).await?;
    let new = (random_id()?, when::now()?);
    let base = if edit.derive { named.seq } else { head.seq };
    let before = version(store, &named, base).await?;
    let world = versions::content(&before)?.ok_or_else(|| erased(&named, base))?;
    if let Some(expected) = &edit.expect {
        expect(store, &named, &head, expected).await?;
    }
    if !edit.derive && head.agent != agent.agent() {
        return Err(Error::input(
            format_args!(
                "the memory {} is another agent's, who alone extends its chain",
                named.world_id
            ),
            "add --derive to make a memory of your own from it",
        ));
    }
    let set;
    let change = match &edit.asked {
        Asked::Replacement(content) => Change::Replacement(content),
        Asked::Patch(patch) if patch.is_array() => Change::Patch(patch),
        Asked::Patch(patch) if patch.is_object() => Change::MergePatch(patch),
        Asked::Patch(_) => {
            return Err(Error::input(
                "the patch is neither an array (RFC 6902) nor an object (RFC 7396)",
                "give the new content as a whole with --replace",
            ));
        }
        Asked::Set(values) => {
            set = operations(world.data().unwrap_or(&Value::Null), values)?;
            Change::Patch(&set)
        }
    };
    let draft = match edit.derive {
        true => mutation::derived(&before, Some(change), new.clone())?,
        false => mutation::mutated(&before, change, new.clone())?,
    };
    let next = draft.world().cloned();
    let next = next.ok_or(Error::bug("a version without a World"))?;
    must_stay((&world, &next), edit.derive, bound)?;
    let appended = match store.append_one(Arc::clone(agent), draft).await {
        Err(error @ StoreError::HeadMoved { .. }) => Err(Error::from(error)),
        appended => appended.map_err(|error| unacknowledged(&new.0, error)),
    }?;
    Ok(Made {
        before,
        old: world,
        new: next,
        appended,
    })
}

/// Refuses to move a memory to another scope, and to derive one outside of the scope that the memory is bound to.
fn must_stay((old, new): (&World, &World), derives: bool, bound: &Scope) -> Result<(), Error> {
    let member = |world: &World| world.data().and_then(|data| data.get("scope").cloned());
    let [was, is] = [old, new].map(|world| Scope::of(world.data()));
    let stays = was == is && (member(old) == member(new) || derives);
    match stays || (derives && is.contains(bound)) {
        true => Ok(()),
        false => Err(Error::input(
            "the scope of a memory does not change",
            "remember it anew in the other scope",
        )),
    }
}

fn report(edit: &Edit, made: &Made) -> Result<Report, Error> {
    let (appended, before) = (&made.appended, &made.before);
    let world_id = appended.world_id.as_ref();
    // A change that is too large for a delta was made all the same.
    let changes = Changes::between(&made.old, &made.new);
    let patch = changes.as_ref().map(Changes::to_patch).unwrap_or_default();
    let base = before.entry.world();
    let updated = object()
        .with("id", world_id.ok_or(Error::bug("a World without an id"))?)
        .with("chain", appended.chain)
        .with(
            "seq",
            if edit.derive {
                0
            } else {
                before.header.seq() + 1
            },
        )
        .with("index", appended.index)
        .with("treeSize", appended.tree_size)
        .with_some("previous", base.filter(|_| !edit.derive))
        .with_some("derivedFrom", base.filter(|_| edit.derive))
        .with("changes", patch);
    Ok(Report::new(&updated)?.with("others", changes.map(|changes| changes.others())))
}

/// The change, in the form in which it was asked for.
#[derive(Debug, Clone)]
enum Asked {
    Set(Vec<(String, Value)>),
    Patch(Value),
    Replacement(Value),
}

/// The patch that puts each value where it is asked for.
fn operations(data: &Value, set: &[(String, Value)]) -> Result<Value, Error> {
    let (mut data, mut operations) = (data.clone(), Vec::new());
    for (path, value) in set {
        // `add` would push the elements of an array aside.
        let op = match data.pointer(path) {
            Some(_) => "replace",
            None => "add",
        };
        let operation = serde_json::json!({ "op": op, "path": path, "value": value });
        let patch = Value::Array(vec![operation.clone()]);
        let delta = normalise(&data, Change::Patch(&patch)).map_err(StoreError::Change)?;
        data = delta.apply(&data).map_err(StoreError::Change)?;
        operations.push(operation);
    }
    Ok(operations.into())
}

/// Refuses when the head is not the version that the caller has seen.
async fn expect(
    store: &SqliteStore,
    named: &Located,
    head: &Head,
    expected: &str,
) -> Result<(), Error> {
    let expected = versions::locate(store, expected).await?;
    if expected.chain != named.chain {
        return Err(Error::input(
            format_args!("{} is no version of that memory", expected.world_id),
            "take one that `counterfoil history` lists",
        ));
    }
    if expected.seq == head.seq {
        return Ok(());
    }
    let seen = version(store, &expected, expected.seq).await?;
    Err(StoreError::HeadMoved {
        chain: named.chain,
        expected: seen.header.hash(),
        actual: Some(head.capsule),
    }
    .into())
}

pub(crate) async fn head_of(store: &SqliteStore, named: &Located) -> Result<Head, Error> {
    let head = store.head(&named.chain).await?;
    head.ok_or(Error::bug("a chain without a head"))
}

/// A version that is there, since its chain is as long.
pub(crate) async fn version(
    store: &SqliteStore,
    named: &Located,
    seq: u64,
) -> Result<StoredCapsule, Error> {
    let version = store.version(&named.chain, seq).await?;
    version.ok_or_else(|| {
        StoreError::UnknownVersion {
            chain: named.chain,
            seq,
        }
        .into()
    })
}

fn erased(named: &Located, seq: u64) -> Error {
    Error::input(
        format_args!(
            "version {seq} of {} is erased, so there is nothing to change",
            named.world_id
        ),
        "take an earlier version and --derive, or remember it anew",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn what_is_there_is_replaced_and_what_is_not_is_added() {
        let data = json!({"text": "old", "tags": ["a", "b"]});
        let set = |values: &[(&str, Value)]| {
            let set = values
                .iter()
                .map(|(path, value)| ((*path).to_owned(), value.clone()));
            let patch = operations(&data, &set.collect::<Vec<_>>())?;
            let delta = normalise(&data, Change::Patch(&patch)).unwrap();
            Ok::<_, Error>(delta.apply(&data).unwrap())
        };
        assert_eq!(
            set(&[
                ("/text", "new".into()),
                ("/tags/0", "x".into()),
                ("/tags/-", "c".into()),
                ("/more", json!({})),
                ("/more/deep", 1.into()),
            ])
            .unwrap(),
            json!({"text": "new", "tags": ["x", "b", "c"], "more": {"deep": 1}})
        );
        for wrong in ["/a/b", "text", "/text/x", "/tags/01", "/tags/9"] {
            let refused = set(&[(wrong, 1.into())]).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Input, "{wrong}");
        }
    }
}
