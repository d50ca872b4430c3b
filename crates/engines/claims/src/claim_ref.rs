//! How claims are named.

/// How users and other units name a unit: by its World.
pub type ClaimRef = counterfoil_types::WorldId;
