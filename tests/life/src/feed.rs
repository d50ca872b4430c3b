//! The feed of an agent, as a store keeps it: over chains, kinds, processes, archives and rebuilds (docs/format/feed.md).

use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{CapsuleDocument, FeedCheck, FeedPart, Timestamp};
use counterfoil_life::{Life, Selection};
use counterfoil_store::mutation::mutate_capsule;
use counterfoil_store::{CapsuleLog, Draft};
use serde_json::json;

use crate::LifeRig;
use crate::author::{Author, export, import, texts};
use crate::support::{DAY_US, Rig, agent, block_on, id, world};

/// Number of capsules of the feed of agent 1, and of findings about them and all that the store shows of that agent.
fn feed<S: Life + CapsuleLog>(store: &S) -> (u64, usize) {
    let signer = agent(1);
    let ((secret, first, capsules), _) = block_on(store.feed(signer.agent())).unwrap().unwrap();
    let size = first.0 + u64::try_from(capsules.len()).unwrap();
    let at = Timestamp::from_micros(store.now_micros()).unwrap();
    let part = FeedPart::sign(&*signer, &secret, first, capsules, (size, at)).unwrap();
    let mut check = FeedCheck::new(&part);
    let mut plan = block_on(store.export_plan(Selection::Agent(signer.agent()))).unwrap();
    while !plan.is_empty() {
        for line in block_on(store.export_lines(&mut plan)).unwrap().0 {
            let document = CapsuleDocument::parse(line.as_bytes()).unwrap();
            check.show(document.header());
        }
    }
    let check = block_on(store.compare_feed(check)).unwrap();
    (size, check.faults().len())
}

/// Versions, records and memories of two processes stand in one feed; other agents' capsules do not. It is whole after a
/// rebuild, a restore and the erasure of a content, and an archived capsule is missing in what is shown.
/// (CAP-11, CAP-32)
pub(crate) fn all_that_an_agent_seals_stands_in_one_feed<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    import(&rig.store, &texts(&Author::new(5).chain("theirs", 3)));
    let first = rig.remember("w-1", "the first");
    let other = factory.open(&rig.folder, &rig.setup);
    for number in 2..5 {
        let draft = Draft::new(world(&format!("w-{number}"), "of another process"));
        block_on(other.append(agent(1), vec![draft])).unwrap();
        rig.remember(&format!("v-{number}"), "of this process");
    }
    block_on(other.append(agent(2), vec![Draft::new(world("z-1", "of another agent"))])).unwrap();
    drop(other);
    let patch = json!([{ "op": "add", "path": "/more", "value": 1 }]);
    let next = (id("w-1b"), counterfoil_types::UnixMillis::new(1).unwrap());
    let change = Change::Patch(&patch);
    block_on(mutate_capsule(
        &rig.store,
        agent(1),
        &first.chain,
        change,
        next,
    ))
    .unwrap();
    // Several drafts in one append, one of them known already.
    let drafts = ["w-1c", "w-2", "w-1d"].map(|name| match name {
        "w-2" => Draft::new(world("w-2", "of another process")),
        name => Draft::new(world(name, "in one append")),
    });
    block_on(rig.store.append(agent(1), drafts.to_vec())).unwrap();
    assert_eq!(feed(&rig.store), (10, 0));
    rig.erase(&id("w-3"));
    assert_eq!(feed(&rig.store), (11, 0), "the redaction is a capsule");
    let shown = export(&rig.store);
    assert!(shown.iter().all(|line| !line.contains(r#""type":"feed""#)));

    rig.wait(10 * DAY_US);
    rig.remember("w-9", "of today");
    let archived = usize::try_from(rig.archives().capsules).unwrap();
    let (size, missing) = feed(&rig.store);
    // Those of the other agents are in the segment as well.
    assert_eq!(size, 13);
    assert!((1..=archived).contains(&missing));
    let segments = block_on(rig.store.segments()).unwrap();
    let names = segments.into_iter().map(|segment| segment.name).collect();
    block_on(rig.store.restore(rig.archive(), names)).unwrap();
    assert_eq!(feed(&rig.store), (13, 0));
    block_on(rig.store.rebuild()).unwrap();
    rig.remember("w-10", "after a rebuild");
    let rig = rig.reopened();
    rig.remember("w-11", "after a start");
    assert_eq!(feed(&rig.store), (15, 0));
    rig.is_sound();
}
