//! Help, completions and manual pages, generated from the tree of commands.

use std::fmt::Write;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use counterfoil_verify::VerifyArgs;

use crate::cli::{Cli, GROUPS, Group};
use crate::failure::Failure;

/// The program's command line, for a line that can be parsed.
pub(crate) fn plain() -> Command {
    Cli::command().mut_subcommand("verify-belief", VerifyArgs::of_belief)
}

/// The program's command line. Its help lists the commands under the headings of their groups.
pub(crate) fn command() -> Command {
    let command = plain();
    let list = command.clone().help_template("{subcommands}").render_help();
    let heading = *command.get_styles().get_header();
    let first = |(title, commands): Group| {
        let group = commands(Command::new("group"));
        let first = group.get_subcommands().next().map(Command::get_name);
        (title, first.map(str::to_owned))
    };
    let firsts = GROUPS.map(first);
    let mut groups = String::new();
    for (plain, styled) in list
        .to_string()
        .lines()
        .zip(list.ansi().to_string().lines())
    {
        let name = plain.trim_start().split(' ').next();
        if let Some((title, _)) = firsts.iter().find(|(_, first)| name == first.as_deref()) {
            let _ = writeln!(groups, "\n{heading}{title}:{heading:#}");
        }
        let _ = writeln!(groups, "{styled}");
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\n\
         {heading}Options:{heading:#}\n{{options}}{{after-help}}"
    ))
}

/// Script that completes the command line in a shell.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "counterfoil", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Manual page of a command, named by its words; of the program without any.
pub(crate) fn man(words: &[String]) -> Result<String, Failure> {
    let mut program = command();
    program.build();
    let mut named = &program;
    for word in words {
        named = named.find_subcommand(word).ok_or_else(|| {
            Failure::input(
                format_args!("there is no command {word:?}"),
                "run `counterfoil help` for the commands",
            )
        })?;
    }
    let mut page = Vec::new();
    Man::new(named.clone()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_under_one_heading() {
        let mut grouped: Vec<String> = Vec::new();
        for (_, commands) in GROUPS {
            let group = commands(Command::new("group"));
            grouped.extend(group.get_subcommands().map(|it| it.get_name().to_owned()));
        }
        let program = Cli::command();
        let all: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped, all);
        let help = command().render_help().to_string();
        for (title, _) in GROUPS {
            assert_eq!(
                help.matches(&format!("\n\n{title}:\n  ")).count(),
                1,
                "{title} in {help}"
            );
        }
    }

    #[test]
    fn completions_and_pages_name_the_commands() {
        for (text, begins) in [
            (completions(Shell::Bash), "_counterfoil() {"),
            (completions(Shell::Zsh), "#compdef counterfoil"),
            (man(&[]).unwrap(), ".ie"),
        ] {
            assert!(text.starts_with(begins), "{text}");
            assert!(text.contains("remember"), "{text}");
        }
        let page = man(&["claim".to_owned(), "add".to_owned()]).unwrap();
        assert!(page.contains("counterfoil-claim-add"), "{page}");
    }
}
