//! From the command line to an exit code: 0 done or approved, 1 refused, 2 indeterminate, 3 usage
//! or input, 4 store, 130 Ctrl-C.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use clap::error::ErrorKind;
use counterfoil_verify::{Form, one_line};

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Cli, Command, DecideCommand, LogCommand};
use crate::commands;
use crate::context::Context;
use crate::failure::{DONE, Failure, INPUT};
use crate::output::{Output, notice};
use crate::place;

/// Next step after a wrong command line.
const HELP: &str = "run `counterfoil help` for the commands and options";

/// Runs the program with its arguments, the first of which is its own name. Answers go to standard
/// output; what went wrong is one line on standard error, which says what to do.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match execute(cli) {
        Ok(()) => ExitCode::from(DONE),
        Err(failure) => {
            if !failure.is_silent() {
                complain(&failure.to_string());
            }
            ExitCode::from(failure.code())
        }
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    let form = if cli.json { Form::Json } else { Form::Human };
    let out = Output::new(form);
    let (interruption, progress) = (Arc::default(), ProgressBar::hidden());
    let builder =
        place::memory(cli.dir, cli.passphrase_file)?.interruption(Arc::clone(&interruption));
    let (builder, progress) = if out.shows_progress() && matches!(cli.command, Command::Import(_)) {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} turns, {per_sec}") {
            bar.set_style(style);
        }
        let shown = bar.clone();
        (builder.progress(move |kept| shown.set_position(kept)), bar)
    } else {
        (builder, progress)
    };
    let memory = builder.clone().build();
    let context = Context {
        home: memory.home().clone(),
        builder,
        memory,
        interruption,
        progress,
        out,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::place(
                format_args!("the system gives no event queue ({error})"),
                "end other programs",
            )
        })?;
    let done = runtime.block_on(dispatch(&context, cli.command));
    context.memory.take_notices().iter().for_each(notice);
    done
}

async fn dispatch(context: &Context, command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(args) => commands::init::run(context, args).await,
        Command::Remember(args) => commands::remember::run(context, args).await,
        Command::Import(args) => commands::import::run(context, args).await,
        Command::Update(args) => commands::update::run(context, args).await,
        Command::History(args) => commands::history::run(context, args).await,
        Command::Diff(args) => commands::diff::run(context, args).await,
        Command::Rollback(args) => commands::rollback::run(context, args).await,
        Command::AsOf(args) => commands::as_of::run(context, args).await,
        Command::Recall(args) => commands::recall::run(context, args).await,
        Command::Show(args) => commands::show::run(context, args).await,
        Command::Claim(command) => commands::claim::run(context, *command).await,
        Command::Extract(args) => commands::extract::run(context, args).await,
        Command::Believe(args) => commands::believe::run(context, args).await,
        Command::Why(args) => commands::why::run(context, args).await,
        Command::Contested(args) => commands::contested::run(context, args).await,
        Command::Pending => commands::pending::run(context).await,
        Command::Adjudicate(args) => commands::adjudicate::run(context, args).await,
        Command::Timeline(args) => commands::timeline::run(context, args).await,
        Command::Prove(args) => commands::prove::run(context, args).await,
        Command::Peer(command) => commands::peer::run(context, command).await,
        Command::Vouch(command) => commands::vouch::run(context, command).await,
        Command::Trust(command) => commands::trust::run(context, command).await,
        Command::Ask(args) => commands::ask::run(context, args).await,
        Command::Exchange(command) => commands::exchanges::run(context, command).await,
        Command::Serve(args) => commands::serve::run(context, args).await,
        Command::Answer(args) => commands::answer::run(context, args).await,
        Command::Hear(args) => commands::hear::run(context, args).await,
        Command::Propose(args) => commands::propose::run(context, args).await,
        Command::Anchors(args) => commands::anchors::run(context, args).await,
        Command::Verify(args) => commands::verify::run(context, &args),
        Command::VerifyBelief(args) => commands::verify_belief::run(context, &args),
        Command::Log(LogCommand::Checkpoint) => commands::log::checkpoint(context).await,
        Command::Log(LogCommand::Consistency(args)) => {
            commands::log::consistency(context, args).await
        }
        Command::Log(LogCommand::Export(args)) => commands::log::export(context, args).await,
        Command::Key(command) => commands::key::run(context, command).await,
        Command::Erase(args) => commands::erase::run(context, args).await,
        Command::Forget(args) => commands::forget::run(context, args).await,
        Command::Decide(DecideCommand::Forget(args)) => commands::decide::forget(context, &args),
        Command::Archive(args) => commands::archive::run(context, args).await,
        Command::Restore(args) => commands::restore::run(context, args).await,
        Command::Gc(args) => commands::gc::run(context, args).await,
        Command::Audit(args) => commands::audit::run(context, args).await,
        Command::Validate(args) => commands::validate::run(context, args).await,
        Command::Doctor => commands::doctor::run(context).await,
        Command::Stats => commands::stats::run(context).await,
        Command::Export(args) => commands::export::run(context, args).await,
        Command::Events(args) => commands::events::run(context, args).await,
        Command::Fork(command) => commands::fork::run(context, command).await,
        Command::Reconcile(args) => commands::reconcile::run(context, &args).await,
        Command::Rebuild => commands::rebuild::run(context).await,
        Command::Demo => commands::demo::run(context).await,
    }
}

/// Help and version are answers; all else is one line, and exit 3 where clap would give 2.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nobody is left to read it if this fails.
            let _ = error.print();
            return ExitCode::from(DONE);
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
        }
        _ => complain(&one_line(error, HELP)),
    }
    ExitCode::from(INPUT)
}

/// One line on standard error. If that is gone, the exit code says it.
fn complain(text: &str) {
    notice(text);
}
