//! Texts of the memory tool: numbered lines, listings, and edits of a text; pure.

use std::collections::BTreeMap;

use super::path::ToolPath;

/// Most lines of a file that is shown.
const MAX_LINES: usize = 999_999;
/// Lines that are shown before and after an edit.
const AROUND: usize = 4;
/// Folders below each other in a listing.
const LEVELS: usize = 2;
/// Folder that no listing shows.
const MODULES: &str = "node_modules";

/// Lines of a text by their numbers, from 1: `first` to `last`.
pub(super) fn numbered(text: &str, (first, last): (usize, usize)) -> String {
    let lines = text
        .lines()
        .enumerate()
        .map(|(before, line)| (before + 1, line));
    let shown = lines.filter(|(number, _)| (first..=last).contains(number));
    let shown: Vec<String> = shown
        .map(|(number, line)| format!("{number:>6}\t{line}"))
        .collect();
    shown.join("\n")
}

/// The content of a file, or of a range of its lines; -1 is the last one.
pub(super) fn content(
    path: &ToolPath,
    text: &str,
    range: Option<[i64; 2]>,
) -> Result<String, String> {
    let count = text.lines().count();
    if count > MAX_LINES {
        return Err(format!(
            "File {path} exceeds maximum line limit of 999,999 lines."
        ));
    }
    let range = match range {
        None => (1, count),
        Some([first, last]) => {
            let refused = || {
                format!(
                    "Error: Invalid `view_range` parameter: [{first}, {last}]. It should be within the range of lines of the file: [1, {count}]"
                )
            };
            let of = |line: i64| usize::try_from(line).map_err(|_| refused());
            let (first, last) = (of(first)?, if last == -1 { count } else { of(last)? });
            if first == 0 || first > last.max(1) || first > count.max(1) {
                return Err(refused());
            }
            (first, last.min(count))
        }
    };
    Ok(format!(
        "Here's the content of {path} with line numbers:\n{}",
        numbered(text, range)
    ))
}

/// Files and folders below a folder, two levels deep, each with its size; `files` are paths relative to the folder, with sizes.
pub(super) fn listing(folder: &ToolPath, files: &[(&str, usize)]) -> String {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    for (path, size) in files {
        total += size;
        if path
            .split('/')
            .any(|name| name.starts_with('.') || name == MODULES)
        {
            continue;
        }
        let mut above = String::new();
        for name in path.split('/').take(LEVELS) {
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(name);
            *sizes.entry(above.clone()).or_default() += size;
        }
    }
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {folder}, excluding hidden items and node_modules:\n{}\t{folder}",
        size(total)
    );
    for (path, bytes) in sizes {
        text.push_str(&format!("\n{}\t{folder}/{path}", size(bytes)));
    }
    text
}

/// A size as people read it: `512B`, `1.5K`, `2.0M`.
fn size(bytes: usize) -> String {
    let tenths = |unit: usize| {
        let tenths = (bytes.saturating_mul(10) + unit / 2) / unit;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_064 => format!("{}K", tenths(1024)),
        _ => format!("{}M", tenths(1024 * 1024)),
    }
}

/// The text with the one `old` replaced, and the edited lines as a model is shown them.
pub(super) fn replaced(
    path: &ToolPath,
    text: &str,
    (old, new): (&str, &str),
) -> Result<(String, String), String> {
    let mut places = text.match_indices(old).map(|(at, _)| at);
    let absent = || {
        format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    };
    let at = places
        .next()
        .filter(|_| !old.is_empty())
        .ok_or_else(absent)?;
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let others: Vec<usize> = places.collect();
    if !others.is_empty() {
        let lines: Vec<String> = [at]
            .iter()
            .chain(&others)
            .map(|at| line(*at).to_string())
            .collect();
        return Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
            lines.join(", ")
        ));
    }
    let edited = text.replacen(old, new, 1);
    let first = line(at);
    let last = first + new.matches('\n').count();
    let snippet = numbered(&edited, (first.saturating_sub(AROUND), last + AROUND));
    Ok((
        edited,
        format!("The memory file has been edited.\n{snippet}"),
    ))
}

/// The text with lines inserted behind line `at`; 0 is before the first one.
pub(super) fn inserted(text: &str, at: i64, insert: &str) -> Result<String, String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let count = lines.len();
    let at = usize::try_from(at).ok().filter(|at| *at <= count).ok_or_else(|| {
        format!("Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file: [0, {count}]")
    })?;
    if let Some(before) = at.checked_sub(1).and_then(|before| lines.get_mut(before))
        && !before.ends_with('\n')
    {
        before.push('\n');
    }
    let mut insert = insert.to_owned();
    if !insert.is_empty() && !insert.ends_with('\n') {
        insert.push('\n');
    }
    lines.insert(at, insert);
    Ok(lines.concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> ToolPath {
        ToolPath::parse(text).unwrap()
    }

    #[test]
    fn lines_have_numbers_six_wide() {
        let notes = path("/memories/notes.txt");
        assert_eq!(
            content(&notes, "Hello\n\nWorld", None).unwrap(),
            "Here's the content of /memories/notes.txt with line numbers:\n     1\tHello\n     2\t\n     3\tWorld"
        );
        let of = |range| content(&notes, "a\nb\nc\n", Some(range));
        assert!(of([2, -1]).unwrap().ends_with(":\n     2\tb\n     3\tc"));
        assert!(of([1, 1]).unwrap().ends_with(":\n     1\ta"));
        for wrong in [[0, 1], [3, 2], [4, -1], [-1, 2], [1, -2]] {
            assert!(of(wrong).unwrap_err().contains("`view_range`"), "{wrong:?}");
        }
        assert!(content(&notes, "", Some([1, -1])).is_ok());
        let long = "\n".repeat(MAX_LINES + 1);
        assert_eq!(
            content(&notes, &long, None).unwrap_err(),
            "File /memories/notes.txt exceeds maximum line limit of 999,999 lines."
        );
    }

    #[test]
    fn a_listing_is_two_levels_deep() {
        let files = [
            ("a.md", 1536),
            ("days/may/1.md", 10),
            ("days/june.md", 5),
            (".git/config", 3),
            ("node_modules/x.js", 4),
        ];
        assert_eq!(
            listing(&path("/memories"), &files),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n\
             1.5K\t/memories\n1.5K\t/memories/a.md\n15B\t/memories/days\n5B\t/memories/days/june.md\n10B\t/memories/days/may"
        );
        for (bytes, text) in [
            (0, "0B"),
            (1023, "1023B"),
            (1024, "1.0K"),
            (1_048_063, "1023.5K"),
            (1_048_576, "1.0M"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn one_occurrence_is_replaced_and_no_other() {
        let file = path("/memories/a.md");
        let (edited, said) = replaced(&file, "one\ntwo\nthree\n", ("two", "2\n2")).unwrap();
        assert_eq!(edited, "one\n2\n2\nthree\n");
        assert_eq!(
            said,
            "The memory file has been edited.\n     1\tone\n     2\t2\n     3\t2\n     4\tthree"
        );
        for (old, refused) in [
            (
                "four",
                "No replacement was performed, old_str `four` did not appear verbatim in /memories/a.md.",
            ),
            (
                "",
                "No replacement was performed, old_str `` did not appear verbatim in /memories/a.md.",
            ),
            (
                "e",
                "No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 3, 3. Please ensure it is unique",
            ),
        ] {
            assert_eq!(
                replaced(&file, "one\ntwo\nthree\n", (old, "x")).unwrap_err(),
                refused
            );
        }
    }

    #[test]
    fn lines_are_inserted_between_lines() {
        for (text, at, insert, edited) in [
            ("a\nb\n", 0, "x", "x\na\nb\n"),
            ("a\nb\n", 1, "x\ny\n", "a\nx\ny\nb\n"),
            ("a\nb", 2, "x", "a\nb\nx\n"),
            ("", 0, "x", "x\n"),
        ] {
            assert_eq!(inserted(text, at, insert).unwrap(), edited);
        }
        for at in [-1, 3] {
            assert_eq!(
                inserted("a\nb\n", at, "x").unwrap_err(),
                format!(
                    "Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file: [0, 2]"
                )
            );
        }
    }

    proptest! {
        /// Law: what was there is there, in its order, and what was inserted stands behind so many lines.
        #[test]
        fn an_insert_takes_nothing_away(text in "[ab\n]{0,8}", insert in "[xy\n]{1,4}", at in 0_usize..9) {
            let count = text.lines().count();
            if let Ok(edited) = inserted(&text, i64::try_from(at).unwrap(), &insert) {
                let (was, is): (Vec<_>, Vec<_>) = (text.lines().collect(), edited.lines().collect());
                let added = insert.lines().count();
                prop_assert!(at <= count);
                prop_assert_eq!(&is[..at], &was[..at]);
                prop_assert_eq!(&is[at..at + added], insert.lines().collect::<Vec<_>>());
                prop_assert_eq!(&is[at + added..], &was[at..]);
            } else {
                prop_assert!(at > count);
            }
        }
    }
}
