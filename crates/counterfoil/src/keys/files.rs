//! Files and folders for their owner alone, and names that survive a loss of power.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::unwritable;
use crate::error::Error;

/// Puts a file in the place of another; afterwards one of the two is there, even if power fails.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to)
        .and_then(|()| sync_folder_of(to))
        .map_err(|error| unwritable(to, &error))
}

/// `agent.key` and `.new`: `agent.key.new`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes a folder for its owner alone. One that is there stays as it is.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    match private_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(Error::place(
            format_args!("the folder {} cannot be made ({error})", path.display()),
            "choose a place that you may write to, with --dir",
        )),
        Ok(()) => Ok(()),
    }
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Refuses a file whose mode lets its group or others in.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path, found: &fs::Metadata) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;

    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let safe = if found.is_dir() { "700" } else { "600" };
    Err(Error::place(
        format_args!("{} is open to others (mode {mode:o})", path.display()),
        format_args!(
            "if nobody can have read it, run: chmod {safe} {}; if someone can, make a new store",
            path.display()
        ),
    ))
}

/// Access is not a matter of mode bits here.
#[cfg(not(unix))]
pub(crate) fn check_private(_: &Path, _: &fs::Metadata) -> Result<(), Error> {
    Ok(())
}

/// Refuses a file or folder of a store into which its group or others may write.
#[cfg(unix)]
pub(crate) fn check_not_writable(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;

    // Whoever needs it says that it is missing.
    let mode = fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o777);
    if mode & 0o022 == 0 {
        return Ok(());
    }
    Err(Error::place(
        format_args!("others may write to {} (mode {mode:o})", path.display()),
        format_args!(
            "run: chmod go-w {}, and `counterfoil check` if there is a store",
            path.display()
        ),
    ))
}

/// Access is not a matter of mode bits here.
#[cfg(not(unix))]
pub(crate) fn check_not_writable(_: &Path) -> Result<(), Error> {
    Ok(())
}

#[cfg(unix)]
pub(crate) fn new_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
pub(crate) fn new_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// A name is on disk when its folder is.
#[cfg(unix)]
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    // A name alone lies in the current folder.
    let folder = path.parent().map(|it| match it.as_os_str().is_empty() {
        true => Path::new("."),
        false => it,
    });
    folder.map_or(Ok(()), |it| File::open(it)?.sync_all())
}

#[cfg(not(unix))]
pub(crate) fn sync_folder_of(_: &Path) -> io::Result<()> {
    Ok(())
}
