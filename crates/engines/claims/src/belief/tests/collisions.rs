//! Values whose digests collide, by example.

use alloc::vec::Vec;

use crate::belief::BeliefStatus;
use crate::belief::digest::digest;
use crate::belief::testing::{Log, USER, value, values};

/// Two texts of one digest.
const ALIKE: [&str; 2] = ["townaacaaaaaaa ", "townaaaaaa1baaJ"];

/// CLM-35: values of one digest stay different values, and each of them still merges with its equals.
#[test]
fn values_of_one_digest_stay_different() {
    let of = |text| digest(value(text).canonical().as_bytes());
    assert_eq!(of(ALIKE[0]), of(ALIKE[1]));
    let [one, other] = ALIKE;
    let mut log = Log::default();
    for text in [one, other, one, other] {
        log.undated(USER, text);
    }
    let belief = log.present();
    assert_eq!(belief.status, BeliefStatus::Contested);
    assert_eq!(values(&belief), [one, other]);
    let counts = belief.sides.iter().map(|side| side.claim_count);
    assert_eq!(counts.collect::<Vec<_>>(), [2, 2]);
}
