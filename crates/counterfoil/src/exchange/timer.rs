//! The clocks of the system, and its timer (case 76, case 77).

use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::machine::Moment;
use counterfoil_peer::Timer;
use counterfoil_sqlite::System;
use counterfoil_store::Clock;
use rustix::time::{ClockId, clock_gettime};

/// The timer of the runtime does not run while the machine sleeps: the clock that does is looked at as often as this.
const SLICE_US: u64 = 1_000_000;
/// Runs on while the machine sleeps.
#[cfg(any(target_os = "linux", target_os = "android"))]
const MONOTONIC: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const MONOTONIC: ClockId = ClockId::Monotonic;

/// The clocks of the system.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemTimer;

#[async_trait]
impl Timer for SystemTimer {
    fn now(&self) -> Moment {
        Moment {
            monotonic_us: monotonic_us(),
            wall_us: System.now_micros(),
        }
    }

    async fn sleep_until(&self, monotonic_us: u64) {
        loop {
            let left_us = monotonic_us.saturating_sub(self::monotonic_us());
            if left_us == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_micros(left_us.min(SLICE_US))).await;
        }
    }
}

fn monotonic_us() -> u64 {
    let now = clock_gettime(MONOTONIC);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let micros = u64::try_from(now.tv_nsec / 1000).unwrap_or(0);
    seconds.saturating_mul(1_000_000).saturating_add(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adversarial cases F76, F77: what is waited for by is a clock that nobody sets, and it is not the one that documents are dated by.
    #[test]
    fn the_timer_waits_by_the_clock_that_nobody_sets() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let before = SystemTimer.now();
        runtime.block_on(SystemTimer.sleep_until(before.monotonic_us + 20_000));
        let after = SystemTimer.now();
        assert!(after.monotonic_us >= before.monotonic_us + 20_000);
        assert!(before.wall_us > 1_700_000_000_000_000);
        assert!(before.monotonic_us < before.wall_us / 2, "two clocks");
    }
}
