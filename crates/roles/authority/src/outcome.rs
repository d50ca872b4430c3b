//! Outcome for one memory: proven, accepted, unproven or refused (SR-01, SR-03); "no evidence" is never valid.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};

use counterfoil_trace::types::{Confidence, DidKey, UnixMillis, VerificationMethod};
use counterfoil_verifier::{Proven, Refusal, Strength};

use crate::time::{duration, rfc3339};
use crate::{ClaimStanding, Departure};

/// The outcome for one memory.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryOutcome {
    /// A log or an agent that is trusted here, or a verifier that the policy ranks with them, shows this very World, strongly
    /// enough for the policy.
    ///
    /// It says that this content was recorded, unmodified. It does not say that it is true (M-1).
    Proven(Box<Proven>),
    /// The policy asks for no log and no signature, and there is none. With [`Strength::Hash`]: the evidence agrees with
    /// itself, and anybody could have made it. With [`Strength::Existence`]: a verifier returned `true`, and nothing binds
    /// its verdict to this World, as of method `existence` or an application's own verifier that the policy does not rank.
    Accepted(Strength),
    /// Nothing is wrong, and nothing is shown.
    Unproven(MemoryCause),
    /// Something is wrong.
    Refused(MemoryCause),
}

/// Cause of an unproven or of a refused memory.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryCause {
    /// It carries no evidence; whatever its `verified` claims.
    #[error("it carries no evidence: recall it with a method that proves")]
    NoEvidence,
    /// Its evidence is of method `none`.
    #[error("its evidence is of method none, which proves nothing: recall it with one that proves")]
    MethodNone,
    /// No verifier here knows the method.
    #[error("no verifier here knows the method {}: use one that it knows", method.as_str())]
    UnknownMethod {
        /// The method.
        method: VerificationMethod,
    },
    /// A method that the application's own verifier accepts and the policy does not trust.
    #[error("the policy does not trust the method {}: add it to trusted_methods, or rank its verifier in verifier_ranks", method.as_str())]
    UntrustedMethod {
        /// The method.
        method: VerificationMethod,
    },
    /// The proof is valid, and weaker than the policy asks for.
    #[error(
        "its proof is valid but weaker than the policy asks for ({found}, minimum_method {minimum}): recall it with a stronger method"
    )]
    TooWeak {
        /// Strength of the proof.
        found: Strength,
        /// Least strength of the policy.
        minimum: Strength,
    },
    /// It does not show all fields that the policy asks for.
    #[error("{}: propose it with its words, or read them elsewhere and decide by hand", undisclosed(*shown, *count, missing))]
    Undisclosed {
        /// Number of disclosed fields.
        shown: usize,
        /// Number of fields of the content; 0 where no entry counts them.
        count: u64,
        /// Field that the policy asks for; empty for the whole content.
        missing: String,
    },
    /// The proof does not verify.
    #[error("{0}")]
    Proof(Refusal),
    /// Its author is not shown.
    #[error(
        "nothing shows who wrote it: propose it with `counterfoil propose`, which brings its author's signature, or decide by hand"
    )]
    AuthorMissing,
    /// Its author is not among the anchors' agents.
    #[error(
        "{agent} wrote it, which is no agent of the anchors: add it to them if it is trusted, or decide by hand"
    )]
    AuthorNotAnchored {
        /// The author.
        agent: DidKey,
    },
    /// It is the word of another agent, which is not among the anchors' agents.
    #[error(
        "it is the word of {}, which is no agent of the anchors: add it to them if it is trusted, or decide by hand",
        agent.map_or_else(|| "an agent that it does not name".into(), |agent| agent.to_string())
    )]
    PeerNotAnchored {
        /// The other agent, if the memory names it.
        agent: Option<DidKey>,
    },
    /// The header or the signature of its author does not hold.
    #[error("its author: {0}")]
    Author(Refusal),
    /// Its standing is not shown.
    #[error(
        "nothing shows how it stands in its log, as a proof of method merkle can: propose it so with `counterfoil propose`, or \
         decide by hand"
    )]
    StandingMissing,
    /// Its log says that it is not current.
    #[error("it is {}, by entry {entry} of its log: recall again, and leave it out", said(*departure))]
    Departed {
        /// The departure.
        departure: Departure,
        /// Log index of the entry that caused it.
        entry: u64,
    },
    /// Its lookups in the map of the log do not hold.
    #[error("its standing: {0}")]
    Standing(Refusal),
    /// It is a claim, and nothing shows the belief about its line, whole and as of now.
    #[error(
        "it is a claim, and nothing shows whether it is believed: propose it with `counterfoil propose`, to an authority whose \
         anchors have its author and which folds beliefs, or decide by hand"
    )]
    BeliefMissing,
    /// The belief that is shown of it does not hold.
    #[error("its belief: {0}")]
    BeliefRefused(String),
    /// It is a claim that is not believed now.
    #[error("it is a claim that is {} now: recall again, and settle it or leave it out", standing.name().replace('-', " "))]
    Disbelieved {
        /// State of the claim.
        standing: ClaimStanding,
    },
    /// It is a claim whose belief breaks a rule of the policy's table `belief`.
    #[error("{message}")]
    BeliefRule {
        /// Code of the rule.
        code: &'static str,
        /// The rule.
        message: String,
    },
    /// The same World a second time in one trace.
    #[error("the World was already selected in this trace: select it once")]
    Duplicate,
    /// The confidence is below the policy's.
    #[error("its confidence {} is below {}: leave it out", found.value(), minimum.value())]
    ConfidenceTooLow {
        /// The memory's.
        found: Confidence,
        /// The policy's.
        minimum: Confidence,
    },
    /// Its own selector says that verification did not pass.
    #[error("its selector marks it verified: false: leave it out")]
    ClaimedUnverified,
    /// The policy does not allow the method.
    #[error("the policy does not allow the method {}: use one of allowed_methods", method.as_str())]
    MethodNotAllowed {
        /// The method.
        method: VerificationMethod,
    },
    /// Someone else verified than selected (§7.1 step 4).
    #[error("{verified_by} verified it and {selector} selected it: one actor must do both")]
    VerifierNotSelector {
        /// `verifiedBy.actorId`.
        verified_by: String,
        /// `selector.actorId`.
        selector: String,
    },
    /// Verified after it was selected.
    #[error(
        "it was verified at {}, after the selection at {}: verify first, then select",
        rfc3339(*verified_at), rfc3339(*selected_at)
    )]
    VerifiedAfterSelection {
        /// `verifiedAt`.
        verified_at: UnixMillis,
        /// `selectedAt`.
        selected_at: UnixMillis,
    },
    /// Verified longer ago than the policy allows.
    #[error(
        "it was verified {} ago and the policy allows {}: recall it again",
        duration(*age_ms), duration(*limit_ms)
    )]
    VerifiedTooLongAgo {
        /// Age at the review, in milliseconds.
        age_ms: u64,
        /// Age allowed, in milliseconds.
        limit_ms: u64,
    },
}

fn undisclosed(shown: usize, count: u64, missing: &str) -> String {
    match (missing, count) {
        ("", 0) => "nothing shows what it says, and the policy asks for all of it".into(),
        ("", _) => format!("{shown} of its {count} fields are shown, and the policy asks for all"),
        (field, _) => format!("it does not show {field}, which the policy asks for"),
    }
}

const fn said(departure: Departure) -> &'static str {
    match departure {
        Departure::Superseded => "superseded by a later version",
        Departure::ForgottenByActor => "forgotten by its actor",
        Departure::Forgotten => "forgotten for all",
        Departure::Erased => "erased",
        Departure::Forked => "of a chain that forked",
        Departure::Compromised => "signed with a key that is not believed",
    }
}

impl MemoryOutcome {
    /// `proven`, `accepted`, `unproven` or `refused`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proven(_) => "proven",
            Self::Accepted(_) => "accepted",
            Self::Unproven(_) => "unproven",
            Self::Refused(_) => "refused",
        }
    }

    /// A stable name of the reason for programs, in kebab-case; `None` if proven or accepted.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Proven(_) | Self::Accepted(_) => None,
            Self::Unproven(why) | Self::Refused(why) => Some(why.code()),
        }
    }
}

impl MemoryCause {
    /// A stable name for programs, in kebab-case.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoEvidence => "no-evidence",
            Self::MethodNone => "method-none",
            Self::UnknownMethod { .. } => "unknown-method",
            Self::UntrustedMethod { .. } => "untrusted-method",
            Self::TooWeak { .. } => "too-weak",
            Self::Undisclosed { .. } => "undisclosed",
            Self::Proof(_) => "proof-refused",
            Self::AuthorMissing => "author-missing",
            Self::AuthorNotAnchored { .. } => "author-not-anchored",
            Self::PeerNotAnchored { .. } => "peer-not-anchored",
            Self::Author(_) => "author-refused",
            Self::StandingMissing => "standing-missing",
            Self::Departed { departure, .. } => departure.name(),
            Self::Standing(_) => "standing-refused",
            Self::BeliefMissing => "belief-missing",
            Self::BeliefRefused(_) => "belief-refused",
            Self::Disbelieved { standing } => standing.name(),
            Self::BeliefRule { code, .. } => code,
            Self::Duplicate => "duplicate",
            Self::ConfidenceTooLow { .. } => "confidence-too-low",
            Self::ClaimedUnverified => "claimed-unverified",
            Self::MethodNotAllowed { .. } => "method-not-allowed",
            Self::VerifierNotSelector { .. } => "verifier-not-selector",
            Self::VerifiedAfterSelection { .. } => "verified-after-selection",
            Self::VerifiedTooLongAgo { .. } => "verified-too-long-ago",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::undisclosed;

    #[test]
    fn what_is_not_shown_is_named() {
        for ((shown, count, missing), part) in [
            ((0, 0, ""), "nothing shows what it says"),
            ((2, 5, ""), "2 of its 5 fields"),
            ((2, 5, "/data/name"), "does not show /data/name"),
        ] {
            assert!(undisclosed(shown, count, missing).contains(part), "{part}");
        }
    }
}
