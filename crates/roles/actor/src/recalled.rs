//! Recalled memories, borrowed from the deliberation that must account for them (M-1, M-2, FP-02).

use core::marker::PhantomData;

use counterfoil_capsule::World;
use counterfoil_memory_selector::{Annotation, LeftOut};
use counterfoil_trace::MemoryTrace;
use counterfoil_types::{SelectedMemory, WorldId};

/// The memories of one recall.
///
/// It can't outlive its deliberation: once the intent is settled, memories are out of reach.
#[derive(Debug)]
pub struct Recalled<'d> {
    trace: MemoryTrace,
    memories: Vec<RecalledMemory>,
    left_out: Vec<(WorldId, LeftOut)>,
    deliberation: PhantomData<&'d ()>,
}

/// One recalled memory: its selection, its annotation, and the World with its content.
///
/// A memory is not truth (M-1). Its `reason` is a text to show, never a fact to build on (FP-01); the annotation holds
/// the same as types.
#[derive(Debug)]
pub struct RecalledMemory {
    selected: SelectedMemory,
    annotation: Annotation,
    world: World,
}

impl Recalled<'_> {
    pub(crate) const fn new(
        trace: MemoryTrace,
        memories: Vec<RecalledMemory>,
        left_out: Vec<(WorldId, LeftOut)>,
    ) -> Self {
        Self {
            trace,
            memories,
            left_out,
            deliberation: PhantomData,
        }
    }

    /// The memories, best first.
    pub fn memories(&self) -> impl ExactSizeIterator<Item = &RecalledMemory> {
        self.memories.iter()
    }

    /// Memories that the selector found and left out of its budget of tokens, best first.
    pub fn left_out(&self) -> &[(WorldId, LeftOut)] {
        &self.left_out
    }

    /// Number of memories.
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// The trace of this recall, as it will stand in the proposal.
    pub const fn trace(&self) -> &MemoryTrace {
        &self.trace
    }
}

impl RecalledMemory {
    pub(crate) const fn new(
        selected: SelectedMemory,
        annotation: Annotation,
        world: World,
    ) -> Self {
        Self {
            selected,
            annotation,
            world,
        }
    }

    /// The selection: reference, reason, confidence and evidence.
    pub const fn selected(&self) -> &SelectedMemory {
        &self.selected
    }

    /// Standing of the version and of the belief, and the source.
    pub const fn annotation(&self) -> &Annotation {
        &self.annotation
    }

    /// The World, with its content.
    pub const fn world(&self) -> &World {
        &self.world
    }
}
