//! Message of clap on a wrong command line, on the one line of every error.

/// The sentence of `error` without the usage, on one line, and what to do: `cure`, such as
/// ``"run `counterfoil-verify --help` for the options"``. It may quote the arguments: escape it
/// with [`terminal::plain`](crate::terminal::plain) before a terminal sees it.
pub fn one_line(error: &clap::Error, cure: &str) -> String {
    let message = error.to_string();
    let sentences: Vec<String> = message
        .trim_start_matches("error:")
        .split("\n\n")
        .take_while(|part| !part.starts_with("Usage:") && !part.starts_with("For more"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    format!("{}; {cure}", sentences.join("; "))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    /// The line about arguments that a command with `--anchors FILE` and `--max N` refuses.
    fn line(arguments: &[&str]) -> String {
        let number = Arg::new("max")
            .long("max")
            .value_parser(clap::value_parser!(u8));
        let command = Command::new("check")
            .arg(Arg::new("anchors").long("anchors").required(true))
            .arg(number);
        let error = command.try_get_matches_from(arguments).unwrap_err();
        one_line(&error, "run `check --help`")
    }

    #[test]
    fn an_error_of_many_lines_becomes_one_without_the_usage() {
        for (arguments, expected) in [
            (
                &["check"][..],
                "the following required arguments were not provided: --anchors <anchors>; \
                 run `check --help`",
            ),
            (
                &["check", "--anchors", "a", "--max", "many"],
                "invalid value 'many' for '--max <max>': invalid digit found in string; \
                 run `check --help`",
            ),
            (
                &["check", "--anchor", "a"],
                "unexpected argument '--anchor' found; \
                 tip: a similar argument exists: '--anchors'; run `check --help`",
            ),
        ] {
            assert_eq!(line(arguments), expected);
        }
    }
}
