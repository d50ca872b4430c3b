//! A witness as a place of the head (C2SP tlog-witness). It is sent checkpoints and cannot be asked for one, so what it has
//! cosigned, and what it has contradicted, is kept in the state folder.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_http::client::{Client, ClientSettings};
use counterfoil_http::{AddCheckpoint, WitnessAnswer};
use counterfoil_life::{Backend as _, KnownHead, signed_in};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoreError;
use counterfoil_store::log;
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::{checkpoint_signed_by, verify_consistency};
use tokio::runtime::Builder;

use super::{HeadPlaces, Held, foreign, state_file};
use crate::error::{Error, ErrorKind};
use crate::files::{self, write_file};

/// Largest file of a contradiction, in bytes.
const MAX_CONFLICT: usize = 256;
/// Requests of one submission: the second names the size that the witness has answered.
const ATTEMPTS: usize = 2;
/// Largest cosigned checkpoint that is kept, in bytes.
const MAX_NOTE: usize = 16 << 10;

/// A witness, and the files about it in the state folder; none for an account without such a folder.
struct Witness<'w> {
    home: &'w HeadPlaces<'w>,
    url: &'w str,
    /// The last checkpoint that it has cosigned, with its signature lines.
    cosigned: Option<PathBuf>,
    /// Its contradiction of the store, if there was one.
    conflict: Option<PathBuf>,
}

/// A contradiction between a witness and the store.
struct Conflict {
    /// Number of entries that the witness has cosigned.
    size: u64,
    /// Root of the store at that size, which the witness has refused; `None` where the store does not reach it.
    refused: Option<Sha256Hash>,
}

/// End of a submission.
enum Submitted {
    /// The signature lines of the witness.
    Cosigned(String),
    Conflict(Conflict),
}

impl<'w> Witness<'w> {
    fn new(home: &'w HeadPlaces<'w>, url: &'w str) -> Self {
        let digest = blake3::hash(url.as_bytes()).to_hex();
        let digest = digest.get(..16).unwrap_or_default();
        let state = state_file(home);
        let file = |name: &str| Some(state.as_ref()?.with_extension(format!("{digest}.{name}")));
        Self {
            home,
            url,
            cosigned: file("cosigned"),
            conflict: file("conflict"),
        }
    }

    fn cosigned(&self) -> Result<Held, Error> {
        let Some(path) = &self.cosigned else {
            return Ok(None);
        };
        match signed_in(path, &self.home.key) {
            Err(StoreError::GuardMismatch { .. }) => Err(foreign(&path.display())),
            other => Ok(other?),
        }
    }

    fn conflict(&self) -> Result<Option<Conflict>, Error> {
        let Some(path) = self.conflict.as_ref().filter(|path| path.exists()) else {
            return Ok(None);
        };
        let bytes = files::read("file", path, MAX_CONFLICT, ErrorKind::Unproven)?;
        let conflict = String::from_utf8(bytes)
            .ok()
            .and_then(|it| Conflict::parse(&it));
        conflict.map(Some).ok_or_else(|| {
            Error::unproven(
                format_args!("{} is not as it was written", path.display()),
                "ask the witness for the last checkpoint that it has cosigned, and remove the file",
            )
        })
    }

    /// Keeps the end of a submission of `note`.
    fn keep(&self, note: &str, submitted: Submitted) -> Result<(), Error> {
        let conflict = match submitted {
            Submitted::Conflict(conflict) => conflict,
            Submitted::Cosigned(lines) => {
                let cosigned = format!("{note}{lines}");
                let is_note = lines.starts_with('—')
                    && cosigned.len() < MAX_NOTE
                    && checkpoint_signed_by(&self.home.key, &cosigned).is_some();
                if !is_note {
                    return Err(self.failed("its answer is no signature"));
                }
                if let Some(path) = &self.cosigned {
                    write_file(path, &cosigned)?;
                }
                // It was not there, or another process has removed it.
                if let Some(path) = &self.conflict {
                    drop(fs::remove_file(path));
                }
                return Ok(());
            }
        };
        if let Some(path) = &self.conflict {
            write_file(path, &conflict.to_text())?;
        }
        Err(Error::unproven(
            match conflict.refused {
                None => format!(
                    "it has cosigned {} entries of this log, more than there are",
                    conflict.size
                ),
                Some(_) => format!(
                    "it has cosigned another history of {} entries",
                    conflict.size
                ),
            },
            "nothing is read or written any more: put the later database back, or run `counterfoil reconcile --from EXPORT`",
        ))
    }

    fn client(&self) -> Result<Client, Error> {
        Ok(Client::new(self.url, &ClientSettings::default())?)
    }

    fn failed(&self, what: &str) -> Error {
        Error::place(
            format_args!(
                "the witness at {} did not keep the checkpoint ({what})",
                self.url
            ),
            "ask its operator",
        )
    }

    /// Sends `last`, which `note` is of, with a proof from the size that the witness is known to have cosigned.
    async fn submitted(
        &self,
        (last, note): (&Checkpoint, &str),
        store: &SqliteStore,
    ) -> Result<Submitted, Error> {
        let client = self.client()?;
        let mut old = self.cosigned()?.map_or(0, |(held, _)| held.size());
        for _ in 0..ATTEMPTS {
            let (root, hashes) = proof(store, old, last).await?;
            let request = AddCheckpoint {
                old,
                hashes,
                note: note.to_owned(),
            };
            let conflict = Conflict {
                size: old,
                refused: Some(root),
            };
            old = match client.add_checkpoint(&request).await? {
                WitnessAnswer::Cosigned(lines) => return Ok(Submitted::Cosigned(lines)),
                WitnessAnswer::Conflict(Some(size)) if size > last.size() => {
                    return Ok(Submitted::Conflict(Conflict {
                        size,
                        refused: None,
                    }));
                }
                WitnessAnswer::Conflict(Some(size)) if size != old => size,
                // The proof holds, so the witness has another root at that size.
                WitnessAnswer::Conflict(_) if old == last.size() => {
                    return Ok(Submitted::Conflict(conflict));
                }
                WitnessAnswer::Inconsistent if old > 0 => return Ok(Submitted::Conflict(conflict)),
                WitnessAnswer::UnknownLog => return Err(self.failed("it does not know this log")),
                WitnessAnswer::NotSigned => {
                    return Err(self.failed("it knows another key of this log"));
                }
                _ => return Err(self.failed("it contradicts itself")),
            };
        }
        Err(self.failed("it changes its mind"))
    }
}

impl Conflict {
    /// `size 9`, and in a second line `refused` and base64 of the root.
    fn to_text(&self) -> String {
        let refused = self.refused.map(|root| STANDARD.encode(root.as_bytes()));
        let refused = refused.map(|root| format!("refused {root}\n"));
        format!("size {}\n{}", self.size, refused.unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Self> {
        let (size, rest) = text.strip_prefix("size ")?.split_once('\n')?;
        let root = |line: &str| {
            let bytes = STANDARD.decode(line.strip_suffix('\n')?).ok()?;
            Some(Sha256Hash::from_bytes(bytes.try_into().ok()?))
        };
        let conflict = Self {
            size: size.parse().ok()?,
            refused: match rest {
                "" => None,
                _ => Some(root(rest.strip_prefix("refused ")?)?),
            },
        };
        (conflict.to_text() == text).then_some(conflict)
    }
}

/// The checkpoint that the witness has cosigned last, as far as this account knows, and its note.
pub(super) fn cosigned(home: &HeadPlaces<'_>, url: &str) -> Result<Held, Error> {
    Witness::new(home, url).cosigned()
}

/// The contradiction of the witness at `url`, which is named as `name`.
pub(super) fn contradicted(
    home: &HeadPlaces<'_>,
    (name, url): (&str, &str),
) -> Result<Option<KnownHead>, Error> {
    let conflict = Witness::new(home, url).conflict()?;
    Ok(conflict.map(|it| KnownHead::Contradicted {
        place: name.to_owned(),
        size: it.size,
        refused: it.refused,
    }))
}

/// Submits the last checkpoint, which `guard` holds, to the witness.
///
/// # Errors
/// [`ErrorKind::Unproven`] for a contradiction, which the next opening finds; when it is not kept.
pub(super) fn submit(
    home: &HeadPlaces<'_>,
    url: &str,
    (guard, last): (&Path, (&Checkpoint, &str)),
    store: &SqliteStore,
) -> Result<(), Error> {
    let witness = Witness::new(home, url);
    let submitted = wait_for(witness.submitted(last, store))??;
    if let Submitted::Conflict(Conflict {
        size,
        refused: None,
    }) = &submitted
        && signed_in(guard, &home.key)?.is_some_and(|(held, _)| held.size() >= *size)
    {
        // Another process has written meanwhile, and submits what it has written.
        return Ok(());
    }
    witness.keep(last.1, submitted)
}

/// Submits the last checkpoint, `last`, to a witness of which this account knows nothing, so that one that has cosigned more entries
/// is heard before another one is written. A witness that cannot be reached holds up nothing.
pub(super) fn introduce(
    home: &HeadPlaces<'_>,
    url: &str,
    last: (&Checkpoint, &str),
) -> Result<(), Error> {
    let witness = Witness::new(home, url);
    let is_known = |path: &Option<PathBuf>| path.as_ref().is_none_or(|it| it.exists());
    if is_known(&witness.cosigned) || is_known(&witness.conflict) {
        return Ok(());
    }
    let client = witness.client()?;
    let request = AddCheckpoint {
        old: 0,
        hashes: Vec::new(),
        note: last.1.to_owned(),
    };
    let submitted = match wait_for(client.add_checkpoint(&request))?? {
        WitnessAnswer::Cosigned(lines) => Submitted::Cosigned(lines),
        WitnessAnswer::Conflict(Some(size)) if size > last.0.size() => {
            Submitted::Conflict(Conflict {
                size,
                refused: None,
            })
        }
        // What it has cosigned is compared when the next entry is submitted.
        _ => return Ok(()),
    };
    witness.keep(last.1, submitted)
}

/// The root of the store at `old` and the proof that `last` continues it; of an empty log there is none.
async fn proof(
    store: &SqliteStore,
    old: u64,
    last: &Checkpoint,
) -> Result<(Sha256Hash, Vec<Sha256Hash>), Error> {
    let size = last.size();
    if old == 0 {
        return Ok((last.root(), Vec::new()));
    }
    let read = store.read(move |txn| Ok((log::root(txn, old)?, log::consistency(txn, old, size)?)));
    let (root, hashes) = read.await?;
    verify_consistency((old, root), (size, last.root()), &hashes)
        .map_err(|error| Error::refused(error, "run `counterfoil check`"))?;
    Ok((root, hashes))
}

/// Runs `work` to its end on a thread of its own: callers may be inside an async runtime, or outside of any.
fn wait_for<T: Send>(work: impl Future<Output = T> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let done = runtime.block_on(work);
            // A name that is still being resolved is not waited for.
            runtime.shutdown_background();
            Ok(done)
        });
        match waiting.join() {
            Ok(done) => done.map_err(|error: std::io::Error| {
                Error::place(
                    format_args!("the system gives no event queue ({error})"),
                    "end other programs",
                )
            }),
            Err(_) => Err(Error::bug("a submission to a witness that panicked")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_has_one_spelling() {
        let root = Sha256Hash::from_bytes([7; 32]);
        for refused in [None, Some(root)] {
            let text = Conflict { size: 9, refused }.to_text();
            let read = Conflict::parse(&text).unwrap();
            assert_eq!((read.size, read.refused), (9, refused));
            for bad in [
                text.replace('9', "09"),
                text.replace("size", "Size"),
                text.replace('\n', ""),
                text.clone() + "\n",
            ] {
                assert!(Conflict::parse(&bad).is_none(), "{bad:?}");
            }
        }
    }
}
