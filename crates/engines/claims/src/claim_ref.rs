//! References of claims.

/// Reference of a unit by users and other units: its WorldId.
pub type ClaimRef = counterfoil_types::WorldId;
