//! A memory for AI agents that comes with receipts: the folder of a store, its keys, and all that an actor may do.
//!
//! ```
//! use counterfoil::{FloorChoice, blocking::Memory, RecallOptions, UnixMillis};
//! use counterfoil_authority::{Authority, Policy, Preset, Verdict, verifier::{Anchors, VerifierSet}};
//! # use std::time::SystemTime;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let place = folder.path().join("kitchen");
//! let memory = Memory::create(place)?;
//! memory.remember("Kit must not eat sesame")?;
//! let recalled = memory.recall("What must Kit not eat?", &RecallOptions::default())?;
//! assert!(recalled.hits().iter().all(|hit| hit.verified));
//! let proposal = memory.propose("A lemon cake, no halva", &["sesame"], None, Some("local"), &RecallOptions::default())?;
//!
//! let (anchors, _floor) = memory.anchors(FloorChoice::Kept)?;
//! let trusted = VerifierSet::new(Anchors::from_json(anchors.as_bytes())?);
//! let authority = Authority::new(trusted, Policy::preset(Preset::Standard));
//! # let millis = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
//! # let now = UnixMillis::new(millis.try_into()?)?;
//! assert_eq!(authority.review(&proposal, now).decision().verdict(), Verdict::Approved);
//! # Ok(())
//! # }
//! ```
//!
//! [`Memory`] is async; [`blocking::Memory`] is its twin. Judging is not here: an authority depends on
//! `counterfoil-authority` alone, and reaches nothing of this crate.
#![cfg_attr(doctest, doc = include_str!("../../../README.md"))]

mod anchors;
mod as_of;
mod attest;
pub mod blocking;
mod care;
mod claims;
mod clock;
mod create;
mod decisions;
mod document;
mod embed;
mod endpoint_key;
mod error;
mod eval;
mod evidence;
mod exchange;
mod export;
mod export_texts;
mod file_chains;
mod files;
mod floor;
mod folder;
mod guard;
mod heads;
mod history;
mod home;
mod import;
mod import_capsules;
mod keyring;
mod keys;
mod memory;
mod memory_tool;
mod named;
mod node;
mod notices;
mod propose;
mod reach;
mod recall;
mod recall_models;
mod receipt;
mod recovery;
mod remember;
mod repeated;
mod report;
mod rotation;
mod scoped;
mod settings_file;
mod show;
pub mod text;
mod token_budget;
mod update;
mod versions;
mod when;
mod words;

pub use anchors::FloorChoice;
pub use care::CheckOptions;
pub use claims::{
    BeliefQuery, Beliefs, ExtractOptions, LineHistory, Timeline, TimelineLine, WhyBelief,
};
pub use counterfoil_capsule::Timestamp;
pub use counterfoil_exchange::answering::PassOn;
pub use counterfoil_exchange::documents::{Competence, Domain, Format, VouchConfidence};
pub use counterfoil_exchange::trust::Mark;
pub use counterfoil_life::versions::LogAhead;
pub use counterfoil_life::{DerivedPolicy, ErasureScope};
pub use counterfoil_peer::asking::StorePolicy;
pub use counterfoil_types::{Confidence, Proposal, Scope, UnixMillis, WorldId};
pub use counterfoil_verifier::Strength as Method;
pub use counterfoil_verifier::note::VerifierKey;
pub use document::{Detail, LogHead, MemoryStatus, RecallDocument, RecallItem, WithheldMemory};
pub use error::{Error, ErrorKind};
pub use exchange::{
    AskOptions, DistrustOptions, HearOptions, PeerOptions, ServeOptions, VouchOptions,
};
pub use export_texts::ExportFormat;
pub use files::write_file;
pub use import::ImportFormat;
pub use import::turns::ImportOptions;
pub use memory::{Memory, MemoryBuilder};
pub use memory_tool::{MemoryTool, MemoryToolResult};
pub use recall::{Hit, RecallOptions, Recalled};
pub use receipt::ReceiptHandle;
pub use remember::{Note, Remembered};
pub use report::Report;
pub use token_budget::TokenBudget;
pub use update::Edit;
