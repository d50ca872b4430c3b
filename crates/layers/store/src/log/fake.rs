//! A log to export in tests: hashes and entries that only name their place.

use std::collections::BTreeMap;

use counterfoil_types::Sha256Hash;

use super::{EntryReader, NodeReader, TileSink, export};
use crate::StoreError;

/// A tree whose hashes only name their place.
pub(super) struct Fake;

impl NodeReader for Fake {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let mut bytes = [0; 32];
        bytes[0] = u8::try_from(level).unwrap();
        bytes[24..].copy_from_slice(&index.to_be_bytes());
        Ok(Sha256Hash::from_bytes(bytes))
    }
}

impl EntryReader for Fake {
    fn entry(&self, index: u64) -> Result<String, StoreError> {
        Ok(format!("entry {index}\n"))
    }
}

/// What was put, each once, the checkpoint last.
#[derive(Default)]
struct Files(BTreeMap<String, Vec<u8>>);

impl TileSink for Files {
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        assert!(
            !self.0.contains_key("checkpoint"),
            "the checkpoint comes last"
        );
        assert!(
            self.0.insert(path.to_owned(), bytes.to_vec()).is_none(),
            "{path} twice"
        );
        Ok(())
    }
}

/// The files of an export at `size`.
pub(super) fn exported(size: u64) -> BTreeMap<String, Vec<u8>> {
    let mut files = Files::default();
    export(&Fake, &Fake, (size, "note"), &mut files).unwrap();
    files.0
}
