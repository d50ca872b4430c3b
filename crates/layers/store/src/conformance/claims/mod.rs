//! What a backend that keeps claims has to hold: one case for each promise of [`ClaimStore`] (I1-I11).

mod beliefs;
mod echoes;
mod foreign;
mod guarding;
mod ledger;
mod listing;
mod racing;
mod reviewing;
mod rig;
mod verdicts;
mod writing;

use super::{Factory, Failure, cases, run};
use crate::ClaimStore;

/// Runs every case of claims and returns those that fail: none for a backend that conforms. It is no part of
/// [`run_all`](super::run_all), since not every backend keeps claims.
pub async fn run_claims<F: Factory<Store: ClaimStore>>(factory: &F) -> Vec<Failure> {
    run(cases!(factory;
        writing {
            "a claim is proven as any memory": proven,
            "the units of a line are counted by the map": counted,
            "a request meets the earlier ones": in_turn,
            "a refusal touches nothing else": refusal,
            "a submission is whole or absent": whole,
            "a submission has a limit": limit,
            "a key gets its first answer again": keyed,
            "units follow one another in time": in_time,
        }
        guarding {
            "a claim enters through the gate alone": gate_alone,
            "a store that fails believes nothing rather than something else": broken,
            "nothing follows a claim": nothing_follows,
        }
        beliefs {
            "a belief names what decides it": decided,
            "what is contradicted is told with all sides": contradicted,
            "a set is told as a set": sets,
            "a clock that went back hides no claim": present,
            "a clock that was ahead ages and hides nothing once it is corrected": corrected,
            "an answer of the past stays as it was": replayed,
            "a window decides about when": windows,
        }
        reviewing {
            "what was derived from a shaken claim is to be reviewed": shaken,
            "what stays unconfirmed ages by the settings of its predicate": aging,
        }
        listing {
            "a subject is told by predicate and scope": subject,
            "a later line is none of an earlier time": later_lines,
            "contests are told page by page": contests,
            "predicates are told once": predicates,
            "units are told up to a time": units,
        }
        echoes {
            "another source corroborates": corroborated,
            "an echo writes nothing": echoed,
            "reads change no answer, no unit and no belief": unread,
        }
        ledger {
            "the ledger begins with the newest page": pages,
            "the ledger is filtered before it is cut": filtered,
        }
        verdicts {
            "what conflicts waits where there is an oracle": waits,
            "an affirmed claim holds and its rivals lose": affirmed,
            "a claim takes the place of another until that is undone": superseded,
            "a denial is remembered": denied,
            "what nobody can tell stays contested": undecided,
            "what waits too long is contested": expired,
            "a verdict needs evidence": evidence,
        }
        foreign {
            "agents on one store do not see each other": apart,
            "a claim from elsewhere is of its signer's lines": received,
            "no capsule changes another agent's lines": attacked,
            "a claim that is no unit is kept and says nothing": no_unit,
            "a unit from elsewhere does not use up the numbers of a line": numbered,
            "a unit without content is not believed": erased,
        }
        racing {
            "of two that contradict each other one is told so": race(None),
            "with an oracle the second one waits": race(Some(30)),
        }
    ))
    .await
}
