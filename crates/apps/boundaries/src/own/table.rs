//! The table of this workspace: which crate depends on which, and why (specification 4.3, 9.1).
//!
//! A line here is a decision. A dependency that is not here fails the check, and so does a line whose
//! dependency is gone.

use std::fmt;

use crate::{Package, Visit};

/// Allowed external crates of a crate of this workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `#![no_std]`, no build script, direct dependencies from the allow-list, nothing heavy behind them.
    Pure,
    /// May use `std`; no database, network or async runtime behind it.
    Offline,
    /// No restriction but `deny.toml`.
    Rim,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// One crate.
pub(super) struct Row {
    pub(super) package: &'static str,
    /// Allowed external crates.
    pub(super) kind: Kind,
    /// Its direct dependencies in this workspace, normal and build: exactly these.
    pub(super) direct: &'static [&'static str],
    /// All crates of this workspace that it may reach, when that is a fence of its own.
    pub(super) reaches: Option<&'static [&'static str]>,
    /// Reason for the row.
    pub(super) reason: &'static str,
}

impl Row {
    /// Finds the crates of this workspace that the package may not reach.
    pub(super) fn outside(&self, to: &Package) -> Visit {
        let reaches = self.reaches.filter(|_| to.member);
        Visit::find_if(reaches.is_some_and(|reaches| !reaches.contains(&to.name())))
    }
}

/// Every package under `crates/`, and its direct dependencies in this workspace.
pub fn dependencies() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ROWS.iter().map(|row| (row.package, row.direct))
}

/// `NAME = package: kind, [direct dependencies], closure, reason`, where the closure is `anything` or `only [crates]`.
macro_rules! table {
    ($($name:ident = $package:literal: $kind:ident, [$($direct:ident),*], $how:ident $([$($reached:ident),*])?, $reason:literal;)*) => {
        $(const $name: &str = $package;)*
        pub(super) const ROWS: &[Row] = &[$(Row {
            package: $name,
            kind: Kind::$kind,
            direct: &[$($direct),*],
            reaches: table!(@$how $($($reached),*)?),
            reason: $reason,
        },)*];
    };
    (@anything) => { None };
    (@only $($reached:ident),*) => { Some(&[$($reached),*]) };
}

table! {
    TYPES = "counterfoil-types": Pure, [], only [],
        "the vocabulary is below everything";
    WORDS = "counterfoil-words": Offline, [], only [],
        "words of texts and questions: a function of a text, for what indexes and what asks";
    DATES = "counterfoil-dates": Offline, [TYPES], only [TYPES],
        "dates that a text names: a function of the text and of a time, for what extracts, indexes and asks";
    VERIFIER = "counterfoil-verifier": Pure, [TYPES], only [TYPES],
        "verify_proof needs no World, no store and no actor (M-8, FP-08, FP-09)";
    MEMORY_STORE = "counterfoil-memory-store": Offline, [TYPES], only [TYPES],
        "an application that brings its own store implements two methods and compiles the vocabulary alone (1.3, MR-02)";
    MEMORY_VERIFIER = "counterfoil-memory-verifier": Pure, [TYPES], only [TYPES],
        "the interface that holds prove, apart from verify_proof so that an authority cannot reach it (FP-15, MR-04)";
    MEMORY_SELECTOR = "counterfoil-memory-selector": Offline, [TYPES], only [TYPES],
        "the interface of selectors, with the evidence that only they wrap (M-9, MR-03)";
    CONFORMANCE = "counterfoil-conformance": Offline, [TYPES, MEMORY_SELECTOR, MEMORY_STORE, MEMORY_VERIFIER], only [TYPES, MEMORY_SELECTOR, MEMORY_STORE, MEMORY_VERIFIER],
        "a kit for applications' own parts knows the interfaces and none of this project's parts (13)";
    TRACE_WRITER = "counterfoil-trace-writer": Pure, [TYPES, TRACE], only [TYPES, TRACE],
        "the write half of layer 4 is an Actor's alone (9.2.1)";
    TRACE = "counterfoil-trace": Pure, [TYPES], only [TYPES],
        "the read half of layer 4 is pure (4.3.3) and goes to authorities";
    CAPSULE = "counterfoil-capsule": Pure, [TYPES, VERIFIER], only [TYPES, VERIFIER],
        "sealing writes the entries and notes that the verifier reads, so it uses the verifier's formats";
    PROVER = "counterfoil-prover": Pure, [TYPES, CAPSULE, MEMORY_VERIFIER, VERIFIER], only [TYPES, CAPSULE, MEMORY_VERIFIER, VERIFIER],
        "the provers of this project: each is a function of a reference and a World (M-8)";
    AUTHORITY = "counterfoil-authority": Pure, [TRACE, VERIFIER], only [TRACE, VERIFIER, TYPES],
        "an authority reads traces and checks proofs, and nothing else (9.2.3, FP-04, FP-15, FP-16)";
    CLAIMS = "counterfoil-claims": Pure, [TYPES], only [TYPES],
        "gate and fold are functions of what they are given (I3, I5, I8)";
    EXCHANGE = "counterfoil-exchange": Pure, [TYPES, CAPSULE, CLAIMS, VERIFIER], only [TYPES, CAPSULE, CLAIMS, VERIFIER],
        "documents, checks, trust and states are functions of what they are given: no socket, no clock, no store (R6, R8, R10)";
    STORE = "counterfoil-store": Rim, [TYPES, WORDS, CAPSULE, CLAIMS, EXCHANGE, MEMORY_STORE, VERIFIER], anything,
        "layer 1 seals capsules and signs checkpoints, and keeps what is said between agents; it proves nothing and selects nothing";
    LIFE = "counterfoil-life": Rim, [TYPES, CAPSULE, CLAIMS, STORE, VERIFIER], anything,
        "the rules of a memory's life run inside of a backend's transaction; they prove nothing and select nothing";
    SELECTOR = "counterfoil-selector": Rim, [TYPES, WORDS, DATES, CAPSULE, CLAIMS, MEMORY_SELECTOR, PROVER, STORE], anything,
        "layer 3 asks the store and calls prove (4.3.2, M-9)";
    ACTOR = "counterfoil-actor": Offline, [TYPES, CAPSULE, MEMORY_SELECTOR, MEMORY_STORE, PROVER, TRACE, TRACE_WRITER, VERIFIER], only [TYPES, CAPSULE, MEMORY_SELECTOR, MEMORY_STORE, MEMORY_VERIFIER, PROVER, TRACE, TRACE_WRITER, VERIFIER],
        "an actor may do everything (9.2.1), with any store and any selector: it compiles neither claims nor exchange";
    CLAIM_MEMORY = "counterfoil-claim-memory": Rim, [TYPES, CAPSULE, CLAIMS, STORE, PROVER, VERIFIER], anything,
        "facts are an actor's as well, apart from recall so that an adopter of the one does not compile the other";
    PEER = "counterfoil-peer": Rim, [TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, PROVER, SELECTOR, VERIFIER], anything,
        "an actor among others: it asks, keeps and answers; how documents travel is not its business";
    SQLITE = "counterfoil-sqlite": Rim, [TYPES, WORDS, DATES, CAPSULE, CLAIMS, EXCHANGE, STORE, LIFE, VERIFIER], anything,
        "a backend implements the store's traits and knows nothing of proving, selecting or deciding";
    POSTGRES = "counterfoil-postgres": Rim, [TYPES, STORE, LIFE], anything,
        "the shared ground keeps lines that it cannot read: what they mean, and whether they are true, each node decides";
    ENCODER = "counterfoil-encoder": Rim, [TYPES, STORE, WEB], anything,
        "an encoder turns texts into numbers behind a port of the store, and reaches no memory";
    VERIFY = "counterfoil-verify": Offline, [AUTHORITY, CLAIMS], only [AUTHORITY, CLAIMS, TRACE, VERIFIER, TYPES],
        "counterfoil-verify is an authority and links no database; to fold a proven belief again it takes the engine of claims, which is pure and writes nothing by itself";
    EXTRACT = "counterfoil-extract": Rim, [TYPES, DATES, CLAIMS, WEB], only [TYPES, DATES, CLAIMS, WEB],
        "an extractor returns proposals; what becomes of them is for the gate, behind a store that it does not reach (I5)";
    HTTP = "counterfoil-http": Rim, [TYPES, EXCHANGE, PEER, STORE, WEB], anything,
        "a thin driver of the machine: server and client, with their weight kept here";
    MAILBOX = "counterfoil-mailbox": Rim, [TYPES, EXCHANGE, PEER], anything,
        "a thin driver of the machine: folders";
    FETCH = "counterfoil-fetch": Rim, [EXCHANGE, PEER, WEB], anything,
        "what a peer points to is fetched behind a port, in a crate that can be left out (R11)";
    WEB = "counterfoil-web": Rim, [], only [],
        "one HTTP client for agents, models and evidence, and one count of requests: it carries bytes and knows nothing of memories";
    MEMORY = "counterfoil": Rim, [TYPES, CAPSULE, CLAIMS, EXCHANGE, STORE, LIFE, VERIFIER, PROVER, SELECTOR, TRACE, ACTOR, CLAIM_MEMORY, PEER, POSTGRES, SQLITE, EXTRACT, HTTP, MAILBOX, FETCH], anything,
        "the facade is an actor with a folder, its keys and its transports (9.2.1); judging is the authority's crate";
    MCP = "counterfoil-mcp": Rim, [MEMORY, VERIFY, WEB], anything,
        "what a model calls goes through the facade alone: without the crate of claims it can name no channel but the model's (I4)";
    OTEL = "counterfoil-otel": Rim, [WEB], only [WEB],
        "telemetry is made of the lines of the log: without a crate of memories it can send none of their words (API-1)";
    API = "counterfoil-api": Rim, [MCP, MEMORY, TYPES, VERIFY, WEB], anything,
        "what an application calls goes through the facade alone: without the crate of claims it can name no channel but that of its key (I4)";
    CLI = "counterfoil-cli": Rim, [MEMORY, API, TYPES, CAPSULE, CLAIMS, EXCHANGE, ENCODER, PEER, VERIFY, MAILBOX, MCP, OTEL], anything,
        "an application plays both roles: an actor through the facade; it decides through the lib of counterfoil-verify, which has no store";
    BOUNDARIES = "counterfoil-boundaries": Offline, [], only [],
        "a tool that looks at graphs must not be a part of them";
}
