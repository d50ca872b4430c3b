//! The project's own chores: `cargo xtask CHORE`, the longer ones in files of their own.

mod bench;
mod chores;
mod conformance;
mod deny;
mod figures;
mod fuzz;
mod process;
mod repository;
mod tidy;

use anyhow::Result;
use clap::Parser;

/// The project's own chores
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// All that CI runs, in its order (.ci/run)
    Ci,
    /// All tests: libraries, programs, integration tests, examples, documentation
    Test,
    /// clippy on the workspace, and each library by itself; warnings are errors
    Clippy,
    /// Exact dependencies, closures and purity of this workspace's crates; roles of its boundary tests
    CheckBoundaries,
    /// House style that neither rustfmt nor clippy sees
    Tidy,
    /// Writes docs/conformance.md: every rule of the specification, how it is held and by which test
    Conformance {
        /// Writes nothing; fails when the page is not what would be written
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        selection: conformance::Selection,
    },
    /// cargo-deny: bans, licences, sources
    Deny,
    /// rustdoc; warnings are errors
    Docs,
    /// Writes docs/schemas: the JSON Schema of each document that agents send one another
    Schemas,
    /// One benchmark in release: `speed` (default), `recall`, `claims`, `exchange`, `extract`, `kills [N]`, `faults [N]`, `histories [N]`, `proposals [N]`
    Bench {
        /// Name of the benchmark
        name: Option<String>,
        /// Arguments of the benchmark itself
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        more: Vec<String>,
    },
    /// Runs the benchmarks and writes docs/figures.md from their output
    Figures {
        /// Benchmarks to run anew; all if none is named
        names: Vec<String>,
    },
    /// Each parser of foreign bytes under the fuzzer, on nightly
    Fuzz {
        /// Name of the target; all without
        target: Option<String>,
        /// Seconds for each
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Random sequences on the claim engine and on its oracle, in release; prints the seed to go on from
    Soak {
        /// Number of sequences
        #[arg(default_value_t = 1_000_000)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
}

fn main() -> Result<()> {
    match Chore::parse() {
        Chore::Ci => chores::ci(),
        Chore::Test => chores::test(),
        Chore::Clippy => chores::clippy(),
        Chore::CheckBoundaries => chores::check_boundaries(),
        Chore::Tidy => tidy::run(),
        Chore::Conformance { check, selection } => conformance::run(check, &selection),
        Chore::Deny => deny::run(),
        Chore::Docs => chores::docs(),
        Chore::Schemas => chores::schemas(),
        Chore::Bench { name, more } => bench::run(name.as_deref(), &more),
        Chore::Figures { names } => figures::run(&names),
        Chore::Fuzz { target, seconds } => fuzz::run(target.as_deref(), seconds),
        Chore::Soak { count, from } => chores::soak(count, from),
    }
}
