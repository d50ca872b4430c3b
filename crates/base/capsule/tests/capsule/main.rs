//! What the capsule format promises, held against the crate's public interface.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails where it stands"
)]

mod blame;
mod case_a_encoding;
mod case_b_keys;
mod case_c_chain;
mod case_c_versions;
mod chain;
mod claim;
mod common;
mod evidence;
mod exported;
mod feed;
mod field_tree;
mod forge;
mod header;
mod mutation;
mod receipt;
mod seal_and_check;
mod world;
