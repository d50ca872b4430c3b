//! A store that is fed by commits alone has the ground and the index of the one that writes (docs/format/commit.md).

mod pair;
mod steps;

use std::cell::RefCell;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use counterfoil_life::commit::{self, Change};
use counterfoil_life::sealing::ContentKey;
use counterfoil_life::{Backend, Life as _};
use counterfoil_sqlite::{Options, SqliteStore, Standby, content_keys};
use counterfoil_store::{CapsuleLog, Draft, StoreError};
use counterfoil_types::{Sha256Hash, WorldId};
use counterfoil_verifier::Checkpoint;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::common::{Place, agent, assert_refused, block_on, is_clean, signer, world};
use pair::{Done, Pair, follow};

/// Number of histories, unless the environment names another.
const HISTORIES: &str = "COUNTERFOIL_HISTORIES";

/// Changes that have to be made at least once in 40 histories.
const COMMON: [&str; 26] = [
    "answer",
    "archived",
    "claim",
    "claim heard",
    "collected",
    "compromise",
    "erased",
    "erased with versions",
    "exchange",
    "followed",
    "forgotten",
    "item",
    "key chain",
    "killed while it follows",
    "received: accepted",
    "received: forked",
    "received: pending",
    "received: refused",
    "restored",
    "rollback",
    "rotation",
    "shipped",
    "transition",
    "trust record",
    "version",
    "world",
];
/// Steps that have to occur once in 400 histories.
const RARE: [&str; 4] = ["fork recorded", "received: branch", "resolved", "verdict"];

/// Over random histories of everything that writes, shipped and applied at random moments and killed in between, the
/// follower ends with the same ground and the same index. (I3)
#[test]
fn a_follower_has_the_ground_and_the_index_of_what_it_follows() {
    let histories = std::env::var(HISTORIES).ok().and_then(|it| it.parse().ok());
    let histories: u32 = histories.unwrap_or(200);
    let threads =
        std::thread::available_parallelism().map_or(2, |it| u64::try_from(it.get()).unwrap());
    let share = histories.div_ceil(u32::try_from(threads).unwrap());
    let ran = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || run(thread, share)))
            .collect();
        let ran = running.into_iter().map(|it| it.join().unwrap());
        ran.reduce(|mut all, done| {
            done.iter()
                .for_each(|(kind, count)| *all.entry(kind).or_default() += count);
            all
        })
    });
    let done = ran.unwrap();
    println!("{histories} histories: {done:#?}");
    let common = COMMON.iter().zip(std::iter::repeat(40));
    for (kind, once_in) in common.chain(RARE.iter().zip(std::iter::repeat(400))) {
        let count = done.get(kind).copied().unwrap_or_default();
        assert!(count >= histories / once_in, "{kind}: only {count} times");
    }
}

/// Most histories are short, some are long.
fn run(thread: u64, histories: u32) -> Done {
    let mut config = Config {
        max_shrink_iters: 200,
        ..Config::with_cases(histories)
    };
    if let RngSeed::Fixed(seed) = config.rng_seed {
        config.rng_seed = RngSeed::Fixed(seed.wrapping_add(thread));
    }
    let step = || (0_u8..27, any::<u8>(), any::<u8>());
    let [short, long] = [1..30, 30..150].map(|steps| prop::collection::vec(step(), steps));
    let steps = (0_u8..16, prop_oneof![15 => short, 1 => long]);
    let all = RefCell::new(Done::new());
    let ran = TestRunner::new(config).run(&steps, |(sealing, steps)| {
        let mut pair = Pair::sealed(sealing > 11);
        pair.step((0, 0, 0));
        for step in steps {
            pair.step(step);
        }
        pair.is_followed();
        if sealing == 15 {
            pair.is_followed_late();
        }
        let mut all = all.borrow_mut();
        pair.done
            .iter()
            .for_each(|(kind, count)| *all.entry(kind).or_default() += count);
        Ok(())
    });
    ran.unwrap();
    all.into_inner()
}

/// A pair whose store has shipped twice.
fn shipped() -> Pair {
    let mut pair = Pair::new();
    for _ in 0..2 {
        pair.step((0, 0, 0));
        pair.ship();
    }
    pair
}

fn detail<T: Debug>(outcome: Result<T, StoreError>) -> String {
    match outcome {
        Err(StoreError::Commit { detail }) => detail,
        other => panic!("{other:?}"),
    }
}

/// Changes the text of a shipped file.
fn edit(pair: &Pair, number: u64, edit: impl FnOnce(String) -> String) {
    let path = pair.folder().join(format!("{number:012}.commit.zst"));
    let text = zstd::decode_all(fs::File::open(&path).unwrap()).unwrap();
    let text = edit(String::from_utf8(text).unwrap());
    fs::write(path, zstd::encode_all(text.as_bytes(), 3).unwrap()).unwrap();
}

/// A follower that begins late has no key of what was erased, and each of its states is sound.
#[test]
fn each_state_of_a_late_follower_is_sound() {
    let beside_a_branch = [(12, 69, 0), (19, 34, 0), (11, 11, 0)];
    let answer_before_its_memory = [
        (0, 0, 0),
        (14, 199, 133),
        (17, 0, 19),
        (14, 178, 153),
        (5, 234, 220),
    ];
    let unit_of_a_line = [(3, 0, 3), (3, 0, 1), (3, 0, 3), (17, 0, 1), (5, 3, 0)];
    let version_after_an_erased_one = [
        (0, 0, 0),
        (1, 1, 0),
        (17, 0, 1),
        (1, 1, 0),
        (17, 0, 1),
        (5, 9, 0),
        (24, 0, 0),
        (18, 0, 0),
        (6, 1, 0),
    ];
    for steps in [
        &version_after_an_erased_one[..],
        &beside_a_branch,
        &answer_before_its_memory,
        &unit_of_a_line,
    ] {
        let mut pair = Pair::sealed(true);
        pair.step((0, 0, 0));
        steps.iter().for_each(|step| pair.step(*step));
        is_clean(&pair.store);
        pair.is_followed();
        pair.is_followed_late();
    }
}

/// Ships neither a document that was held, accepted and given up by a resolution between two commits, nor a report that was
/// taken away with its memory.
#[test]
fn what_came_and_went_in_one_commit_is_gone() {
    let held = [
        (10, 182, 4),
        (12, 55, 0),
        (17, 1, 1),
        (12, 66, 0),
        (10, 122, 109),
        (11, 134, 0),
    ];
    let report = [(0, 0, 0), (14, 142, 0), (14, 121, 81), (5, 0, 0)];
    for steps in [&held[..], &report] {
        let mut pair = Pair::new();
        steps.iter().for_each(|step| pair.step(*step));
        pair.is_followed();
    }
}

type Forge = fn(String) -> String;

/// Refuses a commit that is forged, of another store, or after a gap, and keeps nothing of it.
#[test]
fn a_commit_that_does_not_continue_the_store_is_refused() {
    let cases: [(&str, Forge); 7] = [
        ("entry 1: ", |text| text.replace("text 0", "text 1")),
        ("not signed by the log's key", |text| {
            text.replace("\\n2\\n", "\\n3\\n")
        }),
        ("its last part is missing", |text| {
            text.replace("\"last\":true", "\"last\":false")
        }),
        ("entries before it are missing", |text| {
            text.replace("\"from\":[1,", "\"from\":[2,")
        }),
        ("another one than the store's", |text| {
            let at = text.find("[1,\"sha256:").unwrap() + 11;
            format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..])
        }),
        ("no change of this format", |text| {
            text + "{\"row\":[1],\"table\":\"head\"}\n"
        }),
        ("cut off", |text| text.trim_end().to_owned()),
    ];
    for (why, forge) in cases {
        let pair = shipped();
        edit(&pair, 2, forge);
        let first = commit::files(&pair.folder(), None).unwrap();
        let mut standby = Standby::open(&pair.standby(), || Ok(first[0].head.key.clone())).unwrap();
        standby.apply(first[0].parts(None)).unwrap();
        drop(standby);
        let digest = || fs::read(pair.standby()).unwrap();
        let before = digest();
        let refused = pair.follow(None);
        let refused = match refused {
            // A file that is not the last part of anything is passed over.
            Ok(_) => "its last part is missing".to_owned(),
            refused => detail(refused),
        };
        assert!(refused.contains(why), "{why}: {refused}");
        assert_eq!(digest(), before, "{why}");
    }
}

/// Refuses a commit whose checkpoint binds another map than its entries make: no copy answers with a map that it has not made.
#[test]
fn a_commit_with_another_map_is_refused() {
    let pair = shipped();
    edit(&pair, 2, |text| {
        let (head, changes) = text.split_once('\n').unwrap();
        let mut head: serde_json::Value = serde_json::from_str(head).unwrap();
        let signed = Checkpoint::from_note(head["checkpoint"].as_str().unwrap()).unwrap();
        let other = Sha256Hash::from_bytes([9; 32]);
        let forged = signer().checkpoint_with_map((signed.size(), signed.root()), other);
        head["checkpoint"] = forged.unwrap().into();
        format!("{head}\n{changes}")
    });
    let refused = detail(pair.follow(None));
    assert!(refused.contains("binds another map"), "{refused}");
}

/// A folder belongs to one store, and a standby to one folder.
#[test]
fn streams_are_not_mixed() {
    let (pair, other) = (shipped(), Place::numbered(8));
    let second = other.create();
    let refused = block_on(commit::ship(&second, &pair.folder(), None)).map(drop);
    assert!(detail(refused).contains("has not shipped there"));
    let elsewhere = pair.place.folder.path().join("elsewhere");
    pair.ship_elsewhere();
    pair.follow(None).unwrap();
    let refused = pair.follow_at(&elsewhere, &pair.standby(), None);
    assert!(detail(refused).contains("another folder"));
    fs::remove_dir_all(pair.folder()).unwrap();
    let refused = block_on(commit::ship(&pair.store, &pair.folder(), None)).map(drop);
    assert!(detail(refused).contains("lacks file 2"));
    assert_eq!(pair.place.count("SELECT count(*) FROM ship"), 2);
}

/// A destination that is ended holds no changes back, and another one goes on.
#[test]
fn a_destination_ends() {
    let mut pair = shipped();
    let elsewhere = pair.place.folder.path().join("elsewhere");
    let waiting = |pair: &Pair| pair.place.count("SELECT count(*) FROM outbox");
    pair.ship_elsewhere();
    fs::remove_dir_all(pair.folder()).unwrap();
    pair.receive(&["no capsule".to_owned()]);
    pair.ship_elsewhere();
    assert_ne!(waiting(&pair), 0, "the folder that is gone lacks it");
    block_on(commit::end(&pair.store, &pair.folder())).unwrap();
    assert_eq!(waiting(&pair), 0);
    pair.receive(&["another".to_owned()]);
    pair.ship_elsewhere();
    pair.follow_at(&elsewhere, &pair.standby(), None).unwrap();
    pair.is_same(&pair.standby());
    pair.receive(&["a third".to_owned()]);
    block_on(commit::end(&pair.store, &elsewhere)).unwrap();
    pair.receive(&["a fourth".to_owned()]);
    assert_eq!(waiting(&pair), 0);
    let refused = block_on(commit::end(&pair.store, &elsewhere)).map(drop);
    assert!(detail(refused).contains("does not ship"));
}

/// The guard beside the keys is not asked about a store that follows, nor moved by it.
#[test]
fn a_standby_is_written_once_it_is_reconciled() {
    let pair = shipped();
    pair.follow(None).unwrap();
    let keys = tempfile::tempdir().unwrap();
    let guard = keys.path().join("last-checkpoint");
    let options = || Options::writable(pair.standby(), signer(), guard.clone());
    let draft = || vec![Draft::new(world("mine", "mine"))];
    fs::copy(pair.place.guard(), &guard).unwrap();
    let standby = SqliteStore::open(options()).unwrap();
    let refused = block_on(standby.append(agent(1), draft()));
    assert_refused!(refused, StoreError::GuardMismatch { .. });
    drop(standby);
    fs::remove_file(&guard).unwrap();
    let reconcile =
        || counterfoil_sqlite::reconcile(&options(), agent(1).agent(), std::iter::empty());
    assert!(reconcile().is_err(), "no guard says how long the log was");
    fs::copy(pair.place.guard(), &guard).unwrap();
    reconcile().unwrap();
    let standby = SqliteStore::open(options()).unwrap();
    block_on(standby.append(agent(1), draft())).unwrap();
    is_clean(&standby);
    drop(standby);
    assert_refused!(pair.follow(None), StoreError::AlreadyExists { .. });
}

/// A state that is larger than a part comes in several, and a part alone is nothing.
#[test]
fn a_large_state_comes_in_parts() {
    let pair = Pair::new();
    let text: String = (0..120_000).map(|number| format!("{number:x} ")).collect();
    for part in 0..30 {
        let draft = Draft::new(world(&format!("large-{part}"), &text));
        block_on(pair.store.append(agent(1), vec![draft])).unwrap();
    }
    assert!(pair.ship().files > 1);
    pair.is_followed();
}

/// Returns the sealed content of the entry at `index` in the text of a file.
fn sealed_content(text: &str, index: u64) -> String {
    let line = text
        .lines()
        .find(|line| line.contains(&format!("\"index\":{index}")));
    let from = line
        .unwrap()
        .split("\"content\":{\"hex\":\"")
        .nth(1)
        .unwrap();
    from.split('"').next().unwrap().to_owned()
}

/// Sealed content opens at its own place of its own log alone, with the keys of its own folder.
#[test]
fn sealed_content_is_not_moved() {
    let swap: Forge = |text| {
        let [first, second] = [0, 1].map(|index| sealed_content(&text, index));
        let text = text.replace(&first, "first").replace(&second, &first);
        text.replace("first\"", &format!("{second}\""))
    };
    let renamed: Forge = |text| {
        let key = text
            .split("\"key\":\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        text.replace(key, "another.example/log+1f2e3d4c+AA")
    };
    let cut: Forge = |text| text.replace(&sealed_content(&text, 1), "");
    let whole = || {
        let mut pair = Pair::sealed(true);
        (0..2).for_each(|_| pair.step((0, 0, 0)));
        pair.ship();
        pair
    };
    for (why, forge) in [
        ("another place", swap),
        ("another log", renamed),
        ("changed", cut),
    ] {
        let pair = whole();
        edit(&pair, 1, forge);
        let refused = pair.follow(None).unwrap_err().to_string();
        assert!(refused.contains(why), "{why}: {refused}");
    }
    let (pair, keys) = (whole(), tempfile::tempdir().unwrap());
    let (from, log) = (pair.folder(), pair.store.log_key().unwrap());
    drop(pair.store.make_content_keys(keys.path(), &log).unwrap());
    for (keys, why) in [
        (None, "with --keys"),
        (Some(keys.path()), "missing, and was not destroyed"),
        (Some(from.as_path()), "it is not there"),
    ] {
        let refused = follow((&from, keys), &pair.standby(), None).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

/// A folder is sealed from its first file on, or never, with keys that lie elsewhere and stay the same.
#[test]
fn sealed_and_plain_files_are_not_mixed() {
    let (plain, sealed) = (shipped(), Pair::sealed(true));
    let root = sealed.place.folder.path();
    let ship = |pair: &Pair, folder: &Path, keys: Option<&Path>| {
        block_on(commit::ship(&pair.store, folder, keys)).map(|shipped| shipped.keys)
    };
    let refused = |shipped: Result<Option<String>, StoreError>| shipped.unwrap_err().to_string();
    let keys = root.join("keys");
    let mixed = refused(ship(&plain, &plain.folder(), Some(&keys)));
    assert!(mixed.contains("not sealed"), "{mixed}");
    let inside = refused(ship(
        &sealed,
        &sealed.folder(),
        Some(&sealed.folder().join("keys")),
    ));
    assert!(inside.contains("apart"), "{inside}");
    fs::remove_dir_all(sealed.folder()).unwrap();
    sealed.ship();
    // The folder of the keys is known, and may move.
    let known = ship(&sealed, &sealed.folder(), None).unwrap();
    assert_eq!(known.as_deref(), keys.canonicalize().unwrap().to_str());
    let moved = root.join("moved");
    fs::rename(&keys, &moved).unwrap();
    assert!(refused(ship(&sealed, &sealed.folder(), None)).contains("it is not there"));
    ship(&sealed, &sealed.folder(), Some(&moved)).unwrap();
    let other = root.join("other");
    drop(
        sealed
            .store
            .make_content_keys(&other, &sealed.store.log_key().unwrap())
            .unwrap(),
    );
    let other = refused(ship(&sealed, &sealed.folder(), Some(&other)));
    assert!(other.contains("another folder of commits"), "{other}");
}

/// Returns the changes in the files of a folder, as far as the keys open them.
fn opened(folder: &Path, keys: &Path) -> String {
    let commits = commit::files(folder, None).unwrap();
    let keys = content_keys(keys, &commits[0].head.key).unwrap();
    let parts = commits.iter().flat_map(|files| files.parts(Some(&*keys)));
    let changes = parts.flat_map(|part| part.unwrap().changes);
    let texts = changes.map(|change| match change {
        Change::Entry { document, .. } => document.to_text(),
        other => format!("{other:?}"),
    });
    texts.collect()
}

/// Returns the text of the first file of a folder.
fn raw(folder: &Path) -> String {
    let text = fs::File::open(folder.join("000000000001.commit.zst")).unwrap();
    String::from_utf8(zstd::decode_all(text).unwrap()).unwrap()
}

/// Appends a memory and a second version of it.
fn append_two(pair: &Pair, text: &str) {
    let first = Draft::new(world("w-1", text));
    let first = block_on(pair.store.append(agent(1), vec![first]))
        .unwrap()
        .remove(0);
    let next = Draft::new(world("w-2", "other words")).following(first.chain, first.capsule);
    block_on(pair.store.append(agent(1), vec![next])).unwrap();
}

/// An erasure reaches each copy whose keys it reaches, names the others, and is finished by the next one.
#[test]
fn an_erasure_takes_the_content_from_each_copy() {
    const CANARY: &str = "zanzibarin";
    let pair = Pair::sealed(true);
    let root = pair.place.folder.path();
    let [sealed, plain, far] = ["shipped", "plain", "far"].map(|name| root.join(name));
    let keys = |name: &str| root.join(format!("{name}-keys"));
    append_two(&pair, CANARY);
    let id = WorldId::new("w-1").unwrap();
    for (folder, name) in [
        (&sealed, Some("shipped")),
        (&plain, None),
        (&far, Some("far")),
    ] {
        let keys = name.map(keys);
        block_on(commit::ship(&pair.store, folder, keys.as_deref())).unwrap();
    }
    let says = |folder: &Path, name: &str| opened(folder, &keys(name));
    assert!(says(&sealed, "shipped").contains(CANARY) && raw(&plain).contains(CANARY));
    assert!(!raw(&sealed).contains(CANARY) && !raw(&sealed).contains("other words"));
    fs::create_dir(keys("older")).unwrap();
    let file = |name: &str| keys(name).join("content-keys.db");
    fs::copy(file("shipped"), file("older")).unwrap();
    fs::rename(keys("far"), keys("away")).unwrap();
    let erase = || {
        let erased = block_on(pair.store.erase(agent(1), &id, "asked to"));
        let destinations = erased.unwrap().unwrap().destinations;
        let named = |folder: &Path| {
            let path = folder.canonicalize().unwrap();
            let path = path.to_str().unwrap();
            let found = destinations.iter().find(|it| it.folder == path);
            found.unwrap().obstacle.clone()
        };
        [&sealed, &plain, &far].map(|folder| named(folder))
    };
    let [reached, unsealed, unreached] = erase();
    assert_eq!(reached, None);
    assert!(unsealed.unwrap().contains("not sealed"));
    assert!(unreached.unwrap().contains("it is not there"));
    let left = says(&sealed, "shipped");
    assert!(!left.contains(CANARY) && left.contains("other words"));
    follow((&sealed, Some(&keys("shipped"))), &pair.standby(), None).unwrap();
    let copy = fs::read(pair.standby()).unwrap();
    assert!(
        !copy
            .windows(CANARY.len())
            .any(|window| window == CANARY.as_bytes())
    );
    // Nothing waits for the store to be told again.
    fs::rename(keys("away"), keys("far")).unwrap();
    assert!(says(&far, "far").contains(CANARY));
    let settled = block_on(commit::destroy_keys(&pair.store, Vec::new())).unwrap();
    assert!(settled.len() == 2 && settled.iter().all(|it| it.obstacle.is_none()));
    assert!(!says(&far, "far").contains(CANARY));
    assert_eq!(erase()[2], None);
    // An older copy of the keys undoes it, until the same erasure reaches that one.
    block_on(commit::ship(&pair.store, &sealed, None)).unwrap();
    fs::copy(file("older"), file("shipped")).unwrap();
    let of_first = || {
        let keys = content_keys(&keys("shipped"), &pair.store.log_key().unwrap());
        keys.unwrap().key("entry/0").unwrap().unwrap()
    };
    assert!(matches!(of_first(), ContentKey::Present(_)));
    assert_eq!(erase()[0], None);
    assert!(matches!(of_first(), ContentKey::Destroyed));
    // One that begins after the erasure never had it.
    block_on(commit::ship(&pair.store, &root.join("late"), None)).unwrap();
    let again = block_on(pair.store.erase(agent(1), &id, "asked to"));
    assert_eq!(again.unwrap().unwrap().destinations.len(), 3);
}
