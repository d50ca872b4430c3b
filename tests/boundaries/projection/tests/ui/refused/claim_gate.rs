//! M-10, FP-03, I5: a Projection calls the gate.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
