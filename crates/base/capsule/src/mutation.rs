//! The protocol's mutation: content and place of the capsule that follows another (CAP-2, CAP-18 to CAP-21).

use counterfoil_types::json::Value;

use crate::delta::{self, Delta, DeltaError};
use crate::digest::delta_hash;
use crate::header::{BodyRef, Header, Position, SaltedBody};
use crate::id::CapsuleId;
use crate::stamp::Stamp;

/// Makes the capsule after `capsule`, whose content is `payload`, up to its signature: the protocol's
/// `mutate_capsule(capsule, delta)`.
///
/// Returns its place, its content, which is `payload` with the delta applied, and the delta as its body. The header names
/// exactly this delta, so `mutation` is [`mutation_hash`](crate::mutation_hash) of the capsule's hash and
/// [`delta_hash`] of the delta under `salt`. `id` is a new one and `stamp` the present time, later than that of `capsule`.
///
/// # Errors
/// As [`Delta::apply`]: the delta is one of another content.
pub fn mutate_capsule(
    (capsule, payload): (&Header, &Value),
    (delta, salt): (&Delta, [u8; 32]),
    (id, stamp): (CapsuleId, Stamp),
) -> Result<(Position, Value, SaltedBody), DeltaError> {
    let payload = delta.apply(payload)?;
    let text = delta.canonical()?;
    let named = BodyRef::of_delta(delta_hash(&salt, text.as_bytes()), &text, delta::FORMAT);
    let position = Position::after(capsule, named, id, stamp);
    Ok((position, payload, SaltedBody { text, salt }))
}
