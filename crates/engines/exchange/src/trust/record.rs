//! A document about other agents as it was received: signed, dated, never changed (docs/format/trust.md, "Records").

use alloc::string::String;

use counterfoil_capsule::integrity::{Binding, sign, verify};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::document::{Fault, read};
use counterfoil_types::json::{self, Limits, Map, Value};

use super::{LocalRecord, MAX_RECORD_BYTES};
use crate::documents::{
    DocumentError, DocumentHash, DocumentKind, Revocation, Signature, VERSION, Vouch,
};

/// Limits of any document (docs/format/exchange.md §1), but for its bytes.
const LIMITS: Limits = Limits {
    bytes: MAX_RECORD_BYTES,
    depth: 64,
    nodes: 100_000,
};
/// Members of an own record that are the same for all types.
const ENVELOPE: [&str; 5] = ["type", "version", "agent", "created_at", "proof"];

/// A document about other agents, with the time of its receipt. Its proof held when it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub(super) body: RecordBody,
    /// Bytes of an own record; a document of another agent has its bytes itself.
    own: String,
    hash: DocumentHash,
    received_us: u64,
}

/// The document of a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecordBody {
    /// A vouch of another agent.
    Vouch(Vouch),
    /// A revocation by another agent.
    Revocation(Revocation),
    /// A decision or an observation of this agent.
    Local(LocalRecord),
}

impl Record {
    /// Reads a document about other agents as it was sent or stored, checks its proof, and dates it. Costs a signature.
    ///
    /// `own`: the keys by which this agent's own records may be signed, the present one first. Without keys, only documents
    /// of other agents are read.
    ///
    /// # Errors
    /// [`DocumentError`]: more than [`MAX_RECORD_BYTES`], another type, a malformed member, a proof that does not hold, an own
    /// record of another agent.
    pub fn receive(bytes: &[u8], own: &[DidKey], received_us: u64) -> Result<Self, DocumentError> {
        let value = json::parse(bytes, LIMITS)?;
        let kind = value.get("type").and_then(Value::as_str);
        let holds = |signature: Signature, by: DidKey, kind: DocumentKind| match signature {
            Signature::Holds(key) if key == by => Ok(()),
            _ => Err(DocumentError::Unproven(kind)),
        };
        if kind == Some(DocumentKind::Vouch.name()) {
            let vouch = Vouch::parse(bytes)?;
            let by = vouch.parts().voucher.public_key;
            holds(vouch.signature(), by, DocumentKind::Vouch)?;
            return Ok(Self::of(
                RecordBody::Vouch(vouch),
                String::new(),
                received_us,
            ));
        }
        if kind == Some(DocumentKind::Revocation.name()) {
            let revocation = Revocation::parse(bytes)?;
            let by = revocation.parts().voucher.public_key;
            holds(revocation.signature(), by, DocumentKind::Revocation)?;
            return Ok(Self::of(
                RecordBody::Revocation(revocation),
                String::new(),
                received_us,
            ));
        }
        let canonical = json::canonical(&value)?;
        json::same_bytes(&canonical, bytes)?;
        let (local, agent) = read_local(&value)?;
        if !own.contains(&agent) {
            return Err(DocumentError::Foreign {
                expected: own.first().copied().unwrap_or(agent),
                found: agent,
            });
        }
        verify(&value, agent, &[agent], &Binding::ASSERTION)?;
        Ok(Self::of(RecordBody::Local(local), canonical, received_us))
    }

    /// Writes and signs a decision or an observation of this agent. The time of writing is the time of receipt.
    ///
    /// # Errors
    /// [`DocumentError::Member`] for more addresses or domains than the limits allow.
    pub fn local(
        record: LocalRecord,
        at: Timestamp,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        let value = serde_json::to_value(&record).unwrap_or_default();
        // The record is an object with one member, its type.
        let mut members = value.get(record.name()).and_then(Value::as_object).cloned();
        let members = members.get_or_insert_default();
        members.insert("type".into(), record.name().into());
        members.insert("version".into(), VERSION.into());
        members.insert("agent".into(), alloc::format!("{}", signer.key()).into());
        members.insert("created_at".into(), alloc::format!("{at}").into());
        let document = Value::Object(core::mem::take(members));
        read_local(&document)?;
        let signed = sign(document, signer, at, &Binding::ASSERTION)?;
        let bytes = json::canonical(&signed)?;
        Ok(Self::of(RecordBody::Local(record), bytes, at.micros()))
    }

    pub(super) fn of(body: RecordBody, own: String, received_us: u64) -> Self {
        let hash = match &body {
            RecordBody::Vouch(vouch) => vouch.hash(),
            RecordBody::Revocation(revocation) => revocation.hash(),
            RecordBody::Local(_) => DocumentHash::of(own.as_bytes()),
        };
        Self {
            body,
            own,
            hash,
            received_us,
        }
    }

    /// The document, if it is a vouch of another agent.
    pub const fn vouch(&self) -> Option<&Vouch> {
        match &self.body {
            RecordBody::Vouch(vouch) => Some(vouch),
            _ => None,
        }
    }

    /// The document, if it is a revocation by another agent.
    pub const fn revocation(&self) -> Option<&Revocation> {
        match &self.body {
            RecordBody::Revocation(revocation) => Some(revocation),
            _ => None,
        }
    }

    /// The document, if it is a decision or an observation of this agent.
    pub const fn local_record(&self) -> Option<&LocalRecord> {
        match &self.body {
            RecordBody::Local(local) => Some(local),
            _ => None,
        }
    }

    /// The bytes of the document.
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            RecordBody::Vouch(vouch) => vouch.bytes(),
            RecordBody::Revocation(revocation) => revocation.bytes(),
            RecordBody::Local(_) => self.own.as_bytes(),
        }
    }

    /// SHA-256 of the bytes: one document is one record.
    pub const fn hash(&self) -> DocumentHash {
        self.hash
    }

    /// Time of receipt, in microseconds since 1970.
    pub const fn received_us(&self) -> u64 {
        self.received_us
    }
}

/// Reads an own record, and the agent that it names.
fn read_local(document: &Value) -> Result<(LocalRecord, DidKey), DocumentError> {
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    let shortened = |text: Option<&str>| text.unwrap_or_default().chars().take(64).collect();
    let found = text("type");
    let kind = LocalRecord::NAMES
        .into_iter()
        .find(|name| Some(*name) == found);
    let (Some(kind), Some(members)) = (kind, document.as_object()) else {
        let found = shortened(found);
        return Err(DocumentError::NoRecord { found });
    };
    if text("version") != Some(VERSION) {
        let found = shortened(text("version"));
        return Err(DocumentError::RecordVersion { kind, found });
    }
    let member = |name: &str| members.get(name).unwrap_or(&Value::Null);
    let fault = |name: &'static str| {
        move |fault: Fault| DocumentError::Member(fault.under(&["/", name].concat()))
    };
    read::<Timestamp>(member("created_at")).map_err(fault("created_at"))?;
    let own = members
        .iter()
        .filter(|(name, _)| !ENVELOPE.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()));
    let tagged = Value::Object(Map::from_iter([(
        kind.into(),
        Value::Object(own.collect()),
    )]));
    let record = read(&tagged).map_err(DocumentError::Member)?;
    let agent = read(member("agent")).map_err(fault("agent"))?;
    Ok((record, agent))
}
