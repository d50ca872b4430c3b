//! Plain files: a pipe, socket or device in place of one may have no end, or keep its reader waiting for ever.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a plain file for reading; never waits.
///
/// # Errors
/// Those of [`check_plain`] and of the file system.
pub fn open_plain(path: &Path) -> io::Result<File> {
    check_plain(path)?;
    File::open(path)
}

/// Refuses a folder, pipe, socket or device. A path with nothing at it passes, as does a descriptor that the process was
/// started with (`/dev/stdin`, `/dev/fd/N`), which is open already.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] for what is no plain file, and errors of the file system.
pub fn check_plain(path: &Path) -> io::Result<()> {
    let inherited = ["/dev/stdin", "/dev/fd", "/proc/self/fd"];
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) if inherited.iter().any(|known| path.starts_with(known)) => Ok(()),
        Ok(found) => {
            let kind = match found.is_dir() {
                true => "folder",
                false => "pipe, socket or device",
            };
            let text = format!("it is a {kind}, and a plain file is needed");
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_files_and_nothing_are_no_trap() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        check_plain(&manifest.join("Cargo.toml")).unwrap();
        check_plain(&manifest.join("nothing")).unwrap();
        assert!(open_plain(&manifest.join("nothing")).is_err());
        let traps = [(manifest, "a folder"), (Path::new("/dev/zero"), "device")];
        for (trap, named) in traps {
            if !trap.exists() {
                continue;
            }
            let refused = open_plain(trap).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
            assert!(refused.to_string().contains(named), "{refused}");
        }
    }
}
