//! A bound memory, held against every public method: what is outside of its scope is not there for it (MR-03).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use counterfoil_types::WorldId;
use serde_json::{Value, json};

use super::*;
use crate::blocking;
use crate::{
    CheckOptions, DerivedPolicy, Detail, Edit, ErasureScope, ExtractOptions, Note, PassOn,
    RecallOptions, Timestamp,
};

/// Methods that honour the scope.
const HONOURING: [&str; 58] = [
    "archived",
    "as_of",
    "assert",
    "believe",
    "believe_all",
    "believe_within",
    "check_guarded",
    "claim",
    "claim_ledger",
    "claim_of_model",
    "claim_of_tool",
    "claim_of_user",
    "claim_origin",
    "claim_unit",
    "committed",
    "contested",
    "decisions",
    "derived",
    "diff",
    "erase",
    "eval",
    "export",
    "export_texts",
    "export_to",
    "extract",
    "find_id",
    "forget",
    "guard",
    "history",
    "import",
    "import_claims",
    "import_file",
    "import_from",
    "import_text",
    "is_erased",
    "line_history",
    "names_in",
    "own_claim",
    "pending",
    "propose",
    "prove",
    "recall",
    "recall_as_of",
    "receipt",
    "remember",
    "rollback",
    "share",
    "shares",
    "short_ids",
    "show",
    "timeline",
    "unshare",
    "update",
    "used",
    "watch_guarded",
    "why",
    "withheld",
    "writer_of",
];

/// Methods that reach no memory: they make or open a store, know the scope, or need no store.
const WITHOUT_MEMORIES: [&str; 19] = [
    "builder",
    "can_guard",
    "can_import",
    "can_import_claims",
    "check_fork_proof",
    "create",
    "deciding_key",
    "dir",
    "log_ahead",
    "log_name",
    "must_exist",
    "new_key",
    "open",
    "open_read_only",
    "prepare_ground",
    "scope",
    "scoped",
    "sign_forget_decision",
    "take_notices",
];

pub(crate) fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

pub(crate) struct Stores {
    _folder: tempfile::TempDir,
    pub(crate) whole: blocking::Memory,
    pub(crate) kit: blocking::Memory,
}

/// A store with a memory of Kit and one of Bo, which is the second id.
pub(crate) fn stores() -> (Stores, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let made = runtime.block_on(Memory::create(folder.path().join("memory")));
    let whole = made.unwrap();
    let kit = blocking::Memory::over(whole.scoped(&scope("user=kit")).unwrap()).unwrap();
    let whole = blocking::Memory::over(whole).unwrap();
    let of_bo = Note::from("Bo hides the sesame key").scope(scope("user=bo"));
    let of_bo = whole.remember(of_bo).unwrap().id.to_string();
    let of_kit = Note::from("Kit must not eat sesame").who("Ada");
    let of_kit = kit.remember(of_kit).unwrap().id.to_string();
    let stores = Stores {
        _folder: folder,
        whole,
        kit,
    };
    (stores, of_kit, of_bo)
}

/// Sources of this crate by path.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.ends_with("blocking.rs") => {}
            false => found.push(std::fs::read_to_string(path).unwrap()),
        }
    }
}

/// Bodies of the methods of `Memory`, by their names, and true for the public ones.
fn methods() -> BTreeMap<String, (bool, String)> {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&folder, &mut files);
    let mut methods = BTreeMap::new();
    for file in files {
        let mut name = None;
        let mut within = false;
        for line in file.lines() {
            within = match line {
                "impl Memory {" => true,
                "}" => false,
                _ => within,
            };
            let is_fn = within && line.starts_with("    ") && !line.starts_with("     ");
            if let Some((before, after)) = line.split_once("fn ").filter(|_| is_fn) {
                let ends = after.find(['(', '<']).unwrap();
                let is_public = before.contains("pub ");
                name = Some(after[..ends].to_owned());
                methods.insert(after[..ends].to_owned(), (is_public, String::new()));
            }
            if let Some((_, body)) = name.as_ref().and_then(|name| methods.get_mut(name)) {
                body.push_str(line.trim());
            }
            if is_fn && line == "    }" {
                name = None;
            }
        }
    }
    methods
}

/// Law (c) of scopes: each public method honours the scope, reaches no memory, or is refused in one. A new method has to be one
/// of these.
#[test]
fn each_public_method_honours_the_scope_or_is_refused() {
    let methods = methods();
    let guards = [
        "self.reader()",
        "self.writer()",
        "self.any()",
        "self.signer()",
        "self.reader_from(",
        "self.must_be_unbound()",
    ];
    let mut refused: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = refused.len();
        for (name, (_, body)) in &methods {
            let calls = |other: &&str| {
                body.contains(&format!("self.{other}(")) && !HONOURING.contains(other)
            };
            if guards.iter().any(|guard| body.contains(guard)) || refused.iter().any(calls) {
                refused.insert(name);
            }
        }
        if refused.len() == before {
            break;
        }
    }
    let public = methods.iter().filter(|(_, (is_public, _))| *is_public);
    let public: BTreeSet<&str> = public.map(|(name, _)| name.as_str()).collect();
    assert!(public.len() > 100, "{}", public.len());
    let known = HONOURING.iter().chain(&WITHOUT_MEMORIES).copied();
    let known: BTreeSet<&str> = known.chain(["write_heads"]).collect();
    let neither: Vec<_> = public
        .difference(&known)
        .filter(|it| !refused.contains(*it))
        .collect();
    assert!(neither.is_empty(), "say what a scope means for {neither:?}");
    let gone: Vec<_> = known.difference(&public).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// Calls about the whole store are refused, whatever their arguments are.
#[test]
fn what_is_of_the_whole_store_is_refused() {
    let (stores, ..) = stores();
    let m = &stores.kit;
    let path = stores._folder.path();
    macro_rules! refused {
        ($($call:expr),* $(,)?) => {$(
            let error = $call.map(|_| ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{}: {error}", stringify!($call));
        )*};
    }
    refused!(
        m.embed(),
        m.migrate_vectors(),
        m.peers(None),
        m.exchanges(1),
        m.show_entry(0),
        m.forgotten(),
        m.segments(),
        m.restore(&[], None, false),
        m.collect(1, true),
        m.check(CheckOptions::default()),
        m.stats(false),
        m.rebuild(),
        m.reconcile(None),
        m.ship(path, None),
        m.export(None, None, &mut Vec::new()),
        m.export_complete(&mut Vec::new()),
        m.checkpoint(),
        m.log_map(),
        m.check_log_map(),
        m.export_tiles(path),
        m.forks(None),
        m.keys(None),
        m.export_keys(),
    );
}

/// Questions are measured on the memories of the scope; a memory outside of it is none that answers.
#[test]
fn recall_is_measured_on_the_scope() {
    let (stores, own, foreign) = stores();
    let file = stores._folder.path().join("questions.jsonl");
    let ask = |id: &str| {
        let line = json!({"question": "who has sesame?", "memories": [id]});
        std::fs::write(&file, line.to_string()).unwrap();
        stores.kit.eval(&file)
    };
    let measured = ask(&own).unwrap();
    assert_eq!(
        measured.value()["measures"][0]["mean"],
        1.0,
        "{}",
        measured.value()
    );
    let refused = ask(&foreign).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Input);
    assert_eq!(
        refused.to_string().replace(&foreign, "ID"),
        ask("mem_0").unwrap_err().to_string().replace("mem_0", "ID")
    );
}

/// A rule that is written in a scope is for that scope, and there neither shows nor takes away another one.
#[test]
fn rules_of_sharing_are_of_the_scope() {
    let (stores, ..) = stores();
    let Stores { whole, kit, .. } = &stores;
    let all = |m: &blocking::Memory| -> Vec<Option<String>> {
        let shares = m.shares().unwrap();
        let rules = shares.value()["rules"].as_array().unwrap().clone();
        let scope = |rule: &Value| rule.get("scope").and_then(Value::as_str).map(str::to_owned);
        rules.iter().map(scope).collect()
    };
    whole.share("tea", &[], &[], PassOn::Refused).unwrap();
    assert!(all(kit).is_empty());
    let shared = kit.share("tea", &[], &[], PassOn::Refused).unwrap();
    assert_eq!(shared.text("/scope"), Some("user=kit"));
    assert_eq!(all(kit), [Some("user=kit".to_owned())]);
    assert_eq!(all(whole), [Some("user=kit".to_owned()), None]);
    assert_eq!(
        kit.unshare("tea", &[], &[]).unwrap().number("/rules"),
        Some(1)
    );
    assert!(kit.unshare("tea", &[], &[]).is_err());
    assert_eq!(all(whole), [None]);
    kit.share("tea", &[], &[], PassOn::Refused).unwrap();
    assert_eq!(
        whole.unshare("tea", &[], &[]).unwrap().number("/rules"),
        Some(2)
    );
}

/// Law (c): a foreign id has the answers of an absent one, by each method that takes one, and nothing is written.
#[test]
fn a_foreign_id_is_as_an_absent_one() {
    let (stores, _, foreign) = stores();
    let absent = "world-00000000000000000000000000000000";
    let m = &stores.kit;
    let keep = ErasureScope {
        all_versions: true,
        derived: DerivedPolicy::Keep,
    };
    let edit = Edit::set("/text", "x");
    let answers = |id: &str| {
        let world = WorldId::new(id).unwrap();
        let said = [
            m.show(id).map(|_| ()),
            m.history(id, 9).map(|_| ()),
            m.used(id).map(|_| ()),
            m.diff(id, id).map(|_| ()),
            m.update(id, &edit).map(|_| ()),
            m.update(id, &edit.clone().deriving()).map(|_| ()),
            m.rollback(id, 0).map(|_| ()),
            m.forget(id, "r").map(|_| ()),
            m.erase(id, "r", keep).map(|_| ()),
            m.derived(id, true).map(|_| ()),
            m.is_erased(id).map(|_| ()),
            m.export(Some(id), None, &mut Vec::new()).map(|_| ()),
            m.remember(Note::from("y").source(id)).map(|_| ()),
            m.writer_of(&world).map(|_| ()),
            m.extract(Some(id), &ExtractOptions::default()).map(|_| ()),
        ];
        let said = said.map(|it| it.unwrap_err());
        said.map(|it| (it.kind(), it.to_string().replace(id, "ID")))
    };
    let size = || {
        stores
            .whole
            .stats(true)
            .unwrap()
            .number("/database/entries")
    };
    let before = size();
    assert_eq!(answers(&foreign), answers(absent));
    assert_eq!(size(), before);
    assert!(stores.whole.show(&foreign).is_ok());
}

#[test]
fn recalls_lists_and_proposals_are_of_the_scope_alone() {
    let (stores, own, foreign) = stores();
    let m = &stores.kit;
    let options = RecallOptions::default();
    let now = Timestamp::from_micros(4_000_000_000_000_000).unwrap();
    for recalled in [
        m.recall("sesame key", &options).unwrap(),
        m.recall_as_of(now, "sesame key", &options).unwrap(),
    ] {
        let ids: Vec<String> = recalled
            .hits()
            .iter()
            .map(|hit| hit.id.to_string())
            .collect();
        assert_eq!(ids, [own.as_str()]);
        let document = serde_json::to_string(&recalled.document(Detail::Full)).unwrap();
        assert!(!document.contains(&foreign) && !document.contains("Bo hides"));
    }
    let listed = m.as_of(now, 0, 9).unwrap();
    assert_eq!(listed.number("/memories"), Some(1));
    assert!(!listed.json().contains(&foreign));
    let proposal = m
        .propose("eat", &["sesame key"], None, None, &options)
        .unwrap();
    assert!(!serde_json::to_string(&proposal).unwrap().contains(&foreign));
    let other = RecallOptions {
        scope: scope("user=bo"),
        ..RecallOptions::default()
    };
    assert_eq!(
        m.recall("key", &other).unwrap_err().kind(),
        ErrorKind::Input
    );
    assert!(m.remember(Note::from("z").scope(scope("user=bo"))).is_err());
    let document = Note::document(json!({"text": "z", "scope": {"user": "bo"}}));
    assert!(m.remember(document).is_err());
    let within = Note::from("In the session").scope(scope("session=1"));
    let id = m.remember(within).unwrap().id.to_string();
    let data = m.show(&id).unwrap().json().to_owned();
    assert!(
        data.contains("\"session\"") && data.contains("\"user\""),
        "{data}"
    );
}

/// The scope of a memory is that of all its versions, for the whole memory as well.
#[test]
fn no_version_leaves_the_scope() {
    let (stores, own, _) = stores();
    for edit in [
        Edit::set("/scope/user", "bo"),
        Edit::patch(json!({"scope": null})),
        Edit::replace(json!("x")),
    ] {
        for memory in [&stores.kit, &stores.whole] {
            let refused = memory.update(&own, &edit).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Input, "{refused}");
        }
    }
    let derived = Edit::set("/scope/user", "bo").deriving();
    assert!(stores.kit.update(&own, &derived).is_err());
    assert!(stores.whole.update(&own, &derived).is_ok());
    assert!(
        stores
            .kit
            .update(&own, &Edit::set("/text", "Kit eats figs"))
            .is_ok()
    );
}

/// Law (e): the same again is the same memory, one hit; near ones are named; nothing is merged.
#[test]
fn the_same_again_is_confirmed() {
    let (stores, first, _) = stores();
    let m = &stores.kit;
    let said = || Note::from("Kit must not eat sesame").who("Ada");
    let again = m.remember(said()).unwrap();
    assert_eq!(again.became, "same");
    let recalled = m.recall("sesame", &RecallOptions::default()).unwrap();
    assert_eq!(recalled.hits().len(), 1);
    let shown = m.show(&again.id.to_string()).unwrap().json().to_owned();
    assert!(shown.contains("\"confirmed\""), "{shown}");
    assert_eq!(m.history(&first, 9).unwrap().number("/count"), Some(2));
    for other in [
        Note::from("Kit must not eat sesame").who("Bo"),
        said().tag("food"),
        said().scope(scope("session=1")),
        Note::from("Kit must not eat any sesame").who("Ada"),
    ] {
        let other = m.remember(other).unwrap();
        assert_eq!(other.became, "new");
    }
    let near = Note::from("Kit must never eat sesame").who("Ada");
    assert!(m.remember(near).unwrap().similar.contains(&again.id));
    // In another scope it is another memory, and names nothing of this one.
    let bo = said().scope(scope("user=bo"));
    let bo = stores.whole.remember(bo).unwrap();
    assert_eq!((bo.became, bo.similar), ("new", Vec::new()));
    // What was changed since says something else.
    let sings = m.remember("Ada sings").unwrap().id.to_string();
    m.update(&sings, &Edit::set("/text", "Ada hums")).unwrap();
    assert_eq!(m.remember("Ada sings").unwrap().became, "new");
}

/// A memory is erased in its scope, and memories made from it are listed there; those outside are not named.
#[test]
fn a_memory_is_erased_in_its_scope() {
    let (stores, own, _) = stores();
    let Stores { whole, kit, .. } = &stores;
    let made = |m: &blocking::Memory, path: &str, value: &str| {
        let made = m.update(&own, &Edit::set(path, value).deriving()).unwrap();
        made.text("/id").unwrap().to_owned()
    };
    let inside = made(kit, "/text", "Kit must not eat tahini");
    let outside = made(whole, "/scope/user", "bo");
    let listed = |m: &blocking::Memory| m.derived(&own, true).unwrap().value().to_string();
    assert!(listed(kit).contains(&inside) && !listed(kit).contains(&outside));
    assert!(listed(whole).contains(&outside));
    assert!(!kit.is_erased(&own).unwrap());
    let keep = ErasureScope {
        all_versions: true,
        derived: DerivedPolicy::Keep,
    };
    let erased = kit.erase(&own, "r", keep).unwrap().value().to_string();
    assert!(erased.contains(&inside) && !erased.contains(&outside));
    assert!(whole.is_erased(&own).unwrap());
}

/// MR-03; mutant `scope-of-the-index`: rows of the index that were exchanged handed out the memories of another scope, and let them be changed.
#[test]
fn the_index_of_scopes_is_not_trusted() {
    let (stores, own, foreign) = stores();
    let handle = stores.whole.receipt(&foreign).unwrap();
    let handle = handle.text("/receipt").unwrap().to_owned();
    let index =
        rusqlite::Connection::open(stores._folder.path().join("memory").join("memory.db")).unwrap();
    let scopes = "SELECT min(scope) + max(scope) FROM text_scoped";
    let both: i64 = index.query_row(scopes, [], |row| row.get(0)).unwrap();
    let exchange = "UPDATE text_scoped SET scope = ?1 - scope";
    assert_eq!(index.execute(exchange, [both]).unwrap(), 2);
    drop(index);
    for id in [&foreign, &own] {
        assert!(stores.kit.show(id).is_err(), "{id}");
        assert!(stores.kit.update(id, &Edit::set("/text", "mine")).is_err());
        assert!(stores.kit.history(id, 9).is_err());
    }
    // A handle of another scope has the answer of one of nothing.
    let none = "rcpt_1_00000000";
    let said = |named: &str| {
        let error = stores.kit.receipt(named).unwrap_err();
        error.to_string().replace(named, "HANDLE")
    };
    assert_eq!(said(&handle), said(none));
}

/// A key is of one content, in its scope (AGT-3; mutant `a-key-forgets`).
#[test]
fn a_key_is_answered_again() {
    let (stores, ..) = stores();
    let m = &stores.kit;
    let keyed = |text: &str| Note::from(text).key("k-1");
    let first = m.remember(keyed("Figs are ripe")).unwrap();
    let again = m.remember(keyed("Figs are ripe")).unwrap();
    assert_eq!((&again.id, again.index), (&first.id, first.index));
    assert_eq!((first.became, again.became), ("new", "same"));
    let refused = |m: &blocking::Memory| m.remember(keyed("Figs are green")).unwrap_err().kind();
    assert_eq!(refused(m), ErrorKind::Input);
    // Whatever became of it since: the request is answered again, and nothing is written.
    let changed = |m: &blocking::Memory| {
        let (id, edit) = (first.id.to_string(), Edit::set("/text", "Figs were ripe"));
        m.update(&id, &edit).map(|_| ()).unwrap();
    };
    let hidden = |m: &blocking::Memory| {
        m.forget(&first.id.to_string(), "r").map(|_| ()).unwrap();
    };
    let become_of: [&dyn Fn(&blocking::Memory); 2] = [&changed, &hidden];
    for become_of in become_of {
        become_of(m);
        let again = m.remember(keyed("Figs are ripe")).unwrap();
        assert_eq!((&again.id, again.became), (&first.id, "same"));
        assert_eq!(refused(m), ErrorKind::Input);
    }
    let keep = ErasureScope {
        all_versions: true,
        derived: DerivedPolicy::Keep,
    };
    let second = stores
        .whole
        .remember(Note::from("Plums").key("k-2"))
        .unwrap();
    stores
        .whole
        .erase(&second.id.to_string(), "r", keep)
        .unwrap();
    let again = stores
        .whole
        .remember(Note::from("Plums").key("k-2"))
        .unwrap();
    assert_eq!((again.id, again.became), (second.id, "same"));
    let elsewhere = keyed("Figs are green").scope(scope("user=bo"));
    assert_eq!(stores.whole.remember(elsewhere).unwrap().became, "new");
}
