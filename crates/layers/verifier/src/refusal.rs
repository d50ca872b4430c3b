//! Refusals of proofs and opened capsules: one variant per cause, with the values that differ.

use alloc::string::String;

use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;
use counterfoil_types::{DidKey, Sha256Hash, VerificationMethod, WorldId};

/// Refusal of a proof or of an opened capsule. It repeats at most 64 bytes of a text of the proof.
///
/// The maker of the proof is to blame for all of them, except where the text says that the
/// authority's anchors do not fit the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No verifier is registered under this name (MR-04); names are compared byte for byte.
    #[error("no verifier for the method {:?}; register one or ask for another method", .method.as_str())]
    UnknownMethod {
        /// The proof's method.
        method: VerificationMethod,
    },
    /// A verifier was handed a proof of another method.
    #[error("a proof of method {:?} was given to the verifier of {:?}", .found.as_str(), .expected.as_str())]
    WrongMethod {
        /// The verifier's method.
        expected: VerificationMethod,
        /// The proof's method.
        found: VerificationMethod,
    },
    /// The application's own verifier returned `false` (§6.2).
    #[error("the verifier of the method {:?} returned false; ask for the memory again, with evidence", .method.as_str())]
    NotVerified {
        /// The proof's method.
        method: VerificationMethod,
    },
    /// Method `none` says that nothing was verified.
    #[error("method none never verifies; ask for a memory with a proof")]
    NeverVerifies,
    /// The method needs proof data and there is none.
    #[error("the proof has no data; ask for the memory again, with evidence")]
    DataMissing,
    /// The method takes no proof data and there is some.
    #[error("a proof of existence carries data; it may carry none")]
    DataUnexpected,
    /// More than is ever looked at.
    #[error("more than {max} {limit} in one proof; no honest proof needs as much")]
    TooMuch {
        /// Parts that are counted.
        limit: &'static str,
        /// Largest number of them.
        max: u64,
    },
    /// A member that the method does not define.
    #[error("unknown member {member:?} in {place}; a proof holds its own members alone")]
    UnknownMember {
        /// The object that holds it.
        place: &'static str,
        /// The beginning of the member's name.
        member: String,
    },
    /// A member that the method requires.
    #[error("{place} has no member {member:?}")]
    MissingMember {
        /// The object that lacks it.
        place: &'static str,
        /// The member's name.
        member: &'static str,
    },
    /// A value of another JSON type.
    #[error("{place} must be {expected}")]
    WrongType {
        /// The member.
        place: &'static str,
        /// The type that it must have.
        expected: &'static str,
    },
    /// A text that is not spelled the one way it can be.
    #[error("{place} must be {expected}, in its one spelling")]
    Misspelled {
        /// The member or line.
        place: &'static str,
        /// Requirement on it.
        expected: &'static str,
    },

    /// Another kind of entry, which is no World.
    #[error("the entry is of kind {found:?}, not a World's")]
    EntryKind {
        /// The beginning of its first line.
        found: String,
    },
    /// A line of the entry is not as `docs/format/proof.md` lays it out.
    #[error("the entry's line {line:?} is malformed")]
    EntryLine {
        /// The word that the line begins with, or `end` for what follows the last.
        line: &'static str,
    },
    /// The proof is about another memory.
    #[error("the proof is about {found:?}, the reference about {expected:?}")]
    WorldMismatch {
        /// The reference's World.
        expected: WorldId,
        /// The proof's World.
        found: WorldId,
    },
    /// A root beside the entry differs from the entry's.
    #[error("{member} is {claimed}, but the signed entry says {derived}")]
    RootMismatch {
        /// `computedRoot` or `expectedRoot`.
        member: &'static str,
        /// Value of the member.
        claimed: Sha256Hash,
        /// Value in the entry.
        derived: Sha256Hash,
    },

    /// Not `c2sp.org/tlog-proof@v1` as C2SP lays it out.
    #[error("tlogProof: malformed {part}; expected c2sp.org/tlog-proof@v1")]
    TlogProof {
        /// The part that is malformed.
        part: &'static str,
    },
    /// Not a C2SP signed note.
    #[error("checkpoint: malformed {part}; expected a C2SP signed note")]
    Note {
        /// The part that is malformed.
        part: &'static str,
    },
    /// Not a C2SP checkpoint.
    #[error("checkpoint: malformed {part}; expected origin, size and root, a line each")]
    Checkpoint {
        /// The part that is malformed.
        part: &'static str,
    },
    /// A line behind the root that is not the map's, and so cannot be audited.
    #[error("checkpoint: no extension line is accepted but one of counterfoil-map/v1")]
    ExtensionLine,

    /// No anchored log has this origin.
    #[error("no anchor for the log {origin:?}; add its key to the anchors if it is to be trusted")]
    UnknownOrigin {
        /// The beginning of the checkpoint's origin.
        origin: String,
    },
    /// The anchored key of the log did not sign; other keys do not count.
    #[error("the checkpoint is not signed by the anchored key of {origin:?}")]
    LogSignatureMissing {
        /// The log's origin.
        origin: String,
    },
    /// An anchored key's signature does not verify: the whole note is refused.
    #[error("the signature of {name:?} on the checkpoint is invalid")]
    SignatureInvalid {
        /// The anchored key's name.
        name: String,
    },
    /// Two signature lines of one key, or one line twice.
    #[error("{name:?} stands twice among the signatures of one checkpoint")]
    SignatureTwice {
        /// The key's name.
        name: String,
    },
    /// A cosignature carries a time, and a proof may not (M-8).
    #[error("a cosignature of {name:?} stands inside the proof; hand cosigned checkpoints beside")]
    CosignatureInProof {
        /// The key's name.
        name: String,
    },
    /// No anchored agent has this key.
    #[error("no anchored agent has the key {key_id}; add the agent to the anchors if trusted")]
    UnknownAgent {
        /// The fingerprint in the proof.
        key_id: Sha256Hash,
    },
    /// The agent's signature over the entry does not verify.
    #[error("the signature of the agent with the key {key_id} over the entry is invalid")]
    AgentSignatureInvalid {
        /// The agent's fingerprint.
        key_id: Sha256Hash,
    },

    /// Witnesses are asked for, and no cosigned note of this checkpoint was handed over.
    #[error("no cosigned note of this checkpoint; {need} witnesses must have seen it")]
    CosignedMissing {
        /// The quorum.
        need: usize,
    },
    /// Fewer distinct witnesses than the quorum.
    #[error("{have} anchored witnesses cosigned this checkpoint, {need} must")]
    QuorumMissed {
        /// Distinct anchored witnesses whose cosignature is valid.
        have: usize,
        /// The quorum.
        need: usize,
    },

    /// The checkpoint is older than the anchored floor.
    #[error(
        "the checkpoint has size {size}, below the anchored floor {floor}; ask for a new proof"
    )]
    BelowFloor {
        /// The floor's tree size.
        floor: u64,
        /// The checkpoint's tree size.
        size: u64,
    },
    /// The log shows another tree of the floor's size: a fork.
    #[error("the log shows two roots at size {size}: anchored {anchored}, shown {shown}")]
    ForkAtFloor {
        /// The tree size.
        size: u64,
        /// The floor's root.
        anchored: Sha256Hash,
        /// The checkpoint's root.
        shown: Sha256Hash,
    },
    /// The checkpoint is larger than the floor and nothing shows that it extends it.
    #[error("no consistency proof from the anchored floor {floor} to {size}; ask for one")]
    ConsistencyMissing {
        /// The floor's tree size.
        floor: u64,
        /// The checkpoint's tree size.
        size: u64,
    },
    /// A consistency proof from another size than the floor's.
    #[error("the consistency proof starts at {found}, the anchored floor is {floor}")]
    ConsistencyFrom {
        /// The floor's tree size.
        floor: u64,
        /// Size at which the proof starts.
        found: u64,
    },
    /// Sizes between which there is no consistency proof.
    #[error("no consistency proof leads from size {from} to {to}")]
    ConsistencyRange {
        /// The older size.
        from: u64,
        /// The newer size.
        to: u64,
    },
    /// Too few or too many hashes for the two sizes.
    #[error("{found} hashes are no consistency proof from {from} to {to}")]
    ConsistencyLength {
        /// The older size.
        from: u64,
        /// The newer size.
        to: u64,
        /// Number of hashes.
        found: usize,
    },
    /// The hashes lead to another root: the trees are not one log.
    #[error("the consistency proof gives {computed} at size {size}, not {expected}")]
    ConsistencyRoot {
        /// The tree size at which they differ.
        size: u64,
        /// The root that was to be reached.
        expected: Sha256Hash,
        /// The root that was reached.
        computed: Sha256Hash,
    },

    /// A tree of more than 2^62 leaves.
    #[error("the {tree} has {size} leaves; more than 2^62 are not handled")]
    TreeTooLarge {
        /// `log`, or `field tree` for the tree over the content of one World.
        tree: &'static str,
        /// Its size.
        size: u64,
    },
    /// An index that no leaf of the tree has.
    #[error("the {tree} has {size} leaves, so no leaf {index}")]
    IndexOutOfRange {
        /// `log`, or `field tree` for the tree over the content of one World.
        tree: &'static str,
        /// The claimed index.
        index: u64,
        /// The tree's size.
        size: u64,
    },
    /// Too few or too many siblings for index and size.
    #[error("the path in the {tree} has {found} hashes, index and size ask for {expected}")]
    PathLength {
        /// `log`, or `field tree` for the tree over the content of one World.
        tree: &'static str,
        /// The length that follows from index and size.
        expected: u32,
        /// The length of the path.
        found: usize,
    },
    /// The path does not lead from the entry to the signed root.
    #[error("the entry's path gives the root {computed}, the checkpoint says {signed}")]
    NotInLog {
        /// The root that the path gives.
        computed: Sha256Hash,
        /// The root in the checkpoint.
        signed: Sha256Hash,
    },

    /// A lookup that does not lead from its key to the root of the map.
    #[error("the lookup's {part} does not belong to the key under the root of the map")]
    Lookup {
        /// `siblings`; `other` for a leaf that is not one of another key at this place; `value` for one that is none of the key.
        part: &'static str,
    },
    /// Disclosed fields that are not in the order of the tree, or one twice.
    #[error("the disclosed fields are not in ascending order of index and path, each once")]
    FieldOrder,
    /// Too few or too many hashes for the disclosed fields.
    #[error("{found} hashes beside the disclosed fields; their indexes ask for another number")]
    FieldHashes {
        /// Number of hashes.
        found: usize,
    },
    /// Disclosed fields and hashes do not lead to the entry's field root.
    #[error("the disclosed fields give the root {computed}, the entry says {signed}")]
    NotInFields {
        /// The root that they give.
        computed: Sha256Hash,
        /// The field root in the entry.
        signed: Sha256Hash,
    },

    /// A member of an opened capsule that is unknown, missing or malformed.
    #[error(transparent)]
    CapsuleMember(#[from] Fault),
    /// The header of an opened capsule is not canonical JSON.
    #[error("the header cannot be read: {0}")]
    CapsuleHeader(JsonError),
    /// The content of an opened capsule is not canonical JSON.
    #[error("the content cannot be read: {0}")]
    CapsuleContent(JsonError),
    /// The header is not the one that was recorded.
    #[error("the header is not the one that the entry names: agent, time or place were changed")]
    HeaderChanged,
    /// The header speaks of another World or content than the entry.
    #[error("the header is of another World or content than the entry that names it")]
    HeaderOfAnother,
    /// The content, or its salt, is not the one that was recorded.
    #[error("content and salt do not give the address in the entry: one of them was changed")]
    ContentChanged,
    /// The content names itself another World than the entry does.
    #[error("the content calls itself another World than the entry that names it")]
    ContentOfAnother,
    /// Another key than the agent's signed.
    #[error("the signature is by another key than that of the agent in the header")]
    KeyOfAnother,
    /// The documents of a key chain do not make an agent's later keys its own.
    #[error("the key history of {agent} does not hold: {part} of document {at}")]
    KeyHistory {
        /// The agent.
        agent: DidKey,
        /// Position of the document, from 0; that is the number of its key.
        at: u64,
        /// The member that does not fit, `proof`, or the kind of document that is expected there.
        part: &'static str,
    },

    /// A verifier of the application's own refuses (MR-04).
    #[error("method {method}: {detail}")]
    ByMethod {
        /// The method.
        method: VerificationMethod,
        /// For a person; programs go by the method.
        detail: String,
    },
}

impl Refusal {
    pub(crate) fn too_much(limit: &'static str, max: usize) -> Self {
        let max = u64::try_from(max).unwrap_or(u64::MAX);
        Self::TooMuch { limit, max }
    }
}
