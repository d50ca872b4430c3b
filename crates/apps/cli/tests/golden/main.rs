//! Golden transcripts: the output, the files and the exit code of every command, as `golden/*.txt` record them.
//!
//! A script is run in a temporary folder of its own. Its lines:
//!
//! ```text
//! $ counterfoil remember "a note"   a command: the program (after VAR=VALUE), or a built-in of `Script::built_in`
//! > text                            the standard input of the command above, or the content of the file it writes
//! | text                            standard output       ~ ends without a newline
//! ! text                            standard error        ? 3    the exit code, unless it is 0
//! ```
//!
//! `GOLDEN=write cargo test -p counterfoil-cli --test golden` records all anew; `GOLDEN_BINARY=FILE` runs another build.
//! Ids, hashes, keys, signatures and ports are random: each is written as its kind and its number in the script
//! (`[id1]`, `[hash2]`), so that equal ones stay equal; `$ set NAME /pointer` keeps one of the last JSON as `$NAME`.
//! Times after 2025 are written with zeros (`[ms]` as a number); durations, and sizes of what is signed, as `[n]`; places
//! along a drawing's axis of time as `[x]`.
//! Not deterministic otherwise, and how the scripts pass it by: the order of equally ranked memories (queries with
//! distinct ranks), of keys and hashes by value (`unnumbered` before a
//! command leaves the numbers out; a proof of a fork is written and not printed), columns beside times (spaces are
//! collapsed), ages (stores are seconds old), and what two processes print at once (`stop` prints what was
//! printed in the background).

#[cfg(unix)]
#[cfg(test)]
mod built_in;
#[cfg(unix)]
#[cfg(test)]
mod names;
#[cfg(unix)]
#[cfg(test)]
mod script;
#[cfg(unix)]
#[cfg(test)]
mod scripts;
