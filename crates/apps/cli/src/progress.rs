//! Progress of long work, for a person who watches: what is done, and the time that is left where the whole is known.

use std::time::Duration;

use counterfoil_verify::Form;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Command;
use crate::commands::care::CareCommand;
use crate::commands::memory::MemoryCommand;
use crate::output::shows_progress;

/// Time between two looks of work that reports nothing.
const TICK: Duration = Duration::from_millis(200);
/// Work whose whole is not known.
const OPEN: &str = "{spinner} {pos} {prefix}, {elapsed}";
/// Work whose whole is known.
const WHOLE: &str = "{spinner} {bar:20} {percent}%  {msg} {prefix}, {eta} left";

/// The progress of a command that takes long, hidden unless a person watches.
pub(crate) fn of(command: &Command, form: Form) -> ProgressBar {
    let (counted, style) = match command {
        Command::Memory(MemoryCommand::Import(_)) => ("turns", OPEN),
        Command::Care(CareCommand::Embed { .. }) => ("vectors", OPEN),
        Command::Care(CareCommand::Check(args)) if args.is_of_all() => ("entries checked", OPEN),
        // On standard output the export itself is to be seen.
        Command::Care(CareCommand::Export(args)) if args.is_to_file() => ("capsules", OPEN),
        Command::Care(CareCommand::Rebuild) => ("entries indexed", OPEN),
        _ => return ProgressBar::hidden(),
    };
    if !shows_progress(form) {
        return ProgressBar::hidden();
    }
    let progress = ProgressBar::new_spinner();
    progress.set_prefix(counted);
    progress.set_style(style_of(style));
    progress.enable_steady_tick(TICK);
    progress
}

/// Shows the number of things that are done, and the part of the whole that they are.
pub(crate) fn show(progress: &ProgressBar, done: u64, part: Option<(u64, u64)>) {
    match part {
        Some((read, all)) if all > 0 => {
            if progress.length() != Some(all) {
                progress.set_length(all);
                progress.set_style(style_of(WHOLE));
            }
            progress.set_message(done.to_string());
            progress.set_position(read.min(all));
        }
        _ => progress.set_position(done),
    }
}

fn style_of(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_well_formed() {
        for template in [OPEN, WHOLE] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn what_is_done_is_a_part_of_the_whole_where_that_is_known() {
        let progress = ProgressBar::hidden();
        show(&progress, 3, None);
        assert_eq!((progress.position(), progress.length()), (3, None));
        show(&progress, 4, Some((200, 1000)));
        assert_eq!((progress.position(), progress.length()), (200, Some(1000)));
        assert_eq!(progress.message(), "4");
        // A file that grows is not more than read.
        show(&progress, 9, Some((1200, 1000)));
        assert_eq!(progress.position(), 1000);
    }
}
