//! An agent with its secrets, and the key chain that it writes.

use counterfoil_capsule::keys::{
    KeyCompromise, KeyDocument, KeyError, KeyHistory, KeyInception, KeyRotation,
};
use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleId, Extensions, Header, Position, SecretKey, Signed, Signer,
    Stamp, Timestamp, seal_record,
};
use counterfoil_types::DidKey;

const NOW: u64 = 1_770_681_600_123_456;

/// The `number`-th key of the agent whose seeds begin with `owner`.
pub(crate) fn secret(owner: u8, number: u8) -> SecretKey {
    let mut seed = [owner; 32];
    seed[31] = number;
    SecretKey::from_seed(seed)
}

pub(crate) fn public(owner: u8, number: u8) -> DidKey {
    DidKey::from_public_key(secret(owner, number).public_key())
}

/// Number 200 is the recovery key here.
pub(crate) fn recovery(owner: u8) -> AgentSigner {
    AgentSigner::new(secret(owner, 200))
}

pub(crate) fn signer(owner: u8, number: u8) -> AgentSigner {
    AgentSigner::rotated(public(owner, 0), number.into(), secret(owner, number))
}

pub(crate) fn at() -> Timestamp {
    Timestamp::from_micros(NOW).unwrap()
}

pub(crate) fn since(entry: u64) -> (&'static str, u64, Timestamp) {
    let time = Timestamp::from_micros(NOW + entry).unwrap();
    ("example.org/log", entry, time)
}

/// A key chain in the making: its records, and their fold.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) owner: u8,
    pub(crate) records: Vec<(Header, KeyDocument)>,
    pub(crate) history: KeyHistory,
}

impl Chain {
    pub(crate) fn of(owner: u8) -> Self {
        let inception = inception(owner);
        let document = KeyDocument::Inception(inception.clone());
        let header = seed(owner, &document, owner);
        let history = KeyHistory::begin(&header, &inception).unwrap();
        let records = vec![(header, document)];
        Self {
            owner,
            records,
            history,
        }
    }

    pub(crate) fn number(&self) -> u8 {
        self.history.current_number().try_into().unwrap()
    }

    /// The header of a record behind the last one, signed with the current key.
    pub(crate) fn header(&self, document: &KeyDocument) -> Header {
        self.header_by(document, &signer(self.owner, self.number()))
    }

    pub(crate) fn header_by(&self, document: &KeyDocument, signer: &dyn Signer) -> Header {
        let last = &self.records.last().unwrap().0;
        let delta = BodyRef::delta(&[3; 32], "[]", "rev-json-patch/1").unwrap();
        let number = u8::try_from(self.records.len()).unwrap();
        let time = NOW + u64::from(number) * 1000;
        let position = Position::after(last, delta, id(number), Stamp::next(time, None).unwrap());
        header(document, position, signer)
    }

    /// Appends what the documents themselves allow; the history decides.
    pub(crate) fn offer(&mut self, document: KeyDocument) -> Result<(), KeyError> {
        let header = self.header(&document);
        self.history.extend(&header, &document)?;
        self.records.push((header, document));
        Ok(())
    }

    pub(crate) fn rotation(&self) -> KeyDocument {
        let (owner, number) = (self.owner, self.number());
        let rotation = KeyRotation::sign(
            &self.history,
            &signer(owner, number),
            &signer(owner, number + 1),
            &public(owner, number + 2),
            at(),
        );
        KeyDocument::Rotation(rotation.unwrap())
    }

    pub(crate) fn compromise(&self, number: u8, since: (&str, u64, Timestamp)) -> KeyDocument {
        let by = recovery(self.owner);
        let number = number.into();
        let mark = KeyCompromise::sign(&self.history, &by, number, since, "stolen", at());
        KeyDocument::Compromise(mark.unwrap())
    }

    pub(crate) fn rotated(mut self) -> Self {
        let rotation = self.rotation();
        self.offer(rotation).unwrap();
        self
    }

    pub(crate) fn fold(&self) -> Result<Option<KeyHistory>, KeyError> {
        KeyHistory::of(
            self.records
                .iter()
                .map(|(header, document)| (header, document)),
        )
    }
}

pub(crate) fn inception(owner: u8) -> Signed<KeyInception> {
    let (next, recovery) = (public(owner, 1), recovery(owner).key());
    KeyInception::sign(&signer(owner, 0), &next, &recovery, at()).unwrap()
}

/// The header of a record that begins a chain of its own.
pub(crate) fn seed(owner: u8, document: &KeyDocument, number: u8) -> Header {
    let position = Position::seed(id(number), Stamp::next(NOW, None).unwrap());
    header(document, position, &signer(owner, 0))
}

pub(crate) fn header(document: &KeyDocument, position: Position, signer: &dyn Signer) -> Header {
    announcing(document, document.extensions(), position, signer)
}

pub(crate) fn announcing(
    document: &KeyDocument,
    extensions: Extensions,
    position: Position,
    signer: &dyn Signer,
) -> Header {
    let position = position.with(extensions);
    let (kind, value) = (document.kind(), document.to_value());
    let sealed = seal_record(kind, value, &position, [0xa5; 32], signer);
    sealed.unwrap().header
}

pub(crate) fn id(number: u8) -> CapsuleId {
    CapsuleId::from_parts(NOW / 1000, [number; 10])
}
