//! FP-16, section 9.2.3, I5: an Authority calls the gate.

use counterfoil_claims::gate::judge as reached;

fn main() {
    let _reached = reached;
}
