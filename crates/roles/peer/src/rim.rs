//! Both clocks and a timer, from the program's runtime.

use async_trait::async_trait;
use counterfoil_exchange::machine::Moment;

/// Both clocks, and a timer.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Both clocks now. The monotonic one runs on while the machine is suspended (case 77).
    fn now(&self) -> Moment;

    /// Returns not before `monotonic_us`. May be dropped while it waits.
    async fn sleep_until(&self, monotonic_us: u64);
}
