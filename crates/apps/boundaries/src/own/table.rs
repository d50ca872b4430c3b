//! The table of this workspace: which crate depends on which, and why (specification 4.3, 9.1).
//!
//! A line here is a decision. A dependency that is not here fails the check, and so does a line whose
//! dependency is gone.

/// Allowed external crates of a crate of this workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `#![no_std]`, no build script, direct dependencies from the allow-list, nothing heavy behind them.
    Pure,
    /// May use `std`; no database, network or async runtime behind it.
    Offline,
    /// No restriction but `deny.toml`.
    Rim,
}

/// One crate.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The package.
    pub package: &'static str,
    /// Allowed external crates.
    pub(crate) kind: Kind,
    /// Its direct dependencies in this workspace, normal and build: exactly these.
    pub direct: &'static [&'static str],
    /// All crates of this workspace that it may reach, when that is a fence of its own.
    pub reaches: Option<&'static [&'static str]>,
    /// Reason for the row.
    pub reason: &'static str,
}

const TYPES: &str = "counterfoil-types";
const CAPSULE: &str = "counterfoil-capsule";
const CLAIMS: &str = "counterfoil-claims";
const EXCHANGE: &str = "counterfoil-exchange";
const STORE: &str = "counterfoil-store";
const VERIFIER: &str = "counterfoil-verifier";
const PROVER: &str = "counterfoil-prover";
const SELECTOR: &str = "counterfoil-selector";
const TRACE: &str = "counterfoil-trace";
const ACTOR: &str = "counterfoil-actor";
const AUTHORITY: &str = "counterfoil-authority";
const PEER: &str = "counterfoil-peer";
const SQLITE: &str = "counterfoil-sqlite";
const VERIFY: &str = "counterfoil-verify";
const EXTRACT: &str = "counterfoil-extract";
const HTTP: &str = "counterfoil-http";
const MAILBOX: &str = "counterfoil-mailbox";
const FETCH: &str = "counterfoil-fetch";
const WEB: &str = "counterfoil-web";
const MEMORY: &str = "counterfoil";
const CLI: &str = "counterfoil-cli";

/// Every package under `crates/`.
pub const ROWS: &[Row] = &[
    Row {
        package: TYPES,
        kind: Kind::Pure,
        direct: &[],
        reaches: Some(&[]),
        reason: "the vocabulary is below everything",
    },
    Row {
        package: VERIFIER,
        kind: Kind::Pure,
        direct: &[TYPES],
        reaches: Some(&[TYPES]),
        reason: "verify_proof needs no World, no store and no actor (M-8, FP-08, FP-09)",
    },
    Row {
        package: TRACE,
        kind: Kind::Pure,
        direct: &[TYPES],
        reaches: Some(&[TYPES]),
        reason: "the read half of layer 4 is pure (4.3.3) and goes to authorities",
    },
    Row {
        package: CAPSULE,
        kind: Kind::Pure,
        direct: &[TYPES, VERIFIER],
        reaches: Some(&[TYPES, VERIFIER]),
        reason: "sealing writes the entries and notes that the verifier reads, so it uses the verifier's formats",
    },
    Row {
        package: PROVER,
        kind: Kind::Pure,
        direct: &[TYPES, CAPSULE, VERIFIER],
        reaches: Some(&[TYPES, CAPSULE, VERIFIER]),
        reason: "prove is a function of a reference and a World (M-8), apart from verify_proof so that an authority cannot reach it (FP-15)",
    },
    Row {
        package: AUTHORITY,
        kind: Kind::Pure,
        direct: &[TRACE, VERIFIER],
        reaches: Some(&[TRACE, VERIFIER, TYPES]),
        reason: "an authority reads traces and checks proofs, and nothing else (9.2.3, FP-04, FP-15, FP-16)",
    },
    Row {
        package: CLAIMS,
        kind: Kind::Pure,
        direct: &[TYPES],
        reaches: Some(&[TYPES]),
        reason: "gate and fold are functions of what they are given (I3, I5, I8)",
    },
    Row {
        package: EXCHANGE,
        kind: Kind::Pure,
        direct: &[TYPES, CAPSULE, CLAIMS, VERIFIER],
        reaches: Some(&[TYPES, CAPSULE, CLAIMS, VERIFIER]),
        reason: "documents, checks, trust and states are functions of what they are given: no socket, no clock, no store (R6, R8, R10)",
    },
    Row {
        package: STORE,
        kind: Kind::Rim,
        direct: &[TYPES, CAPSULE, CLAIMS, EXCHANGE, VERIFIER],
        reaches: None,
        reason: "layer 1 seals capsules and signs checkpoints, and keeps what is said between agents; it proves nothing and selects nothing",
    },
    Row {
        package: SELECTOR,
        kind: Kind::Rim,
        direct: &[TYPES, CAPSULE, CLAIMS, PROVER, STORE],
        reaches: None,
        reason: "layer 3 asks the store and calls prove (4.3.2, M-9)",
    },
    Row {
        package: ACTOR,
        kind: Kind::Rim,
        direct: &[
            TYPES, CAPSULE, CLAIMS, STORE, PROVER, SELECTOR, TRACE, VERIFIER,
        ],
        reaches: None,
        reason: "an actor may do everything (9.2.1); only the authority's crate is not its business",
    },
    Row {
        package: PEER,
        kind: Kind::Rim,
        direct: &[
            TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, PROVER, SELECTOR, VERIFIER,
        ],
        reaches: None,
        reason: "an actor among others: it asks, keeps and answers; how documents travel is not its business",
    },
    Row {
        package: SQLITE,
        kind: Kind::Rim,
        direct: &[TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, VERIFIER],
        reaches: None,
        reason: "a backend implements the store's traits and knows nothing of proving, selecting or deciding",
    },
    Row {
        package: VERIFY,
        kind: Kind::Offline,
        direct: &[AUTHORITY, CLAIMS],
        reaches: Some(&[AUTHORITY, CLAIMS, TRACE, VERIFIER, TYPES]),
        reason: "counterfoil-verify is an authority and links no database; to fold a proven belief again it takes the engine of claims, which is pure and writes nothing by itself",
    },
    Row {
        package: EXTRACT,
        kind: Kind::Rim,
        direct: &[TYPES, CLAIMS, WEB],
        reaches: Some(&[TYPES, CLAIMS, WEB]),
        reason: "an extractor returns proposals; what becomes of them is for the gate, behind a store that it does not reach (I5)",
    },
    Row {
        package: HTTP,
        kind: Kind::Rim,
        direct: &[TYPES, EXCHANGE, PEER, STORE, WEB],
        reaches: None,
        reason: "a thin driver of the machine: server and client, with their weight kept here",
    },
    Row {
        package: MAILBOX,
        kind: Kind::Rim,
        direct: &[TYPES, EXCHANGE, PEER],
        reaches: None,
        reason: "a thin driver of the machine: folders",
    },
    Row {
        package: FETCH,
        kind: Kind::Rim,
        direct: &[EXCHANGE, PEER, WEB],
        reaches: None,
        reason: "what a peer points to is fetched behind a port, in a crate that can be left out (R11)",
    },
    Row {
        package: WEB,
        kind: Kind::Rim,
        direct: &[],
        reaches: Some(&[]),
        reason: "one HTTP client for agents, models and evidence: it carries bytes and knows nothing of memories",
    },
    Row {
        package: MEMORY,
        kind: Kind::Rim,
        direct: &[
            TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, VERIFIER, PROVER, SELECTOR, TRACE, ACTOR,
            PEER, SQLITE, VERIFY, EXTRACT,
        ],
        reaches: None,
        reason: "the facade is an actor with a folder and its keys (9.2.1); judging is the authority's crate",
    },
    Row {
        package: CLI,
        kind: Kind::Rim,
        direct: &[
            MEMORY, TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, VERIFIER, PROVER, SELECTOR, TRACE,
            ACTOR, PEER, SQLITE, VERIFY, EXTRACT, HTTP, MAILBOX, FETCH,
        ],
        reaches: None,
        reason: "an application plays both roles; it decides through the lib of counterfoil-verify, which has no store",
    },
    Row {
        package: "counterfoil-boundaries",
        kind: Kind::Offline,
        direct: &[],
        reaches: Some(&[]),
        reason: "a tool that looks at graphs must not be a part of them",
    },
];
