//! FP-13, I5: a Host calls the gate.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
