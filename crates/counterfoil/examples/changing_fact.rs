//! A fact that changes: every version stays, the current one is recalled, and an earlier state can be brought back.

use std::error::Error;

use counterfoil::blocking::Memory;
use counterfoil::{Edit, RecallOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::create(folder.path().join("memory"))?;
    let first = memory.remember("The oven engineer comes on Thursday")?;
    let id = first.id.to_string();

    let friday = Edit::set("/text", "The oven engineer comes on Friday");
    memory.update(&id, &friday.expecting(&id))?;
    let question = "When does the oven engineer come?";
    for hit in memory.recall(question, &RecallOptions::default())?.hits() {
        println!("{}", hit.text);
    }

    let back = memory.rollback(&id, 0)?;
    println!("version {:?}", back.number("/seq"));
    println!("{}", memory.history(&id, 10)?.json());
    Ok(())
}
