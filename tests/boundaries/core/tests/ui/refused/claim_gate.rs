//! FP-14, I5: a Core calls the gate.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
