//! Changes from one version of a memory to the next, in words; from the operations of `rev-json-patch/1`.

use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::output::text;

/// Description of a change that has no delta.
pub(crate) const TOO_MUCH: &str = "more than 256 KiB";
/// The most characters of a value in a line.
const VALUE: usize = 48;
/// Characters of the equal beginning that are shown before the difference.
const BEFORE: usize = 12;
/// The most changes in one line.
const LISTED: usize = 3;

/// Path as it is shown, old value, new value.
pub(crate) type Change<'c> = (String, Option<&'c Value>, Option<&'c Value>);

/// The changes in `data`, and those beside it.
pub(crate) fn all<'c>(data: &'c [Value], beside: &'c [Value]) -> impl Iterator<Item = Change<'c>> {
    let in_data = data.iter().map(|operation| {
        let path = text(operation, "path");
        let shown = if path.is_empty() { "(all)" } else { &path };
        change(shown, operation)
    });
    let beside = beside.iter().map(|operation| {
        let path = format!("(beside data) {}", text(operation, "path"));
        change(&path, operation)
    });
    in_data.chain(beside)
}

fn change<'c>(path: &str, operation: &'c Value) -> Change<'c> {
    let path = terminal::plain(path, VALUE);
    (path, operation.get("old"), operation.get("value"))
}

/// `/text: "in Lisbon" → "in Porto"; + /tags/1 "lent"`: in one line.
pub(crate) fn in_words(data: &[Value], beside: &[Value]) -> String {
    let count = data.len() + beside.len();
    if count == 0 {
        return "nothing changed".to_owned();
    }
    let short = |value: &Value| cut(&value.to_string(), 0, VALUE);
    let one = |(path, old, new): Change<'_>| match (old, new) {
        (Some(old), Some(new)) => {
            let (old, new) = contrasted(old, new, VALUE);
            format!("{path}: {old} → {new}")
        }
        (Some(old), None) => format!("- {path} {}", short(old)),
        (None, new) => format!("+ {path} {}", new.map(short).unwrap_or_default()),
    };
    let listed = all(data, beside).take(LISTED).map(one);
    let line = listed.collect::<Vec<_>>().join("; ");
    match count.checked_sub(LISTED) {
        Some(more @ 1..) => format!("{line}; {more} more"),
        _ => line,
    }
}

/// Two values as JSON, at most `limit` characters of each, from a little before the first place where they differ.
pub(crate) fn contrasted(old: &Value, new: &Value, limit: usize) -> (String, String) {
    let (old, new) = (old.to_string(), new.to_string());
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let from = match same.count().saturating_sub(BEFORE) {
        from if from <= 1 || old.chars().count().max(new.chars().count()) <= limit => 0,
        from => from,
    };
    (cut(&old, from, limit), cut(&new, from, limit))
}

/// Characters `from..from + limit`, with a mark where something was left out.
fn cut(text: &str, from: usize, limit: usize) -> String {
    let shown: String = text.chars().skip(from).take(limit).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > from + limit {
        "…"
    } else {
        ""
    };
    terminal::plain(&format!("{before}{shown}{after}"), limit + 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(operations: Value) -> String {
        in_words(operations.as_array().unwrap(), &[])
    }

    #[test]
    fn a_change_is_told_in_a_line_with_paths_as_update_takes_them() {
        let changed = json!([
            {"op": "add", "path": "/tags/1", "value": "b"},
            {"op": "replace", "path": "/text", "old": "in Lisbon", "value": "in Porto"},
        ]);
        let line = r#"+ /tags/1 "b"; /text: "in Lisbon" → "in Porto""#;
        assert_eq!(told(changed), line);
        assert_eq!(told(json!([])), "nothing changed");
        let whole = json!([{"op": "replace", "path": "", "old": 1, "value": []}]);
        assert_eq!(told(whole), "(all): 1 → []");
    }

    #[test]
    fn what_changes_beside_the_data_is_told_as_such() {
        let mood = json!({"op": "add", "path": "/mood", "value": "calm"});
        assert_eq!(in_words(&[], &[mood]), r#"+ (beside data) /mood "calm""#);
    }

    #[test]
    fn of_long_values_the_difference_is_shown() {
        let long = "the same beginning of a sentence, over and over again, ".repeat(3);
        let [old, new] = ["Lisbon", "Porto"].map(|city| format!("{long}{city}"));
        let changed = json!([{"op": "replace", "path": "", "old": old, "value": new}]);
        let line = r#"(all): …over again, Lisbon" → …over again, Porto""#;
        assert_eq!(told(changed), line);
    }

    #[test]
    fn many_changes_are_counted() {
        let one = json!({"op": "remove", "path": "/a", "old": 1});
        assert!(told(json!(vec![one; 9])).ends_with("; 6 more"));
    }

    /// Text of others must not steer the terminal.
    #[test]
    fn what_is_told_holds_no_control_characters() {
        let changed = json!([
            {"op": "replace", "path": "/\u{1b}[2J", "old": 1, "value": "\u{9b}x"},
        ]);
        let line = told(changed);
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}
