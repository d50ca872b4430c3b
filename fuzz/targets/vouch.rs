//! `vouch`, `vouch_revocation` and every record about others.
#![no_main]

use counterfoil_exchange::documents::{Revocation, Vouch};
use counterfoil_exchange::trust::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(vouch) = Vouch::parse(bytes) {
        assert_eq!(Vouch::parse(vouch.bytes()).as_ref(), Ok(&vouch));
    }
    let _ = Revocation::parse(bytes);
    let _ = Record::receive(bytes, &[], 1_800_000_000_000_000);
});
