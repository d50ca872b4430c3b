//! A Selector's package: the store and `prove`, and no trace (specification 4.3.2, 6.3).
