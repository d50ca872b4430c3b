//! The check of a memory: fit for use, each entry as it was sealed, and all that is stored as the log has it, in one report.

use serde_json::{Value, json};

use crate::care::health::{Check, State, health};
use crate::care::options::CheckOptions;
use crate::care::{audit, validate};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::words::count;

/// One of the three parts, made or not.
type Part = Result<Report, Error>;

impl Memory {
    /// Checks the memory as a whole: that it is fit for use (database, settings, keys, clock, heads; `checks`), that each entry is as
    /// it was sealed (`entries`), and that everything stored agrees with signatures, log and the files beside it (`stored`). Keys of
    /// erased content that were to be destroyed are, and what does not verify any more is noted as an event.
    ///
    /// [`Report::problem`] is of kind [`ErrorKind::Refused`] where something is wrong, and of [`ErrorKind::Unproven`] where something could not be
    /// decided: it is archived or not known, or a key is missing. What was erased, and the log records it, is open for ever and no problem.
    ///
    /// # Errors
    /// [`ErrorKind::Place`] where there is no memory; the error of the store where no part could be checked.
    pub async fn check(&self, options: CheckOptions) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.must_exist()?;
        let deep = options.deep;
        let fit = health(self).await;
        let entries = validate::entries(self, &options).await;
        let stored = audit::stored(self, deep).await;
        if let (Err(error), Err(_), Err(_)) = (&fit, &entries, &stored) {
            return Err(error.clone());
        }
        let (mut checks, unfit) = match fit {
            Ok(checks) => (checks, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        checks.extend(unfit.as_ref().map(|it| Check::new("use", State::Bad, it)));
        checks.push(summary_of_entries(&entries));
        checks.push(summary_of_stored(&stored));
        let problem = [
            worst(&checks, unfit),
            problem_of(&entries),
            problem_of(&stored),
        ];
        // What is wrong goes before what cannot be checked, and that before what is open.
        let rank = |error: &Error| match error.kind() {
            ErrorKind::Refused => 2,
            ErrorKind::Unproven => 0,
            _ => 1,
        };
        let problem = problem.into_iter().flatten().max_by_key(rank);
        let document = object()
            .with("healthy", problem.is_none())
            .with("deep", deep)
            .with("checks", &checks)
            .with("entries", document_of(&entries))
            .with("stored", document_of(&stored));
        let detail = |part: &Part, name: &str| match part {
            Ok(report) => report.detail(name).clone(),
            Err(_) => Value::Null,
        };
        let notices = [&entries, &stored].map(|part| part.as_ref().ok().map(Report::notices));
        let notices = notices.into_iter().flatten().flatten().cloned();
        Ok(Report::new(&document)?
            .with("lines", detail(&entries, "lines"))
            .with("beside", detail(&stored, "beside"))
            .noticed(notices)
            .but(problem))
    }
}

/// The problem of checks that failed; the first part's own error goes before it.
fn worst(checks: &[Check], unfit: Option<Error>) -> Option<Error> {
    let bad = checks.iter().filter(|check| check.state == State::Bad);
    let bad = u64::try_from(bad.count()).unwrap_or(u64::MAX);
    let failed = Error::refused(
        count(bad, "check failed", "checks failed"),
        "do what they say",
    );
    unfit.or((bad > 0).then_some(failed))
}

fn problem_of(part: &Part) -> Option<Error> {
    match part {
        Ok(report) => report.problem().cloned(),
        Err(error) => Some(error.clone()),
    }
}

fn state_of(report: &Report) -> State {
    match report.problem().map(Error::kind) {
        None => State::Ok,
        Some(ErrorKind::Unproven) => State::Open,
        Some(_) => State::Bad,
    }
}

fn document_of(part: &Part) -> Value {
    match part {
        Ok(report) => report.value().clone(),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn summary_of_entries(part: &Part) -> Check {
    let report = match part {
        Ok(report) => report,
        Err(error) => return Check::new("entries", State::Bad, error),
    };
    let number = |name: &str| report.number(name).unwrap_or_default();
    let mut detail = format!(
        "{} in {}: {} valid, {} invalid, {} open",
        count(number("/entries"), "entry", "entries"),
        count(number("/chains"), "chain", "chains"),
        number("/valid"),
        number("/invalid"),
        number("/indeterminate"),
    );
    let differs = report.text("/logDiffers");
    detail.extend(differs.map(|it| format!("; the log does not stand for them: {it}")));
    detail.push_str(&match number("/signaturesChecked") {
        0 => "; the log's signed checkpoint stands for the signatures".to_owned(),
        checked => format!("; {} checked", count(checked, "signature", "signatures")),
    });
    Check::new("entries", state_of(report), detail)
}

fn summary_of_stored(part: &Part) -> Check {
    let report = match part {
        Ok(report) => report,
        Err(error) => return Check::new("stored", State::Bad, error),
    };
    let number = |name: &str| report.number(name).unwrap_or_default();
    let entries = count(number("/entries"), "entry", "entries");
    let left_out = report
        .value()
        .pointer("/notCompared")
        .and_then(Value::as_array);
    let left_out = left_out.into_iter().flatten().filter_map(Value::as_str);
    let left_out = left_out.collect::<Vec<_>>().join(", ");
    let detail = match number("/total") {
        0 if left_out.is_empty() => format!("no difference in {entries}"),
        0 => format!("no difference in {entries}; not compared: {left_out}"),
        total => format!("{} in {entries}", count(total, "difference", "differences")),
    };
    Check::new("stored", state_of(report), detail)
}
