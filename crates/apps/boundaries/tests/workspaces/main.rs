//! Small workspaces, each broken in one place, and the findings they must give.
#![cfg(test)]

mod command;
mod declarations;
mod io;
mod matrix;
mod own;
mod paths;
mod purity;
mod reach;
mod stubs;
