//! A witness of the logs of peers (C2SP tlog-witness): keeps the last checkpoint of each in `DIR/witness`, and cosigns one that
//! continues it (C2SP tlog-cosignature).
//!
//! Trusted for: no two histories of one log, as long as the folder is not put back. It sees sizes and roots, and no memory.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use counterfoil_capsule::SecretKey;
use counterfoil_http::server::Witness;
use counterfoil_http::{AddCheckpoint, WitnessAnswer};
use counterfoil_life::signed_in;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::{checkpoint_signed_by, verify_consistency};
use counterfoil_verifier::note::{Algorithm, VerifierKey, cosignature_line, cosigned_message};

use crate::error::Error;
use crate::files::write_file;
use crate::keys::{self, Key, Use};
use crate::memory::Memory;

/// Witness with its key, and the logs that it knows.
pub(super) struct LogWitness {
    key: VerifierKey,
    secret: SecretKey,
    logs: Vec<VerifierKey>,
    folder: PathBuf,
}

impl Memory {
    /// The witness of the logs that `peer add` has recorded. Makes its key, `keys/witness.key`, where there is none.
    pub(super) async fn log_witness(&self) -> Result<LogWitness, Error> {
        let known = self.trust_records().await?.known().into_iter();
        let logs: Vec<VerifierKey> = known.filter_map(|peer| peer.log).collect();
        let folder = self.home().dir().join("witness");
        keys::make_folder(&folder)?;
        let (name, secret) = self.home().witness_key()?;
        let key = VerifierKey::new(name, Algorithm::CosignatureV1, &secret.public_key())
            .map_err(|error| Error::place(error, "put the right witness.key back"))?;
        Ok(LogWitness {
            key,
            secret,
            logs,
            folder,
        })
    }
}

impl LogWitness {
    /// Key that checks its cosignatures, for the anchors of others.
    pub(super) const fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Compares a checkpoint with the last one of its log, and puts it in the place of that.
    fn judge(&self, request: &AddCheckpoint) -> Result<WitnessAnswer, Error> {
        let Ok(new) = Checkpoint::from_note(&request.note) else {
            return Ok(WitnessAnswer::Malformed);
        };
        let mut of_origin = self
            .logs
            .iter()
            .filter(|key| key.name() == new.origin())
            .peekable();
        if of_origin.peek().is_none() {
            return Ok(WitnessAnswer::UnknownLog);
        }
        let signed = |key: &&VerifierKey| checkpoint_signed_by(key, &request.note).is_some();
        let Some(log) = of_origin.find(signed) else {
            return Ok(WitnessAnswer::NotSigned);
        };
        // Of an empty log there is nothing to keep.
        if new.size() == 0 || request.old > new.size() {
            return Ok(WitnessAnswer::Malformed);
        }
        let digest = blake3::hash(log.to_string().as_bytes()).to_hex();
        let file = self.folder.join(digest.get(..32).unwrap_or_default());
        // Until the answer is made: another request, or another process, finds the checkpoint of this one.
        let _locked = self.lock()?;
        let last = signed_in(&file, log)?.map(|(last, _)| last);
        let size = last.as_ref().map_or(0, Checkpoint::size);
        if request.old != size || last.as_ref().is_some_and(|last| last.contradicts(&new)) {
            return Ok(WitnessAnswer::Conflict(Some(size)));
        }
        let (to, hashes) = ((new.size(), new.root()), &request.hashes);
        let continues = match &last {
            Some(last) => verify_consistency((size, last.root()), to, hashes).is_ok(),
            None => hashes.is_empty(),
        };
        if !continues {
            return Ok(WitnessAnswer::Inconsistent);
        }
        write_file(&file, &request.note)?;
        keys::sync_folder_of(&file).map_err(|error| unkept(&error))?;
        self.cosign(&new)
    }

    fn cosign(&self, checkpoint: &Checkpoint) -> Result<WitnessAnswer, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let time_s = now.map_err(|error| unkept(&error))?.as_secs();
        let message = cosigned_message(time_s, &checkpoint.to_text());
        let signature = self.secret.sign(message.as_bytes());
        let line = cosignature_line(&self.key, time_s, &signature);
        Ok(WitnessAnswer::Cosigned(line))
    }

    fn lock(&self) -> Result<File, Error> {
        let mut options = fs::OpenOptions::new();
        let options = options.write(true).create(true).truncate(false);
        let file = options.open(self.folder.join(".lock"));
        let locked = file.and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| unkept(&error))
    }
}

#[async_trait]
impl Witness for LogWitness {
    async fn add_checkpoint(&self, request: AddCheckpoint) -> Result<WitnessAnswer, String> {
        self.judge(&request).map_err(|error| error.to_string())
    }
}

impl crate::home::Home {
    /// Name and secret of the witness key, which is made where there is none: sealed, if the log's key is.
    fn witness_key(&self) -> Result<(String, SecretKey), Error> {
        let path = self.keys().join("witness.key");
        if !path.exists() {
            let (log, guarded) = self.log_name()?;
            let key = Key {
                purpose: Use::Witness(format!("{log}/witness")),
                secret: keys::fresh()?,
                guarded,
            };
            keys::write(&path, &key, self.passphrase())?;
        }
        let key = self.key(&path)?;
        match key.purpose {
            Use::Witness(name) => Ok((name, key.secret)),
            _ => Err(crate::home::swapped(&path)),
        }
    }
}

fn unkept(error: &dyn std::fmt::Display) -> Error {
    Error::place(
        format_args!("the checkpoint of another log cannot be kept ({error})"),
        "check the folder `witness` in the store's folder",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use base64::{Engine, engine::general_purpose::STANDARD};
    use counterfoil_store::StoreError;
    use counterfoil_store::log::{Frontier, NodeReader, NoteSigner, consistency};
    use counterfoil_types::Sha256Hash;
    use counterfoil_verifier::dangerous::log_key_signed;

    use super::*;

    /// A log, and its nodes at each size.
    struct Log {
        signer: NoteSigner,
        frontier: Frontier,
        nodes: BTreeMap<(u32, u64), Sha256Hash>,
    }

    impl NodeReader for Log {
        fn node(&self, level: u32, number: u64) -> Result<Sha256Hash, StoreError> {
            Ok(self.nodes[&(level, number)])
        }
    }

    impl Log {
        fn new(key: u8) -> Self {
            let secret = SecretKey::from_seed([key; 32]);
            Self {
                signer: NoteSigner::new("log.example", secret).unwrap(),
                frontier: Frontier::default(),
                nodes: BTreeMap::new(),
            }
        }

        /// Appends entries until there are `size`, each of this kind.
        fn grow(&mut self, size: u64, kind: u8) -> &Self {
            while self.frontier.size() < size {
                let at = self.frontier.size();
                let leaf = Sha256Hash::from_bytes([kind; 32]);
                for (level, node) in (0..).zip(self.frontier.append(leaf)) {
                    self.nodes.insert((level, at >> level), node);
                }
            }
            self
        }

        fn request(&self, old: u64) -> AddCheckpoint {
            let size = self.frontier.size();
            let note = self.signer.checkpoint(size, self.frontier.root()).unwrap();
            let hashes = match old {
                0 => Vec::new(),
                _ => consistency(self, old.min(size), size).unwrap(),
            };
            AddCheckpoint { old, hashes, note }
        }

        /// The same checkpoint with a map.
        fn with_map(&self, old: u64, map: u8) -> AddCheckpoint {
            let (size, root) = (self.frontier.size(), self.frontier.root());
            let map = Sha256Hash::from_bytes([map; 32]);
            AddCheckpoint {
                note: self.signer.checkpoint_with_map((size, root), map).unwrap(),
                ..self.request(old)
            }
        }
    }

    fn witness(folder: &Path, logs: &[&Log]) -> LogWitness {
        let secret = SecretKey::from_seed([99; 32]);
        let key = VerifierKey::new("w.example", Algorithm::CosignatureV1, &secret.public_key());
        LogWitness {
            key: key.unwrap(),
            secret,
            logs: logs
                .iter()
                .map(|log| log.signer.verifier_key().clone())
                .collect(),
            folder: folder.to_owned(),
        }
    }

    fn cosigned(witness: &LogWitness, request: &AddCheckpoint) {
        let WitnessAnswer::Cosigned(line) = witness.judge(request).unwrap() else {
            panic!("{request:?}")
        };
        // The line, byte for byte: name, key id, time, signature.
        let encoded = line.strip_prefix("— w.example ").unwrap();
        let bytes = STANDARD
            .decode(encoded.strip_suffix('\n').unwrap())
            .unwrap();
        assert_eq!(bytes[..4], witness.key.key_id());
        let time_s = u64::from_be_bytes(bytes[4..12].try_into().unwrap());
        let text = Checkpoint::from_note(&request.note).unwrap().to_text();
        let message = cosigned_message(time_s, &text);
        let plain = VerifierKey::new("w", Algorithm::Ed25519, witness.key.public_key()).unwrap();
        assert!(log_key_signed(
            &plain,
            &message,
            bytes[12..].try_into().unwrap()
        ));
    }

    #[test]
    fn a_log_that_grows_is_cosigned_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(1);
        let witness = witness(folder.path(), &[&log]);
        cosigned(&witness, &log.grow(3, 1).request(0));
        cosigned(&witness, &log.request(3));
        cosigned(&witness, &log.grow(8, 1).request(3));
        // Whoever does not know where it is hears it, also after a restart, and nothing is changed.
        let witness = self::witness(folder.path(), &[&log]);
        for old in [0, 3, 7] {
            let answer = witness.judge(&log.request(old)).unwrap();
            assert_eq!(answer, WitnessAnswer::Conflict(Some(8)), "{old}");
        }
        cosigned(&witness, &log.grow(9, 1).request(8));
    }

    #[test]
    fn another_history_is_not_cosigned() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, mut other) = (Log::new(1), Log::new(1));
        let witness = witness(folder.path(), &[&log]);
        let judged = |request: &AddCheckpoint| witness.judge(request).unwrap();
        cosigned(&witness, &log.grow(5, 1).with_map(0, 1));
        assert_eq!(
            judged(&other.grow(5, 2).request(5)),
            WitnessAnswer::Conflict(Some(5))
        );
        assert_eq!(
            judged(&log.with_map(5, 2)),
            WitnessAnswer::Conflict(Some(5))
        );
        assert_eq!(
            judged(&other.grow(8, 2).request(5)),
            WitnessAnswer::Inconsistent
        );
        let mut without = log.grow(8, 1).request(5);
        without.hashes.clear();
        assert_eq!(judged(&without), WitnessAnswer::Inconsistent);
        // It was put back: the smaller log continues nothing.
        let mut back = Log::new(1);
        assert_eq!(
            judged(&back.grow(4, 1).request(4)),
            WitnessAnswer::Conflict(Some(5))
        );
        assert_eq!(judged(&back.request(5)), WitnessAnswer::Malformed);
        cosigned(&witness, &log.request(5));
    }

    #[test]
    fn other_logs_and_other_keys_are_not_cosigned() {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, mut same_name) = (Log::new(1), Log::new(2));
        let witness = witness(folder.path(), &[&log]);
        let judged = |request: &AddCheckpoint| witness.judge(request).unwrap();
        assert_eq!(
            judged(&log.request(0)),
            WitnessAnswer::Malformed,
            "an empty log"
        );
        let request = log.grow(2, 1).request(0);
        let unknown = self::witness(folder.path(), &[]).judge(&request).unwrap();
        assert_eq!(unknown, WitnessAnswer::UnknownLog);
        let theirs = same_name.grow(3, 3).request(0);
        assert_eq!(judged(&theirs), WitnessAnswer::NotSigned);
        let proven = AddCheckpoint {
            hashes: vec![log.frontier.root()],
            ..request.clone()
        };
        assert_eq!(judged(&proven), WitnessAnswer::Inconsistent);
        let note = "no note".to_owned();
        let malformed = AddCheckpoint { note, ..proven };
        assert_eq!(judged(&malformed), WitnessAnswer::Malformed);
        // Two peers whose logs have one name do not stand in each other's way.
        let both = self::witness(folder.path(), &[&log, &same_name]);
        cosigned(&both, &request);
        cosigned(&both, &theirs);
    }

    /// Without its memory it would cosign a second history.
    #[test]
    fn a_damaged_memory_fails_closed() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(1);
        let witness = witness(folder.path(), &[&log]);
        cosigned(&witness, &log.grow(2, 1).request(0));
        let files = fs::read_dir(folder.path())
            .unwrap()
            .map(|it| it.unwrap().path());
        let file = files
            .into_iter()
            .find(|path| path.file_name().unwrap() != ".lock");
        fs::write(file.unwrap(), "edited").unwrap();
        assert!(witness.judge(&log.request(0)).is_err());
    }
}
