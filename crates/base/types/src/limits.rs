//! Upper bounds on data from peers; each names the type that it limits.

/// The largest integer that JSON carries between languages without loss: 2^53 - 1 (RFC 7493 §2.2).
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The longest [`WorldId`](crate::WorldId), in bytes of UTF-8.
pub const MAX_WORLD_ID_BYTES: usize = 1024;

/// The longest [`Query`](crate::Query), in bytes of UTF-8. Several recalls joined into one still fit.
pub const MAX_QUERY_BYTES: usize = 64 * 1024;

/// The longest [`Reason`](crate::Reason), in bytes of UTF-8.
pub const MAX_REASON_BYTES: usize = 8 * 1024;

/// The most memories that one selection or one trace may hold.
pub const MAX_SELECTED: usize = 1000;

/// The most that the data of one proof may come to, in bytes of its texts and 8 for each value.
pub const MAX_PROOF_BYTES: usize = 512 * 1024;
