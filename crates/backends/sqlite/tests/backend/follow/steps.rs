//! Changes of a history: everything that writes.

use std::sync::Arc;

use counterfoil_capsule::keys::{KeyCompromise, KeyDocument, KeyRotation};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer as _, Timestamp};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::{Assertion, Channels, Settings, Submission};
use counterfoil_claims::{Cardinality, FactValue, Identifier};
use counterfoil_life::{Backend, DerivedPolicy, ErasureScope, Life as _, LineReport};
use counterfoil_life_tests::author::{begun, hash, import, key, of_keys, redaction, texts};
use counterfoil_store::mutation::rollback_to;
use counterfoil_store::{CapsuleLog, ClaimRequest, ClaimStore, Draft};
use counterfoil_types::{UnixMillis, WorldId};

use super::pair::Pair;
use crate::common::{agent, block_on, world};
use crate::kept_exchanges;
use crate::map::add_entries;

impl Pair {
    pub(super) fn did(&mut self, kind: &'static str, count: usize) {
        *self.done.entry(kind).or_default() += u32::try_from(count).unwrap();
    }

    /// One step of a history, after which the checkpoint binds the map of the log. A refusal is no fault: the next step follows.
    pub(super) fn step(&mut self, step: (u8, u8, u8)) {
        self.change(step);
        let bound = add_entries(&mut self.map, &self.store);
        let root = (self.map.size() > 0).then(|| self.map.root().unwrap());
        assert_eq!(bound, root, "{step:?}");
    }

    fn change(&mut self, (what, of, with): (u8, u8, u8)) {
        let archive = self.place.folder.path().join("archive");
        match what {
            0 => {
                let draft = Draft::new(world(&self.name(), &format!("text {with}")));
                let placed = block_on(self.store.append(agent(1), vec![draft])).unwrap();
                self.chains.push(placed);
                self.did("world", 1);
            }
            1 | 2 => self.version(what == 2, of, with),
            3 => self.claim(of, with),
            4 | 22 => self.judge(of, with),
            5 | 6 => {
                let Some(id) = self.world_of(of) else { return };
                let scope = ErasureScope {
                    all_versions: what == 6,
                    derived: [DerivedPolicy::Keep, DerivedPolicy::Take][usize::from(what == 6)],
                };
                let erased = self.store.erase_scope(agent(1), &id, "asked to", scope);
                let erased = block_on(erased).ok().flatten();
                let erased = erased.map_or(0, |it| {
                    it.capsules.iter().filter(|it| it.erased_now).count()
                });
                self.did(
                    ["erased", "erased with versions"][usize::from(what == 6)],
                    erased,
                );
            }
            7 => {
                let Some(id) = self.world_of(of) else { return };
                let forgotten = block_on(self.store.forget(agent(1), &id, None, "old"));
                let is_new = forgotten.is_ok_and(|it| it.is_some_and(|(_, is_new)| is_new));
                self.did("forgotten", usize::from(is_new));
            }
            8 => {
                let before = Timestamp::from_micros(self.store.now_micros()).unwrap();
                let archived =
                    block_on(self.store.archive(agent(1), before, Some(before), archive));
                self.did("archived", archived.map_or(0, |it| it.0.len()));
            }
            9 => {
                let segments = block_on(self.store.segments()).unwrap();
                let names = segments.into_iter().filter(|it| it.archived > 0);
                let names = names.map(|it| it.name).collect();
                let restored = block_on(self.store.restore(archive, names));
                self.did("restored", restored.map_or(0, |it| it.len()));
            }
            _ => self.step_with_others((what, of, with)),
        }
    }

    /// Steps with documents of other agents, and with exchanges.
    fn step_with_others(&mut self, (what, of, with): (u8, u8, u8)) {
        match what {
            10 | 19 => {
                let lines = [texts(&self.chain), texts(&self.other)].concat();
                let from = usize::from(of) % lines.len();
                let to = lines.len().min(from + 1 + usize::from(with % 3));
                // What lies somewhere in them, a whole branch, or both.
                let range = match (what, of % 4) {
                    (10, _) => from..to,
                    (_, 0) => 0..6,
                    (_, 1) => 6..8,
                    _ => 0..8,
                };
                self.receive(&lines[range]);
            }
            11 | 20 => {
                let keep = [&self.chain[3], &self.other[0]][usize::from(of % 2)];
                let of = (self.chain[0].header().chain(), hash(keep));
                let resolved = self.store.resolve_fork(agent(200), of, None, "a reason");
                let resolved = block_on(resolved).is_ok();
                self.did("resolved", usize::from(resolved));
            }
            23 => {
                let recorded = block_on(self.store.record_forks(agent(1))).unwrap();
                self.did("fork recorded", usize::try_from(recorded).unwrap());
            }
            12 => {
                let of = self.chain[usize::from(of) % 6].clone();
                let redaction = redaction(&mut self.author, &of);
                self.receive(&[redaction, of.without_bodies().to_text()]);
            }
            13 => self.change_key(of),
            14 | 21 => {
                let (kind, is_made) = kept_exchanges::any(&self.store, of, with);
                self.did(kind, usize::from(is_made));
            }
            15 => {
                let collected = block_on(self.store.collect(0)).unwrap();
                self.did("collected", collected.len());
            }
            16 => self.receive(&[format!("no capsule {with}")]),
            17 if with.is_multiple_of(2) => self.ship_elsewhere(),
            17 => {
                let shipped = self.ship();
                self.did("shipped", usize::from(shipped.files > 0));
            }
            18 => self.ship_killed(with % 2),
            _ => {
                let killed_at = (with % 4 > 0).then(|| usize::from(with / 4));
                let followed = self.follow(killed_at);
                self.did("killed while it follows", usize::from(followed.is_err()));
                self.did("followed", followed.unwrap_or_default());
            }
        }
    }

    pub(super) fn receive(&mut self, lines: &[String]) {
        for outcome in import(&self.store, lines) {
            let kind = match outcome {
                LineReport::Accepted => "received: accepted",
                LineReport::Pending { .. } => "received: pending",
                LineReport::Refused { .. } => "received: refused",
                LineReport::Forked => "received: forked",
                LineReport::Branch => "received: branch",
                _ => "received: known",
            };
            self.did(kind, 1);
        }
    }

    fn version(&mut self, back: bool, of: u8, with: u8) {
        let (name, Some(chain)) = (self.name(), self.choose(of)) else {
            return;
        };
        let last = chain[chain.len() - 1].clone();
        let seq = u64::from(with) % u64::try_from(chain.len()).unwrap();
        let placed = match back {
            true => {
                let now = UnixMillis::new(1_700_000_000_000).unwrap();
                let new = (WorldId::new(name).unwrap(), now);
                block_on(rollback_to(&self.store, agent(1), &last.chain, seq, new))
            }
            false => {
                let draft = Draft::new(world(&name, &format!("text {with}")));
                let draft = draft.following(last.chain, last.capsule);
                block_on(self.store.append(agent(1), vec![draft]))
                    .map(|mut placed| placed.remove(0))
            }
        };
        let at = usize::from(of) % self.chains.len();
        self.did(
            ["version", "rollback"][usize::from(back)],
            usize::from(placed.is_ok()),
        );
        self.chains[at].extend(placed);
    }

    fn tell(&mut self, kind: &'static str, request: ClaimRequest) {
        let settings = Arc::new(Settings::default());
        let answers = block_on(self.store.submit(agent(1), settings, vec![request])).unwrap();
        let answers = answers.into_iter().flatten();
        let before = self.claims.len();
        self.claims.extend(answers.map(|answer| answer.reference));
        self.did(kind, self.claims.len() - before);
    }

    fn claim(&mut self, of: u8, with: u8) {
        let name = |text: String| Identifier::new("name", &text).unwrap();
        let channels = Channels::of_host();
        let channel = if with.is_multiple_of(2) {
            channels.user()
        } else {
            channels.model()
        };
        let town = FactValue::new(&format!("town {}", with % 4).into()).unwrap();
        let key = self.name();
        let said = Submission::new(
            &channel,
            name(format!("s {}", of % 3)),
            name("in".into()),
            town,
        )
        .cardinality(Cardinality::One)
        .keyed(&key);
        self.tell("claim", ClaimRequest::Submit(said.unwrap()));
    }

    fn judge(&mut self, of: u8, with: u8) {
        let Some(at) = usize::from(of).checked_rem(self.claims.len()) else {
            return;
        };
        let verdict = [OracleVerdict::Affirm, OracleVerdict::Deny][usize::from(with % 2)];
        let Some(letter) = self.world_of(of) else {
            return;
        };
        let user = Channels::of_host().user();
        let claim = self.claims[at].clone();
        if let Ok(verdict) = Assertion::verdict(&user, claim, verdict, vec![letter]) {
            self.tell("verdict", ClaimRequest::Assert(verdict));
        }
    }

    /// Begins the key chain of an agent, rotates its key, and says that the first one was stolen.
    fn change_key(&mut self, of: u8) {
        let agent = self.author.did();
        let Some(history) = block_on(self.store.key_history(agent)).unwrap() else {
            begun(&self.store, &self.author);
            self.did("key chain", 1);
            return;
        };
        let now = Timestamp::from_micros(self.store.now_micros()).unwrap();
        let (kind, document, signer) = match history.current_number() {
            0 if of.is_multiple_of(2) => {
                let (then, signer) = (key(92).key(), key(5));
                let rotation = KeyRotation::sign(&history, &signer, &key(90), &then, now);
                ("rotation", KeyDocument::Rotation(rotation.unwrap()), signer)
            }
            number => {
                let from = ("log7.example", u64::from(of % 4), now);
                let said = KeyCompromise::sign(&history, &key(91), 0, from, "stolen", now);
                let signer = match number {
                    0 => key(5),
                    _ => AgentSigner::rotated(agent, 1, SecretKey::from_seed([90; 32])),
                };
                let Ok(said) = said else { return };
                ("compromise", KeyDocument::Compromise(said), signer)
            }
        };
        let draft = of_keys(&document).following(history.chain(), history.head());
        let placed = block_on(self.store.append(Arc::new(signer), vec![draft]));
        self.did(kind, usize::from(placed.is_ok()));
    }
}
