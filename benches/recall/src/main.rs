//! `counterfoil-bench-recall [quality|latency|vectors] [WORLDS]`: prints the tables of `docs/recall.md`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use counterfoil_bench_recall::cached::Cached;
use counterfoil_bench_recall::copies::Copies;
use counterfoil_bench_recall::corpus::Corpus;
use counterfoil_bench_recall::quality::Setting;
use counterfoil_bench_recall::{held_out, labelled, latency, locomo, report, vectors};
use counterfoil_encoder::FolderEncoder;
use counterfoil_store::vectors::Embedder;

/// How many Worlds the time is measured on, unless the command line says otherwise.
const WORLDS: usize = 100_000;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next();
    let worlds = arguments
        .next()
        .map_or(Ok(WORLDS), |number| number.parse())?;
    match what.as_deref() {
        None => {
            quality_of(&data_folder())?;
            latency_of(worlds, &data_folder())?;
            vectors_of(worlds)
        }
        Some("quality") => quality_of(&data_folder()),
        Some("latency") => latency_of(worlds, &data_folder()),
        Some("vectors") => vectors_of(worlds),
        Some(other) => {
            bail!("{other:?} can't be measured: say quality, latency, vectors, or nothing for all")
        }
    }
}

/// `$COUNTERFOIL_ENCODER` names the folder of a sentence encoder, by which memories are found as well.
fn quality_of(data: &Path) -> Result<()> {
    let folder = std::env::var_os("COUNTERFOIL_ENCODER");
    let encoder = folder.map(|folder| FolderEncoder::open(Path::new(&folder)));
    let encoder = encoder.transpose()?.map(Cached::new);
    let encoder = encoder.as_ref().map(|it| -> &dyn Embedder { it });
    let own = [labelled::load()?];
    let ablations: Vec<Setting> = held_out::ablations()
        .into_iter()
        .map(|(_, it)| it)
        .collect();
    let measured = held_out::measure_all(&own, &ablations, encoder)?;
    println!(
        "{}",
        report::labelled(&own.iter().zip(&measured).collect::<Vec<_>>())
    );
    println!("{}\n", thinned(&own, encoder)?);
    let Some(file) = locomo_in(data) else {
        return Ok(());
    };
    let conversations = locomo::load(&file)?;
    let measured = held_out::measure_all(&conversations, &held_out::settings(), encoder)?;
    let folds = held_out::folds(&measured);
    let measured: Vec<_> = conversations.iter().zip(&measured).collect();
    println!("{}", report::locomo(&measured, &folds));
    println!("{}", thinned(&conversations, encoder)?);
    Ok(())
}

/// Measures with every third session alone, each of the three ways.
fn thinned(corpora: &[Corpus], encoder: Option<&dyn Embedder>) -> Result<String> {
    let thinned = |from| corpora.iter().map(move |it| it.thinned(3, from));
    let parts: Vec<Corpus> = (0..3).flat_map(thinned).collect();
    let measured = held_out::measure_all(&parts, &[], encoder)?;
    let pairs: Vec<_> = parts.iter().zip(&measured).collect();
    Ok(report::thinned(&pairs))
}

fn latency_of(worlds: usize, data: &Path) -> Result<()> {
    let Some(file) = locomo_in(data) else {
        return Ok(());
    };
    let copies = Copies::of(locomo::load(&file)?);
    println!("{}", report::latency(&latency::measure(worlds, &copies)?));
    Ok(())
}

fn vectors_of(worlds: usize) -> Result<()> {
    println!("{}", report::vectors(&vectors::measure(worlds)?));
    Ok(())
}

/// The file of LoCoMo, if it is there.
fn locomo_in(data: &Path) -> Option<PathBuf> {
    let file = data.join("locomo/locomo-dev.json");
    if file.is_file() {
        return Some(file);
    }
    println!(
        "recall: LoCoMo is skipped, as {} is not there. Set COUNTERFOIL_DATA to the folder that holds \
         locomo/locomo-dev.json.",
        file.display()
    );
    None
}

/// `$COUNTERFOIL_DATA`, or the folder `shared/data` beside the repository.
fn data_folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("COUNTERFOIL_DATA").map_or_else(beside, PathBuf::from)
}
