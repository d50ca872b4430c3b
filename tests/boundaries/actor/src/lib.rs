//! An Actor's package: all of the memory (specification 9.2.1), and what even an Actor may not do.
