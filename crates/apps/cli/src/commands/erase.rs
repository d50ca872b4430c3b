//! `erase`: the content of a memory is taken away for good, and a certificate says what is left (C20).

use std::io::{self, BufRead, IsTerminal, Write};

use counterfoil_sqlite::{
    Certificate, EraseRequest, ErasedCapsule, Extent, RemainingCopies, ScrubReport, SqliteStore,
};
use counterfoil_types::WorldId;
use counterfoil_verify::terminal;
use serde_json::{Value, json};

use crate::args::EraseArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, pairs};
use crate::versions;

/// The most characters of an id or a reason that are shown.
const LIMIT: usize = 1024;

pub(crate) async fn run(context: &Context, args: EraseArgs) -> Result<(), Failure> {
    let unknown = || versions::unknown(&args.world_id);
    let world_id = WorldId::new(args.world_id.as_str()).map_err(|_| unknown())?;
    context.home.must_exist()?;
    let agent = context.home.agent()?;
    let store = context.home.writer()?;
    if !is_erased(&store, &world_id).await? && !args.yes {
        ask(&args)?;
    }
    let erasure = EraseRequest {
        world_id,
        extent: if args.all_versions {
            Extent::Chain
        } else {
            Extent::Version
        },
        reason: args.reason.clone(),
    };
    let certificate = store.erase(agent, erasure).await?.ok_or_else(unknown)?;
    let document = document(&certificate);
    context
        .out
        .answer(&document, |out| human(out, &certificate))?;
    match &certificate.scrubbed {
        ScrubReport::Not { detail } => Err(Failure::unproven(
            format_args!("the content is erased, but the file may still hold old bytes ({detail})"),
            "end what else uses the store, and run the same command again",
        )),
        _ => Ok(()),
    }
}

async fn is_erased(store: &SqliteStore, world_id: &WorldId) -> Result<bool, Failure> {
    Ok(store.redaction(world_id).await?.is_some())
}

/// What is gone is gone: without `--yes` a person has to say so.
fn ask(args: &EraseArgs) -> Result<(), Failure> {
    let refused = |what: &str| {
        Failure::input(
            format_args!("nothing was erased: {what}"),
            "give --yes to erase without being asked",
        )
    };
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(refused("there is nobody to ask"));
    }
    let what = if args.all_versions {
        "every version of "
    } else {
        ""
    };
    let id = terminal::plain(&args.world_id, LIMIT);
    let mut asked = io::stderr().lock();
    write!(asked, "Erase the content of {what}{id} for good? [y/N] ")?;
    asked.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(refused("you did not say yes")),
    }
}

fn document(certificate: &Certificate) -> Value {
    let copies = &certificate.copies;
    let versions = copies.versions.iter();
    let segments = copies.segments.iter();
    let (scrubbed, detail) = match &certificate.scrubbed {
        ScrubReport::Not { detail } => (false, Some(detail)),
        _ => (true, None),
    };
    json!({
        "type": "counterfoil/erasure-certificate",
        "version": "1",
        "erased": certificate.capsules.iter().map(capsule).collect::<Vec<_>>(),
        "copies": {
            "versions": versions
                .map(|it| json!({
                    "seq": it.seq,
                    "worldId": it.world_id,
                    "saysTheSame": it.says_the_same,
                }))
                .collect::<Vec<_>>(),
            "segments": segments
                .map(|(name, receipt)| json!({
                    "segment": name,
                    "receipt": receipt,
                    "removedBy": removal(name),
                }))
                .collect::<Vec<_>>(),
            "held": copies.held.iter()
                .map(|(document, class)| json!({ "document": document.to_string(), "class": class }))
                .collect::<Vec<_>>(),
            "sameData": copies.same_data,
            "derived": copies.derived,
        },
        "scrubbed": scrubbed,
        "scrubError": detail,
    })
}

/// What removes the file of a segment.
fn removal(name: &str) -> String {
    format!("counterfoil restore {name} --discard")
}

fn capsule(erased: &ErasedCapsule) -> Value {
    let redaction = &erased.redaction;
    json!({
        "worldId": erased.world_id,
        "capsule": erased.capsule.to_string(),
        "chain": erased.chain.to_string(),
        "seq": erased.seq,
        "index": erased.index,
        "agent": erased.agent.to_string(),
        "recordedAt": erased.recorded_at.to_string(),
        "erasedNow": erased.erased_now,
        "gone": {
            "payloadBytes": erased.payload_bytes,
            "deltaBytes": erased.delta_bytes,
            "nextDelta": erased.next_delta.map(|(index, bytes)| json!({
                "index": index,
                "bytes": bytes,
            })),
            "saltBytes": 32,
        },
        "stillProves": {
            "entry": erased.entry,
            "tlogProof": erased.proof.to_text(),
        },
        "redaction": {
            "index": redaction.index,
            "capsule": redaction.capsule.to_string(),
            "recordedAt": redaction.recorded_at.to_string(),
            "document": redaction.document.to_value(),
        },
    })
}

fn human(out: &mut dyn Write, certificate: &Certificate) -> io::Result<()> {
    for erased in &certificate.capsules {
        one(out, erased)?;
        writeln!(out)?;
    }
    let copies = &certificate.copies;
    let remain = remaining(copies);
    if remain.is_empty() {
        return writeln!(
            out,
            "No copy is known to remain here. Exports, backups and what others were given are not \
             reached."
        );
    }
    writeln!(out, "RemainingCopies that are known to remain:")?;
    remain
        .iter()
        .try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(
        out,
        "Exports, backups and what others were given are not reached."
    )
}

/// A line for each copy that is known.
fn remaining(copies: &RemainingCopies) -> Vec<String> {
    let mut remain = Vec::new();
    for version in &copies.versions {
        let id = terminal::plain(&version.world_id.to_string(), LIMIT);
        let why = if version.says_the_same {
            "says the same; `counterfoil erase` with --all-versions reaches it"
        } else {
            "what did not change stands in it"
        };
        remain.push(format!("version {} ({id}): {why}", version.seq));
    }
    for (name, _) in &copies.segments {
        let command = removal(name);
        remain.push(format!("{name}: `{command}` removes it"));
    }
    for (document, class) in &copies.held {
        remain.push(format!(
            "{class} document {document}, which was not accepted: `counterfoil gc` removes it in time"
        ));
    }
    for (worlds, why) in [
        (&copies.same_data, "says the same"),
        (&copies.derived, "was made from it"),
    ] {
        for world in worlds {
            let id = terminal::plain(&world.to_string(), LIMIT);
            remain.push(format!("{id}: {why}"));
        }
    }
    remain
}

fn one(out: &mut dyn Write, erased: &ErasedCapsule) -> io::Result<()> {
    let world = erased.world_id.as_ref().map(ToString::to_string);
    let redaction = &erased.redaction;
    let when = if erased.erased_now {
        "now"
    } else {
        "already, before"
    };
    let mut gone = vec![
        count(erased.payload_bytes, "byte", "bytes") + " of content",
        "its salt".to_owned(),
    ];
    if let Some(bytes) = erased.delta_bytes {
        gone.push(count(bytes, "byte", "bytes") + " of change");
    }
    if let Some((_, bytes)) = erased.next_delta {
        gone.push(format!(
            "{} of the next version's change",
            count(bytes, "byte", "bytes")
        ));
    }
    pairs(
        out,
        &[
            ("erased", terminal::plain(&world.unwrap_or_default(), LIMIT)),
            ("", when.to_owned()),
            ("gone", gone.join(", ")),
            ("capsule", erased.capsule.to_string()),
            ("chain", format!("{}, number {}", erased.chain, erased.seq)),
            (
                "still proven by",
                format!("log entry {}, which names content and size", erased.index),
            ),
            (
                "redaction",
                format!("log entry {}, {}", redaction.index, redaction.recorded_at),
            ),
            (
                "reason",
                terminal::plain(redaction.document.reason.as_str(), LIMIT),
            ),
            ("by", redaction.document.by.to_string()),
        ],
    )
}
