//! `update`: a new version of a memory, on its chain and under a WorldId of its own.

use std::path::Path;
use std::sync::Arc;

use counterfoil_capsule::delta::{Change, normalise};
use counterfoil_capsule::{Extensions, Signer, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::mutation::NewVersion;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, Head, StoreError, StoredCapsule};
use counterfoil_types::WorldId;
use counterfoil_types::json::{JsonError, Limits, Value, parse};
use serde::Serialize;

use super::remember::{document, holds_nul, random_id, standard_document, unacknowledged};
use crate::args::UpdateArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::notice;
use crate::output::pairs;
use crate::versions::{self, Changes, Located};
use crate::when;

/// How often an update is made when other programs are faster.
const TRIES: u32 = 3;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Updated {
    world_id: WorldId,
    chain: String,
    seq: u64,
    index: u64,
    tree_size: u64,
    /// The version that it follows or, in a chain of its own, the one that it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<WorldId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived_from: Option<WorldId>,
    /// Paths begin within the memory's `data`.
    changes: Vec<Value>,
}

pub(crate) async fn run(context: &Context, args: UpdateArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let asked = Asked::read(&args)?;
    let agent = context.home.agent()?;
    let store = context.home.writer()?;
    let mut tries = TRIES;
    loop {
        tries -= 1;
        match attempt(&store, &agent, &args, &asked).await {
            // Another program was faster: what was asked for holds for its version as well.
            Err(failure) if !matches!(failure.store(), Some(StoreError::HeadMoved { .. })) => {
                return Err(failure);
            }
            Err(_) if args.expect.is_none() && tries > 0 => {}
            Err(_) => return Err(moved(&store, &args).await?),
            Ok(made) => return answer(context, &args, &made),
        }
    }
}

/// The memory is not at the version that was meant.
async fn moved(store: &SqliteStore, args: &UpdateArgs) -> Result<Failure, Failure> {
    let named = versions::locate(store, &args.world_id).await?;
    let head = head_of(store, &named).await?;
    let newest = version(store, &named, head.seq).await?;
    let newest = newest.entry.world().map(ToString::to_string);
    let newest = newest.unwrap_or_default();
    let expected = args
        .expect
        .as_ref()
        .map_or_else(String::new, |expected| format!(", not {expected}"));
    Ok(Failure::input(
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
    store: &SqliteStore,
    agent: &Arc<dyn Signer>,
    args: &UpdateArgs,
    asked: &Asked,
) -> Result<Made, Failure> {
    let named = versions::locate(store, &args.world_id).await?;
    let head = head_of(store, &named).await?;
    let new = NewVersion {
        world_id: random_id()?,
        created_at: when::now()?,
    };
    let base = if args.derive { named.seq } else { head.seq };
    let before = version(store, &named, base).await?;
    let world = versions::content(&before)?.ok_or_else(|| erased(&named, base))?;
    if let Some(expected) = &args.expect {
        expect(store, &named, &head, expected).await?;
    }
    if !args.derive && head.agent != agent.agent() {
        return Err(Failure::input(
            format_args!(
                "the memory {} is another agent's, who alone extends its chain",
                named.world_id
            ),
            "add --derive to make a memory of your own from it",
        ));
    }
    let data = asked.applied(world.data().unwrap_or(&Value::Null))?;
    let next = with_data(&world, data, &new)?;
    let draft = Draft::new(next.clone());
    let draft = if args.derive {
        draft.with(Extensions {
            derived_from: vec![before.header.hash()],
            ..Extensions::default()
        })
    } else {
        draft.following(named.chain, before.header.hash())
    };
    let appended = match store.append_one(Arc::clone(agent), draft).await {
        Err(error @ StoreError::HeadMoved { .. }) => Err(Failure::from(error)),
        appended => appended.map_err(|error| unacknowledged(&new.world_id, error)),
    }?;
    Ok(Made {
        before,
        old: world,
        new: next,
        appended,
    })
}

fn answer(context: &Context, args: &UpdateArgs, made: &Made) -> Result<(), Failure> {
    let (appended, before) = (&made.appended, &made.before);
    // A change that is too large for a delta was made all the same.
    let changes = Changes::between(&made.old, &made.new);
    let told = changes.as_ref().map_or_else(too_much, Changes::in_words);
    let base = before.entry.world().cloned();
    let updated = Updated {
        world_id: appended
            .world_id
            .clone()
            .ok_or(Failure::bug("a World without an id"))?,
        chain: appended.chain.to_string(),
        seq: if args.derive {
            0
        } else {
            before.header.seq() + 1
        },
        index: appended.index,
        tree_size: appended.tree_size,
        previous: base.clone().filter(|_| !args.derive),
        derived_from: base.filter(|_| args.derive),
        changes: changes.as_ref().map(Changes::to_patch).unwrap_or_default(),
    };
    context.out.answer(&updated, |out| {
        let from = if args.derive { "derived from" } else { "after" };
        let base = updated.previous.as_ref().or(updated.derived_from.as_ref());
        pairs(
            out,
            &[
                ("world", updated.world_id.to_string()),
                (from, base.map(ToString::to_string).unwrap_or_default()),
                ("version", format!("{} of {}", updated.seq, updated.chain)),
                ("index", updated.index.to_string()),
                ("changed", told),
            ],
        )
    })
}

/// The World with other data, under a name and a time of its own. However much is different: a
/// change that has no delta is kept as two contents.
fn with_data(world: &World, data: Value, new: &NewVersion) -> Result<World, Failure> {
    let refused = |error| Failure::from(StoreError::NoWorld(error));
    let made = World::remember(new.world_id.clone(), new.created_at, data).map_err(refused)?;
    let mut state = world.state();
    let same = made.data() == world.data();
    let (Some(members), Some(own)) = (state.as_object_mut(), made.content_value().as_object())
    else {
        return Err(Failure::bug("a World that is no object"));
    };
    for name in ["worldId", "createdAt", "data", "snapshotHash"] {
        if !(same && name == "snapshotHash") {
            members.insert(name.to_owned(), own.get(name).cloned().unwrap_or_default());
        }
    }
    World::try_from(state).map_err(refused)
}

/// The change, in the form in which it was asked for.
enum Asked {
    Set(Vec<(String, Value)>),
    Patch(Value),
    Replacement(Value),
}

impl Asked {
    fn read(args: &UpdateArgs) -> Result<Self, Failure> {
        if let Some(path) = &args.patch {
            return Ok(Self::Patch(read(path)?));
        }
        if let Some(path) = &args.replace {
            return Ok(Self::Replacement(read(path)?));
        }
        let set = args.set.iter().map(|text| assignment(text));
        set.collect::<Result<_, _>>().map(Self::Set)
    }

    /// What is remembered after the change.
    fn applied(&self, data: &Value) -> Result<Value, Failure> {
        match self {
            Self::Replacement(value) => Ok(value.clone()),
            Self::Patch(patch) if patch.is_array() => applied(data, Change::Patch(patch)),
            Self::Patch(patch) if patch.is_object() => applied(data, Change::MergePatch(patch)),
            Self::Patch(_) => Err(Failure::input(
                "the patch is neither an array (RFC 6902) nor an object (RFC 7396)",
                "give the new content as a whole with --replace",
            )),
            Self::Set(set) => set.iter().try_fold(data.clone(), |data, (path, value)| {
                // `add` would push the elements of an array aside.
                let op = if data.pointer(path).is_some() {
                    "replace"
                } else {
                    "add"
                };
                let operation = serde_json::json!([{ "op": op, "path": path, "value": value }]);
                applied(&data, Change::Patch(&operation))
            }),
        }
    }
}

fn applied(data: &Value, change: Change<'_>) -> Result<Value, Failure> {
    let delta = normalise(data, change).map_err(StoreError::Change)?;
    Ok(delta.apply(data).map_err(StoreError::Change)?)
}

/// `/path=value`. The value is JSON if it is any, and a text otherwise.
fn assignment(text: &str) -> Result<(String, Value), Failure> {
    let (path, value) = text.split_once('=').ok_or_else(|| {
        Failure::input(
            "--set takes a path and a value",
            "write --set /text=\"what it says now\"",
        )
    })?;
    let value = match parse(value.as_bytes(), Limits::CONTENT) {
        Err(JsonError::Syntax { .. }) => {
            if value.starts_with(['{', '[', '"']) {
                notice(format_args!(
                    "the value for {path} begins as JSON and is none; it is taken as a text"
                ));
            }
            Value::String(value.to_owned())
        }
        parsed => {
            parsed.map_err(|error| Failure::json(format_args!("the value for {path}"), &error))?
        }
    };
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("the value for {path} contains the character NUL"),
            "remove it",
        ));
    }
    Ok((path.to_owned(), value))
}

fn read(path: &Path) -> Result<Value, Failure> {
    if path.as_os_str() == "-" {
        return standard_document();
    }
    document(path)
}

/// Refuses when the head is not the version that the caller has seen.
async fn expect(
    store: &SqliteStore,
    named: &Located,
    head: &Head,
    expected: &str,
) -> Result<(), Failure> {
    let expected = versions::locate(store, expected).await?;
    if expected.chain != named.chain {
        return Err(Failure::input(
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

pub(crate) async fn head_of(store: &SqliteStore, named: &Located) -> Result<Head, Failure> {
    let head = store.head(&named.chain).await?;
    head.ok_or(Failure::bug("a chain without a head"))
}

/// A version that is there, since its chain is as long.
pub(crate) async fn version(
    store: &SqliteStore,
    named: &Located,
    seq: u64,
) -> Result<StoredCapsule, Failure> {
    let version = store.version(&named.chain, seq).await?;
    version.ok_or_else(|| {
        StoreError::UnknownVersion {
            chain: named.chain,
            seq,
        }
        .into()
    })
}

fn erased(named: &Located, seq: u64) -> Failure {
    Failure::input(
        format_args!(
            "version {seq} of {} is erased, so there is nothing to change",
            named.world_id
        ),
        "take an earlier version and --derive, or remember it anew",
    )
}

pub(crate) fn too_much() -> String {
    "more than 256 KiB".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_json_or_else_a_text() {
        for (text, path, value) in [
            ("/n=5", "/n", json!(5)),
            ("/t=five", "/t", json!("five")),
            (r#"/t="5""#, "/t", json!("5")),
            ("/a=[1, 2]", "/a", json!([1, 2])),
            ("/e=a=b", "/e", json!("a=b")),
            ("/e=", "/e", json!("")),
            ("/x=null", "/x", json!(null)),
        ] {
            assert_eq!(
                assignment(text).unwrap(),
                (path.to_owned(), value),
                "{text}"
            );
        }
        for text in ["/text", "/n=9007199254740993", r#"/o={"a":1,"a":2}"#] {
            assert_eq!(assignment(text).unwrap_err().code(), 3, "{text}");
        }
    }

    #[test]
    fn what_is_there_is_replaced_and_what_is_not_is_added() {
        let data = json!({"text": "old", "tags": ["a", "b"]});
        let set = |texts: &[&str]| {
            let set = texts.iter().map(|text| assignment(text).unwrap()).collect();
            Asked::Set(set).applied(&data)
        };
        assert_eq!(
            set(&[
                "/text=new",
                "/tags/0=x",
                "/tags/-=c",
                "/more={}",
                "/more/deep=1"
            ])
            .unwrap(),
            json!({"text": "new", "tags": ["x", "b", "c"], "more": {"deep": 1}})
        );
        for wrong in ["/a/b=1", "text=new", "/text/x=1", "/tags/01=x", "/tags/9=x"] {
            assert_eq!(set(&[wrong]).unwrap_err().code(), 3, "{wrong}");
        }
    }

    #[test]
    fn a_patch_is_known_by_its_form() {
        let data = json!({"a": 1, "b": 2});
        let asked = |patch| Asked::Patch(patch).applied(&data);
        let patch = json!([{"op": "remove", "path": "/a"}]);
        assert_eq!(asked(patch).unwrap(), json!({"b": 2}));
        assert_eq!(
            asked(json!({"a": null, "c": 3})).unwrap(),
            json!({"b": 2, "c": 3})
        );
        assert_eq!(asked(json!("x")).unwrap_err().code(), 3);
    }
}
