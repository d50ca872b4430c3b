//! The bi-temporal claim engine: pure, without IO, clock or randomness (I1-I11; docs/format/claims.md).
//!
//! A [`Submission`] is checked when it is made and judged by the [`gate`] against a [`LineView`], inside the write
//! transaction of a store. A submission that the gate lets in is [`Approved`], and only that becomes a unit in the log. Belief is
//! never stored: [`belief`] folds the units of a line when it is asked.
//!
//! ```
//! use counterfoil_claims::gate::judge;
//! use counterfoil_claims::{
//!     Channel, Channels, ClaimInView, ClaimRef, GateDecision, Disposition, FactValue, Identifier, LineState,
//!     LineName, LineView, ClaimError, Settings, Submission, Unit, time::Micros, time::Window,
//! };
//!
//! # use counterfoil_types::Scope;
//! /// An agent that knows nothing yet. Backends answer from their indexes.
//! struct Nothing;
//!
//! impl LineView for Nothing {
//!     fn line(&self, _: LineName<'_>) -> Result<LineState, ClaimError> {
//!         Ok(LineState::default())
//!     }
//! #   fn of_value(
//! #       &self, _: LineName<'_>, _: &FactValue, _: Window, _: usize,
//! #   ) -> Result<Vec<ClaimInView>, ClaimError> {
//! #       Ok(Vec::new())
//! #   }
//! #   fn touching(
//! #       &self, _: LineName<'_>, _: Window, _: &FactValue, _: usize,
//! #   ) -> Result<Vec<ClaimInView>, ClaimError> {
//! #       Ok(Vec::new())
//! #   }
//! #   fn live(&self, _: LineName<'_>, _: Micros, _: usize) -> Result<Vec<ClaimInView>, ClaimError> {
//! #       Ok(Vec::new())
//! #   }
//! #   fn claim(&self, _: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
//! #       Ok(None)
//! #   }
//! #   fn anchor(&self, _: &ClaimRef) -> Result<Option<String>, ClaimError> {
//! #       Ok(None)
//! #   }
//! #   fn keyed(&self, _: &str, _: &Scope) -> Result<Option<Unit>, ClaimError> {
//! #       Ok(None)
//! #   }
//!     // The other questions likewise: there is nothing.
//! }
//!
//! fn fact(channel: &Channel) -> Result<Submission, ClaimError> {
//!     let (subject, predicate) =
//!         (Identifier::new("subject", "alice")?, Identifier::new("predicate", "lives in")?);
//!     Ok(Submission::new(channel, subject, predicate, FactValue::new(&"Lisbon".into())?))
//! }
//!
//! let channels = Channels::of_host();
//! let (settings, stamp_us) = (Settings::default(), 1_767_225_600_000_000);
//!
//! let GateDecision::Write(approved) = judge(&Nothing, &fact(&channels.user())?, &settings, stamp_us)? else {
//!     panic!("nothing is known, so it is written")
//! };
//! assert_eq!(approved.disposition(), Disposition::Committed);
//! assert_eq!(approved.document()["provenance"]["class"], "user_asserted");
//!
//! let GateDecision::Write(approved) = judge(&Nothing, &fact(&channels.model())?, &settings, stamp_us)? else {
//!     panic!("nothing is known, so it is written")
//! };
//! assert_eq!(approved.disposition(), Disposition::CommittedInferred);
//! # Ok::<(), ClaimError>(())
//! ```
#![no_std]

extern crate alloc;

pub mod belief;
pub mod gate;
pub mod ports;
pub mod time;

mod act;
mod aliases;
mod assertion;
mod channel;
mod document;
mod effective;
mod error;
mod identifier;
mod identity;
mod limits;
mod line;
mod outcome;
mod provenance;
mod settings;
mod submission;
mod trust;
mod unit;
mod value;
mod view;
mod vocabulary;

pub use act::{Act, ActKind, ClaimBody};
pub use aliases::{Aliases, NameConflict};
pub use assertion::{Assertion, Target};
pub use channel::{Channel, Channels, PeerChannels};
pub use document::UNIT_FORMAT;
pub use error::ClaimError;
pub use identifier::Identifier;
pub use identity::SourceKey;
pub use line::{Cardinality, Line, LineName};
pub use outcome::{Approved, ClaimOutcome, Disposition, GateDecision, Reasons};
pub(crate) use provenance::ProvenanceRank;
pub use provenance::{Provenance, ProvenanceClass};
pub use settings::{CurrencyLimits, Settings};
pub use submission::Submission;
pub(crate) use submission::Submitter;
pub use trust::PeerTrust;
pub(crate) use unit::Anchor;
pub use unit::{ClaimRef, TransactionTime, Unit};
pub use value::FactValue;
pub use view::{ClaimInView, LineState, LineView};
pub use vocabulary::Vocabulary;
