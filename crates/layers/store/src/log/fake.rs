//! A log to export in tests: hashes and entries that only name their place.

use std::collections::BTreeMap;

use counterfoil_types::Sha256Hash;

use super::{EntryReader, NodeReader, export};
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

/// The files of an export at `size`, each written once, the checkpoint last.
pub(super) fn exported(size: u64) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut put = |path: &str, bytes: &[u8]| {
        assert!(!files.contains_key("checkpoint"), "the checkpoint is last");
        let before = files.insert(path.to_owned(), bytes.to_vec());
        assert!(before.is_none(), "{path} twice");
        Ok(())
    };
    export(&Fake, &Fake, (size, "note"), &mut put).unwrap();
    files
}
