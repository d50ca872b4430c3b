//! A memory that changes: its history, a rollback, a fork that is caught, and an erasure.

use std::fs;
use std::io;
use std::path::Path;

use counterfoil_capsule::World;
use counterfoil_capsule::delta::Change;
use counterfoil_sqlite::{
    Depth, EraseRequest, ExportLine, Extent, LineReport, ScrubReport, Selection, SqliteStore,
};
use counterfoil_store::mutation::{self, NewVersion, WorldPart};
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use serde_json::json;

use super::{Demo, memory, recall, select, told};
use crate::commands::audit;
use crate::commands::changes::in_words;
use crate::commands::recall::excerpt;
use crate::failure::Failure;
use crate::home::Home;
use crate::recall::text_of;
use crate::remember::random_id;
use crate::versions::{self, Changes};
use crate::when;

const QUESTION: &str = "When does the oven engineer come?";
const THURSDAY: &str = "The oven engineer comes on Thursday at eight";
const FRIDAY: &str = "The oven engineer comes on Friday at noon";
const SECRET: &str = "The alarm of the bakery is off with 7392-0114";

impl Demo {
    /// A memory is changed; the history has both versions, a recall gives the current one.
    pub(super) async fn change(&mut self) -> Result<AppendReport, Failure> {
        let first = remember(&self.home, THURSDAY).await?;
        let second = update(&self.home, &first, FRIDAY).await?;
        let session = memory(&self.home).session(&select()).await?;
        let deliberation = session.actor.deliberate(session.base_world.clone());
        let recalled = recall(&deliberation, QUESTION).await?;
        let mut lines = vec![format!("\"{QUESTION}\"")];
        let best = recalled.memories().next();
        lines.extend(best.map(told));
        let current = best.map(|memory| memory.world().world_id().clone());
        let current = current.is_some() && current == second.world_id;
        let others = recalled.memories().skip(1);
        let mut others = others.map(|memory| Some(memory.world().world_id().clone()));
        let once = !others.any(|id| id == first.world_id);
        let store = self.home.reader()?;
        let [before, after] = [
            content(&store, &first, 0).await?,
            content(&store, &first, 1).await?,
        ];
        lines.push(format!("version 0\t{}", excerpt(&text_of(&before))));
        let changes = Changes::between(&before, &after)
            .map(|changes| in_words(&changes.to_patch(), &changes.others()));
        lines.push(format!("version 1\t{}", changes.unwrap_or_default()));
        let name = "6. A memory changes: every version is kept, the current one is recalled.";
        self.tell(name, current && once, lines);
        Ok(first)
    }

    pub(super) async fn roll_back(&mut self, memory: &AppendReport) -> Result<(), Failure> {
        let store = self.home.writer()?;
        let agent = self.home.agent()?;
        let back = mutation::roll_back(&store, agent, &memory.chain, 0, named()?).await?;
        let [before, after] = [
            content(&store, memory, 0).await?,
            content(&store, memory, 2).await?,
        ];
        let same = before.state() == after.state() && back.world_id != memory.world_id;
        let lines = vec![
            format!("version 2\t{}", excerpt(&text_of(&after))),
            format!(
                "its state is that of version 0, byte for byte: {}",
                after.snapshot_hash()
            ),
        ];
        self.tell(
            "7. The change is rolled back, as a new version.",
            same,
            lines,
        );
        Ok(())
    }

    /// A copy of the store writes another version of the same number with the same key.
    pub(super) async fn fork(&mut self, memory: &AppendReport) -> Result<(), Failure> {
        let copy = self.home.dir().with_extension("copy");
        copy_folder(self.home.dir(), &copy).map_err(|error| {
            Failure::place(
                format_args!("the demo's store cannot be copied ({error})"),
                "report it",
            )
        })?;
        let copy = Home::at(&copy);
        update(&copy, memory, "The oven engineer does not come").await?;
        update(&self.home, memory, "The oven engineer comes on Monday").await?;
        let lines = exported(&copy.reader()?, memory).await?;
        let store = self.home.writer()?;
        let detector = self.home.agent_public()?;
        let batch = store.import_capsules(detector, "the copy", lines).await?;
        let forked = batch
            .outcomes
            .iter()
            .filter(|(_, outcome, _)| *outcome == LineReport::Forked);
        let forked = forked.count();
        drop(store);
        let refused = update(&self.home, memory, "The oven engineer comes on Tuesday").await;
        let refusal = refused.as_ref().err().and_then(Failure::store);
        let frozen = matches!(refusal, Some(StoreError::ChainForked { .. }));
        let mut told = vec![
            "two copies of the store, one key: each writes a version 3 of the same memory"
                .to_owned(),
            format!("import of what the copy exports: {forked} capsule for a place that is taken"),
        ];
        told.extend(refused.err().map(|error| format!("update: {error}")));
        self.tell_forgery(
            "8. Someone tells two histories.",
            forked == 1 && frozen,
            told,
        );
        Ok(())
    }

    /// The content goes from the file; that it was there stays proven.
    pub(super) async fn erase(&mut self) -> Result<(), Failure> {
        let secret = remember(&self.home, SECRET).await?;
        let world_id = secret
            .world_id
            .clone()
            .ok_or(Failure::bug("a World without an id"))?;
        let before = self.places_of(SECRET)?;
        let store = self.home.writer()?;
        let erasure = EraseRequest {
            world_id,
            extent: Extent::Version,
            reason: "the code was changed".to_owned(),
        };
        let certificate = store.erase(self.home.agent()?, erasure).await?;
        let certificate = certificate.ok_or(Failure::bug("nothing to erase"))?;
        drop(store);
        let after = self.places_of(SECRET)?;
        let audited = audit::audit(&self.home, Depth::Standard).await?;
        let gone = before > 0 && after == 0 && certificate.scrubbed == ScrubReport::Clean;
        let mut lines = vec![format!(
            "\"{SECRET}\" stood in the file {before} times, and stands there {after} times"
        )];
        lines.extend(certificate.capsules.iter().map(|erased| {
            format!(
                "certificate: entry {} held {} bytes; entry {} says that they are erased; both are proven",
                erased.index, erased.payload_bytes, erased.redaction.index
            )
        }));
        let differences = audited.differences.len();
        lines.push(format!("audit: {differences} differences"));
        let name = "9. A memory is erased, and the log stays whole.";
        self.tell(name, gone && differences == 0, lines);
        Ok(())
    }

    /// How often a text stands in the files of the database.
    fn places_of(&self, text: &str) -> Result<usize, Failure> {
        let database = self.home.database();
        let wal = database.with_extension("db-wal");
        let mut count = 0;
        for path in [database, wal] {
            match fs::read(&path) {
                Ok(bytes) => {
                    count += bytes
                        .windows(text.len())
                        .filter(|it| *it == text.as_bytes())
                        .count()
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return Err(Failure::bug("the demo's database cannot be read")),
            }
        }
        Ok(count)
    }
}

async fn remember(home: &Home, text: &str) -> Result<AppendReport, Failure> {
    let data = json!({ "kind": "note", "text": text });
    let world = World::remember(random_id()?, when::now()?, data)
        .map_err(|_| Failure::bug("the demo's note is no World"))?;
    let store = home.writer()?;
    Ok(store.append_one(home.agent()?, Draft::new(world)).await?)
}

async fn update(home: &Home, memory: &AppendReport, text: &str) -> Result<AppendReport, Failure> {
    let patch = json!([{ "op": "replace", "path": "/text", "value": text }]);
    let (store, agent) = (home.writer()?, home.agent()?);
    let change = Change::Patch(&patch);
    Ok(mutation::mutate(
        &store,
        agent,
        &memory.chain,
        WorldPart::Data,
        change,
        named()?,
    )
    .await?)
}

fn named() -> Result<NewVersion, Failure> {
    Ok(NewVersion {
        world_id: random_id()?,
        created_at: when::now()?,
    })
}

async fn content(store: &SqliteStore, memory: &AppendReport, seq: u64) -> Result<World, Failure> {
    let missing = || Failure::bug("a version without content");
    let stored = store
        .version(&memory.chain, seq)
        .await?
        .ok_or_else(missing)?;
    versions::content(&stored)?.ok_or_else(missing)
}

/// The chain of a memory, as it is handed to others.
async fn exported(store: &SqliteStore, memory: &AppendReport) -> Result<Vec<ExportLine>, Failure> {
    let mut plan = store.export_plan(Selection::Chain(memory.chain)).await?;
    let mut lines = Vec::new();
    while !plan.is_empty() {
        lines.extend(store.export_lines(&mut plan).await?.0);
    }
    let numbered = (1..).zip(lines).map(|(number, line)| ExportLine {
        number,
        bytes: line.into_bytes(),
    });
    Ok(numbered.collect())
}

/// A copy of a folder, keys and all: what a careless restore makes.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
