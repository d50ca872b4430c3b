//! What it costs to check an answer of five memories with attestation and receipt, beside its signatures alone.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Result, ensure};
use counterfoil_capsule::Signer;
use counterfoil_exchange::checks::{
    CheckResult, Disposition, Examining, FreshnessLimits, JudgedMemory, SkipReason, conclude,
    examine,
};
use counterfoil_exchange::documents::{Filters, Request, Response};
use counterfoil_exchange::trust::{Level, LocalRecord, Record, Records, TrustSettings};
use counterfoil_types::DidKey;
use counterfoil_verifier::Anchors;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::answer::{MEMORIES, NOW, answerer, asker, request, response, texts};
use crate::log::Log;
use crate::measure::{aimed, alternate, heading, line, ratio, us};

/// Of the answer and the checkpoint one each, of a memory the attestation's and the entry's.
const SIGNATURES: usize = 2 + 2 * MEMORIES;

pub(crate) fn report() -> Result<()> {
    let log = Log::of(answerer(), &texts())?;
    let request = request()?;
    let response = response(&request, &log)?;
    let asker = Asker::new(&log, request)?;
    let judged = asker.judge(&response);
    for memory in &judged {
        ensure!(
            memory.checks.record == CheckResult::Pass,
            "the bench's own receipts: {memory:?}"
        );
        ensure!(
            memory.disposition == Disposition::StoredHigh,
            "the bench's own answer: {memory:?}"
        );
    }
    let bare = Bare::of(&log)?;
    let bytes = response.bytes();
    let [signatures, read, examined, checked] = alternate(
        301,
        10,
        [
            &mut || bare.all(),
            &mut || drop(black_box(Response::parse(black_box(bytes)))),
            &mut || drop(black_box(asker.examine(&response))),
            &mut || asker.check(bytes),
        ],
    );
    let against = |time| format!("{:.2} x", ratio(time, signatures));
    heading("check: an answer of 5 memories, each attested and with a receipt of a log of 10,000");
    line(
        &format!("{SIGNATURES} Ed25519 verifications, bare"),
        us(signatures),
    );
    line("examine, once it is read", us(examined));
    aimed(
        "  against the bare signatures",
        against(examined),
        "at most 1.3",
    );
    line("read alone", us(read));
    line("read, examine and conclude", us(checked));
    aimed(
        "  against the bare signatures",
        against(checked),
        "at most 1.3",
    );
    line("the answer", format!("{} B", bytes.len()));
    Ok(())
}

/// What an asker knows.
struct Asker {
    request: Request,
    pinned: DidKey,
    own: [DidKey; 1],
    records: Records,
    anchors: Option<Arc<Anchors>>,
    trust: TrustSettings,
    freshness: FreshnessLimits,
}

impl Asker {
    fn new(log: &Log, request: Request) -> Result<Self> {
        let trust = LocalRecord::DirectTrust {
            key: answerer().key(),
            domain: None,
            expires: None,
        };
        let at = counterfoil_capsule::Timestamp::from_micros(NOW - 60_000_000)?;
        Ok(Self {
            request,
            pinned: answerer().key(),
            own: [asker().key()],
            records: Records::gather([Record::local(trust, at, &asker())?]),
            anchors: Some(Arc::new(log.anchors()?)),
            trust: TrustSettings::default(),
            freshness: FreshnessLimits::default(),
        })
    }

    fn examine(&self, response: &Response) -> Vec<(JudgedMemory, Level)> {
        examine(
            response,
            &Examining {
                request: &self.request,
                pinned: Some(self.pinned),
                records: &self.records,
                trust: &self.trust,
                anchors: self.anchors.as_ref(),
                freshness: &self.freshness,
                own: &self.own,
                came_back: true,
                received_us: NOW,
                now_us: NOW,
            },
        )
        .1
    }

    fn judge(&self, response: &Response) -> Vec<JudgedMemory> {
        let compared = (
            CheckResult::Skip(SkipReason::NotComparable),
            CheckResult::NOT_FETCHED,
        );
        let memories = self.examine(response).into_iter();
        let judged =
            memories.map(|memory| conclude(memory, compared.0, compared.1, Filters::default()));
        judged.collect()
    }

    fn check(&self, bytes: &[u8]) {
        let judged = Response::parse(bytes).map(|response| self.judge(&response));
        assert!(black_box(judged).is_ok(), "the bench's own answer");
    }
}

/// As many signatures, over texts as long as those of the answer.
struct Bare {
    key: VerifyingKey,
    signed: Vec<(Vec<u8>, Signature)>,
}

impl Bare {
    fn of(log: &Log) -> Result<Self> {
        let secret = SigningKey::from_bytes(&[7; 32]);
        // A Data Integrity proof signs two SHA-256 digests.
        let mut lengths = vec![64; 1 + MEMORIES];
        for at in 0..MEMORIES {
            lengths.push(log.signed_bytes(at)?.0);
        }
        lengths.push(log.signed_bytes(0)?.1);
        ensure!(lengths.len() == SIGNATURES, "a length for each signature");
        let sign = |length: &usize| {
            let text = vec![b'x'; *length];
            let signature = secret.sign(&text);
            (text, signature)
        };
        Ok(Self {
            key: secret.verifying_key(),
            signed: lengths.iter().map(sign).collect(),
        })
    }

    fn all(&self) {
        for (text, signature) in &self.signed {
            let verdict = self.key.verify_strict(black_box(text), signature);
            assert!(black_box(verdict).is_ok(), "the bench's own signature");
        }
    }
}
