//! Programs that ship and follow, killed at any moment: nothing of what they acknowledged is lost, nothing is torn, and the
//! follower ends with the ground and the index of the store that writes (docs/format/commit.md).

use std::time::Duration;

use counterfoil_life::{Backend as _, Life as _};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::block_on;
use serde_json::Value;

use crate::kills::{Random, kills_wanted, seed};
use crate::store::{Ended, Store};

/// Longest time that a program runs before it is killed, in microseconds.
const LONGEST_US: u64 = 90_000;
/// Number of rounds after which both stores are compared.
const COMPARE_EVERY: usize = 20;

/// A store that ships to a folder, and one that follows it.
struct Pair {
    live: Store,
    standby: Store,
    shipped: String,
    random: Random,
    kills: usize,
    /// Number of the last file that was acknowledged, by who ships and by who follows.
    acknowledged: [u64; 2],
}

impl Pair {
    fn write(&self, round: usize) {
        let text = format!("round {round}");
        match round % 5 {
            0 => self.live.run(&["claim", "set", "mira", "is", &text]),
            1 => self.live.run(&["key", "rotate"]),
            _ => self.live.run(&["remember", &text]),
        };
    }

    /// Ships or follows, until it is killed or done.
    fn once(&mut self, at: usize) {
        let patience = Duration::from_micros(self.random.below(LONGEST_US));
        let ended = match at {
            0 => (self.live).killed_after(patience, &["ship", "--to", &self.shipped]),
            _ => (self.standby).killed_after(patience, &["follow", "--from", &self.shipped]),
        };
        let printed = match ended {
            Ended::Killed { printed } => {
                self.kills += 1;
                printed
            }
            Ended::Done { printed, .. } => printed,
            // Nothing was shipped yet.
            Ended::Refused { complaint } if self.acknowledged[0] == 0 => {
                assert!(complaint.contains("holds no commits"), "{complaint}");
                return;
            }
            Ended::Refused { complaint } => panic!("{complaint}"),
        };
        let number = serde_json::from_str(&printed).ok();
        let number = number.and_then(|it: Value| it["number"].as_u64());
        self.acknowledged[at] = number.unwrap_or(self.acknowledged[at]);
    }

    /// Both go on to the end, and no file that was acknowledged was lost.
    fn compare(&mut self) {
        let ends = [
            self.live.json(&["ship", "--to", &self.shipped]),
            self.standby.json(&["follow", "--from", &self.shipped]),
        ];
        let ends = ends.map(|it| it["number"].as_u64().unwrap());
        assert_eq!(ends[0], ends[1]);
        assert!(self.acknowledged.iter().all(|number| *number <= ends[0]));
        self.acknowledged = ends;
        let [live, standby] = [&self.live, &self.standby].map(|store| {
            let store = SqliteStore::open(Options::read_only(store.database())).unwrap();
            assert!(block_on(store.audit_deep()).unwrap().is_clean());
            let ground = store.read(|txn| Ok((txn.entries(None, 1 << 20)?, txn.index_digest()?)));
            block_on(ground).unwrap()
        });
        assert!(live == standby, "the follower has another log or index");
    }
}

#[test]
fn a_follower_goes_on_wherever_ship_and_follow_were_killed() {
    let live = Store::new();
    let mut pair = Pair {
        standby: live.beside("standby"),
        shipped: live.path("shipped"),
        live,
        random: Random(seed()),
        kills: 0,
        acknowledged: [0; 2],
    };
    let wanted = (kills_wanted() / 5).max(20);
    let mut rounds = 0;
    while pair.kills < wanted {
        rounds += 1;
        pair.write(rounds);
        (0..2).for_each(|at| pair.once(at));
        if rounds.is_multiple_of(COMPARE_EVERY) {
            pair.compare();
        }
    }
    pair.compare();
    println!(
        "ship and follow: {} kills in {rounds} rounds, {} files, 0 lost, 0 torn",
        pair.kills, pair.acknowledged[0]
    );
}
