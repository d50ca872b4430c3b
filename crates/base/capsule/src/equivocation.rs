//! A proof of equivocation: two capsules, signed for one place of one chain (capsules 4.5; C8).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_types::document::List;
use counterfoil_types::json::{self, Limits, Value};
use serde::{Deserialize, Serialize};

use crate::agent_keys::key_of;
use crate::check::is_signed;
use crate::document::Document;
use crate::error::CapsuleError;
use crate::exported::CapsuleDocument;
use crate::header::Kind;
use crate::id::ChainId;
use crate::keys::{KeyDocument, KeyError, KeyHistory};

const WHAT: &str = "equivocation";
/// The most records of keys that a proof brings.
const MAX_KEYS: usize = 1000;

/// ```json
/// {"type":"equivocation","version":"1","capsules":[{…exported, without bodies…},{…}],
///  "keys":[{…exported record of the key chain…}]}
/// ```
/// Two capsules of one agent, chain and number with different hashes, the one of the lesser hash
/// first. It needs no store and no log: it is checked with the agent's keys alone, and it shows
/// nothing of the contents. `keys` is the agent's key chain from its inception, for those who do not
/// have it; absent where both are signed with the key that the agent is named after.
///
/// To have one says nothing about its signatures, which are checked by [`check`](Self::check) and
/// [`check_alone`](Self::check_alone).
#[derive(Debug, Clone, PartialEq)]
pub struct Equivocation {
    capsules: [CapsuleDocument; 2],
    keys: Vec<CapsuleDocument>,
}

/// The document as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    capsules: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<List<Value, 1, MAX_KEYS>>,
}

impl Document for Members {
    const TYPE: &'static str = WHAT;
}

impl Equivocation {
    /// Lays two capsules side by side, without their bodies.
    ///
    /// # Errors
    /// [`CapsuleError::NoFork`] and [`CapsuleError::Same`].
    pub fn new(one: CapsuleDocument, other: CapsuleDocument) -> Result<Self, CapsuleError> {
        let place = |capsule: &CapsuleDocument| {
            let header = capsule.header();
            (header.agent(), header.chain(), header.seq())
        };
        if place(&one) != place(&other) {
            return Err(CapsuleError::NoFork);
        }
        let mut capsules = [one.without_bodies(), other.without_bodies()];
        capsules.sort_by_key(|capsule| capsule.header().hash());
        let [first, second] = &capsules;
        let capsule = first.header().hash();
        if capsule == second.header().hash() {
            return Err(CapsuleError::Same { capsule });
        }
        let keys = Vec::new();
        Ok(Self { capsules, keys })
    }

    /// Lays the accused agent's key chain beside them: its records with their bodies, from the
    /// inception on.
    #[must_use]
    pub fn with_keys(self, keys: Vec<CapsuleDocument>) -> Self {
        Self { keys, ..self }
    }

    /// Reads one from bytes: canonical JSON, at most 16 MiB. Nothing is checked by reading it.
    ///
    /// # Errors
    /// As [`from_value`](Self::from_value).
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let value = json::admit(bytes, Limits::DOCUMENT);
        Self::from_value(&value.map_err(|source| CapsuleError::Json { what: WHAT, source })?)
    }

    /// Reads one: closed members, two capsules without bodies, in their order; at most 1000 records of
    /// keys.
    ///
    /// # Errors
    /// [`CapsuleError::Document`], and as [`new`](Self::new).
    pub fn from_value(value: &Value) -> Result<Self, CapsuleError> {
        let Members { capsules, keys } = Document::parse(value)?;
        let wrong = || {
            let must = "two exported capsules without bodies, the lesser hash first";
            CapsuleError::at(WHAT, "/capsules", must)
        };
        let [one, other] = capsules.as_slice() else {
            return Err(wrong());
        };
        let keys = keys.iter().flat_map(|keys| keys.iter());
        let keys = keys.map(exported).collect::<Result<_, _>>()?;
        let proof = Self::new(bare(one)?, bare(other)?)?.with_keys(keys);
        if proof.to_value() != *value {
            return Err(wrong());
        }
        Ok(proof)
    }

    /// The document.
    pub fn to_value(&self) -> Value {
        let values =
            |list: &[CapsuleDocument]| list.iter().map(CapsuleDocument::to_value).collect();
        Members {
            capsules: values(&self.capsules),
            keys: List::new(values(&self.keys)),
        }
        .to_value()
    }

    /// Checks that both signatures are the accused agent's. `Ok` means: the holder of its keys signed two
    /// histories. `keys` are those of agents that ever rotated, by number.
    ///
    /// # Errors
    /// [`KeyError::CapsuleSignature`]; [`KeyError::UnknownKey`], which is open.
    pub fn check(&self, keys: &BTreeMap<DidKey, Vec<DidKey>>) -> Result<(), KeyError> {
        self.capsules
            .iter()
            .try_for_each(|capsule| signed(capsule, keys))
    }

    /// The same by the key chain that it brings, for those who know nothing else of the agent.
    ///
    /// # Errors
    /// [`KeyError::Brought`], and as [`check`](Self::check).
    pub fn check_alone(&self) -> Result<(), KeyError> {
        let history = self
            .history()
            .map_err(|error| KeyError::Brought(Box::new(error)))?;
        self.check(&history.map(|it| it.by_agent()).unwrap_or_default())
    }

    /// The fold of the key chain. Each rotation in it carries the proof of the key before, so the
    /// signatures of its capsules add nothing here.
    fn history(&self) -> Result<Option<KeyHistory>, KeyError> {
        let documents = self.keys.iter().map(key_document);
        let documents = documents.collect::<Result<Vec<_>, KeyError>>()?;
        let records = self.keys.iter().map(CapsuleDocument::header);
        KeyHistory::of(records.zip(&documents))
    }

    /// Agent whose chain forked.
    pub const fn agent(&self) -> DidKey {
        let [first, _] = &self.capsules;
        first.header().agent()
    }

    /// Chain that forked.
    pub const fn chain(&self) -> ChainId {
        let [first, _] = &self.capsules;
        first.header().chain()
    }

    /// At which number.
    pub const fn seq(&self) -> u64 {
        let [first, _] = &self.capsules;
        first.header().seq()
    }

    /// Both capsules, the one of the lesser hash first.
    pub const fn capsules(&self) -> &[CapsuleDocument; 2] {
        &self.capsules
    }
}

/// Reads the document of a record of a key chain.
fn key_document(record: &CapsuleDocument) -> Result<KeyDocument, KeyError> {
    let must = "exported records of one key chain, with their bodies";
    let wrong = || CapsuleError::at(WHAT, "/keys", must);
    let Kind::Record(kind) = record.header().kind() else {
        return Err(wrong().into());
    };
    let payload = record.payload().ok_or_else(wrong)?;
    let value = json::parse(payload.text.as_bytes(), Limits::CONTENT);
    let value = value.map_err(|source| CapsuleError::Json { what: WHAT, source })?;
    let read = KeyDocument::parse(kind, &value).ok_or_else(wrong)?;
    Ok(read?)
}

fn exported(value: &Value) -> Result<CapsuleDocument, CapsuleError> {
    let text =
        json::canonical(value).map_err(|source| CapsuleError::Json { what: WHAT, source })?;
    CapsuleDocument::parse(text.as_bytes())
}

/// A capsule inside of another document: as it is exported, without bodies.
pub(crate) fn bare(value: &Value) -> Result<CapsuleDocument, CapsuleError> {
    let capsule = exported(value)?;
    if capsule.payload().is_some() || capsule.delta().is_some() {
        return Err(CapsuleError::at(WHAT, "/capsules", "without bodies"));
    }
    Ok(capsule)
}

/// Checks that the capsule is signed by the key that its header names.
pub(crate) fn signed(
    capsule: &CapsuleDocument,
    keys: &BTreeMap<DidKey, Vec<DidKey>>,
) -> Result<(), KeyError> {
    let header = capsule.header();
    let (agent, hash) = (header.agent(), header.hash());
    let Some(key) = key_of(header, keys) else {
        let number = header.key_number();
        return Err(KeyError::UnknownKey { agent, number });
    };
    let entry = capsule.entry()?.to_text();
    let signature = capsule.signature();
    match signature.is_some_and(|signature| is_signed(&key, entry.as_bytes(), signature)) {
        true => Ok(()),
        false => Err(KeyError::CapsuleSignature {
            agent,
            capsule: hash,
        }),
    }
}
