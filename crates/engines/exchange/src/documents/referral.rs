//! Referral: another agent that may know of the topic of a question (docs/format/exchange.md §3, §9.2).

use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_types::document::Text;
use serde::{Deserialize, Serialize};

use super::Domain;
use super::member::Items;

/// Most referrals of one response.
pub const MAX_REFERRALS: usize = 4;
/// Most addresses of one referral.
pub const MAX_REFERRAL_ADDRESSES: usize = 2;

/// Another agent that may know of the topic, as the responder names it. The proof of the response signs it. It is a hint of whom to ask:
/// nobody is trusted for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Referral {
    /// Key of the agent.
    pub public_key: DidKey,
    /// URLs at which it is asked, 1 or 2.
    #[serde(with = "Items::<Text<2048>, 1, 2>")]
    pub addresses: Vec<Text<2048>>,
    /// Domain of its knowledge that the topic touches.
    pub domain: Domain,
}
