//! I5: an Actor calls the gate itself.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
