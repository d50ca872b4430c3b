//! Claims as JSON Lines (docs/format/claim-import.md): one object a line, read strictly.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{Cardinality, Channel, FactValue, Identifier, Submission};
use counterfoil_store::{ClaimRequest, open_plain};
use counterfoil_types::json::{Limits, Map, Value, canonical, parse};
use counterfoil_types::{Confidence, WorldId};

use super::{HOPELESS, Importer, Place, Said, no_claim_of, no_claims};
use crate::error::Error;
use crate::import::{Line, Lines};
use crate::text::holds_nul;

/// Length limit of a line, in bytes: the longest value, escaped, with its JSON around it.
const MAX_LINE_BYTES: usize = 256 * 1024;
/// Domain of the keys of lines that name none.
const KEY_CONTEXT: &str = "counterfoil 2026-11-21 imported-claim";
/// The members that a line may have.
const MEMBERS: [&str; 10] = [
    "subject",
    "predicate",
    "value",
    "from",
    "until",
    "validConfidence",
    "cardinality",
    "source",
    "channel",
    "key",
];

/// Claim of a line, or its mistake.
type Read = Result<(Identifier, ClaimRequest), String>;

/// The claims of a file, line by line.
struct Claims<'f> {
    path: &'f Path,
    lines: Lines<BufReader<File>>,
    channel: Said,
}

impl<'f> Claims<'f> {
    fn open(path: &'f Path, channel: Said) -> Result<Self, Error> {
        let file = open_plain(path).map_err(|error| broken(path, &error))?;
        Ok(Self {
            path,
            lines: Lines::limited(BufReader::new(file), MAX_LINE_BYTES),
            channel,
        })
    }

    /// The number of the next line that is not empty, and its claim.
    fn next(&mut self) -> Result<Option<(u64, Read)>, Error> {
        let path = self.path;
        let broken = |error: io::Error| broken(path, &error);
        while let Some((number, line)) = self.lines.next_line().map_err(broken)? {
            let read = match line {
                Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
                Line::Whole(bytes) => claim(
                    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes),
                    self.channel,
                ),
                Line::TooLong { bytes, .. } => Err(format!(
                    "{bytes} bytes long, above the limit of {MAX_LINE_BYTES}; shorten the value"
                )),
            };
            return Ok(Some((number, read)));
        }
        Ok(None)
    }
}

fn broken(path: &Path, error: &io::Error) -> Error {
    Error::input(
        format_args!("{} cannot be read ({error})", path.display()),
        "what was imported stays; run the import again to add the rest",
    )
}

/// Refuses a file of which no line is a claim.
pub(super) fn check(file: &Path, channel: Said) -> Result<(), Error> {
    let mut claims = Claims::open(file, channel)?;
    let (mut read, mut first) = (0, None);
    while let Some((number, claim)) = claims.next()? {
        let Err(why) = claim else {
            return Ok(());
        };
        read += 1;
        first.get_or_insert((number, why));
        if read >= HOPELESS {
            return Err(hopeless(read));
        }
    }
    Err(match first {
        None => no_claims(),
        Some((number, why)) => no_claim_of(read, Place::Line(number), &why),
    })
}

fn hopeless(read: u64) -> Error {
    Error::input(
        format_args!("the first {read} lines are no claims"),
        "docs/format/claim-import.md says what a line holds",
    )
}

pub(super) async fn import(importer: &mut Importer<'_>, file: &Path) -> Result<(), Error> {
    let mut claims = Claims::open(file, importer.channel)?;
    while let Some((number, request)) = claims.next()? {
        importer.report.read += 1;
        match request {
            Ok((predicate, request)) => {
                importer
                    .take(Place::Line(number), &predicate, request)
                    .await?
            }
            Err(why) => importer.report.refuse(Place::Line(number), why),
        }
        let report = &importer.report;
        if report.read >= HOPELESS && report.refused_count == report.read {
            return Err(hopeless(report.read));
        }
    }
    importer.flush().await?;
    Ok(())
}

/// Parses the claim of a line. The error describes the mistake in the line.
fn claim(bytes: &[u8], channel: Said) -> Read {
    let value = parse(bytes, Limits::CONTENT)
        .map_err(|error| error.to_string().replace("at line 1, column", "at column"))?;
    let Value::Object(members) = &value else {
        return Err("not a JSON object; write one object a line".to_owned());
    };
    let said = said(members, channel)?;
    let key = match text(members, "key")? {
        Some(key) => key.to_owned(),
        // The key follows from the content, so that a second import adds nothing, whatever the state of the claim.
        None => {
            let written = canonical(&value).map_err(|error| error.to_string())?;
            let mut hasher = blake3::Hasher::new_derive_key(KEY_CONTEXT);
            hasher
                .update(said.name().as_bytes())
                .update(&[0])
                .update(written.as_bytes());
            let hash = hasher.finalize().to_hex();
            format!("import:{}", hash.get(..32).unwrap_or(&hash))
        }
    };
    let submission = submission(members, &said.channel())?.keyed(&key);
    let submission = submission.map_err(|error| error.to_string())?;
    Ok((
        submission.predicate().clone(),
        ClaimRequest::Submit(submission),
    ))
}

/// Reads the claim in the members of a line, with the provenance of `channel`. Its key is for the caller.
pub(in crate::claims) fn submission(
    members: &Map,
    channel: &Channel,
) -> Result<Submission, String> {
    if members.values().any(holds_nul) {
        return Err("a string contains the character NUL; remove it".to_owned());
    }
    if let Some(unknown) = members
        .keys()
        .find(|name| !MEMBERS.contains(&name.as_str()))
    {
        return Err(format!(
            "`{unknown}` is no member of a claim; these are: {}",
            MEMBERS.join(", ")
        ));
    }
    let fact = members.get("value").ok_or("`value` is missing; add it")?;
    let fact = FactValue::new(fact).map_err(|error| error.to_string())?;
    let submission = Submission::new(
        channel,
        identifier(members, "subject")?,
        identifier(members, "predicate")?,
        fact,
    )
    .cardinality(cardinality(members)?)
    .citing(sources(members)?)
    .map_err(|error| error.to_string())?;
    match valid(members)? {
        Some(valid) => submission.valid(valid).map_err(|error| error.to_string()),
        None => Ok(submission),
    }
}

/// Reads the key that a request is named by, if it has one.
pub(in crate::claims) fn key_of(members: &Map) -> Result<Option<&str>, String> {
    text(members, "key")
}

fn said(members: &Map, channel: Said) -> Result<Said, String> {
    let said = match text(members, "channel")? {
        None => channel,
        Some("user") => Said::User,
        Some("first-hand") => Said::FirstHand,
        Some("model") => Said::Model,
        Some(_) => return Err("`channel` is user, first-hand or model".to_owned()),
    };
    if said.is_within(channel) {
        return Ok(said);
    }
    Err(format!(
        "`channel` {} weighs more than what this import may say; leave it out, or import with --channel {0}",
        said.name()
    ))
}

fn identifier(members: &Map, name: &'static str) -> Result<Identifier, String> {
    let text =
        text(members, name)?.ok_or_else(|| format!("`{name}` is missing; add it as a string"))?;
    Identifier::new(name, text).map_err(|error| error.to_string())
}

fn cardinality(members: &Map) -> Result<Cardinality, String> {
    let name = text(members, "cardinality")?;
    let named = name.map(|name| {
        name.parse::<Cardinality>()
            .map_err(|_| "`cardinality` is one, many or unknown")
    });
    Ok(named.transpose()?.unwrap_or_default())
}

/// One World or several.
fn sources(members: &Map) -> Result<Vec<WorldId>, String> {
    let wrong = || "`source` is the id of a memory, or an array of such ids".to_owned();
    let one = |value: &Value| {
        let text = value.as_str().ok_or_else(wrong)?;
        WorldId::new(text).map_err(|_| wrong())
    };
    match members.get("source") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(ids)) => ids.iter().map(one).collect(),
        Some(id) => Ok(vec![one(id)?]),
    }
}

fn valid(members: &Map) -> Result<Option<ValidTime>, String> {
    let boundary = |name| {
        let boundary = text(members, name)?.map(Boundary::parse).transpose();
        boundary.map_err(|error| format!("`{name}` is {error}"))
    };
    let (from, until) = (boundary("from")?, boundary("until")?);
    let confidence = match members.get("validConfidence") {
        None | Some(Value::Null) => None,
        Some(value) => Some(
            value
                .as_f64()
                .ok_or("`validConfidence` is a number from 0 to 1")?,
        ),
    };
    match (from.is_some() || until.is_some(), confidence) {
        (false, None) => Ok(None),
        (false, Some(_)) => {
            Err("`validConfidence` says how sure the dates are, and there are none".to_owned())
        }
        (true, confidence) => Ok(Some(ValidTime {
            from,
            until,
            confidence: Confidence::new(confidence.unwrap_or(1.0))
                .map_err(|error| error.to_string())?,
        })),
    }
}

fn text<'m>(members: &'m Map, name: &str) -> Result<Option<&'m str>, String> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is not a string; put it in quotes")),
    }
}
