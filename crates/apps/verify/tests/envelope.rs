//! Signed proposals: which one, to whom, when and once. Any change is refused, or says the same (docs/format/envelope.md).
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod support;

use std::collections::BTreeSet;
use std::sync::Mutex;

use counterfoil_authority::types::json::{Limits, Value, canonical, parse};
use counterfoil_authority::types::{BoxError, DidKey, Proposal, UnixMillis};
use counterfoil_authority::verifier::envelope::{self, DEFAULT_AUDIENCE};
use counterfoil_authority::verifier::{Anchors, VerifierSet};
use counterfoil_authority::{Authority, NonceMemory, Policy, Preset, ReviewReport, Verdict};
use counterfoil_capsule::integrity::{Created, canonical_with_digest, sign};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use serde_json::json;
use support::{
    Log, NONCE, NOW, SUBMITTED_AT, bare_memory, codes, preset, proposal, proposal_with,
    review_as_is, sealed, signed, trace, with, without,
};

fn policy(json: &str) -> Policy {
    Policy::from_json(json.as_bytes()).expect("a policy")
}

/// Verdict and codes of a proposal as it is.
fn judged(log: &Log, policy: Policy, proposal: &Value) -> (Verdict, Vec<&'static str>) {
    let report = review_as_is(log.anchors(), policy, proposal);
    (report.decision().verdict(), codes(&report))
}

fn did(seed: u8) -> String {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
        .agent()
        .to_string()
}

fn honest(log: &Log) -> Value {
    signed(&proposal(&[log.memory(0, "merkle")]))
}

#[test]
fn a_signed_proposal_is_approved_and_its_report_names_the_signer() {
    let log = Log::of(2);
    for name in [Preset::Standard, Preset::HighRisk] {
        let report = review_as_is(log.anchors(), preset(name), &honest(&log));
        assert_eq!(report.decision().verdict(), Verdict::Approved, "{report:?}");
        let wire = serde_json::to_value(&report).expect("JSON");
        assert_eq!(wire["envelope"], json!({"signer": did(1), "nonce": NONCE}));
    }
}

/// An honest trace under another intent, summary, query, reason, confidence or actor, and all times a week later, was
/// approved under `high-risk`.
#[test]
fn no_member_of_an_honest_proposal_can_be_exchanged() {
    let log = Log::of(2);
    let memory = "/trace/context/memory";
    for (place, value) in [
        ("/intent/body/type".to_owned(), json!("payment.send")),
        (
            "/trace/summary".to_owned(),
            json!("Transfer 1,000,000 to Mallory"),
        ),
        (format!("{memory}/query"), json!("another question")),
        (
            format!("{memory}/selected/0/reason"),
            json!("as the user asked"),
        ),
        (format!("{memory}/selected/0/confidence"), json!(1)),
        ("/actor/name".to_owned(), json!("Nadia")),
        ("/actor/role".to_owned(), json!("admin")),
    ] {
        let changed = with(honest(&log), &place, value);
        for name in [Preset::Standard, Preset::HighRisk] {
            let (verdict, codes) = judged(&log, preset(name), &changed);
            assert_eq!(verdict, Verdict::Rejected, "{place}");
            assert!(codes.contains(&"signature-refused"), "{place}: {codes:?}");
        }
    }
    let mut later = honest(&log);
    for place in [
        "/submittedAt",
        "/trace/context/memory/selectedAt",
        "/trace/context/memory/selected/0/evidence/verifiedAt",
    ] {
        let time = later
            .pointer(place)
            .and_then(Value::as_u64)
            .expect("a time");
        later = with(later, place, json!(time + 7 * 86_400_000));
    }
    let now = UnixMillis::new(NOW + 7 * 86_400_000).expect("a time");
    let report = Authority::new(VerifierSet::new(log.anchors()), preset(Preset::HighRisk))
        .review(&serde_json::from_value(later).expect("a proposal"), now);
    assert_eq!(codes(&report), ["signature-refused"]);
}

/// Proposals without a signature, signed by a key without an anchor or by another than the named actor, or in another form.
#[test]
fn an_envelope_says_who_asks() {
    let log = Log::of(2);
    let plain = proposal(&[log.memory(0, "merkle")]);
    let by = |seed: u8, actor: &str| {
        let text = plain.to_string().replace("planner", actor);
        let named = parse(text.as_bytes(), Limits::DOCUMENT).expect("JSON");
        sealed(&named, seed, DEFAULT_AUDIENCE, NONCE)
    };
    let proof = |value: Value| with(honest(&log), "/proof", value);
    let other_suite = with(honest(&log), "/proof/cryptosuite", json!("other"));
    let twice = sealed(&honest(&log), 9, DEFAULT_AUDIENCE, NONCE);
    for (case, code) in [
        (by(1, &did(1)), "all-proven"),
        (plain.clone(), "unsigned"),
        (by(9, "planner"), "signer-unknown"),
        (by(1, &did(9)), "signer-not-actor"),
        (by(1, "did:web:planner"), "signer-not-actor"),
        (twice, "signature-refused"),
        (other_suite, "signature-refused"),
        (proof(json!([honest(&log)["proof"]])), "signature-refused"),
        (proof(Value::Null), "signature-refused"),
    ] {
        let verdict = match code {
            "all-proven" => Verdict::Approved,
            "unsigned" => Verdict::Indeterminate,
            _ => Verdict::Rejected,
        };
        let found = judged(&log, preset(Preset::Standard), &case);
        assert_eq!(found, (verdict, vec![code]), "{case}");
    }
}

/// For another authority, or under a nonce that is none. Where no signature is asked for, none is looked at.
#[test]
fn an_envelope_is_for_one_authority() {
    let log = Log::of(2);
    let plain = proposal(&[log.memory(0, "merkle")]);
    let name = "payments.example";
    let to = |audience: &str| sealed(&plain, 1, audience, NONCE);
    let short = sealed(&plain, 1, DEFAULT_AUDIENCE, "short");
    let named = format!(r#"{{"name": "{name}"}}"#);
    let manifesto = r#"{"preset": "manifesto"}"#;
    for (rules, case, code) in [
        ("{}", to(DEFAULT_AUDIENCE), "all-proven"),
        ("{}", to(name), "other-audience"),
        ("{}", to("Local"), "other-audience"),
        ("{}", short.clone(), "nonce-invalid"),
        (&named, to(name), "all-proven"),
        (&named, to(DEFAULT_AUDIENCE), "other-audience"),
        (manifesto, to(name), "all-proven"),
        (manifesto, short, "all-proven"),
    ] {
        assert_eq!(judged(&log, policy(rules), &case).1, [code], "{rules}");
    }
}

/// The age is that of the signed submission, also where nothing was selected or no trace is there.
#[test]
fn an_old_proposal_is_refused_by_its_signed_time() {
    let log = Log::of(1);
    for (age_ms, codes) in [(1000, vec!["no-memory"]), (999, vec!["submission-too-old"])] {
        let rules = format!(r#"{{"require_trace": false, "maximum_age_ms": {age_ms}}}"#);
        let none = signed(&proposal_with(None));
        assert_eq!(judged(&log, policy(&rules), &none).1, codes);
    }
}

/// The golden vector, which `tests/vectors/check_envelope.py` reads by the words of the page alone.
#[test]
fn the_golden_envelope_is_signed_and_read_byte_for_byte() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/vectors/envelope/v1.json"
    );
    let golden: Value =
        serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON");
    let text = |name: &str| golden[name].as_str().expect("a text");
    let document = parse(text("document").as_bytes(), Limits::DOCUMENT).expect("JSON");
    let proposal: Proposal = serde_json::from_value(document.clone()).expect("a proposal");
    let seed = hex(text("seed"));
    let signer = AgentSigner::new(SecretKey::from_seed(seed.try_into().expect("32 bytes")));
    let created = Created::from_micros(proposal.submitted_at().value() * 1000);
    let (audience, nonce) = (text("audience"), text("nonce"));
    let unsigned = without(document.clone(), "/proof");
    let made = sign(
        unsigned,
        &signer,
        created,
        &envelope::binding(audience, nonce),
    );
    let made = canonical(&made.expect("signed")).expect("a canonical form");
    assert_eq!(made, text("document"));
    let members = document.as_object().expect("an object");
    let (_, digest) = canonical_with_digest(members).expect("a canonical form");
    assert_eq!(digest.as_slice(), hex(text("proposalHash")));
    let anchors = Anchors::of_agents([signer.agent()]).expect("anchors");
    let opened = envelope::open(&proposal, Some(&anchors), audience).expect("it holds");
    let opened = opened.expect("an envelope");
    assert_eq!(
        (opened.signer, opened.nonce.as_str()),
        (signer.agent(), nonce)
    );
}

fn hex(text: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(text.get(at..at + 2).expect("pairs"), 16);
    let pairs = (0..text.len()).step_by(2).map(pair);
    pairs.map(|byte| byte.expect("hex")).collect()
}

/// Nonces in memory, which can be made to fail.
#[derive(Default)]
struct Nonces(Mutex<(BTreeSet<String>, bool)>);

impl NonceMemory for &'static Nonces {
    fn remember(&self, signer: &DidKey, nonce: &str, at: UnixMillis) -> Result<bool, BoxError> {
        assert_eq!(at.value(), SUBMITTED_AT);
        let mut kept = self.0.lock().expect("no panic");
        if kept.1 {
            return Err("the disk is full".into());
        }
        Ok(kept.0.insert(format!("{signer} {nonce}")))
    }
}

/// A proposal is approved once; what is not approved costs no nonce, and without a memory of nonces the decision is open.
#[test]
fn a_proposal_is_approved_once() {
    let log = Log::of(1);
    let nonces: &'static Nonces = Box::leak(Box::default());
    let judged = |proposal: &Value| {
        let authority = Authority::new(VerifierSet::new(log.anchors()), preset(Preset::Standard));
        let proposal: Proposal = serde_json::from_value(proposal.clone()).expect("a proposal");
        let now = UnixMillis::new(NOW).expect("a time");
        codes(&authority.with_nonces(nonces).review(&proposal, now))
    };
    let open = signed(&proposal(&[bare_memory("world-0")]));
    assert_eq!(judged(&open), ["unproven-open"]);
    assert_eq!(judged(&honest(&log)), ["all-proven"]);
    assert_eq!(judged(&honest(&log)), ["repeated"]);
    let again = sealed(
        &proposal(&[log.memory(0, "merkle")]),
        1,
        DEFAULT_AUDIENCE,
        &NONCE.repeat(2),
    );
    nonces.0.lock().expect("no panic").1 = true;
    assert_eq!(judged(&again), ["nonce-memory-failed"]);
    nonces.0.lock().expect("no panic").1 = false;
    assert_eq!(judged(&again), ["all-proven"]);
}

/// Honest proposals of every kind, signed.
fn of_every_kind(log: &Log) -> Vec<Value> {
    let [a, b, c] = [0, 1, 2].map(|index| log.memory(index, "merkle"));
    let merged = with(
        trace(&[a.clone(), b.clone()]),
        "/query",
        json!("what was noted; more"),
    );
    let second = with(trace(core::slice::from_ref(&b)), "/query", json!("more"));
    let recalls = json!({"memory": merged, "memoryTraces": [trace(&[a.clone(), b]), second],
        "checkpoints": [log.cosigned_checkpoint()], "standing": {"world-0": {"any": [1, null]}}});
    let rich = with(
        proposal_with(Some(recalls)),
        "/trace/reasoning",
        json!("because"),
    );
    let rich = with(
        rich,
        "/actor/meta",
        json!({"team": "kitchen", "level": 2.5}),
    );
    let rich = with(
        rich,
        "/intent/body/input",
        json!({"amount": 12, "to": "Bryn Mill"}),
    );
    let rich = with(
        rich,
        "/intent/body/scopeProposal",
        json!({"allowedPaths": ["/a"]}),
    );
    let kinds = [
        proposal(&[a]),
        rich,
        proposal(&[log.memory(0, "signature"), log.memory(1, "disclosed")]),
        with(
            proposal(&[log.memory(0, "withholding"), log.memory(1, "undisclosed")]),
            "/trace/context/withheld",
            json!(["/data/text"]),
        ),
        proposal(&[log.memory(0, "hash"), log.memory(1, "existence"), c]),
        proposal(&[log.memory(0, "none"), bare_memory("world-1")]),
        proposal(&[]),
        proposal_with(None),
        with(
            with(proposal(&[]), "/approvedScope", Value::Null),
            "/epoch",
            json!(3),
        ),
    ];
    kinds.iter().map(signed).collect()
}

/// Numbers by chance, the same in each run (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 1).expect("64 bits") % limit.max(1)
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        let at = self.below(items.len());
        *items.get(at).expect("an item")
    }
}

/// JSON Pointers to every value of a document, its own last.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, it)| (at.to_string(), it))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        places(
            value,
            &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
            found,
        );
    }
    found.push(at.to_owned());
}

/// Changes the value at a place, in one of the ways of its kind.
fn change(document: &mut Value, at: &str, elsewhere: Value, chance: &mut Chance) {
    let value = document.pointer_mut(at).expect("a place");
    let way = chance.below(12);
    match (value, way) {
        (value, 0) => *value = Value::Null,
        (value, 1) => *value = elsewhere,
        (value, 2) => *value = json!([value.take()]),
        (Value::Bool(truth), _) => *truth = !*truth,
        (value @ Value::Number(_), _) => {
            let number = value.as_f64().unwrap_or_default();
            let near = [
                number + 1.0,
                number - 1.0,
                number * 2.0,
                -number,
                0.0,
                number + 0.5,
            ];
            *value = chance.of(&near).to_string().parse().expect("a number");
        }
        (Value::String(text), 3..6) => text.push(chance.of(&['a', ' ', '\u{0}'])),
        (Value::String(text), 6) => drop(text.pop()),
        (Value::String(text), 7) => *text = text.to_uppercase(),
        (Value::String(text), 8) => text.insert(0, '\u{200b}'),
        (Value::String(text), _) => {
            let mut letters: Vec<char> = text.chars().collect();
            let at = chance.below(letters.len());
            if let Some(letter) = letters.get_mut(at) {
                *letter = if *letter == 'A' { 'B' } else { 'A' };
            }
            *text = letters.into_iter().collect();
        }
        (Value::Array(items), 3..6) => items.push(elsewhere),
        (Value::Array(items), 6..8) => items.extend(items.first().cloned()),
        (Value::Array(items), 8..10) => items.reverse(),
        (Value::Array(items), _) => drop(items.pop()),
        (Value::Object(members), 3..7) => drop(members.insert("more".into(), elsewhere)),
        (Value::Object(members), _) => {
            let name = members.keys().nth(chance.below(members.len())).cloned();
            name.map(|name| members.remove(&name));
        }
        (value, _) => *value = json!({"more": true}),
    }
}

/// The text with one byte changed, taken out or put in.
fn damaged(text: &str, chance: &mut Chance) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = chance.below(bytes.len());
    match (chance.below(3), bytes.get_mut(at)) {
        (0, Some(byte)) => *byte ^= 1 << chance.below(7),
        (1, _) => drop(bytes.remove(at)),
        _ => bytes.insert(at, chance.of(b"0 ,\"\\e")),
    }
    bytes
}

/// Each member of each kind of proposal in turn, changed in many ways. The policy asks for the signature and for nothing
/// else, so that no other rule hides a gap. A change is refused, or the canonical form of the document is the same.
/// 5,000 changes, or as many as `COUNTERFOIL_MUTANTS` says.
#[test]
fn no_change_of_an_honest_proposal_is_approved() {
    let count = std::env::var("COUNTERFOIL_MUTANTS").ok();
    let count: usize = count.map_or(5000, |count| count.parse().expect("a number"));
    let log = Log::of(3);
    let policy = policy(r#"{"preset": "permissive", "require_signed": true}"#);
    let authority = Authority::new(VerifierSet::new(log.anchors()), policy);
    let now = UnixMillis::new(NOW).expect("a time");
    let kinds = of_every_kind(&log);
    let every: Vec<(&Value, String)> = kinds
        .iter()
        .flat_map(|kind| {
            let mut found = Vec::new();
            places(kind, "", &mut found);
            found.into_iter().map(move |place| (kind, place))
        })
        .collect();
    // A document may be exchanged for another honest one.
    let form = |kind| canonical(kind).expect("a canonical form");
    let forms: BTreeSet<String> = kinds.iter().map(form).collect();
    let verdict = |bytes: &[u8]| {
        let read = Proposal::from_json(bytes).ok();
        read.map(|proposal| authority.review(&proposal, now).decision().verdict())
    };
    for kind in &kinds {
        let text = serde_json::to_vec(kind).expect("JSON");
        assert_eq!(verdict(&text), Some(Verdict::Approved), "{kind}");
    }
    let (mut chance, mut same, mut unread, mut made) = (Chance(0x5eed), 0, 0, 0);
    while made < count {
        let (kind, place) = &every[made % every.len()];
        let mut mutant = (*kind).clone();
        let bytes = if chance.below(6) == 0 {
            damaged(&serde_json::to_string(kind).expect("JSON"), &mut chance)
        } else {
            let (other, there) = &every[chance.below(every.len())];
            let elsewhere = other.pointer(there).cloned().unwrap_or_default();
            change(&mut mutant, place, elsewhere, &mut chance);
            serde_json::to_vec(&mutant).expect("JSON")
        };
        made += 1;
        let read = parse(&bytes, Limits::DOCUMENT).ok();
        let form = read.as_ref().and_then(|it| canonical(it).ok());
        if form.is_some_and(|form| forms.contains(&form)) {
            same += 1;
            continue;
        }
        let found = verdict(&bytes);
        let shown = || String::from_utf8_lossy(&bytes).into_owned();
        match found {
            None => unread += 1,
            Some(Verdict::Rejected) => {}
            Some(Verdict::Indeterminate) => {
                let gone = read.is_some_and(|it| it.get("proof").is_none());
                assert!(gone, "left open at {place}: {}", shown());
            }
            Some(Verdict::Approved) => panic!("approved, changed at {place}: {}", shown()),
        }
    }
    println!(
        "{made} changes at {} places: {unread} not read, {same} the same document",
        every.len()
    );
    assert!(made < 1000 || same * 4 < made, "the changes change nothing");
    // Taken out whole, a proposal's envelope leaves the decision open.
    let (verdict, codes) = judged(
        &log,
        preset(Preset::HighRisk),
        &without(honest(&log), "/proof"),
    );
    assert_eq!((verdict, codes), (Verdict::Indeterminate, vec!["unsigned"]));
}

/// Where no signature covers a proposal, its attestations carry their own: each changed one is refused, says nothing, or names
/// the author that it named before.
#[test]
fn no_change_of_attestations_names_another_author() {
    let (log, documents) = Log::of_rotated();
    let keys = json!({did(1): documents});
    let honest = proposal(&[log.memory(0, "merkle")]);
    let honest = with(honest, "/trace/context/attestations/keys", keys);
    let rules = r#"{"require_signed": false, "require_author": "known"}"#;
    let judged = |proposal: &Value| review_as_is(log.anchors(), policy(rules), proposal);
    let author =
        |report: &ReviewReport| report.memories.first().and_then(|it| it.author().cloned());
    let named = author(&judged(&honest)).expect("an author");
    let mut found = Vec::new();
    places(&honest, "", &mut found);
    found.retain(|place| place.starts_with("/trace/context/attestations"));
    let (mut chance, mut refused) = (Chance(0x5eed), 0);
    for at in 0..2000 {
        let mut mutant = honest.clone();
        let elsewhere = honest.pointer(&found[chance.below(found.len())]);
        let elsewhere = elsewhere.cloned().unwrap_or_default();
        change(
            &mut mutant,
            &found[at % found.len()],
            elsewhere,
            &mut chance,
        );
        let report = judged(&mutant);
        match author(&report) {
            Some(author) => assert_eq!(author, named, "{mutant}"),
            None => {
                refused += 1;
                let verdict = report.decision().verdict();
                assert_ne!(verdict, Verdict::Approved, "{mutant}");
            }
        }
    }
    println!(
        "{refused} of 2000 changes at {} places show no author",
        found.len()
    );
    assert!(refused > 1000, "the changes change nothing");
}
