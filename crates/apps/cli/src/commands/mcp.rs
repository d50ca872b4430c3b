//! `mcp` and `hook`: the memory for agents, over the Model Context Protocol and as hooks of coding agents.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use counterfoil::{Memory, Scope};
use counterfoil_mcp::{Client, HookEvent, InstallOptions, McpOptions, ToolName, run_hook, serve};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::guard::{self, GuardArgs};
use super::memory_tool::{self, MemoryToolArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::notice;
use crate::telemetry::Telemetry;

/// Longest input of a hook, in bytes.
const MAX_HOOK_INPUT: u64 = 8 << 20;

/// Commands for agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Serve the memory to an agent over the Model Context Protocol, on standard input and output
    Mcp(McpArgs),
    /// Hooks of a coding agent: seal the user's turns and bring memories in. Never fails: errors are a line on standard error
    Hook {
        /// Event of the coding agent, whose JSON is on standard input
        #[arg(value_enum)]
        event: EventName,
    },
    /// Seal the files of a folder as they are, and see later what was altered, removed or rolled back
    Guard(GuardArgs),
    /// The memory tool of a model: a command as JSON on standard input, its answer on standard output
    MemoryTool(MemoryToolArgs),
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    command: Option<McpCommand>,
    #[command(flatten)]
    session: SessionArgs,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Enter this server into the configuration of a client
    Install(InstallArgs),
}

/// Grants of the host to a session.
#[derive(Debug, Args)]
struct SessionArgs {
    /// Offer no tool that writes
    #[arg(long)]
    read_only: bool,
    /// Offer these tools alone, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tools: Vec<ToolName>,
    /// Make the store if there is none, and say where
    #[arg(long)]
    init: bool,
}

#[derive(Debug, Args)]
struct InstallArgs {
    /// The client: claude-code, codex, cursor, vscode or zed
    #[arg(long, value_name = "CLIENT")]
    client: Client,
    /// Print the configuration and write nothing
    #[arg(long)]
    print: bool,
    /// Install the hooks too, which seal what the user writes (claude-code)
    #[arg(long)]
    hooks: bool,
    #[command(flatten)]
    session: SessionArgs,
}

/// Event of a coding agent.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EventName {
    /// Recent memories and contested beliefs are brought in
    SessionStart,
    /// The turn is sealed, and memories that answer it are brought in
    UserPrompt,
    /// The turns are sealed before the conversation is shortened
    PreCompact,
    /// The turns are sealed
    SessionEnd,
}

impl AgentCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Mcp(args) => match args.command {
                Some(McpCommand::Install(install)) => install.run(context),
                None => args.session.serve(context).await,
            },
            Self::Hook { event } => {
                hook(context, event).await;
                Ok(())
            }
            Self::Guard(args) => guard::run(context, args).await,
            Self::MemoryTool(args) => memory_tool::run(context, args).await,
        }
    }
}

impl SessionArgs {
    async fn serve(self, context: &Context) -> Result<(), Failure> {
        let memory = self.memory(context).await?;
        let options = McpOptions {
            scope: context.memory.scope().clone(),
            read_only: self.read_only,
            tools: self.tools,
            uses: None,
        };
        let telemetry = Telemetry::begin(&memory);
        if let Some(layer) = telemetry.layer() {
            // A subscriber that is there already serves as well.
            let _ = tracing_subscriber::registry().with(layer).try_init();
        }
        let served = serve(memory, options).await;
        telemetry.end();
        Ok(served?)
    }

    /// The memory, not bound to a scope; with `--init` one is made where there is none.
    async fn memory(&self, context: &Context) -> Result<Memory, Failure> {
        if self.init {
            context.begin().await?;
        }
        match self.read_only {
            true => Ok(context.builder.clone().read_only().open()?),
            false => Ok(context.builder.clone().open()?),
        }
    }

    /// The arguments as they are written after `mcp`.
    fn words(&self, scope: &Scope) -> Vec<String> {
        let mut words = Vec::new();
        if !scope.is_empty() {
            words.extend(["--scope".to_owned(), scope.to_string()]);
        }
        if self.read_only {
            words.push("--read-only".to_owned());
        }
        if !self.tools.is_empty() {
            let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
            words.extend(["--tools".to_owned(), tools.join(",")]);
        }
        if self.init {
            words.push("--init".to_owned());
        }
        words
    }
}

impl InstallArgs {
    fn run(self, context: &Context) -> Result<(), Failure> {
        let no_folder =
            |what: &str| Failure::place(format_args!("{what} cannot be found"), "use --print");
        let project = std::env::current_dir().map_err(|_| no_folder("this folder"))?;
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        let program = std::env::current_exe().map_err(|_| no_folder("this program"))?;
        let mut command = vec![text_of(program)?];
        if let Some(dir) = &context.dir {
            command.push("--dir".to_owned());
            command.push(text_of(project.join(dir))?);
        }
        let options = InstallOptions {
            command,
            arguments: self.session.words(context.memory.scope()),
            hooks: self.hooks,
            project,
            home: home.ok_or_else(|| no_folder("the home folder"))?,
        };
        for file in self.client.plan(&options)? {
            let path = file.path.display();
            if self.print {
                context.out.text(&file.text)?;
                notice(format_args!("the above is {path}; nothing was written"));
                continue;
            }
            let backup = file.write()?;
            let backup = backup.map(|it| format!("; as it was: {}", it.display()));
            let done = match file.changes {
                true => "written",
                false => "there already",
            };
            context
                .out
                .text(&format!("{path}: {done}{}\n", backup.unwrap_or_default()))?;
        }
        Ok(())
    }
}

/// A path as it is written into a configuration.
fn text_of(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|path| {
        Failure::input(
            format_args!("{} is not UTF-8", path.display()),
            "use another folder",
        )
    })
}

/// Runs a hook, which never fails: a turn does not wait for its memory.
async fn hook(context: &Context, event: EventName) {
    let mut input = Vec::new();
    // What was read before an error is no JSON, and the hook says so.
    let _ = io::stdin().take(MAX_HOOK_INPUT).read_to_end(&mut input);
    let event = match event {
        EventName::SessionStart => HookEvent::SessionStart,
        EventName::UserPrompt => HookEvent::UserPrompt,
        EventName::PreCompact => HookEvent::PreCompact,
        EventName::SessionEnd => HookEvent::SessionEnd,
    };
    let input = String::from_utf8_lossy(&input);
    let (output, problem) = run_hook(&context.memory, event, &input).await;
    // A host that has closed the pipe needs no answer.
    let _ = writeln!(io::stdout(), "{output}");
    problem.iter().for_each(notice);
}
