//! A chat agent: what the user says is remembered, and what fits is recalled before each answer.
//!
//! `cargo run -p counterfoil --example chat_agent -- FOLDER` reads lines until the input ends.

use std::error::Error;
use std::io::{self, BufRead};

use counterfoil::blocking::Memory;
use counterfoil::{ErrorKind, RecallOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let memory = match Memory::open(&folder) {
        Err(error) if error.kind() == ErrorKind::Place => Memory::create(&folder)?,
        opened => opened?,
    };
    let options = RecallOptions {
        max: 3,
        ..RecallOptions::default()
    };
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        // A model would be given these lines as context, with their caveats.
        for hit in memory.recall(&line, &options)?.hits() {
            println!("I remember: {} {:?}", hit.text, hit.caveats);
        }
        memory.remember(line)?;
    }
    Ok(())
}
