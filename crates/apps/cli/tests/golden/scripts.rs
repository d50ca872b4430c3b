//! The list of scripts, and their comparison with what was recorded.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::script::{Script, binary};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

macro_rules! scripts {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { check(stringify!($name)); })*
        const ALL: &[&str] = &[$(stringify!($name)),*];
    };
}

scripts![
    help,
    memories,
    agents,
    first,
    guard,
    memory_tool,
    exports,
    import,
    eval,
    embed,
    rerank,
    claims,
    answers,
    budget,
    extract,
    proofs,
    reach,
    decisions,
    keys,
    upkeep,
    erase,
    travel,
    feed,
    peers,
    exchange,
    conversation,
    serving,
    sharing,
    times,
    refusals,
    versions,
    hints,
    reads,
    damage,
    places,
    hostile,
    follow,
    sealed,
    sealed_store,
    demo
];

#[test]
fn every_script_is_run_and_every_command_is_in_one() {
    let mut scripts = String::new();
    for file in fs::read_dir(SCRIPTS).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(ALL.contains(&name), "{name} is not in the list of scripts");
        scripts += &fs::read_to_string(&path).unwrap();
    }
    let missing: Vec<String> = commands(&[])
        .into_iter()
        .filter(|path| {
            ![' ', '\n']
                .iter()
                .any(|end| scripts.contains(&format!(" {path}{end}")))
        })
        .collect();
    assert!(missing.is_empty(), "in no script: {missing:?}");
}

/// The commands that have none below them.
fn commands(above: &[&str]) -> Vec<String> {
    let help = Command::new(binary()).args(above).arg("--help").output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    if !help.contains("<COMMAND>") {
        return vec![above.join(" ")];
    }
    let (list, _) = help.split_once("Options:\n").unwrap();
    list.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name))
        .flat_map(|name| commands(&[above, &[name]].concat()))
        .collect()
}

fn check(name: &str) {
    let path = Path::new(SCRIPTS).join(name).with_extension("txt");
    let expected = fs::read_to_string(&path).unwrap();
    let mut script = Script::new();
    script.run(&expected);
    let actual = &script.transcript;
    if std::env::var_os("GOLDEN").is_some_and(|it| it == "write") {
        return fs::write(&path, actual).unwrap();
    }
    if *actual == expected {
        return;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.txt"));
    fs::write(&kept, actual).unwrap();
    let line = actual
        .lines()
        .zip(expected.lines())
        .take_while(|(it, was)| it == was)
        .count();
    let at = |text: &str| {
        text.lines()
            .skip(line)
            .take(3)
            .collect::<Vec<_>>()
            .join("\n")
    };
    panic!(
        "golden/{name}.txt, line {}: expected\n{}\nand got\n{}\n; see `diff {} {}`",
        line + 1,
        at(&expected),
        at(actual),
        path.display(),
        kept.display()
    );
}
