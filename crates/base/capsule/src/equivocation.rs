//! A proof of equivocation: two capsules, signed for one place of one chain (capsules 4.5; C8).

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{Blake3Hash, DidKey};

use crate::agent_keys::{AgentKeys, key_of};
use crate::check::is_signed;
use crate::error::CapsuleError;
use crate::exported::CapsuleDocument;
use crate::id::ChainId;
use crate::keys::reading::{Reading, document};

const WHAT: &str = "equivocation";

/// ```json
/// {"type":"equivocation","version":"1","capsules":[{…exported, without bodies…},{…}]}
/// ```
/// Two capsules of one agent, chain and number with different hashes, the one of the lesser hash
/// first. It needs no store and no log: whoever has the agent's keys can check it, and it shows
/// nothing of the contents.
///
/// To have one says nothing about its signatures: that is for [`check`](Self::check).
#[derive(Debug, Clone, PartialEq)]
pub struct Equivocation {
    capsules: [CapsuleDocument; 2],
}

/// Why two capsules are no proof of equivocation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EquivocationError {
    /// The document is not one of its kind.
    #[error(transparent)]
    Document(#[from] CapsuleError),
    /// They stand at different places, each of its own right.
    #[error("the capsules are of different agents, chains or numbers; that is no fork")]
    Place,
    /// They are one capsule, signed twice at most (C41).
    #[error("both capsules are the same one, {capsule}; to sign one twice is no fork")]
    Same {
        /// Its hash.
        capsule: Blake3Hash,
    },
    /// Anyone may write a name under a bad signature.
    #[error("the signature of capsule {capsule} does not hold; it says nothing about {agent}")]
    Signature {
        /// Whose signature was expected.
        agent: DidKey,
        /// The capsule.
        capsule: Blake3Hash,
    },
    /// It cannot be decided without the agent's key chain.
    #[error("key number {number} of {agent} is not known; fetch its key chain")]
    MissingKey {
        /// Whose key.
        agent: DidKey,
        /// Its number.
        number: u64,
    },
}

impl Equivocation {
    /// Lays two capsules side by side, without their bodies.
    ///
    /// # Errors
    /// [`EquivocationError::Place`] and [`EquivocationError::Same`].
    pub fn new(one: CapsuleDocument, other: CapsuleDocument) -> Result<Self, EquivocationError> {
        let place = |capsule: &CapsuleDocument| {
            let header = capsule.header();
            (header.agent(), header.chain(), header.seq())
        };
        if place(&one) != place(&other) {
            return Err(EquivocationError::Place);
        }
        let mut capsules = [one.without_bodies(), other.without_bodies()];
        capsules.sort_by_key(|capsule| capsule.header().hash());
        let [first, second] = &capsules;
        let capsule = first.header().hash();
        if capsule == second.header().hash() {
            return Err(EquivocationError::Same { capsule });
        }
        Ok(Self { capsules })
    }

    /// Reads one from bytes: canonical JSON, at most 64 KiB.
    ///
    /// # Errors
    /// As [`from_value`](Self::from_value).
    pub fn parse(bytes: &[u8]) -> Result<Self, EquivocationError> {
        let value = json::admit(bytes, Limits::PROOF);
        Self::from_value(&value.map_err(|source| CapsuleError::Json { what: WHAT, source })?)
    }

    /// Reads one: closed members, two capsules without bodies, in their order.
    ///
    /// # Errors
    /// [`EquivocationError::Document`], and as [`new`](Self::new).
    pub fn from_value(value: &Value) -> Result<Self, EquivocationError> {
        let reading = Reading::named(WHAT, value, &["capsules"])?;
        let must = "two exported capsules without bodies, the lesser hash first";
        let wrong = || reading.wrong("capsules", must);
        let listed = reading.value("capsules").and_then(Value::as_array);
        let Some([one, other]) = listed.map(alloc::vec::Vec::as_slice) else {
            return Err(wrong().into());
        };
        let proof = Self::new(bare(one)?, bare(other)?)?;
        if proof.to_value() != *value {
            return Err(wrong().into());
        }
        Ok(proof)
    }

    /// The document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let capsules = self.capsules.each_ref().map(CapsuleDocument::to_value);
        document(WHAT, [("capsules", capsules.to_vec().into())])
    }

    /// Whether both signatures are the accused agent's. `Ok` says: the holder of its keys signed two
    /// histories. Nobody else can bring that about.
    ///
    /// # Errors
    /// [`EquivocationError::Signature`]; [`EquivocationError::MissingKey`], which is open.
    pub fn check(&self, keys: &dyn AgentKeys) -> Result<(), EquivocationError> {
        self.capsules
            .iter()
            .try_for_each(|capsule| signed(capsule, keys))
    }

    /// Whose chain forked.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        let [first, _] = &self.capsules;
        first.header().agent()
    }

    /// Which chain.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        let [first, _] = &self.capsules;
        first.header().chain()
    }

    /// At which number.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        let [first, _] = &self.capsules;
        first.header().seq()
    }

    /// Both capsules, the one of the lesser hash first.
    #[must_use]
    pub const fn capsules(&self) -> &[CapsuleDocument; 2] {
        &self.capsules
    }
}

/// A capsule inside of another document: as it is exported, without bodies.
pub(crate) fn bare(value: &Value) -> Result<CapsuleDocument, CapsuleError> {
    let text =
        json::canonical(value).map_err(|source| CapsuleError::Json { what: WHAT, source })?;
    let capsule = CapsuleDocument::parse(text.as_bytes())?;
    if capsule.payload().is_some() || capsule.delta().is_some() {
        return Err(CapsuleError::Member {
            what: WHAT,
            member: "capsules",
            must: "without bodies",
        });
    }
    Ok(capsule)
}

/// Whether the capsule is signed by the key that its header names.
pub(crate) fn signed(
    capsule: &CapsuleDocument,
    keys: &dyn AgentKeys,
) -> Result<(), EquivocationError> {
    let header = capsule.header();
    let (agent, hash) = (header.agent(), header.hash());
    let Some(key) = key_of(header, keys) else {
        let number = header.key_number();
        return Err(EquivocationError::MissingKey { agent, number });
    };
    let entry = capsule.entry()?.to_text();
    let signature = capsule.signature();
    match signature.is_some_and(|signature| is_signed(&key, entry.as_bytes(), signature)) {
        true => Ok(()),
        false => Err(EquivocationError::Signature {
            agent,
            capsule: hash,
        }),
    }
}
