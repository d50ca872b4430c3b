//! Clocks, deadlines and delays of an exchange, saturating (docs/format/exchange.md §9).

/// Both clocks at one instant, read by the driver. The machine reads none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Monotonic clock that runs while the machine is suspended, in microseconds since an instant of this process.
    pub monotonic_us: u64,
    /// Wall clock, in microseconds since 1970.
    pub wall_us: u64,
}

/// One second, the shortest wait for an answer.
const SECOND_US: u64 = 1_000_000;
/// Longest wait for an answer.
pub(super) const MAX_TIMEOUT_US: u64 = 600 * SECOND_US;

/// The wait for an answer, clamped to 1 to 600 s.
pub(super) fn bounded_timeout(timeout_us: u64) -> u64 {
    timeout_us.clamp(SECOND_US, MAX_TIMEOUT_US)
}

/// 1, 2, 4 s and so on after the first, second, third failure, ±20 %: `jitter_ppm` 0 gives 80 %, 1,000,000 gives 120 %.
pub(super) fn backoff_us(attempt: u8, jitter_ppm: u32) -> u64 {
    let base = SECOND_US.saturating_mul(1 << attempt.min(16));
    let share_ppm =
        800_000_u64.saturating_add(u64::from(jitter_ppm.min(1_000_000)).saturating_mul(2) / 5);
    base.saturating_mul(share_ppm) / 1_000_000
}

/// The instant at `monotonic_us`, as it looks from `at`.
pub(super) fn later(at: Moment, monotonic_us: u64) -> Moment {
    let wall_us = at
        .wall_us
        .saturating_add(monotonic_us.saturating_sub(at.monotonic_us));
    Moment {
        monotonic_us,
        wall_us,
    }
}
