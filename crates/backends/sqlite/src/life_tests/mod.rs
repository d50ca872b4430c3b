//! The rules of a memory's life, on this backend.

mod archive;
mod collect;
mod erase;
mod forget;
mod validate;
