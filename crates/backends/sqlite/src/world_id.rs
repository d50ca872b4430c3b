//! A WorldId as it stands in a table.

use std::borrow::Cow;

use counterfoil_types::WorldId;

/// A WorldId as the text that it was made from.
pub(crate) fn id_text(world_id: &WorldId) -> Cow<'_, str> {
    String::from_utf8_lossy(world_id.opaque_bytes())
}
