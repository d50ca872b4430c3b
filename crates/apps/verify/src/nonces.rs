//! Nonces of approved proposals in a file, a line each: time of submission, key and nonce (docs/format/envelope.md).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use counterfoil_authority::NonceMemory;
use counterfoil_authority::types::{BoxError, DidKey, UnixMillis};

use crate::InputError;

/// Bytes of the file: about half a million approvals.
const LIMIT: u64 = 64 << 20;

/// A file of nonces. It is locked while a nonce is looked for and written, and the nonce is on disk before the review ends.
#[derive(Debug)]
pub(crate) struct NonceFile {
    path: PathBuf,
}

impl NonceFile {
    /// The file at `path`, which is made when it is not there.
    ///
    /// # Errors
    /// [`InputError::Read`] if it can't be opened, so that nothing is reviewed that could not be approved.
    pub(crate) fn open(path: &Path) -> Result<Self, InputError> {
        let file = Self {
            path: path.to_path_buf(),
        };
        let opened = file.opened().map_err(|cause| InputError::Read {
            what: "nonces",
            path: path.to_path_buf(),
            cause,
        });
        opened.map(|_| file)
    }

    fn opened(&self) -> io::Result<File> {
        if fs::metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("it is no plain file"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        options.open(&self.path)
    }
}

impl NonceMemory for NonceFile {
    fn remember(
        &self,
        signer: &DidKey,
        nonce: &str,
        submitted_at: UnixMillis,
    ) -> Result<bool, BoxError> {
        let mut file = self.opened()?;
        file.lock()?;
        let mut text = String::new();
        (&mut file).take(LIMIT).read_to_string(&mut text)?;
        // A line that a crash cut off was never acknowledged.
        text.truncate(text.rfind('\n').map_or(0, |end| end.saturating_add(1)));
        let line = format!("{} {signer} {nonce}\n", submitted_at.value());
        let end = u64::try_from(text.len())?;
        if end.saturating_add(u64::try_from(line.len())?) > LIMIT {
            return Err("the file is full: begin a new one, and refuse what is older".into());
        }
        let own = format!(" {signer} {nonce}");
        if text.lines().any(|line| line.ends_with(&own)) {
            return Ok(false);
        }
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(line.as_bytes())?;
        file.sync_all()?;
        Ok(true)
    }
}
