//! Names at the gate: own sources write under the main name; what another agent attested, and what is sealed, keeps its name.

use alloc::string::String;

use super::world::{World, first_hand, model, name, peer, recall, says, user, value, verdict};
use crate::ports::OracleVerdict;
use crate::{
    Aliases, Assertion, Channel, ClaimError, ClaimRef, Disposition, Submission, Target, Unit,
};

fn of(subject: &str, channel: &Channel, text: &str) -> Submission {
    Submission::new(channel, name(subject), name("city"), value(text))
}

/// `@alice` is another name of `alice` from the next submission on.
fn joined(world: &mut World) {
    let decided = (name("@alice"), world.now_us, Some(name("alice")));
    world.settings.aliases = Aliases::new([decided]).into();
}

fn subject(world: &World, reference: &ClaimRef) -> String {
    let mut units = world.units.iter();
    let unit: &Unit = units.find(|unit| unit.reference() == reference).unwrap();
    unit.line().subject.as_str().into()
}

/// I4, I5: the name is resolved as of the stamp, for each channel of the agent itself, and for no other agent.
#[test]
fn own_sources_write_under_the_main_name() {
    for (channel, sealed) in [
        (user(), "alice"),
        (first_hand(), "alice"),
        (model(), "alice"),
        (recall(), "alice"),
        (peer(7, 3), "@alice"),
        (peer(7, 0), "@alice"),
    ] {
        let mut world = World::new();
        joined(&mut world);
        let claim = world.add(&of("@alice", &channel, "Faro"));
        assert_eq!(subject(&world, &claim), sealed, "{channel:?}");
        world.now_us -= 2 * super::world::DAY_US;
        let early = world.judge(&of("@alice", &channel, "Braga")).unwrap();
        let crate::GateDecision::Write(early) = early else {
            panic!("{early:?}")
        };
        assert_eq!(early.document()["subject"], "@alice", "before the record");
    }
    let mut world = World::new();
    joined(&mut world);
    let extracted = of("@alice", &model(), "Faro").extracted();
    let claim = world.add(&extracted);
    assert_eq!(subject(&world, &claim), "alice");
}

/// I1, I6: what is sealed is confirmed, corrected and repeated under its own name, whatever is recorded since.
#[test]
fn what_is_sealed_keeps_its_name() {
    let mut world = World::new();
    let keyed = of("@alice", &user(), "Faro").keyed("k").unwrap();
    let early = world.add(&keyed);
    joined(&mut world);
    assert_eq!(world.told(&keyed).reference, early);
    let claim = world.units[0].clone();
    let again = Submission::again(&user(), &claim).unwrap();
    assert_eq!(world.told(&again).disposition, Disposition::Confirmed);
    let correct = Submission::correcting(&user(), &claim, value("Braga")).unwrap();
    let corrected = world.add(&correct);
    assert_eq!(subject(&world, &corrected), "@alice");
    let takes = of("@alice", &user(), "Porto").superseding([corrected.clone()].into());
    let refused = world.submit(&takes.unwrap());
    assert_eq!(refused, Err(ClaimError::OtherLine(corrected)));
}

/// I7: the one live claim is looked for under all names; a verdict denies across them, and affirms on its own line alone.
#[test]
fn assertions_see_all_names() {
    let mut world = World::new();
    let faro = world.add(&of("@alice", &user(), "Faro"));
    let line = Target::Line {
        subject: name("alice"),
        predicate: name("city"),
    };
    let end = Assertion::end(&user(), line, None);
    world.refuses(&end, ClaimError::Ambiguous { found: 0 });
    joined(&mut world);
    let porto = world.add(&says(&first_hand(), "Porto"));
    world.refuses(&end, ClaimError::Ambiguous { found: 2 });
    let affirm = verdict(&user(), &porto, OracleVerdict::Affirm);
    world.refuses(&affirm, ClaimError::OtherLine(faro.clone()));
    world.decides(
        &verdict(&user(), &faro, OracleVerdict::Deny),
        Disposition::Denied,
    );
    let late = verdict(&user(), &porto, OracleVerdict::Deny);
    world.refuses(&late, ClaimError::HandleNotFound(porto.clone()));
    world.decides(&end, Disposition::Bounded);
    let last = world.units.last().unwrap();
    assert_eq!(last.act().target(), Some(&porto));
}
