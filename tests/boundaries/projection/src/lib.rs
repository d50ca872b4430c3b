//! A Projection's package: no memory at all (M-10, specification 9.2.2).
