//! Claims that another agent has from a model (I4, I5).

use super::world::{World, peer, says, user};
use crate::Disposition::{Committed, CommittedInferred, Contested, Corroborated};

/// I4: a model's claim stays inferred over any number of agents: it contests nothing that the user has stated.
#[test]
fn a_model_of_another_agent_contests_nothing() {
    let mut world = World::new();
    world.add(&says(&user(), "Lisbon"));
    let outcome = world.told(&says(&peer(1, 3).inferred(), "Porto"));
    assert_eq!((outcome.row, outcome.disposition), (4, CommittedInferred));
    let outcome = world.told(&says(&peer(2, 3), "Porto"));
    assert_eq!(outcome.disposition, Contested);
}

/// I5: an agent below level 2 at receipt contests nothing, and is contested by nothing.
#[test]
fn a_stranger_contests_nothing() {
    let mut world = World::new();
    world.add(&says(&user(), "Lisbon"));
    let outcome = world.told(&says(&peer(1, 1), "Porto"));
    assert_eq!(outcome.disposition, Committed);
    let outcome = world.told(&says(&peer(2, 3), "Lisbon"));
    assert_eq!(outcome.disposition, Corroborated);
}
