//! Claims on real tables: what is derived can be thrown away, what is ground cannot be changed, what is erased is gone.

mod beside;
mod corrected;
mod edits;
mod erasing;
mod gate;
mod indexes;

use std::sync::Arc;

use counterfoil_claims::belief::{Belief, BeliefStatus, Question, believe};
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Assertion, Cardinality, Channels, ClaimError, ClaimOutcome, ClaimRef, Disposition, FactValue,
    Identifier, Line, Settings, Submission, Target, Unit,
};
use counterfoil_store::{AsOf, CapsuleLog, ClaimRequest, ClaimStore};
use counterfoil_types::{Confidence, Scope};

use crate::rig::{DAY_US, Rig, START_US, agent, block_on};
use counterfoil_life::Life as _;

fn identifier(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn value(text: &str) -> FactValue {
    FactValue::new(&text.into()).unwrap()
}

fn line(subject: &str, predicate: &str) -> Line {
    Line {
        agent: agent(1).agent(),
        subject: identifier(subject),
        predicate: identifier(predicate),
        scope: Scope::new(),
    }
}

fn says(subject: &str, predicate: &str, said: &str) -> Submission {
    let user = Channels::of_host().user();
    Submission::new(
        &user,
        identifier(subject),
        identifier(predicate),
        value(said),
    )
}

fn between(submission: Submission, from: Option<&str>, until: Option<&str>) -> Submission {
    let boundary = |text: &str| Boundary::parse(text).unwrap();
    submission
        .valid(ValidTime {
            from: from.map(boundary),
            until: until.map(boundary),
            confidence: Confidence::new(0.9).unwrap(),
        })
        .unwrap()
}

impl Rig {
    fn submits(&self, requests: Vec<ClaimRequest>) -> Vec<Result<ClaimOutcome, ClaimError>> {
        self.submits_with(Settings::default(), requests)
    }

    fn submits_with(
        &self,
        settings: Settings,
        requests: Vec<ClaimRequest>,
    ) -> Vec<Result<ClaimOutcome, ClaimError>> {
        block_on(self.store.submit(agent(1), Arc::new(settings), requests)).unwrap()
    }

    fn submitted(&self, request: ClaimRequest) -> ClaimOutcome {
        self.submits(vec![request]).remove(0).unwrap()
    }

    fn told(&self, submission: Submission) -> ClaimRef {
        self.submitted(ClaimRequest::Submit(submission)).reference
    }

    /// Ada lives in a town, from the one year and until the other; an empty one is open.
    fn lives(&self, town: &str, [from, until]: [&str; 2]) -> ClaimRef {
        let bounds = [from, until].map(|year| Some(year).filter(|year| !year.is_empty()));
        self.told(between(says("Ada", "lives in", town), bounds[0], bounds[1]))
    }

    fn ends(&self, claim: &ClaimRef, year: &str) -> ClaimOutcome {
        let (user, target) = (Channels::of_host().user(), Target::Claim(claim.clone()));
        let end = Boundary::parse(year).unwrap();
        self.submitted(ClaimRequest::Assert(Assertion::end(
            &user,
            target,
            Some(end),
        )))
    }

    fn believes(&self, line: &Line, asked: AsOf) -> Belief {
        let settings = Arc::new(Settings::default());
        block_on(self.store.believe(line.clone(), asked, settings)).unwrap()
    }

    fn units_of(&self, line: &Line) -> Vec<Unit> {
        block_on(self.store.units(line.clone(), None)).unwrap()
    }

    fn contested_lines(&self, asked: AsOf) -> Vec<Belief> {
        let settings = Arc::new(Settings::default());
        let contested = ClaimStore::contested(
            &self.store,
            agent(1).agent(),
            Scope::new(),
            asked,
            None,
            100,
            settings,
        );
        block_on(contested).unwrap()
    }
}

/// Something in every table of claims.
fn filled() -> Rig {
    let rig = Rig::new();
    let lisbon = rig.lives("Lisbon", ["2019", ""]);
    rig.lives("Porto", ["2020", ""]);
    rig.told(says("Ada", "likes", "tea").keyed("first").unwrap());
    rig.told(says("Bob", "livesIn", "Faro").cardinality(Cardinality::One));
    rig.ends(&lisbon, "2021");
    let faro = |said| ClaimRequest::Submit(between(says("Cy", "born in", said), None, None));
    rig.submits_with(with_oracle(), vec![faro("Faro"), faro("Evora")]);
    let windows = (0..70).map(|number| {
        let (from, until) = (1900 + number, 1901 + number);
        let said = says("Ada", "studied", &format!("subject {number}"));
        let (from, until) = (format!("{from}-02"), format!("{until}-01"));
        ClaimRequest::Submit(between(said, Some(&from), Some(&until)))
    });
    rig.submits(windows.collect());
    let recall = Channels::of_host().recall();
    let (ada, lives_in) = (identifier("Ada"), identifier("lives in"));
    rig.told(Submission::new(&recall, ada, lives_in, value("Lisbon")));
    rig
}

fn with_oracle() -> Settings {
    Settings {
        oracle_days: Some(30),
        ..Settings::default()
    }
}

const DERIVED: [&str; 4] = ["claim_agent", "claim_line", "claim_unit", "claim_entry"];

/// I3, CLM-31: what is derived is made again as it was, and an audit finds nothing.
#[test]
fn a_rebuild_changes_nothing() {
    let rig = filled();
    for table in DERIVED {
        let rows = rig.count(&format!("SELECT count(*) FROM {table}"));
        assert!(rows > 0, "{table} is empty: the test says nothing of it");
    }
    rig.is_sound();
}

/// I3, CLM-31: a row of an index that was changed or taken away is found.
#[test]
fn an_audit_finds_what_was_done_to_derived_rows() {
    let changes = [
        "UPDATE claim_agent SET latest = latest + 1",
        "UPDATE claim_line SET units = units + 1 WHERE subject = 'Bob'",
        "UPDATE claim_unit SET until = 0 WHERE idx = 1",
        "UPDATE claim_entry SET a = a + 1 WHERE list = 5",
    ];
    for (table, change) in DERIVED.into_iter().zip(changes) {
        let rig = filled();
        assert!(rig.raw().execute(change, []).unwrap() > 0, "{change}");
        let found = rig.differences().concat();
        assert!(found.contains(table), "{change}: {found}");
        let empty = format!("DELETE FROM {table}");
        rig.raw().execute(&empty, []).unwrap();
        assert_ne!(rig.differences(), [""; 0], "{table} was emptied");
        block_on(rig.store.rebuild()).unwrap();
        rig.is_sound();
    }
}

/// I9, CLM-25: a claim that waits and its place in the queue are written together or not at all.
#[test]
fn what_waits_is_queued_in_its_own_transaction() {
    let rig = Rig::new();
    rig.told(says("Ada", "born in", "Faro"));
    let evora = || vec![ClaimRequest::Submit(says("Ada", "born in", "Evora"))];
    rig.raw()
        .execute_batch(
            "CREATE TRIGGER no_queue BEFORE INSERT ON claim_entry WHEN NEW.list = 7
             BEGIN SELECT RAISE(ABORT, 'the queue is closed'); END",
        )
        .unwrap();
    let settings = Arc::new(with_oracle());
    block_on(rig.store.submit(agent(1), settings.clone(), evora())).unwrap_err();
    rig.raw().execute_batch("DROP TRIGGER no_queue").unwrap();
    assert_eq!(rig.units_of(&line("Ada", "born in")).len(), 1);
    assert_eq!(block_on(rig.store.size()).unwrap(), 1);
    let waiting = rig.submits_with(with_oracle(), evora()).remove(0).unwrap();
    assert_eq!(waiting.disposition, Disposition::QueuedForAdjudication);
    let pending = block_on(rig.store.pending(agent(1).agent(), settings)).unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].0.reference(), &waiting.reference);
    rig.is_sound();
}

/// Brings the index of words to what it was before version 10, and takes away the vectors of version 11.
const OLDER_WORDS: &str = concat!(
    "DROP TABLE text_terms; DROP TABLE text_index; DROP TABLE text_rules;",
    "DROP TABLE vector; DROP TABLE vector_none; DROP TABLE vector_block; DROP TABLE vector_model;",
    include_str!("../text/porter.sql")
);

/// I4, I6: a store of version 4 loses its record of what reads returned, in one transaction; its claims mean what they meant,
/// and what the user says is the user's.
#[test]
fn a_store_that_recorded_reads_is_brought_forward() {
    let rig = Rig::new();
    rig.told(says("door", "is", "open"));
    let version_3 = include_str!("../schema/served.sql");
    let tables = version_3.find("CREATE TABLE claim_served").unwrap();
    let others = version_3.find("-- Erased units").unwrap();
    let later = format!(
        "CREATE TABLE kept AS SELECT idx FROM claim_unit; DROP TABLE claim_agent; DROP TABLE claim_line;
        DROP TABLE claim_unit; DROP TABLE claim_entry; {}
        INSERT INTO claim_unit (line, idx, agent, number, stamp, kind, class, force)
        SELECT 0, idx, 0, 0, 0, 0, 0, 0 FROM kept; DROP TABLE kept; PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE name LIKE '%goes_out'; PRAGMA writable_schema = RESET;
        DROP TABLE map_node; DROP TABLE map_row; DROP TABLE ship; DROP TABLE outbox; DROP TABLE followed; DROP TABLE unopened; DROP TABLE journal; DROP TABLE journal_head; DROP TABLE version_id; DROP TABLE feed_secret; DROP TABLE text_scopes; DROP TABLE text_scope_pairs; DROP TABLE text_scoped; DROP TABLE text_same; PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE name = 'sqlite_sequence'; PRAGMA writable_schema = RESET; VACUUM;
        DROP TABLE correction; ALTER TABLE stub DROP COLUMN observed; ALTER TABLE agent DROP COLUMN observed;
        ALTER TABLE agent DROP COLUMN sealed; ALTER TABLE agent DROP COLUMN last;
        ALTER TABLE agent DROP COLUMN worlds; DROP TABLE index_rows;
        ALTER TABLE chain DROP COLUMN tag; PRAGMA writable_schema = ON; UPDATE sqlite_schema
        SET sql = replace(sql, ' NOT IN (''integer'', ''real'')', ' IN (''text'', ''blob'', ''null'')');
        PRAGMA writable_schema = RESET;
        DROP TABLE trust; DROP TABLE trust_document; DROP TRIGGER trust_record_goes_once_recorded;
        CREATE TRIGGER trust_record_is_not_deleted BEFORE DELETE ON trust_record
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;",
        include_str!("../schema/claims.sql")
    );
    let records = include_str!("../schema/records.sql");
    let sealed = records.find("CREATE TABLE sealed").unwrap();
    let abandoned = records.find("CREATE TABLE abandoned").unwrap();
    let older = [
        OLDER_WORDS,
        &later,
        &records[sealed..abandoned],
        &version_3[tables..others],
        "INSERT INTO claim_served SELECT 1, idx, 1, 1 FROM capsule; PRAGMA user_version = 4",
    ]
    .concat();
    // What its agent sealed is counted again, and the next capsule stands behind it in the feed.
    let feed = |rig: &Rig| -> (String, u64, Vec<u8>) {
        let sql = "SELECT did, sealed, last FROM agent";
        rig.raw().query_row(sql, [], |row| row.try_into()).unwrap()
    };
    let before = feed(&rig);
    let sql = "SELECT 'INSERT INTO feed_secret VALUES (' || quote(agent) || ',' || quote(secret) || ')' FROM feed_secret";
    let secret: String = rig.raw().query_row(sql, [], |row| row.get(0)).unwrap();
    rig.raw().execute_batch(&older).unwrap();
    let rig = rig.reopened();
    assert_eq!(feed(&rig), before);
    // Capsules of a store of version 4 commit to nothing; these do.
    rig.raw().execute_batch(&secret).unwrap();
    assert!(before.1 > 0);
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'claim_served%' OR name LIKE 'claim_re%'";
    assert_eq!(rig.count(left), 0);
    let settings = Arc::new(Settings::default());
    let user = Channels::of_host().user().provenance();
    for said in ["closed", "open"] {
        let held = rig.believes(&line("door", "is"), AsOf::default());
        block_on(
            rig.store
                .claim_history(line("door", "is"), AsOf::default(), settings.clone()),
        )
        .unwrap();
        let place = held.sides[0].claims[0].reference.clone();
        rig.told(says("door", "is", said).superseding(vec![place]).unwrap());
    }
    let belief = rig.believes(&line("door", "is"), AsOf::default());
    assert_eq!(belief.primary(), Some(&value("open")));
    assert!(
        rig.units_of(&line("door", "is"))
            .iter()
            .all(|unit| unit.provenance() == user)
    );
    rig.is_sound();
}

/// I3, CLM-45: beliefs are folded from claims, so claims are not archived, however old; and what is forgotten is not
/// searched.
#[test]
fn claims_stay_when_old_memories_are_archived() {
    let rig = Rig::new();
    rig.remember("w1", "an old memory");
    let lisbon = rig.told(says("Ada", "lives in", "Lisbon"));
    rig.wait(300 * DAY_US);
    let archived = block_on(
        rig.store
            .archive(agent(1), rig.now(), Some(rig.now()), rig.archive()),
    )
    .unwrap();
    assert_eq!((archived.0[0].capsules, archived.1), (1, 1));
    let belief = rig.believes(&line("Ada", "lives in"), AsOf::default());
    assert_eq!(belief.primary(), Some(&value("Lisbon")));
    assert_eq!(rig.found("lisbon", None), [lisbon.to_string()]);
    block_on(rig.store.forget(agent(1), &lisbon, None, "asked for")).unwrap();
    let actor = agent(1).agent().to_string();
    assert!(rig.found("lisbon", Some(&actor)).is_empty());
    rig.is_sound();
}

/// What a claim says is found by its subject, the words of its predicate, its value and its dates; the names of its
/// members are not.
#[test]
fn a_claim_is_found_by_what_it_says() {
    let rig = Rig::new();
    let said = says("Ada", "livesIn", "Lisbon");
    let lisbon = rig.told(between(said, Some("1987-05"), None));
    for word in ["ada", "lives", "lisbon", "1987"] {
        assert_eq!(rig.found(word, None), [lisbon.to_string()], "{word}");
    }
    for word in ["disposition", "user_asserted", "committed", "claim", "v1"] {
        assert!(rig.found(word, None).is_empty(), "{word}");
    }
}

/// I7: lines that were never contested are not listed, those that were are, at the time at which they were.
#[test]
fn what_is_contested_is_found_at_the_time_at_which_it_was() {
    let rig = Rig::new();
    rig.lives("Lisbon", ["2019", "2019"]);
    rig.lives("Porto", ["2020", ""]);
    rig.told(between(says("Bob", "born in", "Faro"), Some("2000"), None));
    let evora = rig.told(between(says("Bob", "born in", "Evora"), Some("2000"), None));
    let names = |beliefs: Vec<Belief>| -> Vec<String> {
        let lines = beliefs.into_iter().map(|belief| belief.line);
        lines.map(|line| line.subject.to_string()).collect()
    };
    assert_eq!(names(rig.contested_lines(AsOf::default())), ["Bob"]);
    let before = rig.now().micros();
    rig.wait(DAY_US);
    rig.ends(&evora, "2001");
    assert!(rig.contested_lines(AsOf::default()).is_empty());
    let then = AsOf {
        valid_at: None,
        as_of_us: Some(before),
    };
    assert_eq!(names(rig.contested_lines(then)), ["Bob"]);
}
