//! The zip in which an export comes: the list of conversations in it, unpacked up to a limit.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::Error;
use crate::files::unreadable;

/// First bytes of a zip.
const MAGIC: [u8; 4] = *b"PK\x03\x04";
/// Name of the list of conversations in an export.
const LIST: &str = "conversations.json";
/// Largest list that is unpacked, in bytes.
const MAX_UNPACKED: u64 = 4 << 30;
/// Most bytes of the list for each byte of the zip: text has some ten, and a bomb a thousand.
const MAX_RATIO: u64 = 200;

/// The list of conversations in a zip, unpacked into a file without a name; any other file as it is.
///
/// # Errors
/// [`ErrorKind::Input`](crate::ErrorKind::Input) for a zip without the list, and for one whose list is above 4 GiB or 200 times as
/// large as the zip.
pub(super) fn unpacked(mut file: File, path: &Path) -> Result<File, Error> {
    let failed = |error: io::Error| unreadable(path, &error);
    let packed = file.metadata().map_err(failed)?;
    let mut first = [0; MAGIC.len()];
    if !packed.is_file() || packed.len() < 4 {
        return Ok(file);
    }
    let read = file.read_exact(&mut first);
    read.and_then(|()| file.rewind()).map_err(failed)?;
    if first != MAGIC {
        return Ok(file);
    }
    let mut archive = ZipArchive::new(file).map_err(|error| broken(path, &error))?;
    let is_list = |name: &&str| name.rsplit('/').next() == Some(LIST);
    let lists = archive.file_names().filter(is_list).take(2);
    let lists: Vec<String> = lists.map(str::to_owned).collect();
    let [name] = &lists[..] else {
        return Err(Error::input(
            format_args!("{} is a zip without one {LIST} in it", path.display()),
            "unpack it, and import the file that has the conversations",
        ));
    };
    let list = archive.by_name(name);
    let list = list.map_err(|error| broken(path, &error))?;
    let most = packed.len().saturating_mul(MAX_RATIO).min(MAX_UNPACKED);
    let mut plain = tempfile::tempfile().map_err(|error| {
        Error::place(
            format_args!("there is no room to unpack it ({error})"),
            "free the folder for temporary files",
        )
    })?;
    let copied = io::copy(&mut list.take(most + 1), &mut plain);
    if copied.map_err(failed)? > most {
        return Err(Error::input(
            format_args!(
                "{LIST} in {} unpacks to more than {most} bytes",
                path.display()
            ),
            "unpack it yourself if you know where it comes from",
        ));
    }
    plain.rewind().map_err(failed)?;
    Ok(plain)
}

fn broken(path: &Path, error: &ZipError) -> Error {
    Error::input(
        format_args!("{} cannot be unpacked ({error})", path.display()),
        "download the export again",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zip_of(folder: &Path, files: &[(&str, &[u8])]) -> PathBuf {
        let path = folder.join("export.zip");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        for (name, content) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    fn read(path: &Path) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let mut file = unpacked(File::open(path).unwrap(), path)?;
        file.read_to_end(&mut bytes).unwrap();
        Ok(bytes)
    }

    #[test]
    fn the_list_of_conversations_is_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        for name in [LIST, "export/conversations.json"] {
            let path = zip_of(folder.path(), &[("chat.html", b"<p>"), (name, b"[{}]")]);
            assert_eq!(read(&path).unwrap(), b"[{}]");
        }
        let plain = folder.path().join("plain.json");
        std::fs::write(&plain, "[]").unwrap();
        assert_eq!(read(&plain).unwrap(), b"[]");
    }

    #[test]
    fn a_zip_without_the_list_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = zip_of(folder.path(), &[("chat.html", b"<p>")]);
        assert!(read(&path).unwrap_err().to_string().contains("without one"));
        let twice: [(&str, &[u8]); 2] = [(LIST, b"[]"), ("a/conversations.json", b"[]")];
        let path = zip_of(folder.path(), &twice);
        assert!(read(&path).is_err());
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(bytes.len() / 2);
        std::fs::write(&path, bytes).unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("cannot be unpacked")
        );
    }

    /// A zip of some kilobytes can unpack to gigabytes.
    #[test]
    fn a_bomb_is_not_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = zip_of(folder.path(), &[(LIST, &vec![b' '; 32 << 20])]);
        assert!(std::fs::metadata(&path).unwrap().len() < 64 << 10);
        let refused = read(&path).unwrap_err().to_string();
        assert!(refused.contains("unpacks to more than"), "{refused}");
    }
}
