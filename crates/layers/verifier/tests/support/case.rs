//! A case: anchors, a reference, and a proof that passes until a test changes something.

use counterfoil_types::json::Value;
use counterfoil_types::{VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::payload::{
    EntrySignature, hash_payload, merkle_payload, signature_payload,
};
use counterfoil_verifier::{
    Anchors, Consistency, Entry, Examiner, Expected, KeyFingerprint, Proven, Refusal, Session,
    TlogProof, VerifierSet,
};

use super::keys::{Log, Witness, agent, sign};
use super::tree;
use super::world::TestWorld;

/// Leaves in the log of every case.
const SIZE: usize = 13;
/// The leaf that the proof is about.
const INDEX: usize = 5;
/// The key of the agent who signs entries.
const AGENT: u8 = 40;

#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) log: Log,
    pub(crate) worlds: Vec<TestWorld>,
    pub(crate) witnesses: Vec<Witness>,
    pub(crate) anchors: Anchors,
    pub(crate) cosigned: Vec<String>,
    pub(crate) world: WorldId,
    pub(crate) method: VerificationMethod,
    pub(crate) data: Value,
}

impl Case {
    /// Index 5 of 13, method merkle, one anchored log, no floor, no witnesses.
    pub(crate) fn merkle() -> Self {
        let mut log = Log::new("example.com/memory", 1);
        let worlds: Vec<TestWorld> = (0..SIZE)
            .map(|n| TestWorld::new(&format!("w-{n}")))
            .collect();
        log.leaves = worlds.iter().map(|world| world.entry.leaf_hash()).collect();
        let case = Self {
            world: worlds[INDEX].entry.world.clone(),
            data: merkle_data(&worlds[INDEX].entry, &log.proof(INDEX, SIZE)),
            anchors: trusting(&log),
            method: VerificationMethod::Merkle,
            witnesses: Vec::new(),
            cosigned: Vec::new(),
            log,
            worlds,
        };
        case.controlled()
    }

    /// The same with disclosed fields.
    pub(crate) fn disclosing(pointers: &[&str]) -> Self {
        let mut case = Self::merkle();
        let disclosure = case.target().disclosure(pointers);
        let entry = &case.target().entry;
        case.data = merkle_payload(entry, &case.proof(), Some(&disclosure), None);
        case.controlled()
    }

    /// The same above a floor, with the consistency proof that it asks for.
    pub(crate) fn above_floor(size: usize) -> Self {
        let mut case = Self::merkle();
        case.set_floor(size);
        case.data["consistency"] = case.consistency_from(size);
        case.controlled()
    }

    /// The same with so many witnesses, all of whom cosigned, and a quorum.
    pub(crate) fn witnessed(witnesses: u8, quorum: u64) -> Self {
        let mut case = Self::merkle();
        let names = (0..witnesses).map(|n| (format!("witness-{n}.example"), 60 + n));
        case.witnesses = names
            .map(|(name, number)| Witness::new(&name, number))
            .collect();
        let keys = case.witnesses.iter().map(|it| it.key.clone()).collect();
        case.anchors = trusting(&case.log).with_witnesses(keys, quorum).unwrap();
        case.cosigned = vec![case.cosigned_note(&case.cosignatures())];
        case.controlled()
    }

    /// The entry signed by an anchored agent, method signature.
    pub(crate) fn signed() -> Self {
        let mut case = Self::merkle();
        let entry = case.target().entry.to_text();
        case.anchors = trusting(&case.log).with_agents([agent(AGENT)]).unwrap();
        case.method = VerificationMethod::Signature;
        let signature = EntrySignature {
            key_id: KeyFingerprint::of(&agent(AGENT)),
            value: sign(AGENT, entry.as_bytes()),
        };
        case.data = signature_payload(&entry, &signature, None);
        case.controlled()
    }

    /// The entry alone, method hash.
    pub(crate) fn hashed() -> Self {
        let mut case = Self::merkle();
        let entry = case.target().entry.to_text();
        case.method = VerificationMethod::Hash;
        case.data = hash_payload(&entry, None);
        case.controlled()
    }

    /// The World that the proof is about.
    pub(crate) fn target(&self) -> &TestWorld {
        &self.worlds[INDEX]
    }

    /// Its log proof.
    pub(crate) fn proof(&self) -> TlogProof {
        self.log.proof(INDEX, SIZE)
    }

    /// The checkpoint's text, without signatures.
    pub(crate) fn text(&self) -> String {
        self.log.text_at(SIZE)
    }

    /// Puts a floor into the anchors; the proof stays as it is.
    pub(crate) fn set_floor(&mut self, size: usize) {
        let (log, root) = (self.log.anchor(), self.log.root_at(size));
        let log = log.with_floor(size.try_into().unwrap(), root);
        self.anchors = Anchors::new(vec![log.unwrap()]).unwrap();
    }

    pub(crate) fn consistency_from(&self, size: usize) -> Value {
        serde_json::json!(Consistency {
            from: size.try_into().unwrap(),
            hashes: tree::consistency(size, &self.log.leaves),
        })
    }

    pub(crate) fn cosignatures(&self) -> Vec<String> {
        let lines = (1_700_000_000..).zip(&self.witnesses);
        lines
            .map(|(time_s, witness)| witness.line(time_s, &self.text()))
            .collect()
    }

    /// The case's checkpoint with the log's signature and these lines.
    pub(crate) fn cosigned_note(&self, lines: &[String]) -> String {
        self.log.note(&self.text()) + &lines.concat()
    }

    /// The same, edited.
    pub(crate) fn with(&self, edit: impl FnOnce(&mut Self)) -> Self {
        let mut case = self.clone();
        edit(&mut case);
        case
    }

    /// The proof in its type.
    pub(crate) fn wire(&self) -> VerificationProof {
        VerificationProof::new(self.method.clone(), Some(self.data.clone())).unwrap()
    }

    /// What the proof shows, as an authority asks.
    pub(crate) fn verdict(&self) -> Result<Proven, Refusal> {
        let mut session = Session::with_cosigned(self.cosigned.clone());
        let verifiers = VerifierSet::new(self.anchors.clone());
        let (proof, expected) = (self.wire(), Expected::World(&self.world));
        let verdict = verifiers.examine(&proof, expected, &mut session);
        // What is remembered must not change what is decided.
        let again = verifiers.examine(&proof, expected, &mut session);
        assert_eq!(verdict, again);
        let moved = matches!(verdict, Err(Refusal::WorldMismatch { .. }));
        if self.anchors.quorum() == 0 && !moved {
            assert_eq!(verifiers.verifies(&proof), verdict.is_ok());
        }
        verdict
    }

    /// The refusal of the edited case; the untouched case must pass.
    pub(crate) fn refusal(&self, edit: impl FnOnce(&mut Self)) -> Refusal {
        self.verdict().expect("the untouched case passes");
        let attack = self.with(edit).verdict();
        attack.expect_err("the attack is refused")
    }

    /// The refusal of other proof data.
    pub(crate) fn refusal_of(&self, edit: impl FnOnce(&mut Value)) -> Refusal {
        let mut data = self.data.clone();
        edit(&mut data);
        assert_ne!(data, self.data, "the attack changes the proof");
        self.refusal(|case| case.data = data)
    }

    /// The refusal of another text at a JSON pointer.
    pub(crate) fn refusal_at(&self, pointer: &str, edit: impl FnOnce(&str) -> String) -> Refusal {
        self.refusal_of(|data| {
            let text = data.pointer_mut(pointer).expect("the member is there");
            *text = edit(text.as_str().unwrap()).into();
        })
    }

    /// The refusal of another log proof.
    pub(crate) fn refusal_of_proof(&self, edit: impl FnOnce(&mut TlogProof)) -> Refusal {
        let mut proof = self.proof();
        edit(&mut proof);
        self.refusal_at("/tlogProof", |_| proof.to_text())
    }

    /// The refusal of another checkpoint note inside the log proof.
    pub(crate) fn refusal_of_note(&self, note: &str) -> Refusal {
        self.refusal_of_proof(|proof| proof.checkpoint = note.into())
    }

    /// The refusal of other cosigned notes.
    pub(crate) fn refusal_of_cosigned(&self, cosigned: Vec<String>) -> Refusal {
        self.refusal(|case| case.cosigned = cosigned)
    }

    /// Another checkpoint note is refused like this.
    #[track_caller]
    pub(crate) fn refuses_note(&self, note: &str, refusal: Refusal) {
        assert_eq!(self.refusal_of_note(note), refusal);
    }

    /// Other cosigned notes are refused like this.
    #[track_caller]
    pub(crate) fn refuses_cosigned(&self, cosigned: Vec<String>, refusal: Refusal) {
        assert_eq!(self.refusal_of_cosigned(cosigned), refusal);
    }

    fn controlled(self) -> Self {
        self.verdict().expect("the untouched case passes");
        self
    }
}

fn trusting(log: &Log) -> Anchors {
    Anchors::new(vec![log.anchor()]).unwrap()
}

/// Proof data of an entry under a log proof, honest about the roots.
pub(crate) fn merkle_data(entry: &Entry, proof: &TlogProof) -> Value {
    merkle_payload(entry, proof, None, None)
}
