//! `key show`: the agent, its keys, what it has committed to, what is said against a key, and where files are.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use counterfoil_capsule::keys::KeyHistory;
use counterfoil_sqlite::KeyChain;
use counterfoil_types::DidKey;
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::RecoveryArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::home::Home;
use crate::keys::{self, Guarded};
use crate::output::pairs;

/// The most characters of a line.
const LIMIT: usize = 400;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    agent: String,
    /// The number of the key that signs now.
    number: u64,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<Chain>,
    keys: Vec<One>,
    files: Vec<File>,
    #[serde(skip)]
    beside: Beside,
}

/// Whether one theft is enough to take everything.
enum Beside {
    Both,
    Apart,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chain {
    id: String,
    head: String,
    next_key: String,
    recovery_key: String,
}

#[derive(Serialize)]
struct One {
    number: u64,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    compromised: Option<Mark>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    from: u64,
    from_time: String,
    log: String,
}

#[derive(Serialize)]
struct File {
    name: &'static str,
    path: String,
    state: String,
}

pub(super) async fn run(context: &Context, args: RecoveryArgs) -> Result<(), Failure> {
    let home = &context.home;
    let store = home.reader()?;
    let agent = home.agent_public()?;
    let chain = store.key_chain(agent).await?;
    let beside = match home.recovery(None).next_path().exists() {
        true => Beside::Both,
        false => Beside::Apart,
    };
    let shown = shown(agent, chain.as_ref(), files(home, args), beside);
    context.out.answer(&shown, |out| human(out, &shown))
}

fn shown(agent: DidKey, chain: Option<&KeyChain>, files: Vec<File>, beside: Beside) -> Shown {
    let history = chain.map(|chain| &chain.history);
    let only = vec![One {
        number: 0,
        key: agent.to_string(),
        compromised: None,
    }];
    Shown {
        agent: agent.to_string(),
        number: history.map_or(0, KeyHistory::current_number),
        key: history.map_or(agent, KeyHistory::current).to_string(),
        chain: history.map(|history| Chain {
            id: history.chain().to_string(),
            head: history.head().to_string(),
            next_key: history.commitments().next_key.to_string(),
            recovery_key: history.commitments().recovery_key.to_string(),
        }),
        keys: history.map_or(only, each),
        files,
        beside,
    }
}

fn each(history: &KeyHistory) -> Vec<One> {
    let keys = (0..).zip(history.keys());
    keys.map(|(number, key)| One {
        number,
        key: key.to_string(),
        compromised: history.compromised_from(number).map(|since| Mark {
            from: since.entry,
            from_time: since.time.to_string(),
            log: since.log.clone(),
        }),
    })
    .collect()
}

fn files(home: &Home, args: RecoveryArgs) -> Vec<File> {
    let folder = home.recovery(args.recovery_dir);
    vec![
        file("agent key", &home.agent_key_path()),
        file("next key", &folder.next_path()),
        file("recovery key", &folder.recovery_path()),
    ]
}

/// Where a key is, without its secret being opened.
fn file(name: &'static str, path: &Path) -> File {
    let state = match keys::peek(path) {
        _ if fs::symlink_metadata(path).is_err() => "not here".to_owned(),
        Ok((_, Guarded::ByPassphrase)) => "sealed with a passphrase".to_owned(),
        Ok((_, Guarded::No)) => "not sealed".to_owned(),
        Err(failure) => failure.to_string(),
    };
    File {
        name,
        path: path.display().to_string(),
        state,
    }
}

fn human(out: &mut dyn Write, shown: &Shown) -> io::Result<()> {
    let mut lines = vec![
        ("agent", shown.agent.clone()),
        ("key", format!("number {}, {}", shown.number, shown.key)),
    ];
    match &shown.chain {
        Some(chain) => lines.extend([
            ("chain", chain.id.clone()),
            ("next key", chain.next_key.clone()),
            ("recovery key", chain.recovery_key.clone()),
        ]),
        None => lines.push((
            "next key",
            "none is committed to: run `counterfoil key begin`".to_owned(),
        )),
    }
    pairs(out, &lines)?;
    for one in &shown.keys {
        if let Some(mark) = &one.compromised {
            let text = format!(
                "key number {} was in other hands from entry {} of {} on ({})",
                one.number, mark.from, mark.log, mark.from_time
            );
            writeln!(out, "{}", terminal::plain(&text, LIMIT))?;
        }
    }
    writeln!(out)?;
    let files = shown.files.iter();
    let files: Vec<_> = files
        .map(|file| (file.name, format!("{}: {}", file.path, file.state)))
        .collect();
    pairs(out, &files)?;
    match shown.beside {
        Beside::Both => writeln!(
            out,
            "\nThe keys that take over lie beside the one that signs: move them to another medium."
        ),
        Beside::Apart => Ok(()),
    }
}
