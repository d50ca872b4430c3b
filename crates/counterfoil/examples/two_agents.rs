//! Two agents: what one exports, signed, the other takes in; it stays the word of the first.

use std::error::Error;

use counterfoil::blocking::Memory;
use counterfoil::{ImportOptions, RecallOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mill = Memory::create(folder.path().join("mill"))?;
    let bakery = Memory::create(folder.path().join("bakery"))?;
    mill.remember("The wheel stands still until the ninth")?;

    let file = folder.path().join("mill.jsonl");
    mill.export_to(None, None, &file)?;
    let imported = bakery.import(&file, ImportOptions::default())?;
    println!("accepted: {:?}", imported.number("/accepted"));

    let question = "Why does the wheel stand still?";
    for hit in bakery.recall(question, &RecallOptions::default())?.hits() {
        let writer = bakery.writer_of(&hit.id)?;
        println!("{} (written by {writer:?})", hit.text);
    }
    Ok(())
}
