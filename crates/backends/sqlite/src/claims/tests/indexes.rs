//! Indexes are caches: what they answer is what the fold makes of the whole line.

use proptest::prelude::*;

use super::*;

/// One step of a line's life: a claim with a window in months of 2000-2009, or an assertion about an earlier one.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Claim(u8, Option<u16>, Option<u16>),
    End(usize, u16),
    EndNow(usize),
    Reopen(usize),
    Supersede(usize, usize),
    Model(u8, Option<u16>),
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let month = || proptest::option::of(0_u16..120);
    let step = prop_oneof![
        6 => (0_u8..4, month(), month()).prop_map(|(said, from, until)| Step::Claim(said, from, until)),
        2 => (0_usize..40, 0_u16..120).prop_map(|(which, at)| Step::End(which, at)),
        1 => (0_usize..40).prop_map(Step::EndNow),
        1 => (0_usize..40).prop_map(Step::Reopen),
        2 => (0_usize..40, 0_usize..40).prop_map(|(which, by)| Step::Supersede(which, by)),
        1 => (0_u8..4, month()).prop_map(|(said, from)| Step::Model(said, from)),
    ];
    // Some are longer than what is looked at row by row.
    prop_oneof![
        3 => proptest::collection::vec(step.clone(), 1..20),
        1 => proptest::collection::vec(step, 70..110),
    ]
}

fn month(number: u16) -> String {
    format!("{}-{:02}", 2000 + number / 12, number % 12 + 1)
}

pub(super) fn requested(step: &Step, claims: &[ClaimRef]) -> Option<ClaimRequest> {
    let channels = Channels::of_host();
    let (user, model) = (channels.user(), channels.model());
    let claim = |at: usize| (!claims.is_empty()).then(|| claims[at % claims.len()].clone());
    let (subject, predicate) = (identifier("Ada"), identifier("lives in"));
    let said = |said: u8| value(&format!("town {said}"));
    let dated = |submission: Submission, from: Option<u16>, until: Option<u16>| {
        let (from, until) = match (from, until) {
            (Some(from), Some(until)) => (Some(from.min(until)), Some(from.max(until))),
            other => other,
        };
        let (from, until) = (from.map(month), until.map(month));
        between(submission, from.as_deref(), until.as_deref())
    };
    Some(match step {
        Step::Claim(number, from, until) => {
            let submission = Submission::new(&user, subject, predicate, said(*number));
            ClaimRequest::Submit(dated(submission, *from, *until))
        }
        Step::Model(number, from) => {
            let submission = Submission::new(&model, subject, predicate, said(*number));
            ClaimRequest::Submit(dated(submission, *from, None))
        }
        Step::End(which, at) => {
            let at = Boundary::parse(&month(*at)).unwrap();
            let target = Target::Claim(claim(*which)?);
            ClaimRequest::Assert(Assertion::end(&user, target, Some(at)))
        }
        Step::EndNow(which) => {
            let target = Target::Claim(claim(*which)?);
            ClaimRequest::Assert(Assertion::end(&user, target, None))
        }
        Step::Reopen(which) => ClaimRequest::Assert(Assertion::reopen(&user, claim(*which)?)),
        Step::Supersede(which, by) => {
            ClaimRequest::Assert(Assertion::supersede(&user, claim(*which)?, claim(*by)?))
        }
    })
}

/// I10: a belief that is not the one of the units moved without a write, and that is an error.
#[test]
fn a_belief_that_moves_without_a_write_is_an_error() {
    let rig = Rig::new();
    let line = line("Ada", "lives in");
    let request = requested(&Step::Claim(1, Some(3), None), &[]);
    assert_eq!(rig.submits(Vec::from_iter(request)).len(), 1);
    let moved = |change: fn(&mut Belief)| {
        let line = line.clone();
        let settings = Arc::new(Settings::default());
        let compared = rig.store.asked(
            line.agent,
            AsOf::default(),
            settings,
            move |units, asking| {
                let mut belief = units.believe(&line, asking)?;
                change(&mut belief);
                units.has_not_moved(&line, asking, &belief)
            },
        );
        block_on(compared)
    };
    moved(|_| ()).unwrap();
    let error = moved(|belief| belief.sides.clear())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a belief moved without a write (I10)"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// I3, I8, CLM-31: what is answered from indexes is what the fold makes of all units of the line, about any instant
    /// and as known at any time; and tables that are made again answer the same.
    #[test]
    fn indexes_answer_as_the_whole_line_does(steps in steps()) {
        let rig = Rig::new();
        let line = line("Ada", "lives in");
        let mut claims = Vec::new();
        for step in &steps {
            // About the claims before it.
            let request = requested(step, &claims);
            let answer = request.and_then(|request| rig.submits(vec![request]).pop());
            claims.extend(answer.and_then(Result::ok).map(|outcome| outcome.reference));
        }
        let units = rig.units_of(&line);
        let stamps = units.iter().map(|unit| unit.stamp().micros());
        let known: Vec<u64> = stamps.step_by(7).chain([START_US + DAY_US]).collect();
        let now = i64::try_from(START_US).unwrap();
        let mut asked = Vec::new();
        for as_of_us in known {
            for at in [0, 946_684_800_000_000, 1_072_915_200_000_000, 1_199_145_600_000_001, now, now + 1_000_000] {
                asked.push(AsOf { valid_at: Some(at), as_of_us: Some(as_of_us) });
            }
        }
        let settings = Settings::default();
        let expected: Vec<Belief> = asked
            .iter()
            .map(|asked| {
                let question = Question { valid_at: asked.valid_at.unwrap(), as_of_us: asked.as_of_us.unwrap() };
                believe(&line, &units, question, &settings, None)
            })
            .collect();
        for (asked, expected) in asked.iter().zip(&expected) {
            prop_assert_eq!(&rig.believes(&line, *asked), expected, "{:?}", asked);
            let listed = !rig.contested_lines(*asked).is_empty();
            prop_assert_eq!(listed, expected.status == BeliefStatus::Contested);
        }
        let (_, before, after) = block_on(rig.store.rebuild()).unwrap();
        prop_assert_eq!(before, Some(after));
        prop_assert_eq!(rig.differences(), [""; 0]);
    }
}
