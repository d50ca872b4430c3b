//! M-8, CR-19, FP-10: a Verifier asks the vocabulary for the time; there is none to ask for.

use counterfoil_types::UnixMillis;

fn main() {
    let _time = UnixMillis::now;
}
