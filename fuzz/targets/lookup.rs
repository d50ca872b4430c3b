//! Lookups of the map beside the log.
#![no_main]

use counterfoil_types::json::{Limits, parse};
use counterfoil_verifier::map::{self, Lookup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = parse(bytes, Limits::EXPORTED) else {
        return;
    };
    if let Ok(lookup) = Lookup::from_value(&value) {
        assert_eq!(Lookup::from_value(&lookup.to_value()).as_ref(), Ok(&lookup));
        let found = lookup.check(&map::key("memory", &[b"world"]), &map::EMPTY);
        assert!(!matches!(found, Ok(Some(_))));
    }
});
