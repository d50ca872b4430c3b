//! `cargo xtask bench`: what it costs to append, to verify and to keep, beside the bare cost of
//! the library underneath, in the same run. Every line is a figure or a ratio; none is an
//! assertion. Arguments name the parts to run; without any, all are.

mod append;
mod cold;
mod disk;
mod hostile;
mod log;
mod measure;
mod mutation;
mod rollback;
mod validate;
mod verify;

use std::path::PathBuf;

type Report = fn() -> anyhow::Result<()>;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, folder] = arguments.as_slice()
        && word == cold::FIXTURE
    {
        return cold::write_fixture(&PathBuf::from(folder));
    }
    // The first while this process is small: a child's peak memory begins with its parent's.
    let parts: [(&str, Report); 8] = [
        ("cold", cold::report),
        ("verify", verify::report),
        ("hostile", hostile::report),
        ("append", append::report),
        ("disk", disk::report),
        ("mutation", mutation::report),
        ("rollback", rollback::report),
        ("validate", validate::report),
    ];
    let wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|word| word == name);
    parts
        .into_iter()
        .filter(|(name, _)| wanted(name))
        .try_for_each(|(_, report)| report())
}
