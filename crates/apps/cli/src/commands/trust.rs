//! `trust explain`: how far an agent is trusted, the paths and the arithmetic (docs/format/trust.md).

use std::io::{self, Write};

use counterfoil_exchange::trust::{
    KnownAgent, Level, ONE_PPM, Records, TrustPath, TrustReport, TrustSettings,
};
use serde::Serialize;

use crate::args::{TrustCommand, TrustExplainArgs};
use crate::context::Context;
use crate::exchange::peers::{self, Standing, called, capped, in_domain};
use crate::exchange::settings;
use crate::failure::Failure;
use crate::output::{count, pairs, table, write_table};
use crate::when;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    domain: Option<String>,
    #[serde(flatten)]
    standing: Standing,
    why: String,
    score_ppm: u64,
    threshold_ppm: u64,
    paths: Vec<ToldPath>,
    left_out: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldPath {
    keys: Vec<String>,
    called: Vec<String>,
    vouches: Vec<String>,
    edges_ppm: Vec<u64>,
    weight_ppm: u64,
}

pub(crate) async fn run(context: &Context, command: TrustCommand) -> Result<(), Failure> {
    match command {
        TrustCommand::Explain(args) => explain(context, args).await,
    }
}

async fn explain(context: &Context, args: TrustExplainArgs) -> Result<(), Failure> {
    let settings = settings::read(&context.home)?.trust;
    let store = context.home.reader()?;
    let records = peers::records(&context.home, &store).await?;
    let known = peers::known(&records, &args.agent)?;
    let domain = args.domain.as_ref();
    let found = records.level(&known.key, domain, when::stamp()?.micros(), &settings);
    let told = Told {
        key: known.key.to_string(),
        name: known.name.as_ref().map(ToString::to_string),
        domain: domain.map(ToString::to_string),
        standing: Standing::of(&found),
        why: why(&found, domain.is_some()),
        score_ppm: found.score_ppm,
        threshold_ppm: found.threshold_ppm,
        paths: found
            .paths
            .iter()
            .map(|path| told(&records, path))
            .collect(),
        left_out: found.left_out,
    };
    let about = in_domain(domain);
    context.out.answer(&told, |out| {
        let lines = Lines {
            told: &told,
            found: &found,
            known: &known,
            about,
            settings: &settings,
        };
        lines.write(out, &records)
    })
}

fn told(records: &Records, path: &TrustPath) -> ToldPath {
    ToldPath {
        keys: path.keys.iter().map(ToString::to_string).collect(),
        called: path.keys.iter().map(|key| called(records, key)).collect(),
        vouches: path.vouches.iter().map(ToString::to_string).collect(),
        edges_ppm: path.edges_ppm.clone(),
        weight_ppm: path.weight_ppm,
    }
}

/// The reason in a sentence; caps are printed beside it.
fn why(found: &TrustReport, has_domain: bool) -> String {
    let sum = format!("{} of {} ppm", found.score_ppm, found.threshold_ppm);
    let is_sure = |path: &TrustPath| path.edges_ppm.len() == 1 && path.weight_ppm >= ONE_PPM;
    match (found.level, found.paths.as_slice()) {
        (Level::Direct, _) => "this agent trusts it itself".to_owned(),
        (Level::Anonymous, _) => "it is not trusted".to_owned(),
        (Level::Vouched, [_, _, ..]) if found.score_ppm >= found.threshold_ppm => {
            format!("{} over separate paths: {sum}", roots(&found.paths))
        }
        (Level::Vouched, _) => "a root vouches for it directly, and is sure".to_owned(),
        (Level::Identified, _) if !found.caps.is_empty() => "it is capped".to_owned(),
        (Level::Identified, []) if !has_domain => {
            "vouches count in a domain alone: name one with --domain".to_owned()
        }
        (Level::Identified, []) => "nobody who is trusted vouches for it".to_owned(),
        (Level::Identified, [path]) if !is_sure(path) => {
            "one path: two roots are needed, or one that vouches directly and is sure".to_owned()
        }
        (Level::Identified, paths) => format!("{}: {sum}", roots(paths)),
    }
}

fn roots(paths: &[TrustPath]) -> String {
    count(
        u64::try_from(paths.len()).unwrap_or(u64::MAX),
        "root vouches",
        "roots vouch",
    )
}

struct Lines<'a> {
    told: &'a Told,
    found: &'a TrustReport,
    known: &'a KnownAgent,
    about: String,
    settings: &'a TrustSettings,
}

impl Lines<'_> {
    fn write(&self, out: &mut dyn Write, records: &Records) -> io::Result<()> {
        let mut lines = vec![
            ("agent", called(records, &self.known.key)),
            ("key", self.told.key.clone()),
            ("about", self.about.clone()),
            ("level", self.told.standing.in_words()),
            ("because", self.told.why.clone()),
        ];
        lines.extend(
            self.found
                .caps
                .iter()
                .map(|cap| ("capped", capped(records, cap))),
        );
        if self.told.left_out > 0 {
            lines.push((
                "left out",
                format!("{} vouches: there are too many", self.told.left_out),
            ));
        }
        pairs(out, &lines)?;
        if self.told.paths.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut rows = table(&["path", "arithmetic", "ppm"]);
        for path in &self.told.paths {
            let arithmetic = arithmetic(path, self.settings.decay_ppm.min(ONE_PPM));
            let weight = path.weight_ppm.to_string();
            rows.add_row(vec![path.called.join(" > "), arithmetic, weight]);
        }
        let sum = format!("{} needed", self.told.threshold_ppm);
        rows.add_row(vec!["sum".to_owned(), sum, self.told.score_ppm.to_string()]);
        write_table(out, &rows)
    }
}

/// `1.0 x 0.6 x 0.8`: the first hop, then each further one with what a hop leaves.
fn arithmetic(path: &ToldPath, decay_ppm: u64) -> String {
    let hops = path
        .edges_ppm
        .iter()
        .enumerate()
        .map(|(at, edge)| match at {
            0 => decimal(*edge),
            _ => format!("{} x {}", decimal(*edge), decimal(decay_ppm)),
        });
    hops.collect::<Vec<_>>().join(" x ")
}

/// Parts per million as a decimal number, without what says nothing.
fn decimal(ppm: u64) -> String {
    let (whole, rest) = (ppm / ONE_PPM, ppm % ONE_PPM);
    let digits = format!("{rest:06}");
    let digits = digits.trim_end_matches('0');
    format!("{whole}.{}", if digits.is_empty() { "0" } else { digits })
}
