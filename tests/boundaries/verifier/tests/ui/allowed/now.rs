//! Time is made of a number that somebody passes in.

use counterfoil_types::UnixMillis;

fn main() {
    let _time = UnixMillis::new;
}
