//! Files: written as a whole or not at all, and read up to a limit.

use std::io::{self, Read, Write};
use std::path::Path;

use counterfoil_store::open_plain;

use crate::error::{Error, ErrorKind};

/// Reads a file of at most `limit` bytes; `what` names it in an error of this kind.
pub(crate) fn read(
    what: &str,
    path: &Path,
    limit: usize,
    kind: ErrorKind,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = open_plain(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    let shown = path.display();
    match read {
        Err(cause) => Err(Error::new(
            kind,
            format_args!("{what} {shown}: {cause}; check the path and its permissions"),
        )),
        Ok(_) if bytes.len() > limit => Err(Error::new(
            kind,
            format_args!(
                "{what} {shown}: larger than {limit} bytes; this is not the file that is meant"
            ),
        )),
        Ok(_) => Ok(bytes),
    }
}

/// Writes a file as a whole or not at all, through a temporary file beside it. A special
/// file, such as `/dev/stdout`, is written to.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    let written = if special {
        std::fs::write(path, text)
    } else {
        replace(path, text)
    };
    written.map_err(|error| {
        Error::input(
            format_args!("{} cannot be written ({error})", path.display()),
            "choose another path",
        )
    })
}

/// Error for a file that the caller named and that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::input(
        format_args!("{} cannot be read ({error})", path.display()),
        "check the path and your rights",
    )
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // The umask decides who may read it, as for any file that is handed on.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = folder.unwrap_or(Path::new("."));
    // The system's word alone: its name in the folder says nothing to whoever asked for `path`.
    let mut file = builder.tempfile_in(folder).map_err(system_error)?;
    file.write_all(text.as_bytes()).map_err(system_error)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Error of the operating system, without the name of the temporary file.
fn system_error(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        write_file(&path, "one").unwrap();
        write_file(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The name of the temporary file beside it stood in the error.
    #[test]
    fn a_file_that_cannot_be_written_is_named_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/x.json");
        let said = write_file(&path, "x").unwrap_err().to_string();
        assert!(
            said.contains("x.json") && !said.contains("no/.tmp"),
            "{said}"
        );
    }
}
