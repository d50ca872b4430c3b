//! The server over loopback, on one core: signed requests a second from a store of 10,000 Worlds, five results each.

mod core;
mod host;
mod load;
mod questions;
mod wire;

use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;

use crate::measure::{aimed, heading, line, median, ratio};
use load::{Load, Pace, Seen};
use questions::Asker;

/// The argument with which this program is the server.
const SERVED: &str = "served";
/// So many connections ask at once when as much is asked as is answered.
const ASKING: usize = 32;
/// So many connections flood.
const FLOODING: usize = 16;
/// How long each part takes.
const LONG: Duration = Duration::from_secs(4);
/// So many are asked before.
const WARMING: usize = 8_000;
/// The most requests of a part.
const MOST: usize = 20_000;
/// How often the flood is measured, with and without.
const FLOODS: usize = 3;
/// How often another key asks during a flood, a second.
const OTHER_A_SECOND: f64 = 200.0;
/// More than it asks meanwhile.
const OTHER: usize = 1_000;
/// So many requests of a flood, again and again.
const FLOOD: usize = 2_000;

/// The server, in a process of its own, that ends with this.
struct Server {
    child: Child,
    address: SocketAddr,
    told: Value,
}

/// What a request costs on the server's core if nothing is done but this.
struct Alone {
    recall: Duration,
    index: Duration,
    signatures: Duration,
}

/// The server's part, if this is its process.
pub(crate) fn served(arguments: &[String]) -> Option<Result<()>> {
    (arguments == [SERVED]).then(host::serve)
}

pub(crate) fn report() -> Result<()> {
    heading(
        "serve: the server on one core, 10,000 Worlds, signed requests for 5 memories each, over loopback",
    );
    let Some(questions) = questions::read()? else {
        let need = "set COUNTERFOIL_DATA to the folder that holds locomo/locomo-dev.json";
        println!("  skipped: {need}");
        return Ok(());
    };
    let server = Server::start()?;
    core::keep(false)?;
    let asker = |questions: &_| Asker::new(questions::other(), Arc::clone(questions));
    let of_one_name = asker(&questions.of_one_name);
    let a_second = server.part(
        "of_one_name",
        "questions for one name",
        &of_one_name,
        "at least 2000",
    )?;
    let half = server.ask(&of_one_name, Pace::Each(a_second / 2.0), MOST)?;
    line("  at half of that: p50", millis(half.quantile(0.50)));
    aimed("  p99", millis(half.quantile(0.99)), "under 20 ms");
    let flooder = Asker::new(questions::flooder(), Arc::clone(&questions.of_one_name));
    server.flood(&of_one_name, &flooder)?;
    server.part(
        "of_two_words",
        "questions of two words",
        &asker(&questions.of_two_words),
        "",
    )?;
    server.part(
        "of_people",
        "LoCoMo's questions",
        &asker(&questions.of_people),
        "",
    )?;
    Ok(())
}

impl Server {
    fn start() -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(SERVED)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("the server's output")?;
        let mut told = String::new();
        BufReader::new(output).read_line(&mut told)?;
        let told: Value = serde_json::from_str(&told).context("the server has not begun")?;
        let address = told.get("address").and_then(Value::as_str);
        Ok(Self {
            address: address.context("an address")?.parse()?,
            told,
            child,
        })
    }

    /// How many questions are answered a second, and beside it what they cost alone.
    fn part(&self, name: &str, what: &str, asker: &Asker, aim: &str) -> Result<f64> {
        // Not the first time, when memories are opened and attested.
        self.ask(asker, Pace::AsAnswered, WARMING)?;
        let before = load::used(self.child.id());
        let seen = self.ask(asker, Pace::AsAnswered, MOST)?;
        let used = load::used(self.child.id()).saturating_sub(before);
        let answered = seen.times.len();
        let a_second = seen.a_second(answered);
        aimed(&format!("{what}: answered"), each(a_second), aim);
        let of_processor = f64::from(u32::try_from(answered)?) / used.as_secs_f64();
        line("  a second of processor time", each(of_processor));
        line("  answers of fewer than 5 memories", seen.short);
        let alone = self.alone(name)?;
        for (what, recall, aim) in [
            ("recall with proofs", alone.recall, "at least 0.7"),
            ("the index", alone.index, ""),
        ] {
            let alone = 1.0 / (recall + alone.signatures).as_secs_f64();
            line(&format!("  {what} and two signatures alone"), each(alone));
            aimed(
                "  answered, of that",
                format!("{:.2} x", a_second / alone),
                aim,
            );
        }
        Ok(a_second)
    }

    fn alone(&self, name: &str) -> Result<Alone> {
        let told = self.told.get("alone").and_then(|alone| alone.get(name));
        let time = |name: &str| {
            let micros = told.and_then(|told| told.get(name)?.as_f64());
            Ok::<_, anyhow::Error>(Duration::from_secs_f64(micros.context("a time")? / 1e6))
        };
        Ok(Alone {
            recall: time("recall_us")?,
            index: time("index_us")?,
            signatures: time("signatures_us")?,
        })
    }

    fn load<'a>(&self, pace: Pace, requests: &'a [Vec<u8>]) -> Load<'a> {
        Load {
            to: self.address,
            from: IpAddr::V4(Ipv4Addr::LOCALHOST),
            connections: ASKING,
            pace,
            time: LONG,
            requests,
            again: false,
        }
    }

    fn ask(&self, asker: &Asker, pace: Pace, most: usize) -> Result<Seen> {
        let seen = self.load(pace, &asker.signed(most)?).run()?;
        ensure!(seen.refused == 0, "{} requests were refused", seen.refused);
        Ok(seen)
    }

    /// How long another key waits while one key asks, from another address, as fast as it is refused.
    fn flood(&self, asker: &Asker, flooder: &Asker) -> Result<()> {
        let floods = flooder.signed(FLOOD)?;
        let flood = Load {
            from: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)),
            connections: FLOODING,
            again: true,
            ..self.load(Pace::AsAnswered, &floods)
        };
        let (mut quiet, mut flooded, mut a_second) = (Vec::new(), Vec::new(), 0.0);
        for _ in 0..FLOODS {
            let other = || self.ask(asker, Pace::Each(OTHER_A_SECOND), OTHER);
            quiet.push(other()?.quantile(0.99));
            let (refused, seen) = thread::scope(|scope| {
                let refused = scope.spawn(|| flood.run());
                let seen = other();
                (refused.join(), seen)
            });
            let refused = refused.map_err(|_| anyhow!("the flood's thread"))??;
            a_second = refused.a_second(refused.refused);
            flooded.push(seen?.quantile(0.99));
        }
        let (quiet, flooded) = (median(quiet), median(flooded));
        line("  another key, 200 a second: p99", millis(quiet));
        line(
            &format!("    while one key is refused {a_second:.0} times a second"),
            millis(flooded),
        );
        aimed(
            "  against without",
            format!("{:.2} x", ratio(flooded, quiet)),
            "at most 2",
        );
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn each(a_second: f64) -> String {
    format!("{a_second:.0}/s")
}

fn millis(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}
