//! Errors of anchors, keys and sets of verifiers, all of them the configuration's.

use alloc::string::String;

use counterfoil_types::VerificationMethod;
use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;

/// Anchors, a key in them or a set of verifiers that cannot be used. Correct the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// The document is no strict JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A document of another kind, by its member `type`.
    #[error("not an anchors file; give the one that `counterfoil anchors -o` wrote")]
    AnotherDocument,
    /// A member that is missing, unknown or malformed.
    #[error("{0}; correct it, or have the anchors written again")]
    Document(#[from] Fault),

    /// A key's name that a signature line cannot hold.
    #[error("key name {name:?} is empty or holds a space, a plus or a control character")]
    KeyName {
        /// The beginning of the name.
        name: String,
    },
    /// Not a C2SP verifier key.
    #[error("{found:?} is no verifier key; expected name+<8 hex digits>+<base64>")]
    KeyText {
        /// The beginning of the text.
        found: String,
    },
    /// The id in a verifier key is not that of name and key: a mistake in copying.
    #[error(
        "the verifier key has the id {found:?}, its name and key give {expected}; copy it again"
    )]
    KeyId {
        /// The id that name and key give.
        expected: String,
        /// The beginning of the id in the key.
        found: String,
    },
    /// A signature type that is not handled.
    #[error("signature type 0x{found:02x} is not handled; use Ed25519 (0x01, witnesses 0x04)")]
    KeyAlgorithm {
        /// The type's byte.
        found: u8,
    },
    /// A key of the wrong kind for its place.
    #[error("{name:?}: a log's key has type 0x01, a witness's 0x04")]
    KeyKind {
        /// The key's name.
        name: String,
    },
    /// No point of the curve, of low order, or not canonically encoded: anybody can sign for it.
    #[error("{key} is no sound Ed25519 public key; make another")]
    KeyUnsound {
        /// The 32 bytes in hexadecimal.
        key: String,
    },

    /// No log and no agent, so that no proof could verify.
    #[error("anchors need at least one log or agent; add a log's origin and verifier key")]
    NoLog,
    /// An origin that the first line of a checkpoint cannot hold.
    #[error("origin {origin:?} is empty or holds a control character")]
    Origin {
        /// The beginning of the origin.
        origin: String,
    },
    /// Two logs of one origin.
    #[error("the origin {origin:?} stands twice; keep one key for each log")]
    OriginTwice {
        /// The origin.
        origin: String,
    },
    /// One key under two logs: each could sign for the other.
    #[error("the logs {first:?} and {second:?} share a key; each needs its own")]
    LogKeyTwice {
        /// Origin of the one.
        first: String,
        /// Origin of the other.
        second: String,
    },
    /// A floor outside 1 to 2^62 leaves.
    #[error("a floor of size {size} is none; leave it out, or take a checkpoint of the log")]
    FloorSize {
        /// The size.
        size: u64,
    },
    /// One witness twice, by key or by name: it would count as two.
    #[error("the witnesses {first:?} and {second:?} are one; list each once")]
    WitnessTwice {
        /// Name of the one.
        first: String,
        /// Name of the other.
        second: String,
    },
    /// A witness with the key of a log.
    #[error("the witness {name:?} has the key of a log; a log can't witness itself")]
    WitnessIsLog {
        /// The witness's name.
        name: String,
    },
    /// A quorum that can never be reached.
    #[error("a quorum of {quorum} can't be reached with {witnesses} witnesses; add or lower")]
    Quorum {
        /// Required number of cosignatures.
        quorum: u64,
        /// Number of witnesses.
        witnesses: usize,
    },

    /// A method that already has a verifier.
    #[error(
        "method {method} already has a verifier; begin with VerifierSet::default() to choose each one (MR-04)"
    )]
    MethodTaken {
        /// The method.
        method: VerificationMethod,
    },
}
