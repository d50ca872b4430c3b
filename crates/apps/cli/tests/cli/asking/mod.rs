//! `ask` and `exchange`: through a folder, where nobody answers, and where nobody is.

mod alone;
mod pair;
mod told;
