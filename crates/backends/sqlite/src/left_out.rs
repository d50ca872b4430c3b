//! What is forgotten, as selections leave it out (capsules 4.6; MEM-MAINT-8).

/// In the column `actor`: forgotten for all.
pub(crate) const EVERYONE: &str = "";

/// Query for the log indices that a selection of `actor` leaves out: every version of Worlds that are forgotten
/// for it or for all. `?1` is the actor, or [`EVERYONE`].
pub(crate) const LEFT_OUT: &str = "
    SELECT chain.idx FROM forgotten
    JOIN world ON world.id = forgotten.world
    JOIN capsule ON capsule.idx = world.idx
    LEFT JOIN stub ON stub.idx = world.idx
    JOIN chain ON chain.chain = coalesce(stub.chain,
         unhex(replace(json_extract(whole_header(capsule.header, capsule.packed), '$.chain'), '-', '')))
    WHERE forgotten.actor IN ('', ?1)";
