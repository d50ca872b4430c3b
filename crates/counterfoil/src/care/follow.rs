//! Commits of a store as files, a store that follows it, and the store of a point in time (docs/format/commit.md).

use std::path::Path;

use counterfoil_life::commit::{self, CommitFiles};
use counterfoil_sqlite::{Standby, content_keys};
use counterfoil_store::StoreError;
use serde_json::json;

use crate::create::close_to_others;
use crate::error::Error;
use crate::home::Home;
use crate::keys;
use crate::memory::Memory;
use crate::report::Report;

impl Memory {
    /// Writes what has changed since the last time as commits into `folder`: all that the memory holds. With `keys_to`, named
    /// the first time, contents are sealed, and the keys are kept there: an erasure destroys them.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for a folder with commits of another memory, or that are not sealed as
    /// asked for; when a folder cannot be written.
    pub async fn ship(&self, folder: &Path, keys_to: Option<&Path>) -> Result<Report, Error> {
        let is_new = !folder.join("000000000001.commit.zst").exists();
        if keys_to.is_none() && is_new && self.home().has_content_keys() {
            return Err(Error::refused(
                "the memory is sealed, and would be written in the clear",
                "name a folder for the keys with --keys-to",
            ));
        }
        let shipped = commit::ship(&*self.writer()?, folder, keys_to).await?;
        Report::new(&json!({
            "folder": folder,
            "files": shipped.files,
            "bytes": shipped.bytes,
            "changes": shipped.changes,
            "from": shipped.from,
            "size": shipped.size,
            "number": shipped.number,
            "keys": shipped.keys,
            "keysDestroyed": shipped.destroyed,
        }))
    }

    /// Ends shipping to `folder`, also where it is gone: certificates name it no more. Its files and keys stay as they are.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for a folder that nothing is shipped to.
    pub async fn end_shipping(&self, folder: &Path) -> Result<Report, Error> {
        let (folder, keys) = commit::end(&*self.writer()?, folder).await?;
        Report::new(&json!({ "folder": folder, "keys": keys }))
    }

    /// Makes this memory out of shipped commits, or brings it forward by those that are new. It has no keys: it is read, and
    /// not written to before [`reconcile`](Self::reconcile). Sealed commits are opened with those in `keys`.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for commits that do not continue it, or are not as they were
    /// signed; when the folder holds a memory that follows no other one.
    pub async fn follow(&self, from: &Path, keys: Option<&Path>) -> Result<Report, Error> {
        self.must_be_unbound()?;
        follow(self.home(), (from, keys), &|_| true)
    }

    /// Makes a memory that is not there yet, as [`follow`](Self::follow) does, up to the last commit with at most `size` entries.
    ///
    /// # Errors
    /// As [`follow`](Self::follow); [`ErrorKind::Input`](crate::ErrorKind::Input) when no commit was shipped by then.
    pub async fn restore_at_size(
        &self,
        from: &Path,
        keys: Option<&Path>,
        size: u64,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.restored((from, keys), &|files| files.size() <= size)
    }

    /// Makes a memory as [`restore_at_size`](Self::restore_at_size) does, up to the last commit that was shipped at `time_us` or
    /// before, in microseconds since 1970.
    ///
    /// # Errors
    /// As [`restore_at_size`](Self::restore_at_size).
    pub async fn restore_at_time(
        &self,
        from: &Path,
        keys: Option<&Path>,
        time_us: u64,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.restored((from, keys), &|files| files.head.at <= time_us)
    }

    fn restored(
        &self,
        from: Shipped<'_>,
        upto: &dyn Fn(&CommitFiles) -> bool,
    ) -> Result<Report, Error> {
        if self.home().database().exists() {
            return Err(Error::input(
                format_args!("{} exists already", self.home().database().display()),
                "name a new folder with --dir",
            ));
        }
        follow(self.home(), from, upto)
    }
}

/// Folder of commits, and the folder of their keys.
type Shipped<'s> = (&'s Path, Option<&'s Path>);

/// Applies the commits in `from` that are new, while `upto` takes them.
fn follow(
    home: &Home,
    (from, keys): Shipped<'_>,
    upto: &dyn Fn(&CommitFiles) -> bool,
) -> Result<Report, Error> {
    let first = || match commit::files(from, None)?.into_iter().next() {
        Some(first) if upto(&first) => Ok(first.head.key),
        _ => Err(StoreError::Commit {
            detail: "nothing was shipped by then".to_owned(),
        }),
    };
    if !home.database().exists() {
        // Nothing is made for a folder without commits.
        first()?;
    }
    keys::make_folder(home.dir())?;
    keys::check_not_writable(home.dir())?;
    let mut standby = Standby::open(&home.database(), first)?;
    close_to_others(&home.database())?;
    let (before, mut applied) = (standby.head()?.0, 0_u64);
    let key = standby.verifier_key()?;
    let keys = keys.map(|keys| content_keys(keys, &key)).transpose()?;
    for files in commit::files(from, standby.applied()?.as_ref())? {
        if !upto(&files) {
            break;
        }
        standby.apply(files.parts(keys.as_deref()))?;
        applied += 1;
    }
    keys::make_folder(&home.keys())?;
    if !home.log_public_path().exists() {
        keys::write_public(&home.log_public_path(), &key)?;
    }
    if let (false, Some(agent)) = (home.agent_public_path().exists(), standby.agent()?) {
        keys::write_public(&home.agent_public_path(), &agent.to_string())?;
    }
    Report::new(&json!({
        "dir": home.dir(),
        "commits": applied,
        "from": before,
        "size": standby.head()?.0,
        "number": standby.applied()?.map_or(0, |(_, number)| number),
        "verifierKey": key,
        "unopened": standby.unopened()?,
    }))
}
