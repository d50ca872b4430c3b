//! Questions of the gate about a line: a store answers them inside of its write transaction.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::{Scope, WorldId};

use crate::effective::Effective;
use crate::time::Window;
use crate::{Cardinality, ClaimError, ClaimRef, FactValue, LineName, Unit};

/// A claim with all units that say something of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimInView {
    /// The claim.
    pub claim: Unit,
    /// Every unit that names it: as target, in `supersedes`, in `rivals`, in `frees`, and reopens of those, in log
    /// order.
    pub assertions: Vec<Unit>,
    /// The claims that take its place: those that a `supersede` of `assertions` names in `by`, and those that an `affirm`
    /// of them is about. Their start is the cut.
    pub takers: Vec<Unit>,
}

impl ClaimInView {
    /// The effective window as of the last unit in view; `None` while the claim is not in force (docs/format/claims.md 3
    /// and 4). What a backend keeps to find claims by their time.
    pub fn window_in_force(&self) -> Option<Window> {
        Effective::of_view(self, u64::MAX)
            .filter(Effective::in_force)
            .map(|effective| effective.extent.window())
    }
}

/// State of a line before a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineState {
    /// Number of units.
    pub units: u64,
    /// The last one.
    pub last: Option<ClaimRef>,
    /// Cardinality of the last unit with a registered one.
    pub registered: Option<Cardinality>,
    /// An external claim that was not quarantined gave `one`.
    pub said_one: bool,
    /// An external claim that was not quarantined gave `many`.
    pub said_many: bool,
}

/// Lines of one agent as the write transaction sees them. All answers are of this agent alone.
///
/// A backend answers from indexes; that an answer is complete is held by its conformance suite.
pub trait LineView {
    /// Returns the state of the line.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn line(&self, line: LineName<'_>) -> Result<LineState, ClaimError>;

    /// Returns, of the newest `limit` claims of that value on the line, in the order of their numbers: those that are not in force
    /// or whose window was changed, and those whose effective window may touch `window`. The answer may hold the others
    /// of them, too.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn of_value(
        &self,
        line: LineName<'_>,
        value: &FactValue,
        window: Window,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError>;

    /// External claims of the line of another value whose effective window may touch `window`, the newest first. The
    /// answer may hold more than that; it holds at least all, or `limit` of those that do.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn touching(
        &self,
        line: LineName<'_>,
        window: Window,
        but: &FactValue,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError>;

    /// Claims of the line that may be live at the instant `at`, of any value.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn live(
        &self,
        line: LineName<'_>,
        at: crate::time::Micros,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError>;

    /// The claim of that name; `None` when this agent has none.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError>;

    /// The id of the chain of a World of the store; `None` when it has none, or when it is a claim unit, which cannot be
    /// cited.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn anchor(&self, world: &WorldId) -> Result<Option<String>, ClaimError>;

    /// The unit that was written under an idempotency key on a line in the scope.
    ///
    /// # Errors
    /// [`ClaimError::View`] when it cannot be read.
    fn keyed(&self, key: &str, scope: &Scope) -> Result<Option<Unit>, ClaimError>;
}
