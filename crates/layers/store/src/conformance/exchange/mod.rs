//! What a backend that keeps exchanges has to hold: one case for each promise of [`ExchangeStore`] (R4, R6, R7).

mod answers;
mod items;
mod racing;
mod records;
mod restarting;
mod rig;
mod rows;
mod seen;

use super::{Factory, Failure, cases, run};
use crate::ExchangeStore;

/// Runs every case of exchanges and returns those that fail: none for a backend that conforms. It is no part of
/// [`run_all`](super::run_all), since not every backend keeps exchanges.
pub async fn run_exchange<F: Factory<Store: ExchangeStore>>(factory: &F) -> Vec<Failure> {
    run(cases!(factory;
        records {
            "documents about others are kept once, in the order of receipt": kept,
            "a document about others that is too large is refused": too_large,
            "the secret is drawn once": secret,
            "a store of exchanges that fails answers with an error": broken,
        }
        rows {
            "an exchange is read as it was begun": as_begun,
            "an exchange is begun once": once,
            "the rows of an exchange follow one another": following,
            "nothing is written of an exchange that nobody began": unknown,
            "the newest exchanges come first": newest,
            "a request and terms that are too large are refused": too_large,
            "an exchange has an end to its rows": too_many,
        }
        answers {
            "an answer is kept with its exchange": kept,
            "four answers of an exchange are kept, and no more": four,
            "an answer that is too large is refused": too_large,
        }
        items {
            "of a memory the last row counts": last,
            "memories of an answer have an end, and so have their rows": limited,
            "a claim that is heard 808 times is one": heard,
            "where a claim is stored is said once": stored_once,
        }
        seen {
            "a request is remembered to the last instant of its time": boundary,
            "a request is remembered after a restart": restart,
            "a flood of other keys pushes nothing out": flood,
            "a flood of one key leaves room for others": flood_of_one,
            "what is past its time makes room": room_again,
            "an id is of one request, and of one key": same_id,
            "to look writes nothing": looking,
        }
        racing {
            "of 64 who hear one request one is the first": one_first,
            "of 64 rows for one place one is kept": one_row,
            "of 64 who add one document one has added it": one_record,
        }
        restarting {
            "a process that ends after any write of an exchange leaves what was written": ended_after_each,
        }
    ))
    .await
}
