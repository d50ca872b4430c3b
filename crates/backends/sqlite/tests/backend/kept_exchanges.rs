//! What is kept of exchanges in a file: nothing is changed, damage is found, and what is erased is gone from it too.

use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::{EventKind, ExchangeState, ItemState, Transition};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{BegunExchange, ExchangeStore, StoreError, StoredItem};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use crate::common::{Place, agent, append, block_on, drafts, is_clean};
use crate::corruption::{restore, tamper};

const AT_US: u64 = 1_772_323_200_000_000;
const ANSWER: &[u8] = b"the heron nests behind the mill";

pub(crate) fn id(number: u8) -> RequestId {
    RequestId::from_bytes([number; 16])
}

pub(crate) fn answer() -> DocumentHash {
    DocumentHash::of(ANSWER)
}

fn claim(number: u8) -> ClaimHash {
    ClaimHash::from_digest(Sha256Hash::from_bytes([number; 32]))
}

fn world(id: &str) -> WorldId {
    WorldId::new(id).unwrap()
}

fn row(number: u32, event: EventKind, from: ExchangeState, to: ExchangeState) -> Transition {
    Transition {
        number,
        from,
        event,
        to,
        at_us: AT_US,
        evidence: (event == EventKind::Answer).then(|| DocumentHash::of(ANSWER)),
        deadline_us: (event == EventKind::Ask).then_some(AT_US + 30_000_000),
    }
}

/// The rows of an exchange that went well.
pub(crate) fn rows() -> Vec<Transition> {
    use ExchangeState::{Idle, Received, Sent, Stored, Verified};
    vec![
        row(0, EventKind::Ask, Idle, Sent),
        row(1, EventKind::Answer, Sent, Received),
        row(2, EventKind::Examined, Received, Verified),
        row(3, EventKind::Kept, Verified, Stored),
    ]
}

pub(crate) fn begin(store: &SqliteStore, number: u8) {
    try_begin(store, number).unwrap();
}

fn try_begin(store: &SqliteStore, number: u8) -> Result<(), StoreError> {
    let begun = BegunExchange {
        id: id(number),
        request: b"{}".to_vec(),
        peer: Some(DidKey::from_public_key([3; 32])),
        address: "https://peer.example".to_owned(),
        terms: "{}".to_owned(),
        begun_us: AT_US,
    };
    block_on(store.begin_exchange(begun, rows().remove(0))).map(drop)
}

fn set(store: &SqliteStore, number: u8, item: u32, state: ItemState, of: (&str, u8)) {
    try_set(store, number, item, state, of).unwrap();
}

fn try_set(
    store: &SqliteStore,
    number: u8,
    item: u32,
    state: ItemState,
    of: (&str, u8),
) -> Result<(), StoreError> {
    let item = StoredItem {
        number: item,
        state,
        world: Some(world(of.0)),
        claim: claim(of.1),
        report: format!("a report about {}", of.0),
        at_us: AT_US,
    };
    block_on(store.set_item(&id(number), item)).map(drop)
}

/// Two exchanges, of which the second heard the first's claim again; a document, and a request that came in.
pub(crate) fn filled(store: &SqliteStore) {
    append(store, drafts("w", 2)).unwrap();
    for number in [1, 2] {
        begin(store, number);
        let answer = DocumentHash::of(ANSWER);
        block_on(store.keep_answer(&id(number), answer, ANSWER.to_vec())).unwrap();
        for row in rows().split_off(1) {
            block_on(store.add_transition(&id(number), row)).unwrap();
        }
    }
    set(store, 1, 0, ItemState::Checked, ("w-0", 1));
    set(store, 1, 0, ItemState::Stored, ("w-0", 1));
    set(store, 1, 1, ItemState::Stored, ("w-1", 2));
    set(store, 2, 0, ItemState::Checked, ("w-0", 1));
    for _ in 0..2 {
        block_on(store.note_heard(claim(1), Some(world("w-0")), AT_US)).unwrap();
    }
    let sighting = Sighting {
        key: DidKey::from_public_key([3; 32]),
        request_id: id(9),
        hash: Sha256Hash::from_bytes([1; 32]),
        until_us: AT_US + 1,
    };
    block_on(store.see(sighting, AT_US, SeenQuotas::default())).unwrap();
    block_on(store.exchange_secret([5; 32])).unwrap();
}

/// A document about others.
pub(crate) fn document(number: u8) -> Vec<u8> {
    format!("{{\"type\":\"distrust {number}\"}}").into_bytes()
}

/// Adds documents about others as a store of version 7 kept them, the later ones first.
pub(crate) fn earlier(place: &Place, count: u8) {
    let sql = "INSERT INTO trust_record VALUES (?1, ?2, ?3, ?4)";
    for number in 0..count {
        let document = document(number);
        let hash = *DocumentHash::of(&document).digest().as_bytes();
        let at = AT_US - u64::from(number);
        let row = rusqlite::params![number, hash, at, document];
        place.raw().execute(sql, row).unwrap();
    }
}

#[test]
fn rows_of_exchanges_are_neither_changed_nor_deleted_nor_replaced() {
    let place = Place::new();
    filled(&place.create());
    let raw = place.raw();
    earlier(&place, 2);
    for sql in [
        "UPDATE trust_record SET at = 1 WHERE number = 0",
        "DELETE FROM trust_record WHERE number = 1",
        "INSERT INTO trust_record VALUES (7, zeroblob(32), 1, x'00')",
        "REPLACE INTO trust_record VALUES (1, zeroblob(32), 1, x'00')",
        "UPDATE exchange SET terms = 'x'",
        "DELETE FROM exchange WHERE number = 1",
        "REPLACE INTO exchange SELECT 1, id, request, peer, address, terms, at FROM exchange WHERE number = 1",
        "UPDATE exchange_transition SET after = 'stored' WHERE number = 1",
        "DELETE FROM exchange_transition WHERE number = 3",
        "INSERT INTO exchange_transition VALUES (0, 7, 'a', 'b', 'c', 1, NULL, NULL)",
        "REPLACE INTO exchange_transition VALUES (0, 3, 'a', 'b', 'c', 1, NULL, NULL)",
        "UPDATE exchange_answer SET document = x'00'",
        "UPDATE exchange_answer SET hash = zeroblob(32), document = NULL",
        "DELETE FROM exchange_answer",
        "INSERT INTO exchange_answer VALUES (0, 1, zeroblob(32), NULL)",
        "UPDATE exchange_item SET state = 'stored'",
        "UPDATE exchange_item SET world = 'w-1', report = NULL",
        "DELETE FROM exchange_item",
        "REPLACE INTO exchange_item VALUES (0, 0, 0, 'stored', NULL, zeroblob(32), '', 1)",
        "UPDATE claim_heard SET times = 1",
        "UPDATE claim_heard SET world = NULL, times = times + 1",
        "DELETE FROM claim_heard",
        "UPDATE request_seen SET until = 0",
        "REPLACE INTO request_seen SELECT agent, id, zeroblob(32), until FROM request_seen",
        "UPDATE exchange_secret SET secret = zeroblob(32)",
        "INSERT INTO exchange_secret VALUES (0, zeroblob(32))",
        "DELETE FROM exchange_secret",
    ] {
        let refused = raw.execute(sql, []).unwrap_err().to_string();
        let known = ["append-only", "set once", "only grows", "stays known"];
        assert!(
            known.iter().any(|why| refused.contains(why)),
            "{sql}: {refused}"
        );
    }
    is_clean(&place.open());
}

/// What is done past the triggers, and the table whose row then does not fit.
const DAMAGE: [(&str, &str); 9] = [
    (
        "trust_record",
        "UPDATE trust_record SET document = x'00' WHERE number = 1",
    ),
    ("trust_record", "DELETE FROM trust_record WHERE number = 0"),
    (
        "exchange_answer",
        "UPDATE exchange_answer SET document = NULL",
    ),
    ("exchange_answer", "UPDATE exchange_item SET report = NULL"),
    ("claim_heard", "UPDATE claim_heard SET world = 'w-7'"),
    (
        "request_seen_count",
        "UPDATE request_seen_count SET times = 7 WHERE agent <> x''",
    ),
    (
        "request_seen_count",
        "UPDATE request_seen_count SET times = 7 WHERE agent = x''",
    ),
    ("request_seen_count", "DELETE FROM request_seen_count"),
    (
        "request_seen_count",
        "DELETE FROM request_seen_count WHERE agent <> x''",
    ),
];

#[test]
fn an_audit_finds_what_does_not_fit_together() {
    let place = Place::new();
    filled(&place.create());
    earlier(&place, 2);
    let clean = std::fs::read(place.database()).unwrap();
    for (table, sql) in DAMAGE {
        tamper(&place, sql, &[]);
        let report = block_on(place.open().audit()).unwrap();
        let found = report
            .differences
            .iter()
            .any(|(place, _)| place.table_name() == table);
        assert!(found, "{sql}: {:#?}", report.differences);
        restore(&place, &clean);
    }
}

/// What a memory said is in no answer and no report any more, wherever it was heard; what else came stays stored.
#[test]
fn what_is_erased_is_gone_from_answers_and_reports() {
    let (place, store) = Place::created();
    filled(&store);
    let certificate = block_on(store.erase(agent(1), &world("w-0"), "asked to"))
        .unwrap()
        .unwrap();
    // The questions are older than the memory and stay, so their exchanges are named.
    assert_eq!(
        certificate.exchanges,
        [id(1).to_string(), id(2).to_string()]
    );
    for number in [1, 2] {
        let answer = block_on(store.answer(&id(number), &DocumentHash::of(ANSWER))).unwrap();
        assert_eq!(answer, None, "exchange {number}");
        let kept = block_on(store.exchange(&id(number))).unwrap().unwrap();
        let reports: Vec<_> = kept.items.iter().map(|item| item.report.as_str()).collect();
        let expected: &[&str] = match number {
            1 => &["", "a report about w-1"],
            _ => &[""],
        };
        assert_eq!(reports, expected);
    }
    is_clean(&store);
    drop(store);
    let file = std::fs::read(place.database()).unwrap();
    for gone in [ANSWER, b"a report about w-0"] {
        assert!(!file.windows(gone.len()).any(|bytes| bytes == gone));
    }
}

#[test]
fn a_rebuild_leaves_exchanges_as_they_are() {
    let (_place, store) = Place::created();
    filled(&store);
    let before = block_on(store.exchanges(None, 10)).unwrap();
    block_on(store.rebuild()).unwrap();
    assert_eq!(block_on(store.exchanges(None, 10)).unwrap(), before);
    let tables = block_on(store.stats()).unwrap().tables;
    assert!(tables.iter().any(|(table, _)| table == "exchange_answer"));
}

/// Writes rows of exchanges, as far as they are not there. Returns their kind, and true if they were written.
pub(crate) fn any(store: &SqliteStore, of: u8, with: u8) -> (&'static str, bool) {
    let number = 1 + of % 3;
    let begun = try_begin(store, number);
    match with % 6 {
        0 => ("exchange", begun.is_ok()),
        1 => {
            let (hash, bytes) = (DocumentHash::of(ANSWER), ANSWER.to_vec());
            let kept = block_on(store.keep_answer(&id(number), hash, bytes));
            ("answer", kept.is_ok())
        }
        2 => {
            let kept = block_on(store.exchange(&id(number))).unwrap().unwrap();
            let next = rows().into_iter().nth(kept.transitions.len());
            let added = next.map(|row| block_on(store.add_transition(&id(number), row)));
            ("transition", added.is_some_and(|it| it.is_ok()))
        }
        3 => {
            let set = try_set(store, number, 0, ItemState::Checked, ("w-1", number));
            ("item", set.is_ok())
        }
        4 => {
            let heard = store.note_heard(claim(number), Some(world("w-1")), AT_US);
            ("claim heard", block_on(heard).is_ok())
        }
        _ => {
            let added = block_on(store.add_records(agent(1), vec![document(with)]));
            let sighting = Sighting {
                key: DidKey::from_public_key([3; 32]),
                request_id: id(with),
                hash: Sha256Hash::from_bytes([of; 32]),
                until_us: AT_US + u64::from(of),
            };
            let now = AT_US + u64::from(with);
            drop(block_on(store.see(sighting, now, SeenQuotas::default())));
            drop(block_on(store.exchange_secret([5; 32])));
            ("trust record", added.is_ok())
        }
    }
}
