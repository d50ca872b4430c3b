//! Keys of content: opaque here, as they are wrapped.

use crate::session::Session;

/// A key that no commit has used is replaced: nothing that it seals was kept.
pub(crate) const ADD_KEYS: &str = "INSERT INTO counterfoil.content_key (log_id, root, slot, key)
    SELECT $1, k.root, k.slot, k.key FROM unnest($2::text[], $3::text[], $4::bytea[]) AS k (root, slot, key)
    ON CONFLICT (log_id, root, slot) DO UPDATE SET key = EXCLUDED.key WHERE content_key.key IS NOT NULL";

pub(crate) const KEYS: &str =
    "SELECT slot, key FROM counterfoil.content_key WHERE log_id = $1 AND root = ANY($2)";

const DESTROY: &str = "INSERT INTO counterfoil.content_key (log_id, root, slot, key)
    SELECT $1, s.root, s.slot, NULL FROM unnest($2::text[], $3::text[]) AS s (root, slot)
    ON CONFLICT (log_id, root, slot) DO UPDATE SET key = NULL";
const DESTROY_BELOW: &str = "UPDATE counterfoil.content_key SET key = NULL
    FROM unnest($2::text[], $3::text[]) AS s (root, slot)
    WHERE content_key.log_id = $1 AND content_key.root = s.root AND starts_with(content_key.slot, s.slot || '/')";

/// Returns roots, slots and keys.
pub(crate) fn key_columns(keys: &[(String, Vec<u8>)]) -> (Vec<&str>, Vec<&str>, Vec<&[u8]>) {
    keys.iter()
        .map(|(slot, key)| (root_of(slot), slot.as_str(), key.as_slice()))
        .collect()
}

/// Destroys keys, and those below their slots.
pub(crate) async fn destroy(
    session: &Session,
    log: &[u8],
    slots: &[String],
) -> Result<(), tokio_postgres::Error> {
    let roots: Vec<&str> = slots.iter().map(|slot| root_of(slot)).collect();
    for sql in [DESTROY, DESTROY_BELOW] {
        session.client.execute(sql, &[&log, &roots, &slots]).await?;
    }
    Ok(())
}

/// Returns the first two words of a slot: slots below it have the same ones.
pub(crate) fn root_of(slot: &str) -> &str {
    let second = slot.match_indices('/').nth(1);
    second.and_then(|(end, _)| slot.get(..end)).unwrap_or(slot)
}
