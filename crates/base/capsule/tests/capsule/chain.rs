//! Chains that are made by `mutate_capsule`, for the tests of this crate.

use counterfoil_capsule::delta::{Change, Delta, normalise};
use counterfoil_capsule::{
    CapsuleDocument, Extensions, Mutated, Position, Restored, Signer, Surroundings, Terms, Verdict,
    Version, mutate_capsule, rollback_to, seal_world,
};
use counterfoil_types::json::Value;
use counterfoil_types::{UnixMillis, WorldId};

use crate::common::{NOW, SALT, id, signer, stamp, world};

/// The versions of one World, the seed first.
pub(crate) struct Chain(pub(crate) Vec<Mutated>);

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
    Chain(vec![Mutated {
        sealed: seal_world(&world, &position, SALT, signer).unwrap(),
        content: world.content_value().clone(),
        delta: None,
    }])
}

/// The terms of the `number`-th capsule of a chain.
pub(crate) fn terms(signer: &dyn Signer, number: usize) -> Terms<'_> {
    let byte = u8::try_from(number).unwrap();
    let micros = u64::try_from(number).unwrap();
    Terms {
        id: id(byte.wrapping_add(100)),
        stamp: stamp(NOW + micros),
        salt: [byte; 32],
        delta_salt: [byte ^ 0xff; 32],
        identity: (
            WorldId::new(format!("world-{number}")).unwrap(),
            UnixMillis::new(1_770_000_000_000 + micros).unwrap(),
        ),
        signer,
    }
}

impl Chain {
    pub(crate) fn head(&self) -> &Mutated {
        self.0.last().unwrap()
    }

    pub(crate) fn delta_to(&self, data: &Value) -> Delta {
        let mut content = self.head().content.clone();
        content["data"] = data.clone();
        normalise(&self.head().content, Change::Replacement(&content)).unwrap()
    }

    pub(crate) fn update(&mut self, data: &Value) -> &Mutated {
        let (delta, signer) = (self.delta_to(data), signer());
        let next = mutate_capsule(
            &self.head().version(),
            &delta,
            &terms(&signer, self.0.len()),
        );
        self.0.push(next.unwrap());
        self.head()
    }

    pub(crate) fn roll_back(&mut self, to: usize) -> &Mutated {
        let deltas: Vec<Delta> = self.0.iter().skip(to + 1).rev().map(delta_of).collect();
        let (signer, head) = (signer(), self.head());
        let target = &self.0.get(to).unwrap().sealed.header;
        let terms = terms(&signer, self.0.len());
        let back = rollback_to(&head.version(), target, deltas.iter().map(Some), &terms);
        let back = back.unwrap();
        self.0.push(back);
        self.head()
    }

    pub(crate) fn version(&self, number: usize) -> Version<'_> {
        self.0.get(number).unwrap().version()
    }

    pub(crate) fn document(&self, number: usize) -> CapsuleDocument {
        self.0.get(number).unwrap().to_document()
    }

    /// The verdict on a capsule that stands at `number`, with all that this chain knows around it.
    pub(crate) fn judge(&self, number: usize, document: &CapsuleDocument) -> Verdict {
        let before = number.checked_sub(1).map(|before| self.version(before));
        let named = document.header().extensions().rollback_to;
        let restored = self
            .0
            .iter()
            .find(|old| Some(old.sealed.header.hash()) == named);
        document.check(&Surroundings {
            predecessor: before.map(|before| before.header),
            before: before.map(|before| before.content),
            restored: restored.map(|old| Restored {
                header: &old.sealed.header,
                content: Some(&old.content),
            }),
            ..Surroundings::default()
        })
    }

    pub(crate) fn verdict(&self, number: usize) -> Verdict {
        self.judge(number, &self.document(number))
    }
}

pub(crate) fn delta_of(version: &Mutated) -> Delta {
    Delta::parse(version.delta.as_ref().unwrap().text.as_bytes()).unwrap()
}
