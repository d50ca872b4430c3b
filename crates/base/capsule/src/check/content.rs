//! The checks of bodies: that they are the ones that were sealed, and that each version is what its
//! delta makes of the one before (capsules 4.3; C3, C20, C27, C28).

use counterfoil_types::json::{self, Limits, Value};

use super::Examination;
use super::refusal::{of_delta, of_json};
use crate::delta::{self, Delta};
use crate::digest::{delta_hash, payload_hash};
use crate::documents;
use crate::field_tree::FieldTree;
use crate::header::{BodyRef, Header, Kind};
use crate::log_entry::LogEntry;
use crate::state::state_of;
use crate::verdict::{Check, Code, IndeterminateReason, Verdict};
use counterfoil_types::World;

impl<'a> Examination<'a> {
    pub(super) fn content(&mut self, header: &Header, entry: Option<&LogEntry>) {
        let content = self.payload(header);
        let content = content.and_then(|payload| {
            let content = json::admit(payload, Limits::CONTENT);
            content
                .map_err(|error| self.found.push(of_json(&error, Check::Body)))
                .ok()
        });
        let delta = self.delta(header);
        if let (Some(content), Some(salt)) = (&content, self.parts.salt) {
            self.state(header, entry, content, salt);
        }
        if let (Some(named), Some(delta)) = (header.delta(), delta) {
            self.transition(header, named, content.as_ref(), delta);
        }
        self.rollback(header, content.as_ref());
    }

    /// The payload's bytes, if they are the ones that were sealed.
    pub(super) fn payload(&mut self, header: &Header) -> Option<&'a [u8]> {
        let (Some(payload), Some(salt)) = (self.parts.payload, self.parts.salt) else {
            self.absent();
            return None;
        };
        let same_size = u64::try_from(payload.len()) == Ok(header.payload().size());
        if !same_size || payload_hash(salt, payload) != header.payload().hash() {
            self.invalid(Check::Body, Code::State);
            return None;
        }
        Some(payload)
    }

    /// The delta's bytes, if they are the ones that were sealed.
    pub(super) fn delta(&mut self, header: &Header) -> Option<&'a [u8]> {
        let (delta, salt) = (self.parts.delta, self.parts.delta_salt);
        let Some(named) = header.delta() else {
            if delta.is_some() {
                self.invalid(Check::Body, Code::DeltaHash);
            }
            return None;
        };
        let (Some(delta), Some(salt)) = (delta, salt) else {
            self.absent();
            return None;
        };
        let same_size = u64::try_from(delta.len()) == Ok(named.size());
        if !same_size || delta_hash(salt, delta) != named.hash() {
            self.invalid(Check::Body, Code::DeltaHash);
            return None;
        }
        Some(delta)
    }

    fn state(&mut self, header: &Header, entry: Option<&LogEntry>, value: &Value, salt: &[u8; 32]) {
        let fields = FieldTree::build(value, salt);
        let same = |entry: &LogEntry| {
            fields.is_ok_and(|fields| {
                (fields.root(), fields.len()) == (entry.field_root, entry.field_count)
            })
        };
        if entry.is_some_and(|entry| !same(entry)) {
            self.invalid(Check::State, Code::Fields);
        }
        if let Kind::Record(kind) = header.kind() {
            match documents::read(kind, value).map_err(|error| error.verdict()) {
                Err(Verdict::Invalid { .. }) => self.invalid(Check::State, Code::Record),
                Err(open) => self.found.push(open),
                Ok(()) => {}
            }
        }
        let Some(named) = header.world() else {
            return;
        };
        let world = World::try_from(value.clone()).ok();
        if world.as_ref().map(World::world_id) != Some(named) {
            self.invalid(Check::State, Code::World);
        }
    }

    /// Checks that the delta leads from the content before to this one. Without the former, checks that the delta can be
    /// undone from this one.
    pub(super) fn transition(
        &mut self,
        header: &Header,
        named: &BodyRef,
        content: Option<&Value>,
        delta: &[u8],
    ) {
        match named.label() {
            None | Some(delta::FORMAT) => {
                let read = Delta::parse(delta);
                if let Err(found) = read.map_err(|error| of_delta(&error)).and_then(|delta| {
                    let leads = leads(&delta, self.around.before, content);
                    leads.then_some(()).ok_or(WRONG_DELTA)
                }) {
                    self.found.push(found);
                }
            }
            Some(delta::REPLACE_FORMAT) => {
                let old = self
                    .around
                    .predecessor
                    .map(|before| before.payload().hash());
                let fits = delta::replaced(delta).is_some_and(|(from, to)| {
                    old.is_none_or(|old| old == from) && to == header.payload().hash()
                });
                if !fits {
                    self.found.push(WRONG_DELTA);
                }
            }
            Some(_) => self.pending(IndeterminateReason::UnknownVersion),
        }
    }

    /// Checks that a version which restores another has the other's state.
    pub(super) fn rollback(&mut self, header: &Header, content: Option<&Value>) {
        let Some(named) = header.extensions().rollback_to else {
            return;
        };
        if header.world().is_none() || header.previous().is_none() {
            return self.invalid(Check::State, Code::Rollback);
        }
        let Some((restored, old)) = self.around.restored else {
            return self.pending(IndeterminateReason::MissingParent);
        };
        let earlier = restored.chain() == header.chain()
            && restored.seq() < header.seq()
            && restored.hash() == named;
        if !earlier {
            return self.invalid(Check::State, Code::Rollback);
        }
        match (old, content) {
            (Some(restored), Some(content)) if state_of(restored) != state_of(content) => {
                self.invalid(Check::State, Code::Rollback);
            }
            (None, _) => self.absent(),
            _ => {}
        }
    }

    fn absent(&mut self) {
        self.pending(IndeterminateReason::BodyErased);
    }
}

const WRONG_DELTA: Verdict = Verdict::invalid(Check::State, Code::Delta);

fn leads(delta: &Delta, before: Option<&Value>, content: Option<&Value>) -> bool {
    match (before, content) {
        (Some(before), Some(content)) => {
            let applied = delta.apply(before);
            applied.is_ok_and(|applied| delta::same(&applied, content))
        }
        (None, Some(content)) => delta.invert().apply(content).is_ok(),
        (Some(before), None) => delta.apply(before).is_ok(),
        (None, None) => true,
    }
}
