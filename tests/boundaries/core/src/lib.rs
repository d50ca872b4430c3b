//! A Core's package: no memory at all (FP-14, specification 9.2.5).
