//! A Store's package: Worlds and their capsules, and no other layer (specification 4.3.2).
