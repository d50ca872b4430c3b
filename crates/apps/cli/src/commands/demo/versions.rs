//! A memory that changes: its history, a rollback, a fork that is caught, and an erasure.

use std::path::Path;
use std::{fs, io};

use counterfoil::{CheckOptions, DerivedPolicy, Edit, ErasureScope, ImportOptions, Memory};
use serde_json::json;

use super::{Demo, memory, select, told};
use crate::commands::recall::excerpt;
use crate::commands::versions::changed;
use crate::failure::Failure;
use crate::output::{items, number, text};

const QUESTION: &str = "When does the oven engineer come?";
const THURSDAY: &str = "The oven engineer comes on Thursday at eight";
const FRIDAY: &str = "The oven engineer comes on Friday at noon";
const SECRET: &str = "The alarm of the bakery is off with 7392-0114";

impl Demo {
    /// A memory is changed; the history has both versions, a recall gives the current one.
    pub(super) async fn change(&mut self) -> Result<String, Failure> {
        let memory = memory(&self.home);
        let first = memory.remember(THURSDAY).await?.id.to_string();
        let second = memory.update(&first, &says(FRIDAY)).await?;
        let recalled = memory.recall(QUESTION, &select()).await?;
        let mut lines = vec![format!("\"{QUESTION}\"")];
        let best = recalled.hits().first();
        lines.extend(best.map(told));
        let current = best.map(|hit| hit.id.to_string());
        let current = current == second.text("/id").map(str::to_owned);
        let once = !recalled
            .hits()
            .iter()
            .skip(1)
            .any(|hit| hit.id.to_string() == first);
        lines.push(format!("version 0\t{}", excerpt(THURSDAY)));
        lines.push(format!("version 1\t{}", changed(&second)));
        let name = "6. A memory changes: every version is kept, the current one is recalled.";
        self.tell(name, current && once, lines);
        Ok(first)
    }

    pub(super) async fn roll_back(&mut self, changed: &str) -> Result<(), Failure> {
        let memory = memory(&self.home);
        let back = memory.rollback(changed, 0).await?;
        let restored = memory.show(&text(back.value(), "id")).await?;
        let said = text(restored.value(), "/world/data/text");
        let lines = vec![
            format!("version 2\t{}", excerpt(&said)),
            format!(
                "its state is that of version 0, byte for byte: {}",
                text(back.value(), "/restored/snapshotHash")
            ),
        ];
        let same = said == THURSDAY && back.text("/id") != Some(changed);
        self.tell(
            "7. The change is rolled back, as a new version.",
            same,
            lines,
        );
        Ok(())
    }

    /// A copy of the store writes another version of the same number with the same key.
    pub(super) async fn fork(&mut self, changed: &str) -> Result<(), Failure> {
        let copy = self.home.with_extension("copy");
        copy_folder(&self.home, &copy).map_err(|error| {
            Failure::place(
                format_args!("the demo's store cannot be copied ({error})"),
                "report it",
            )
        })?;
        let (ours, copy) = (memory(&self.home), Memory::open(copy)?);
        copy.update(changed, &says("The oven engineer does not come"))
            .await?;
        ours.update(changed, &says("The oven engineer comes on Monday"))
            .await?;
        let exported = self.home.with_extension("jsonl");
        copy.export_to(Some(changed), None, &exported).await?;
        let imported = ours.import(&exported, ImportOptions::default()).await?;
        let forked = number(imported.value(), "forked");
        let tuesday = says("The oven engineer comes on Tuesday");
        let refused = ours.update(changed, &tuesday).await.err();
        let mut told = vec![
            "two copies of the store, one key: each writes a version 3 of the same memory"
                .to_owned(),
            format!("import of what the copy exports: {forked} capsule for a place that is taken"),
        ];
        let frozen = refused.is_some();
        told.extend(refused.map(|error| format!("update: {error}")));
        self.tell_forgery(
            "8. Someone tells two histories.",
            forked == 1 && frozen,
            told,
        );
        Ok(())
    }

    /// The content goes from the file; that it was there stays proven.
    pub(super) async fn erase(&mut self) -> Result<(), Failure> {
        let secret = memory(&self.home).remember(SECRET).await?.id.to_string();
        let before = self.places_of(SECRET)?;
        let scope = ErasureScope {
            all_versions: false,
            derived: DerivedPolicy::Keep,
        };
        let erased = memory(&self.home)
            .erase(&secret, "the code was changed", scope)
            .await?;
        let after = self.places_of(SECRET)?;
        let audited = memory(&self.home).check(CheckOptions::default()).await?;
        let gone = before > 0 && after == 0 && erased.problem().is_none();
        let mut lines = vec![format!(
            "\"{SECRET}\" stood in the file {before} times, and stands there {after} times"
        )];
        lines.extend(items(erased.value(), "erased").iter().map(|erased| {
            format!(
                "certificate: entry {} held {} bytes; entry {} says that they are erased; both are proven",
                text(erased, "index"),
                text(erased, "/gone/payloadBytes"),
                text(erased, "/redaction/index")
            )
        }));
        let differences = items(audited.value(), "/stored/differences").len();
        lines.push(format!("check: {differences} differences"));
        let name = "9. A memory is erased, and the log stays whole.";
        self.tell(name, gone && differences == 0, lines);
        Ok(())
    }

    /// Number of occurrences of a text in the files of the database.
    fn places_of(&self, text: &str) -> Result<usize, Failure> {
        let database = self.home.join("memory.db");
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

fn says(text: &str) -> Edit {
    Edit::patch(json!([{ "op": "replace", "path": "/text", "value": text }]))
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
