//! Chains of versions, for the tests of this crate.

use counterfoil_capsule::delta::{Change, Delta, normalise, roll_back};
use counterfoil_capsule::{
    CapsuleDocument, Extensions, Position, SaltedBody, SealedCapsule, Signer, Surroundings,
    Verdict, World, mutate_capsule, seal_world, with_identity,
};
use counterfoil_types::json::Value;
use counterfoil_types::{UnixMillis, WorldId};

use crate::common::{NOW, SALT, id, signer, stamp, world};

/// A capsule with its content and the delta that led to it.
#[derive(Clone)]
pub(crate) struct Version {
    pub(crate) sealed: SealedCapsule,
    pub(crate) content: Value,
    pub(crate) delta: Option<SaltedBody>,
}

/// The versions of one World, the seed first.
pub(crate) struct Chain(pub(crate) Vec<Version>);

pub(crate) fn seed(data: Value) -> Chain {
    seed_by(&signer(), data, 1, NOW, Extensions::default())
}

pub(crate) fn seed_by(
    signer: &dyn Signer,
    data: Value,
    number: u8,
    micros: u64,
    extensions: Extensions,
) -> Chain {
    let world = world(data);
    let position = Position::seed(id(number), stamp(micros)).with(extensions);
    Chain(vec![Version {
        sealed: seal_world(&world, &position, SALT, signer).unwrap(),
        content: world.content_value().clone(),
        delta: None,
    }])
}

impl Chain {
    pub(crate) fn head(&self) -> &Version {
        self.0.last().unwrap()
    }

    /// Appends a version with this `data`.
    pub(crate) fn update(&mut self, data: &Value) -> &Version {
        let mut content = self.head().content.clone();
        content["snapshotHash"] = counterfoil_capsule::memory_snapshot_hash(data)
            .unwrap()
            .into();
        content["data"] = data.clone();
        self.append(&content, Extensions::default())
    }

    /// Appends a version with the state of number `to`: the deltas since are undone.
    pub(crate) fn roll_back(&mut self, to: usize) -> &Version {
        let extensions = Extensions {
            rollback_to: Some(self.0[to].sealed.header.hash()),
            ..Extensions::default()
        };
        let newest_first = self.0[to + 1..].iter().rev();
        let deltas: Vec<Delta> = newest_first
            .map(|later| Delta::parse(later.delta.as_ref().unwrap().text.as_bytes()).unwrap())
            .collect();
        let state = roll_back(&self.head().content, &deltas).unwrap();
        self.append(&state, extensions)
    }

    fn append(&mut self, state: &Value, extensions: Extensions) -> &Version {
        let number = u8::try_from(self.0.len()).unwrap();
        let micros = u64::from(number);
        let (name, before) = (WorldId::new(format!("world-{number}")), self.head());
        let created_at = UnixMillis::new(1_770_000_000_000 + micros).unwrap();
        let content = with_identity(state, &name.unwrap(), created_at).unwrap();
        let delta = normalise(&before.content, Change::Replacement(&content)).unwrap();
        let place = (id(number.wrapping_add(100)), stamp(NOW + micros));
        let (position, content, delta) = mutate_capsule(
            (&before.sealed.header, &before.content),
            (&delta, [number ^ 0xff; 32]),
            place,
        )
        .unwrap();
        let world = World::try_from(content.clone()).unwrap();
        let position = position.with(extensions);
        let sealed = seal_world(&world, &position, [number; 32], &signer()).unwrap();
        let delta = Some(delta);
        self.0.push(Version {
            sealed,
            content,
            delta,
        });
        self.head()
    }

    pub(crate) fn document(&self, number: usize) -> CapsuleDocument {
        let version = &self.0[number];
        CapsuleDocument::of(&version.sealed, version.delta.clone())
    }

    /// The verdict on a capsule that stands at `number`, with all that this chain knows around it.
    pub(crate) fn judge(&self, number: usize, document: &CapsuleDocument) -> Verdict {
        let before = number.checked_sub(1).map(|before| &self.0[before]);
        let named = document.header().extensions().rollback_to;
        let restored = self
            .0
            .iter()
            .find(|old| Some(old.sealed.header.hash()) == named);
        document.check(&Surroundings {
            predecessor: before.map(|before| &before.sealed.header),
            before: before.map(|before| &before.content),
            restored: restored.map(|old| (&old.sealed.header, Some(&old.content))),
            ..Surroundings::default()
        })
    }

    pub(crate) fn verdict(&self, number: usize) -> Verdict {
        self.judge(number, &self.document(number))
    }
}
