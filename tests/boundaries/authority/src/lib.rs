//! An Authority's package: reads traces, checks proofs, and nothing else (specification 9.2.3).
