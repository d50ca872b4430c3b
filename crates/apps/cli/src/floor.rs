//! The floor: the checkpoint that was given out in anchors. An authority that holds it asks every
//! receipt to prove that the log continues from there, so later receipts do (proof.md §3 step 7).

use std::fs;
use std::io;
use std::path::PathBuf;

use counterfoil_store::CapsuleLog;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::note::SignedNote;

use crate::failure::Failure;
use crate::home::Home;
use crate::output;

/// No floor file is longer, in bytes.
const MAX_BYTES: u64 = 16 << 10;

/// The floor that was given out, if any was.
pub(crate) fn given_out(home: &Home) -> Result<Option<Checkpoint>, Failure> {
    let path = path(home);
    let text = match fs::metadata(&path) {
        Ok(found) if found.len() > MAX_BYTES => return Err(damaged(home)),
        Ok(_) => fs::read_to_string(&path),
        Err(error) => Err(error),
    };
    match text {
        Ok(note) => checkpoint_in(&note).map(Some).ok_or_else(|| damaged(home)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(home)),
        Err(error) => Err(Failure::place(
            format_args!("{} cannot be read ({error})", path.display()),
            "check your rights, or name a floor with --floor",
        )),
    }
}

/// Keeps the checkpoint that is being given out.
pub(crate) fn give_out(home: &Home, note: &str) -> Result<(), Failure> {
    output::write_file(&path(home), note).map_err(|error| match error {
        Failure::Input(_) => Failure::place(
            format_args!("the floor cannot be kept in {}", home.dir().display()),
            "make the folder writable, or give out anchors with --no-floor",
        ),
        other => other,
    })
}

/// The size that receipts shall prove to continue: what was asked for, or else what was given out.
pub(crate) async fn for_receipts(
    home: &Home,
    asked: Option<u64>,
    log: &dyn CapsuleLog,
) -> Result<Option<u64>, Failure> {
    let size = log.size().await?;
    match asked {
        Some(0) => Ok(None),
        Some(floor) if floor > size => Err(Failure::input(
            format_args!("a floor of {floor} lies beyond the log, which holds {size} entries"),
            "name a size that the log has had",
        )),
        Some(floor) => Ok(Some(floor)),
        None => match given_out(home)? {
            Some(floor) if floor.size() > size => Err(Failure::place(
                format_args!(
                    "anchors were given out for {} entries, but the log holds {size}: it looks \
                     like a restored backup",
                    floor.size()
                ),
                "put the later database back, or use --floor 0",
            )),
            floor => Ok(floor.map(|floor| floor.size()).filter(|size| *size > 0)),
        },
    }
}

/// What a signed note says about the log, whoever signed it.
pub(crate) fn checkpoint_in(note: &str) -> Option<Checkpoint> {
    Checkpoint::parse(SignedNote::parse(note).ok()?.text()).ok()
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("floor")
}

fn damaged(home: &Home) -> Failure {
    Failure::place(
        format_args!("{} is not a checkpoint", path(home).display()),
        "remove it, and use --floor SIZE for anchors given out before",
    )
}
