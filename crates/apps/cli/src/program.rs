//! From the command line to an exit code: 0 done or approved, 1 refused, 2 indeterminate or withheld, 3 usage
//! or input, 4 store, 130 Ctrl-C.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches};
use counterfoil_verify::{Form, one_line};

use counterfoil::MemoryBuilder;

use crate::cli::{Cli, Command, KeyGroup, PeerGroup, ProgramCommand};
use crate::commands::mcp::AgentCommand;
use crate::commands::memory::MemoryCommand;
use crate::commands::{key, key_for};
use crate::context::Context;
use crate::failure::{DONE, ErrorKind as FailureKind, Failure, INPUT, problem};
use crate::output::{Output, error_document, failed, notice};
use crate::{commands, help, place, progress};

/// Next step after a wrong command line.
const HELP: &str = "run `counterfoil help` for the commands and options";

/// Runs the program with its arguments, the first of which is its own name. Answers go to standard
/// output; what went wrong is one line on standard error, which says what to do.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    // Of a line that cannot be parsed, it is the text that counts.
    let is_json = args.iter().any(|arg| arg == "--json");
    let parsed = help::plain().try_get_matches_from(&args);
    // To put help together takes as long as to parse a line.
    let parsed = parsed.or_else(|_| help::command().try_get_matches_from(&args));
    let mut name = String::new();
    let cli = parsed.and_then(|matches| {
        name = command_name(&matches);
        Cli::from_arg_matches(&matches)
    });
    let cli = match cli {
        Ok(cli) => cli,
        // Help and version are answers; all else is one line, and exit 3 where clap would give 2.
        Err(error) => {
            let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            if is_help || !error.use_stderr() {
                // Without a terminal there is no reader left.
                let _ = error.print();
            } else if is_json {
                let line = said(&error);
                let detail = line
                    .strip_suffix(HELP)
                    .map_or(line.as_str(), |it| it.trim_end_matches("; "));
                error_document(&problem(FailureKind::Input, detail, Some(HELP), INPUT));
            } else {
                failed(said(&error));
            }
            return ExitCode::from(if error.use_stderr() { INPUT } else { DONE });
        }
    };
    let is_json = cli.json;
    let is_hook = matches!(cli.command, Command::Agents(AgentCommand::Hook { .. }));
    match execute(cli, &name) {
        Ok(()) => ExitCode::from(DONE),
        Err(failure) => {
            match (is_json, failure.is_silent()) {
                (true, silent) if !silent || matches!(failure, Failure::Withheld) => {
                    error_document(&failure.to_json());
                }
                (false, false) => failed(&failure),
                _ => {}
            }
            // Another code would stop the turn that the hook belongs to.
            ExitCode::from(if is_hook { DONE } else { failure.code() })
        }
    }
}

/// A wrong command line in one line, with the command that has taken the place of one of an earlier name.
fn said(error: &clap::Error) -> String {
    let replaced = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => REPLACED.iter().find(|(old, _)| old == name),
        _ => None,
    };
    match replaced {
        Some((old, new)) => {
            format!("there is no command '{old}'; it is part of `counterfoil {new}`; {HELP}")
        }
        None => one_line(error, HELP),
    }
}

/// Names that others give to a command, and the command.
const REPLACED: [(&str, &str); 3] = [
    ("doctor", "check"),
    ("validate", "check"),
    ("audit", "check --deep"),
];

/// Names of the command and its subcommands, with hyphens between them: `peer-add`.
fn command_name(matches: &ArgMatches) -> String {
    let mut names = Vec::new();
    let mut matches = matches;
    while let Some((name, below)) = matches.subcommand() {
        names.push(name);
        matches = below;
    }
    names.join("-")
}

/// Lets a node read the state that `--read` names.
fn reading(builder: MemoryBuilder, state: &str) -> Result<MemoryBuilder, Failure> {
    match (state, state.parse()) {
        ("latest", _) => Ok(builder),
        ("any", _) => Ok(builder.read_any()),
        (_, Ok(size)) => Ok(builder.read_at(size)),
        _ => Err(Failure::input(
            format_args!("`--read {state}` names no state"),
            "write `latest`, `any` or a number of entries",
        )),
    }
}

fn execute(cli: Cli, name: &str) -> Result<(), Failure> {
    let form = if cli.json { Form::Json } else { Form::Human };
    let interruption = Arc::default();
    let progress = progress::of(&cli.command, form);
    let shown = progress.clone();
    let builder = place::memory(cli.dir.clone(), cli.passphrase_file)?;
    let mut builder = reading(builder, &cli.read)?;
    if cli.accept_clock {
        builder = builder.accept_clock();
    }
    if cli.show_withheld {
        builder = builder.dangerously_show_withheld();
    }
    for place in cli.heads {
        builder = builder.head(place);
    }
    if let Some(folder) = cli.encoder {
        builder = builder.encoder_folder(folder);
    }
    if let Some(folder) = cli.reranker {
        builder = builder.reranker_folder(folder);
    }
    let builder = opening_models(builder)
        .interruption(Arc::clone(&interruption))
        .progress(move |done, part| progress::show(&shown, done, part));
    let memory = builder.clone().build();
    let memory = match &cli.scope {
        Some(scope) => {
            must_take_a_scope(&cli.command)?;
            memory.scoped(scope)?
        }
        None => memory,
    };
    let context = Context {
        builder,
        dir: cli.dir,
        interruption,
        progress,
        out: Output::new(form, memory.clone(), name),
        memory,
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
    let ended = runtime.block_on(async {
        match cli.command {
            Command::Memory(command) => command.run(&context).await,
            Command::Beliefs(command) => command.run(&context).await,
            Command::Proof(command) => command.run(&context).await,
            Command::Peers(command) => command.run(&context).await,
            Command::Keys(KeyGroup::Key(command)) => key::run(&context, command).await,
            Command::Keys(KeyGroup::KeyFor(args)) => key_for::run(&context, args),
            Command::Agents(command) => command.run(&context).await,
            Command::Care(command) => command.run(&context).await,
            Command::Program(command) => command.run(&context).await,
        }
    });
    context.progress.finish_and_clear();
    context.memory.write_heads();
    context.memory.take_notices().iter().for_each(notice);
    context.out.withheld(ended)
}

/// Lets a memory open the models that this program was built with.
fn opening_models(builder: MemoryBuilder) -> MemoryBuilder {
    #[cfg(feature = "encoder")]
    let builder = {
        use counterfoil_encoder::{FolderEncoder, FolderReranker};
        builder
            .open_encoders_with(|folder| Ok(Arc::new(FolderEncoder::open(folder)?)))
            .open_rerankers_with(|folder| Ok(Arc::new(FolderReranker::open(folder)?)))
    };
    #[cfg(all(feature = "encoder", feature = "endpoint"))]
    let builder = {
        use counterfoil_encoder::HttpEncoder;
        builder.open_encoder_endpoints_with(|at, key| Ok(Arc::new(HttpEncoder::open(at, key)?)))
    };
    builder
}

/// Refuses a scope where nothing is reached that has one.
fn must_take_a_scope(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Memory(MemoryCommand::Init(_))
        | Command::Keys(KeyGroup::Key(_))
        | Command::Program(_) => Err(Failure::input(
            "this command takes no --scope",
            "leave it out",
        )),
        _ => Ok(()),
    }
}

impl PeerGroup {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Peer(command) => commands::peer::run(context, command).await,
            Self::Vouch(command) => commands::vouch::run(context, command).await,
            Self::Trust(command) => commands::peer::explain(context, command).await,
            Self::Share(command) => commands::share::run(context, command).await,
            Self::Ask(args) => commands::ask::run(context, args).await,
            Self::Exchange(command) => commands::ask::exchange(context, command).await,
            Self::Serve(args) => commands::serve::run(context, args).await,
            Self::Answer(args) => commands::answer::run(context, args).await,
            Self::Hear(args) => commands::ask::hear(context, args).await,
        }
    }
}

impl ProgramCommand {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Demo => commands::demo::run(context).await,
            Self::Completions { shell } => context.out.text(&help::completions(shell)),
            Self::Man { command } => context.out.text(&help::man(&command)?),
        }
    }
}
