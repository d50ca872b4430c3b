//! Words of check results, dispositions and flags in stored reports.

use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, Flag, SkipReason};

/// Returns `pass`, `fail:CODE` or `skip:REASON`.
pub(super) fn of_result(result: CheckResult) -> String {
    match result {
        CheckResult::Pass => "pass".to_owned(),
        CheckResult::Fail(code) => format!("fail:{}", code.name()),
        CheckResult::Skip(reason) => format!("skip:{}", reason.name()),
    }
}

/// Parses the words of [`of_result`].
pub(super) fn result(words: &str) -> Option<CheckResult> {
    match words.split_once(':') {
        None => (words == "pass").then_some(CheckResult::Pass),
        Some(("fail", word)) => {
            let code = FailCode::ALL.into_iter().find(|code| code.name() == word);
            code.map(CheckResult::Fail)
        }
        Some(("skip", word)) => {
            let mut reasons = SkipReason::ALL.into_iter();
            let reason = reasons.find(|reason| reason.name() == word);
            reason.map(CheckResult::Skip)
        }
        Some(_) => None,
    }
}

/// Returns the disposition of that name.
pub(super) fn disposition(name: &str) -> Option<Disposition> {
    Disposition::ALL.into_iter().find(|one| one.name() == name)
}

/// Returns the flag of that name.
pub(super) fn flag(name: &str) -> Option<Flag> {
    Flag::ALL.into_iter().find(|one| one.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        let fails = FailCode::ALL.map(CheckResult::Fail);
        let skips = SkipReason::ALL.map(CheckResult::Skip);
        let all = [CheckResult::Pass].into_iter().chain(fails).chain(skips);
        for one in all {
            assert_eq!(result(&of_result(one)), Some(one));
        }
        for one in Disposition::ALL {
            assert_eq!(disposition(one.name()), Some(one));
        }
        for one in Flag::ALL {
            assert_eq!(flag(one.name()), Some(one));
        }
        assert_eq!(result("fail:unreachable"), None);
        assert_eq!(result("fail"), None);
    }
}
