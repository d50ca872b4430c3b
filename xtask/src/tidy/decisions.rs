//! Decision records: numbered from 0001, without a gap and without a number taken twice.

use super::Finding;

const FOLDER: &str = "docs/decisions/";

pub(super) fn check(files: &[String]) -> Vec<Finding> {
    let records = files.iter().filter_map(|file| file.strip_prefix(FOLDER));
    let mut found = Vec::new();
    let mut expected = 1_u32;
    for name in records.filter(|name| *name != "README.md") {
        let place = format!("{FOLDER}{name}");
        let Some(number) = number(name) else {
            found.push(Finding::new(place, "is not named NNNN-title.md"));
            continue;
        };
        if number != expected {
            let text = format!("has a number that should be {expected:04}");
            found.push(Finding::new(place, text));
        }
        expected = number + 1;
    }
    found
}

fn number(name: &str) -> Option<u32> {
    let (digits, title) = name.strip_suffix(".md")?.split_once('-')?;
    let well_formed = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit());
    (well_formed && !title.is_empty()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(names: &[&str]) -> usize {
        let files: Vec<String> = names.iter().map(|name| format!("{FOLDER}{name}")).collect();
        check(&files).len()
    }

    #[test]
    fn numbers_have_no_gap_and_no_twin() {
        assert_eq!(count(&["0001-a.md", "0002-b.md", "README.md"]), 0);
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&["0002-b.md"]), 1);
        assert_eq!(count(&["0001-a.md", "0003-c.md", "0004-d.md"]), 1);
        assert_eq!(count(&["0001-a.md", "0001-b.md"]), 1);
        for name in ["1-a.md", "0001.md", "0001-.md", "0001-a.txt", "000x-a.md"] {
            assert_eq!(count(&[name]), 1, "{name}");
        }
    }
}
