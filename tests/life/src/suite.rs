//! The cases, area by area, and the requirements on a backend.

use std::any::Any;
use std::ops::Range;
use std::path::{Path, PathBuf};

use counterfoil_store::conformance::{Failure, Setup};
use counterfoil_store::text_index::TextIndex;
use counterfoil_store::{ClaimStore, MemoryStore, StoreError};
use counterfoil_types::DidKey;

use counterfoil_life::Life;

use crate::{
    archive, bounds, collect, derived, erase, events, feed, forget, forks, order, reconcile,
    segments, snapshot, strangers, travelling, validate, verdicts,
};

/// Creates, opens and copies stores of the examined backend. A store keeps all its files in one folder.
pub trait LifeRig: Sync {
    /// The backend.
    type Store: MemoryStore + ClaimStore + TextIndex + Life;

    /// Returns a new, empty folder that remains until the suite ends.
    fn folder(&self) -> PathBuf;

    /// Creates an empty store that takes signer, clock and randomness from `setup` alone.
    fn create(&self, folder: &Path, setup: &Setup) -> Self::Store;

    /// Opens the store in `folder` for writing, as another process does, also while a handle of it is open.
    fn open(&self, folder: &Path, setup: &Setup) -> Self::Store;

    /// Copies the closed store in the folder `from` over the one in `to`, without the checkpoint beside the keys.
    fn copy(&self, from: &Path, to: &Path);

    /// Runs [`reconcile`](counterfoil_life::reconcile) on the closed store of `own` in `folder`, with the lines of an export.
    ///
    /// # Errors
    /// As [`reconcile`](counterfoil_life::reconcile).
    fn reconcile(
        &self,
        folder: &Path,
        setup: &Setup,
        own: DidKey,
        lines: Vec<Vec<u8>>,
    ) -> Result<(Range<u64>, u64), StoreError>;

    /// Returns the bytes of a file of the store, followed by all that is compressed in it.
    fn bytes(&self, file: &Path) -> Vec<u8>;

    /// Returns true if the copies that [`LifeRig::copy`] makes hold no content in the clear.
    fn is_sealed(&self) -> bool {
        false
    }
}

/// Runs cases one after the other, each in a thread of its own, and returns those that panicked.
macro_rules! run {
    ($rig:expr; $($module:ident { $($case:ident,)* })*) => {{
        let mut failures = Vec::new();
        $($(
            let ended = std::thread::scope(|scope| scope.spawn(|| $module::$case($rig)).join());
            failures.extend(ended.err().map(|panic| (stringify!($case), said_by(&*panic))));
        )*)*
        failures
    }};
}

/// Runs the cases of erasure, forgetting and collection: erased content is in no file, and nothing else is gone.
pub fn run_erasure<F: LifeRig>(rig: &F) -> Vec<Failure> {
    run!(rig;
        erase {
            no_byte_of_what_is_erased_is_left,
            the_certificate_says_what_is_gone_and_what_proves_it,
            to_erase_again_changes_nothing,
            a_version_goes_and_its_neighbours_stay,
            all_versions_go_together,
            a_small_secret_cannot_be_guessed_from_what_is_left,
            the_same_words_elsewhere_are_named,
            a_version_that_says_the_same_is_named,
        }
        derived {
            what_was_made_from_a_memory_goes_with_it_and_no_file_holds_a_word,
            what_was_made_from_a_memory_and_stays_is_named_each,
            a_verdict_stays_when_its_evidence_is_erased,
            a_derived_memory_in_an_archive_stops_an_erasure_that_takes_it,
        }
        forget {
            an_agent_forgets_for_itself,
            to_forget_again_writes_nothing,
            for_all_it_is_forgotten_by_decision,
            nothing_brings_it_back,
            what_was_forgotten_is_listed_with_its_reason,
        }
        collect {
            what_waits_is_not_collected_before_its_time,
            what_is_refused_leaves_its_hash_and_the_reason,
        }
    )
}

/// Runs the cases of archives: segments, stubs, restore, and segments that were changed.
pub fn run_archives<F: LifeRig>(rig: &F) -> Vec<Failure> {
    run!(rig;
        archive {
            what_is_archived_comes_back_as_it_was,
            what_is_current_stays,
            a_restore_does_not_bring_back_what_was_erased,
            a_segment_that_is_needed_is_not_removed,
            a_restore_does_not_bring_back_what_is_forgotten,
            a_chain_goes_on_over_its_stubs,
        }
        feed {
            all_that_an_agent_seals_stands_in_one_feed,
        }
        segments {
            a_segment_that_was_changed_is_refused,
            lines_are_compared_apart_from_the_file,
            a_manifest_without_a_receipt_is_refused,
            names_and_files_of_another_kind_are_refused,
        }
    )
}

/// Runs the cases of forks: caught, frozen, proven, decided, erased.
pub fn run_forks<F: LifeRig>(rig: &F) -> Vec<Failure> {
    run!(rig;
        forks {
            a_fork_is_caught_frozen_proven_and_contested,
            the_same_header_signed_twice_is_no_fork,
            a_branch_may_come_in_reverse,
            the_operator_keeps_the_accepted_branch_and_the_chain_goes_on,
            the_operator_keeps_the_other_branch_and_the_chain_goes_on_there,
            an_undecided_fork_is_recorded_in_the_log_once,
            a_fork_without_an_event_is_recorded_too,
            no_fork_of_contradictions_is_recorded,
            the_owners_decision_travels,
            an_operators_decision_does_not_travel,
            a_fork_after_a_rotation_is_proven_by_the_key_chain,
            what_is_erased_is_in_no_branch_either,
            what_was_made_from_an_erased_memory_is_in_no_branch_either,
        }
    )
}

/// Runs the cases of received capsules: verdicts, order, floods, contradictions, and capsules of strangers.
pub fn run_receiving<F: LifeRig>(rig: &F) -> Vec<Failure> {
    run!(rig;
        verdicts {
            a_second_capsule_of_an_id_is_refused_and_is_its_signers,
            another_previous_is_an_event_at_once,
            a_signed_wrong_mutation_is_its_signers,
            gaps_wait_repetitions_are_known_and_numbers_that_are_none_are_refused,
            a_second_seed_is_a_fork_and_seeds_with_a_mutation_are_refused,
            a_capsule_that_links_forward_or_to_itself_never_enters,
            times_that_do_not_increase_are_refused_and_far_ones_wait,
            a_capsule_of_another_agent_enters_no_chain,
            a_capsule_of_an_unknown_key_waits_for_it,
            a_capsule_without_body_waits_for_its_redaction_or_its_body,
            a_damaged_copy_does_not_keep_the_good_one_out,
        }
        order {
            ten_thousand_in_reverse_wait_and_are_then_all_accepted,
            any_order_comes_to_the_same,
        }
        bounds {
            of_many_branches_at_one_place_some_are_kept_and_few_with_their_content,
            documents_that_nobody_signed_fill_a_small_part_of_the_room,
            of_bytes_that_are_no_capsule_nothing_is_kept_but_their_hash,
            what_waits_unread_goes_when_its_chain_is_erased,
            junk_does_not_hide_that_an_agent_signed_two_capsules_for_one_place,
        }
        events {
            a_forgery_in_bobs_name_blames_who_sent_it,
            two_headers_of_which_one_is_unsigned_are_no_fork,
            a_contradiction_about_a_contradiction_makes_no_event,
            the_same_bad_capsule_a_thousand_times_is_one_event,
            an_event_holds_no_content,
            a_flood_of_junk_in_alices_name_is_bounded_and_blames_her_not,
        }
        strangers {
            a_strangers_redaction_covers_no_capsule,
            a_record_never_enters_without_its_content,
            nothing_but_records_of_keys_enters_a_key_chain,
            a_key_chain_is_read_as_far_as_it_is_one,
            what_is_archived_stops_no_import,
            a_taken_name_keeps_nobody_out_for_good,
            a_known_capsule_with_another_body_is_refused,
            a_compromised_key_forks_no_chain,
        }
        travelling {
            chains_go_through_another_store_and_come_back,
        }
    )
}

/// Runs the cases of checks and repair: validation, reconciliation of a backup, and reads from one snapshot.
pub fn run_checks<F: LifeRig>(rig: &F) -> Vec<Failure> {
    run!(rig;
        validate {
            a_store_as_it_was_written_is_valid,
            what_was_erased_with_a_record_is_open,
            archives_are_open_until_they_are_looked_into,
        }
        reconcile {
            a_backup_gets_its_tail_back_and_is_written_again,
            what_does_not_lead_to_the_signed_root_changes_nothing,
            what_was_erased_after_the_backup_goes_again,
        }
        snapshot {
            a_check_beside_a_writer_finds_nothing,
        }
    )
}

/// Returns the message of a panic.
fn said_by(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
