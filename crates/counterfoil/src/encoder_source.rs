//! The sentence encoder of a memory: an option of the caller, or a folder that `DIR/recall.toml` names.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_store::vectors::Embedder;
use counterfoil_types::BoxError;
use tokio::task::spawn_blocking;

use crate::error::{Error, ErrorKind};
use crate::settings_file::{self, Wrong};

/// The name of the settings file.
pub(crate) const FILE: &str = "recall.toml";

/// Opens the sentence encoder in a folder.
pub(crate) type OpenEncoder = fn(&Path) -> Result<Arc<dyn Embedder>, BoxError>;

/// Encoder of a memory, and the way to it; clones share the one that was opened.
#[derive(Clone, Default)]
pub(crate) struct EncoderSource {
    pub(crate) open: Option<OpenEncoder>,
    /// Folder in place of the one in the settings.
    pub(crate) folder: Option<PathBuf>,
    opened: Arc<Mutex<Option<Arc<dyn Embedder>>>>,
    /// True after the first notice that vectors are missing or unused.
    noticed: Arc<AtomicBool>,
}

impl EncoderSource {
    /// The encoder, opened by the first call that needs it; `None` where none is set.
    /// `dir` is the folder of the memory.
    pub(crate) async fn encoder(&self, dir: &Path) -> Result<Option<Arc<dyn Embedder>>, Error> {
        let opened = self.opened.lock();
        let opened = opened.unwrap_or_else(PoisonError::into_inner).clone();
        if opened.is_some() {
            return Ok(opened);
        }
        let in_settings = |text: &_| {
            let mut folder = None;
            for (name, value) in &settings_file::table(text)? {
                folder = match (name.as_str(), value.as_str()) {
                    ("encoder", Some(path)) if !path.is_empty() => Some(dir.join(path)),
                    ("encoder", _) => return Err(Wrong::must_be(name, "the path of a folder")),
                    _ => return Err(Wrong::unknown(name, "there is encoder")),
                };
            }
            Ok(folder)
        };
        let set = match &self.folder {
            Some(folder) => Some(folder.clone()),
            None => settings_file::read(&dir.join(FILE), in_settings)?,
        };
        let Some(folder) = set else {
            return Ok(None);
        };
        let open = self.open.ok_or_else(|| {
            Error::place(
                "this program was built without sentence encoders",
                "build it with the feature `encoder`, or remove `encoder` from recall.toml",
            )
        })?;
        let opened = spawn_blocking(move || open(&folder)).await;
        let encoder = opened.map_err(|_| Error::bug("an encoder panicked"))?;
        let encoder = encoder.map_err(failed)?;
        self.keep(Arc::clone(&encoder));
        Ok(Some(encoder))
    }

    /// Returns true at the first call.
    pub(crate) fn is_first_notice(&self) -> bool {
        !self.noticed.swap(true, Ordering::Relaxed)
    }

    /// Keeps an encoder as the one that was opened.
    pub(crate) fn keep(&self, encoder: Arc<dyn Embedder>) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened = Some(encoder);
    }
}

/// The error for an encoder that cannot be used; that of the encoder says what to do.
pub(crate) fn failed(error: BoxError) -> Error {
    let problem = format_args!("the sentence encoder: {error}");
    Error::new(ErrorKind::Place, problem)
}
