//! FP-09, section 9.2, I5: a Verifier calls the gate.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
