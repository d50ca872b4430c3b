//! Arguments of the commands that change memories and look back.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;

use super::{SelectArgs, WhenArgs};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").required(true))]
pub(crate) struct UpdateArgs {
    /// Any version of the memory; the newest is what changes
    pub(crate) world_id: String,
    /// A JSON pointer into the memory, and the new value there: JSON, or else a text.
    /// A note has its text at /text. To be given several times
    #[arg(long, value_name = "/PATH=VALUE", group = "change")]
    pub(crate) set: Vec<String>,
    /// A JSON file with a patch: an array is RFC 6902, an object RFC 7396; `-` reads standard input
    #[arg(long, value_name = "F.json", group = "change")]
    pub(crate) patch: Option<PathBuf>,
    /// A JSON file with all that is to be remembered; `-` reads standard input
    #[arg(long, value_name = "F.json", group = "change")]
    pub(crate) replace: Option<PathBuf>,
    /// Only if this is the newest version; otherwise nothing is written
    #[arg(long, value_name = "WORLD_ID", conflicts_with = "derive")]
    pub(crate) expect: Option<String>,
    /// Make a memory of your own from the version that is named, which may be another agent's
    #[arg(long)]
    pub(crate) derive: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Any version of the memory; or a subject, whose claims of PREDICATE are listed
    #[arg(value_name = "WORLD_ID", allow_hyphen_values = true)]
    pub(crate) world_id: String,
    /// With a subject: the predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    /// At most so many versions or claims, the newest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The claims of another agent, which were imported
    #[arg(long, value_name = "DID", requires = "predicate")]
    pub(crate) agent: Option<DidKey>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The one
    #[arg(value_name = "WORLD_ID")]
    pub(crate) from: String,
    /// The other
    #[arg(value_name = "OTHER_ID")]
    pub(crate) to: String,
}

#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Any version of the memory
    pub(crate) world_id: String,
    /// The number of the version whose state comes back
    #[arg(long, value_name = "SEQ")]
    pub(crate) to: u64,
}

#[derive(Debug, Args)]
pub(crate) struct AsOfArgs {
    /// A time of recording: a date (its first moment in UTC), an RFC 3339 time, or milliseconds
    /// since 1970
    #[arg(value_name = "T", value_parser = parse_time)]
    pub(crate) time: Timestamp,
    /// Text to look for [default: all memories of that time are listed, the newest first]
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// Leave out so many of a list
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "query")]
    pub(crate) skip: usize,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

/// Reads a time of recording: as `show` prints it, or as any other time, of which the whole
/// millisecond counts.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    if let Ok(exact) = text.parse() {
        return Ok(exact);
    }
    let at = counterfoil_verify::time::parse(text).map_err(|error| error.to_string())?;
    let micros = at.value().saturating_mul(1_000).saturating_add(999);
    Timestamp::from_micros(micros).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_to_the_end_of_what_it_names() {
        let micros = |text| parse_time(text).unwrap().micros();
        assert_eq!(micros("2026-02-10T00:00:00.123456Z"), 1_770_681_600_123_456);
        assert_eq!(micros("2026-02-10T00:00:00.123Z"), 1_770_681_600_123_999);
        assert_eq!(micros("2026-02-10"), 1_770_681_600_000_999);
        assert!(parse_time("yesterday").is_err());
    }
}
