//! Arguments that several commands share, and those of claims and of other agents.

mod asking;
mod channel;
mod claims;
mod extract;
mod peers;
mod serving;

pub(crate) use asking::{AskArgs, ExchangeCommand};
pub(crate) use channel::ChannelName;
pub(crate) use claims::{
    AdjudicateArgs, BelieveArgs, CardinalityName, ClaimAddArgs, ClaimCommand, ContestedArgs,
    ProveArgs, SaidArgs, TimelineArgs, WhenArgs, WhyArgs,
};
pub(crate) use extract::{ClaimImportArgs, ExtractArgs, ReaderName};
pub(crate) use peers::{
    PeerAddArgs, PeerCommand, PeerDistrustArgs, PeerListArgs, TrustCommand, TrustExplainArgs,
    VouchCommand, VouchListArgs, named,
};
pub(crate) use serving::{AnswerArgs, HearArgs, ServeArgs};
