//! The contents of evolving Worlds: each version is made from the one before by its delta (CAP-3, C3).

use std::sync::{Mutex, PoisonError};

use counterfoil_capsule::dangerous::{check_bodies, check_content, check_transition};
use counterfoil_capsule::delta::{self, Delta};
use counterfoil_capsule::{
    ChainId, Check, Code, Header, IndeterminateReason, Surroundings, Verdict,
};
use counterfoil_store::StoreError;
use counterfoil_types::json::{self, Limits, Value};
use rusqlite::Connection;

use super::examine::ExaminedCapsule;
use super::known::{Lost, target_erased};
use super::links::{Before, Links, invalid};
use crate::connection::reader;
use crate::options::Options;
use crate::statement::Statements;
use crate::{packed, rows};

/// No content is more deltas away from a whole one; a few more, for chains of other stores.
const MAX_STEPS: usize = 128;

/// Connections for threads that need a content which went by before.
pub(super) struct Connections<'o> {
    options: &'o Options,
    free: Mutex<Vec<Connection>>,
}

impl<'o> Connections<'o> {
    pub(super) const fn new(options: &'o Options) -> Self {
        Self {
            options,
            free: Mutex::new(Vec::new()),
        }
    }

    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = free().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => reader(self.options)?,
        };
        let done = read(&connection);
        free().push(connection);
        done
    }
}

/// Inputs of judging a version.
#[derive(Clone, Copy)]
pub(super) struct Stage<'s> {
    pub(super) connections: &'s Connections<'s>,
    pub(super) links: &'s Links,
    pub(super) each_signature: bool,
}

/// The content of a chain's last version.
#[derive(Default)]
pub(super) struct Last {
    pub(super) seq: u64,
    pub(super) content: Option<Value>,
    pub(super) bytes: usize,
}

impl Stage<'_> {
    /// Looks at the bodies of a version, and leaves its content for the next one.
    pub(super) fn judge(
        &self,
        seen: &mut ExaminedCapsule,
        before: Before,
        last: &mut Last,
    ) -> Result<(), StoreError> {
        let (chain, seq) = (seen.header.chain(), seen.header.seq());
        let linked = before
            .tip
            .is_some_and(|tip| Some(tip.hash) == seen.header.previous());
        let prior = match last.content.take() {
            Some(content) if last.seq.checked_add(1) == Some(seq) => Some(content),
            _ if linked => self.content_before(&chain, seq)?,
            _ => None,
        };
        let prior = prior.filter(|_| linked);
        let rebuilt = seen.bodies.payload.is_none() && seen.bodies.salt.is_some();
        let content = if rebuilt {
            applied(seen, prior.as_ref())
        } else {
            let payload = seen.bodies.payload.as_deref();
            payload.and_then(|payload| json::parse(payload, Limits::CONTENT).ok())
        };
        seen.bodies.lost = Lost {
            payload: seen.bodies.payload.is_none() || seen.bodies.salt.is_none(),
            delta: seen.bodies.delta.is_none(),
        };
        let restored = self.restored(&seen.header)?;
        let around = Surroundings {
            tip: before.tip,
            before: prior.as_ref(),
            restored: restored.as_ref().and_then(Old::restored),
            ..Surroundings::default()
        };
        let mut found = self.findings(seen, rebuilt, content.as_ref(), &around);
        if rebuilt && (seen.bodies.lost.delta || found.contains(&WRONG_DELTA)) {
            // The content is not to be had without the delta, so the delta alone is told.
            seen.bodies.lost.payload = false;
            found.retain(|verdict| *verdict != WRONG_CONTENT);
        }
        seen.found.extend(found);
        if let Some(old) = &restored {
            old.explain(&mut seen.found);
            if old.header.is_some() && old.content.is_none() {
                target_erased(&mut seen.found, seen.bodies.lost);
            }
        }
        *last = Last {
            seq,
            bytes: seen.bodies.payload.as_ref().map_or(0, Vec::len),
            content,
        };
        Ok(())
    }

    fn findings(
        &self,
        seen: &ExaminedCapsule,
        rebuilt: bool,
        content: Option<&Value>,
        around: &Surroundings<'_>,
    ) -> Vec<Verdict> {
        let (header, parts) = (&seen.header, seen.bodies.parts());
        if self.each_signature {
            return check_content(header, &seen.entry, &parts, around);
        }
        let mut found = check_bodies(header, &parts);
        // What was just made by the delta needs no second application: its hash decides.
        let made = rebuilt && content.is_some();
        let delta = parts.delta.filter(|_| !made);
        found.extend(check_transition(header, delta, content, around));
        found
    }

    /// The content of the version before `seq`; `None` when it is erased, archived or damaged.
    fn content_before(&self, chain: &ChainId, seq: u64) -> Result<Option<Value>, StoreError> {
        let way = self.links.back_from(chain, seq).map(|(_, index, _)| index);
        let way: Vec<u64> = way.take(MAX_STEPS).collect();
        self.connections
            .with(|connection| rebuilt(connection, &way))
    }

    /// The version that this one says it restores.
    fn restored(&self, header: &Header) -> Result<Option<Old>, StoreError> {
        if header.ext().is_empty() {
            return Ok(None);
        }
        let Some(hash) = header.extensions().rollback_to else {
            return Ok(None);
        };
        let chain = header.chain();
        let mut way = self.links.back_from(&chain, header.seq());
        let Some((seq, index, _)) = way.find(|(.., found)| *found == hash) else {
            return Ok(Some(Old::default()));
        };
        let old = self
            .connections
            .with(|connection| rows::header(connection, index))?;
        let next = seq.saturating_add(1);
        Ok(Some(Old {
            known: true,
            header: old,
            content: self.content_before(&chain, next)?,
        }))
    }
}

const WRONG_DELTA: Verdict = invalid(Check::Body, Code::DeltaHash);
const WRONG_CONTENT: Verdict = invalid(Check::Body, Code::State);

/// A version that another one restores.
#[derive(Default)]
struct Old {
    known: bool,
    header: Option<Header>,
    content: Option<Value>,
}

impl Old {
    fn restored(&self) -> Option<(&Header, Option<&Value>)> {
        Some((self.header.as_ref()?, self.content.as_ref()))
    }

    /// Explains a missing version. The whole chain is here, so anything else is no version of it; an entry without header is in an
    /// archive.
    fn explain(&self, found: &mut [Verdict]) {
        let missing = Verdict::Indeterminate {
            reason: IndeterminateReason::MissingParent,
        };
        let instead = match (self.known, &self.header) {
            (false, _) => invalid(Check::State, Code::Rollback),
            (true, None) => Verdict::Indeterminate {
                reason: IndeterminateReason::BodyArchived,
            },
            _ => return,
        };
        for verdict in found.iter_mut().filter(|verdict| **verdict == missing) {
            *verdict = instead;
        }
    }
}

/// Makes the content that is not kept whole; the hash in the header says whether it is the right one.
fn applied(seen: &mut ExaminedCapsule, prior: Option<&Value>) -> Option<Value> {
    let delta = Delta::parse(seen.bodies.delta.as_deref()?).ok()?;
    let content = delta.apply(prior?).ok()?;
    seen.bodies.payload = Some(json::canonical(&content).ok()?.into_bytes());
    Some(content)
}

/// The content of the first of `way`, log indices of a chain from there back.
fn rebuilt(connection: &Connection, way: &[u64]) -> Result<Option<Value>, StoreError> {
    let mut newest_first = Vec::new();
    for index in way {
        let sql = "SELECT payload, salt IS NOT NULL, delta FROM body WHERE idx = ?1";
        let row = connection.find_with(sql, [index], |row| {
            let (payload, salted): (_, bool) = (packed::text(row, 0)?, row.get(1)?);
            Ok((payload, packed::text(row, 2)?.filter(|_| salted)))
        })?;
        let Some((payload, delta)) = row else {
            return Ok(None);
        };
        if let Some(payload) = payload {
            let base = json::parse(payload.as_bytes(), Limits::CONTENT).ok();
            let content =
                base.and_then(|base| delta::apply_all(&base, newest_first.iter().rev()).ok());
            return Ok(content);
        }
        let Some(delta) = delta.and_then(|delta| Delta::parse(delta.as_bytes()).ok()) else {
            return Ok(None);
        };
        newest_first.push(delta);
    }
    Ok(None)
}
