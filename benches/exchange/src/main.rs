//! `cargo xtask bench exchange`: what an exchange costs beside what it cannot do without, in the same run. Every line is a
//! figure or a ratio; none is an assertion. Arguments name the parts to run; without any, all are.

mod answer;
mod check;
mod log;
/// As in the other benches.
#[path = "../../speed/src/measure.rs"]
mod measure;
mod serve;

type Report = fn() -> anyhow::Result<()>;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(served) = serve::served(&arguments) {
        return served;
    }
    let parts: [(&str, Report); 2] = [("check", check::report), ("serve", serve::report)];
    let wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|word| word == name);
    let mut run = parts.into_iter().filter(|(name, _)| wanted(name));
    run.try_for_each(|(_, report)| report())
}
