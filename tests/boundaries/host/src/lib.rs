//! A Host's package: no memory at all (FP-13, specification 9.2.4).
