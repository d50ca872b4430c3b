//! The gate against small lines that are held in a vector: each row, each assertion, each refusal, and its laws.

mod assertions;
mod attacks;
mod inferred;
mod laws;
mod names;
mod refusals;
mod rows;
mod world;
