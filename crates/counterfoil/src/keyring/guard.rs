//! Key files under a passphrase.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use crate::error::Error;
use crate::home::Home;
use crate::keys::{self, Guarded, Key};
use crate::memory::Memory;
use crate::report::Report;

#[derive(Serialize)]
struct Done {
    written: Vec<String>,
    #[serde(rename = "notHere")]
    not_here: Vec<String>,
}

impl Memory {
    /// Seals the key files under the passphrase, or takes it from them. Each file is replaced as a whole or not at all, so
    /// that to be cut short and to begin again does no harm.
    ///
    /// # Errors
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when a key cannot be read or written.
    pub fn seal_keys(&self, sealed: bool, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        let guarded = match sealed {
            true => Guarded::ByPassphrase,
            false => Guarded::No,
        };
        let home = self.home();
        self.must_exist()?;
        let (here, not_here): (Vec<_>, Vec<_>) = all(home, recovery_dir)
            .into_iter()
            .partition(|path| fs::symlink_metadata(path).is_ok());
        let mut due = Vec::new();
        for path in here {
            if keys::peek(&path)?.1 != guarded {
                due.push(path);
            }
        }
        if guarded == Guarded::ByPassphrase && !due.is_empty() {
            home.passphrase().to_seal()?;
        }
        for path in &due {
            let key = keys::read(path, home.passphrase())?;
            keys::replace(path, &Key { guarded, ..key }, home.passphrase())?;
        }
        let shown = |paths: &[PathBuf]| {
            paths
                .iter()
                .map(|path| path.display().to_string())
                .collect()
        };
        Report::new(&Done {
            written: shown(&due),
            not_here: shown(&not_here),
        })
    }
}

fn all(home: &Home, recovery_dir: Option<PathBuf>) -> [PathBuf; 4] {
    let folder = home.recovery(recovery_dir);
    [
        home.log_key_path(),
        home.agent_key_path(),
        folder.next_path(),
        folder.recovery_path(),
    ]
}
