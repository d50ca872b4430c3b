//! The seven checks of an answer and what they leave of each memory (§8).

mod bindings;
mod content;
mod origin;
mod receipts;
mod strips;
mod table;
mod ways;
