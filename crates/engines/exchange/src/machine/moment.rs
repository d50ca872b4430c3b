//! Both clocks at one instant.

/// Both clocks at one instant, read by the driver. The machine reads none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// A monotonic clock that also runs while the machine is suspended, in microseconds since any one instant of this process.
    pub monotonic_us: u64,
    /// The wall clock, in microseconds since 1970.
    pub wall_us: u64,
}
