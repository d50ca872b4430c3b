//! What a selection guarantees, whatever the store, the index and the prover do.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at a surprise"
)]

mod fakes;

use std::sync::Arc;

use counterfoil_selector::{
    MAX_EXAMINED, MemorySelector, SelectError, all_verified, filter_by_confidence,
    has_required_evidence, meets_constraints,
};
use counterfoil_store::Reranker;
use counterfoil_types::{
    BoxError, Confidence, SelectedMemory, SelectionConstraints, SelectionResult, TimeRange,
    UnixMillis, VerificationMethod,
};
use fakes::{Behaviour, Fake, Memory, NOW_MS, Proof, actor, block_on, request, selected};
use proptest::prelude::*;

fn memory(score: u32, proof: Proof) -> Memory {
    Memory {
        score,
        created_at: 1_000,
        answered: 2,
        proof,
    }
}

fn unconstrained() -> SelectionConstraints {
    SelectionConstraints::default()
}

fn at_most(limit: usize) -> SelectionConstraints {
    unconstrained().with_max_results(limit).unwrap()
}

/// M-9, CR-17: the selector adds its clock's time and the request's actor, and nothing else.
/// (NS-05)
#[test]
fn evidence_is_the_proof_with_the_time_and_the_actor_of_the_request() {
    let result = Fake::of(vec![memory(1, Proof::Good)]).select(unconstrained());
    let evidence = result.selected()[0].evidence().unwrap();
    assert_eq!(evidence.verified_by(), &actor());
    assert_eq!(evidence.verified_at().value(), NOW_MS);
    assert!(result.selected_at() > evidence.verified_at());
    let wire = serde_json::to_value(evidence).unwrap();
    let members: Vec<&String> = wire.as_object().unwrap().keys().collect();
    assert_eq!(members, ["method", "proof", "verifiedAt", "verifiedBy"]);
    assert_eq!(wire["proof"], "good");
}

/// §5.1.4: verified means proven, and here also that the proof verifies.
/// (NS-06)
#[test]
fn verified_means_proven_and_that_the_proof_verifies() {
    for (proof, verified, method) in [
        (Proof::Good, true, Some(VerificationMethod::Hash)),
        (Proof::Unverifiable, false, Some(VerificationMethod::Hash)),
        (Proof::Without, false, Some(VerificationMethod::None)),
        (Proof::Refused, false, None),
    ] {
        let result = Fake::of(vec![memory(1, proof)]).select(unconstrained());
        let memory = &result.selected()[0];
        assert_eq!(memory.verified(), verified, "{proof:?}");
        let found = memory.evidence().map(|one| one.method().clone());
        assert_eq!(found, method, "{proof:?}");
    }
}

/// CR-06
#[test]
fn a_candidate_that_the_store_does_not_hold_is_left_out() {
    let memories = vec![memory(3, Proof::Dangling), memory(2, Proof::Good)];
    assert_eq!(selected(&Fake::of(memories).select(at_most(1))), [1]);
}

/// A failure is never an empty result.
#[test]
fn a_failing_store_is_an_error() {
    let mut fake = Fake::of(vec![memory(1, Proof::Good)]);
    fake.store = Behaviour::Failing;
    let failed = fake.try_select("x", unconstrained());
    assert!(matches!(failed, Err(SelectError::Store(_))));
}

#[test]
fn a_store_that_answers_with_another_world_is_an_error() {
    let mut fake = Fake::of(vec![memory(1, Proof::Good)]);
    fake.store = Behaviour::AnsweringOthers;
    let error = fake.try_select("x", unconstrained()).unwrap_err();
    assert!(matches!(error, SelectError::OtherWorld { .. }));
    assert!(error.to_string().contains("w-0") && error.to_string().contains("another"));
}

/// MR-05
#[test]
fn finding_nothing_is_an_answer() {
    assert_eq!(selected(&Fake::default().select(unconstrained())), [0; 0]);
}

/// Scores a text by a function of the number in it.
struct Scoring(fn(f32) -> f32);

impl Reranker for Scoring {
    fn fingerprint(&self) -> &'static str {
        "0123456789abcdef"
    }

    fn score(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, BoxError> {
        assert_eq!(question, "sunrise paint");
        let numbers = texts
            .iter()
            .map(|text| text.replace(|c: char| !c.is_numeric(), ""));
        let scores = numbers.map(|number| self.0(number.parse().unwrap()));
        Ok(scores
            .filter(|score| score.is_nan() || *score < 100.0)
            .collect())
    }
}

fn reranked(
    memories: Vec<Memory>,
    (scoring, best): (fn(f32) -> f32, usize),
    limit: usize,
) -> Result<SelectionResult, SelectError> {
    let selector = Fake::of(memories).selector();
    let selector = selector.with_reranker(Arc::new(Scoring(scoring)), best);
    let request = request("sunrise paint").with_constraints(at_most(limit));
    Ok(block_on(selector.select(&request))?)
}

/// The rest stays below, and a memory that the limit would have cut may come first.
#[test]
fn the_best_are_in_the_order_of_the_reranker() {
    let memories: Vec<Memory> = (0..6).map(|at| memory(6 - at, Proof::Good)).collect();
    let of = |limit| reranked(memories.clone(), (|number| -number, 4), limit).unwrap();
    assert_eq!(selected(&of(6)), [3, 2, 1, 0, 4, 5]);
    assert_eq!(selected(&of(2)), [3, 2]);
    let all = of(6);
    let reasons: Vec<String> = all
        .selected()
        .iter()
        .map(|it| it.reason().to_string())
        .collect();
    assert!(reasons[0].ends_with("\"sunrise\", \"paint\"; reranked from place 4 by 0123456789ab"));
    assert!(reasons[3].ends_with("; reranked from place 1 by 0123456789ab"));
    assert!(!reasons[4].contains("reranked"), "{reasons:?}");
    // Nothing is found, nothing is scored.
    assert_eq!(
        selected(&reranked(vec![], (|number| number, 4), 6).unwrap()),
        [0; 0]
    );
}

/// SR-02
#[test]
fn equal_scores_keep_the_rank_and_verified_memories_go_first() {
    let proofs = [Proof::Without, Proof::Good, Proof::Without, Proof::Good];
    let memories = proofs.iter().zip([9, 7, 5, 3]);
    let memories = memories
        .map(|(proof, score)| memory(score, *proof))
        .collect();
    let equal = reranked(memories, (|_| -0.5, 30), 10).unwrap();
    assert_eq!(selected(&equal), [1, 3, 0, 2]);
}

/// No order is better than one by numbers that are none.
#[test]
fn a_reranker_that_gives_no_score_for_a_memory_is_an_error() {
    let memories = vec![memory(2, Proof::Good), memory(1, Proof::Good)];
    for scoring in [|_| f32::NAN, |number| number * 99.0] {
        let failed = reranked(memories.clone(), (scoring, 30), 10);
        let error = failed.unwrap_err();
        assert!(matches!(error, SelectError::Reranker(_)), "{error}");
    }
}

#[test]
fn a_query_without_words_is_refused() {
    let refused = Fake::default().try_select("?!", unconstrained());
    assert!(matches!(refused, Err(SelectError::NoWords)));
}

#[test]
fn ten_are_selected_unless_the_request_says_otherwise() {
    let fake = Fake::of(vec![memory(1, Proof::Good); 30]);
    assert_eq!(fake.select(unconstrained()).selected().len(), 10);
    assert_eq!(fake.select(at_most(25)).selected().len(), 25);
}

/// The limit comes last: what a constraint refuses takes no place.
/// (NS-09)
#[test]
fn the_limit_comes_after_the_other_constraints() {
    let mut memories = vec![memory(9, Proof::Refused); 40];
    memories.extend(vec![memory(1, Proof::Good); 3]);
    let constraints = at_most(2).with_required_verification();
    assert_eq!(selected(&Fake::of(memories).select(constraints)), [40, 41]);
}

/// §5.3.2: evidence of method `none` is no evidence.
/// (NS-11)
#[test]
fn required_evidence_names_a_method_other_than_none() {
    use Proof::{Good, Refused, Unverifiable, Without};
    let proofs = [Without, Refused, Unverifiable, Good];
    let fake = Fake::of(proofs.map(|proof| memory(1, proof)).to_vec());
    let required = unconstrained().with_required_evidence();
    assert_eq!(selected(&fake.select(required)), [3, 2]);
}

/// NS-12.
#[test]
fn a_time_range_excludes_its_ends() {
    let dated = |created_at| Memory {
        created_at,
        ..memory(1, Proof::Good)
    };
    let fake = Fake::of(vec![dated(10), dated(11), dated(19), dated(20)]);
    let at = |ms| Some(UnixMillis::new(ms).unwrap());
    let range = TimeRange::new(at(10), at(20)).unwrap();
    let ranged = unconstrained().with_time_range(range);
    assert_eq!(selected(&fake.select(ranged)), [1, 2]);
}

/// NS-10.
#[test]
fn a_minimum_of_confidence_is_inclusive() {
    let answering = |answered| Memory {
        answered,
        ..memory(1, Proof::Good)
    };
    let fake = Fake::of(vec![answering(0), answering(1), answering(2)]);
    let all = fake.select(unconstrained());
    let least = all.selected()[1].confidence();
    let of_one_word = unconstrained().with_min_confidence(least);
    assert_eq!(selected(&fake.select(of_one_word)), [1, 2]);
}

/// A memory is compared with the best others of the store, and not with those that are selected.
#[test]
fn the_limit_does_not_change_the_confidence() {
    let memories = [5, 4, 3].map(|score| memory(score, Proof::Good));
    let fake = Fake::of(memories.to_vec());
    let of = |limit: usize| -> Vec<Confidence> {
        let result = fake.select(at_most(limit));
        let selected = result.selected().iter();
        selected.map(SelectedMemory::confidence).collect()
    };
    let all = of(3);
    assert!(all[0] > all[1] && all[1] > all[2], "{all:?}");
    assert_eq!(of(1), all[..1]);
    assert_eq!(of(2), all[..2]);
}

/// SR-02
#[test]
fn verified_memories_come_first_on_equal_rank() {
    let memories = [
        memory(5, Proof::Refused),
        memory(3, Proof::Refused),
        memory(3, Proof::Good),
        memory(1, Proof::Good),
    ];
    let fake = Fake::of(memories.to_vec());
    assert_eq!(selected(&fake.select(unconstrained())), [0, 2, 1, 3]);
    assert_eq!(selected(&fake.select(at_most(3))), [0, 2, 1]);
    assert_eq!(selected(&fake.select(at_most(2))), [0, 2]);
}

#[test]
fn a_bounded_number_of_candidates_is_examined() {
    let mut memories = vec![memory(9, Proof::Refused); MAX_EXAMINED - 1];
    memories.extend([memory(2, Proof::Good), memory(1, Proof::Good)]);
    let constraints = at_most(5).with_required_verification();
    let last = MAX_EXAMINED - 1;
    assert_eq!(selected(&Fake::of(memories).select(constraints)), [last]);
}

/// CR-07, FP-07
#[test]
fn a_reason_names_the_words_that_were_found() {
    let result = Fake::of(vec![memory(1, Proof::Good)]).select(unconstrained());
    let reason = result.selected()[0].reason().to_string();
    assert_eq!(reason, r#"says "sunrise", "paint""#);
}

/// API parity: the helper functions of the specification's utilities.
#[test]
fn the_helpers_say_of_a_result_what_the_constraints_ask_for() {
    let fake = Fake::of(vec![memory(2, Proof::Good), memory(1, Proof::Without)]);
    let result = fake.select(unconstrained());
    let [good, without] = result.selected() else {
        panic!("both are selected")
    };
    assert!(has_required_evidence(good) && !has_required_evidence(without));
    assert!(all_verified(&result.selected()[..1]) && !all_verified(result.selected()));
    assert!(all_verified(&[]), "of none, none is unverified");
    let sure = filter_by_confidence(result.selected(), good.confidence());
    assert_eq!(sure.len(), 1);
    let at = |ms| UnixMillis::new(ms).unwrap();
    let early = unconstrained().with_time_range(TimeRange::new(None, Some(at(2_000))).unwrap());
    assert!(meets_constraints(good, at(1_000), &early));
    assert!(!meets_constraints(good, at(2_000), &early));
    let required = unconstrained().with_required_evidence();
    assert!(!meets_constraints(without, at(1_000), &required));
}

fn memories() -> impl Strategy<Value = Vec<Memory>> {
    let proof = proptest::sample::select(vec![
        Proof::Good,
        Proof::Without,
        Proof::Unverifiable,
        Proof::Refused,
        Proof::Dangling,
    ]);
    let memory = (0..4_u32, 1..40_u64, 0..3_usize, proof).prop_map(
        |(score, created_at, answered, proof)| Memory {
            score,
            created_at,
            answered,
            proof,
        },
    );
    proptest::collection::vec(memory, 0..40)
}

fn constraints() -> impl Strategy<Value = SelectionConstraints> {
    let flags = (any::<bool>(), any::<bool>());
    (1..50_usize, 0..3_u8, flags, 1..20_u64).prop_map(
        |(limit, fifths, (verified, evidence), after)| {
            let least = Confidence::new(f64::from(fifths) / 5.0).unwrap();
            let after = Some(UnixMillis::new(after).unwrap());
            let mut constraints = at_most(limit)
                .with_min_confidence(least)
                .with_time_range(TimeRange::new(after, None).unwrap());
            if verified {
                constraints = constraints.with_required_verification();
            }
            if evidence {
                constraints = constraints.with_required_evidence();
            }
            constraints
        },
    )
}

proptest! {
    /// Filtering everything, sorting, and cutting last gives the same: paging loses nothing. SR-02: of those that the limit
    /// cuts, a verified one replaces the last unverified one of as many words whose score is at most 5 % higher.
    #[test]
    fn a_selection_is_everything_filtered_then_cut(
        mut memories in memories(),
        constraints in constraints(),
    ) {
        for (memory, score) in memories.iter_mut().rev().zip(0..) {
            memory.score = score;
        }
        let fake = Fake::of(memories.clone());
        let everything = fake.select(at_most(MAX_EXAMINED));
        let created_at = |at: usize| UnixMillis::new(memories[at].created_at).unwrap();
        let mut kept: Vec<_> = selected(&everything)
            .into_iter()
            .zip(everything.selected())
            .filter(|(at, memory)| meets_constraints(memory, created_at(*at), &constraints))
            .collect();
        let limit = constraints.max_results().unwrap();
        let cut = kept.split_off(limit.min(kept.len()));
        let score = |at: usize| f64::from(memories[at].score);
        for found in cut.into_iter().filter(|(_, it)| it.verified()) {
            let equal = |(at, it): &(usize, &SelectedMemory)| {
                !it.verified()
                    && memories[*at].answered == memories[found.0].answered
                    && score(found.0) >= score(*at) * 0.95
            };
            if let Some(place) = kept.iter().rposition(equal) {
                kept.remove(place);
                kept.push(found);
            }
        }
        let expected: Vec<usize> = kept.into_iter().map(|(at, _)| at).collect();
        prop_assert_eq!(selected(&fake.select(constraints)), expected);
    }
}
