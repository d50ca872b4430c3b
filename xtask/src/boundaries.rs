//! `cargo xtask check-boundaries`: this workspace's table, and the roles that its boundary tests declare.

use anyhow::{Result, bail};
use counterfoil_boundaries::{check_roles, own};

use crate::repository;

pub(crate) fn run() -> Result<()> {
    let graph = repository::graph()?;
    let own = own::check(&graph)?;
    let roles = check_roles(&graph)?;
    print!("{own}");
    for one in &roles.checked {
        println!("{} plays {}", one.package, one.role);
    }
    for violation in &roles.violations {
        print!("\n{violation}");
    }
    if !own.holds() || !roles.holds() {
        bail!(
            "{} boundaries are broken",
            own.violations.len() + roles.violations.len()
        );
    }
    Ok(())
}
