//! Fixed agents, names and times.

use counterfoil_capsule::{AgentSigner, SecretKey, Timestamp};
use counterfoil_exchange::documents::{Party, RequestId, Text};

/// Who asks.
pub(crate) const BABEL: u8 = 1;
/// Who answers.
pub(crate) const DJCLAWD: u8 = 2;
/// Who vouches.
pub(crate) const JUST_MOTE: u8 = 3;

/// The seed of an agent.
pub(crate) fn seed(number: u8) -> String {
    hex::encode([number; 32])
}

pub(crate) fn agent(number: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([number; 32]))
}

pub(crate) fn text<const MAX: usize>(text: &str) -> Text<MAX> {
    Text::new(text).expect("a text of a vector is short")
}

/// That second of the tenth of February 2026.
pub(crate) fn second(second: u64) -> Timestamp {
    Timestamp::from_micros((1_770_681_600 + second) * 1_000_000)
        .expect("a time of a vector is in this century")
}

pub(crate) fn id(number: u8) -> RequestId {
    RequestId::from_bytes([number; 16])
}

pub(crate) fn party(name: &str) -> Party {
    Party::named(text(name))
}

/// The text of signed bytes.
pub(crate) fn written(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
