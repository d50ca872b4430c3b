//! Both clocks at one instant.

/// Both clocks at one instant, read by the driver. The machine reads none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Monotonic clock that runs while the machine is suspended, in microseconds since an instant of this process.
    pub monotonic_us: u64,
    /// Wall clock, in microseconds since 1970.
    pub wall_us: u64,
}
