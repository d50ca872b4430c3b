//! Claim units, and the dates in them.
#![no_main]

use counterfoil_claims::time::Boundary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(boundary) = Boundary::parse(text) {
        assert_eq!(Boundary::parse(&boundary.to_string()), Ok(boundary));
    }
});
