//! Differences between the files of a folder and what was sealed of them; pure.

use std::collections::{BTreeMap, VecDeque};

/// One difference. Numbers are places in the lists that were compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    /// A file that is not sealed.
    Added { found: usize },
    /// A file with another text.
    Altered { sealed: usize, found: usize },
    /// A file that can be sealed no more, such as one that is no text now.
    LeftOut { sealed: usize, left_out: usize },
    /// A file that is not there.
    Removed { sealed: usize },
    /// A file under another path with the same text.
    Moved { sealed: usize, found: usize },
}

/// A file as it is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct File<'f> {
    pub(super) path: &'f str,
    pub(super) text: &'f str,
}

/// Compares the sealed files with those that are found, and with the paths that are left out. Each path is named at most once in each list.
pub(super) fn differences(
    sealed: &[File<'_>],
    found: &[File<'_>],
    left_out: &[&str],
) -> Vec<Difference> {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, file) in sealed.iter().enumerate() {
        missing.insert(file.path, place);
    }
    let (mut added, mut differences) = (Vec::new(), Vec::new());
    for (place, file) in found.iter().enumerate() {
        match missing.remove(file.path) {
            None => added.push((place, file.text)),
            Some(known) if sealed.get(known).is_none_or(|it| it.text != file.text) => {
                differences.push(Difference::Altered {
                    sealed: known,
                    found: place,
                });
            }
            Some(_) => {}
        }
    }
    for (place, path) in left_out.iter().enumerate() {
        if let Some(known) = missing.remove(path) {
            differences.push(Difference::LeftOut {
                sealed: known,
                left_out: place,
            });
        }
    }
    let mut by_text: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for place in missing.values() {
        // Empty files are alike without one being the other.
        if let Some(file) = sealed.get(*place).filter(|it| !it.text.is_empty()) {
            by_text.entry(file.text).or_default().push_back(*place);
        }
    }
    for (place, text) in added {
        let from = by_text.get_mut(text).and_then(VecDeque::pop_front);
        differences.push(match from {
            Some(known) => {
                missing.retain(|_, place| *place != known);
                Difference::Moved {
                    sealed: known,
                    found: place,
                }
            }
            None => Difference::Added { found: place },
        });
    }
    let removed = missing.values();
    differences.extend(removed.map(|sealed| Difference::Removed { sealed: *sealed }));
    differences
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Files = BTreeMap<String, String>;

    fn list(files: &Files) -> Vec<File<'_>> {
        let files = files.iter();
        files.map(|(path, text)| File { path, text }).collect()
    }

    /// Few paths and texts, so that files meet.
    fn files() -> impl Strategy<Value = Files> {
        proptest::collection::btree_map("[a-d]", "[xyz]?", 0..5)
    }

    proptest! {
        /// Law: what was sealed, with the differences applied, is what is found; and nothing is named twice.
        #[test]
        fn the_differences_lead_from_the_one_to_the_other(before in files(), after in files()) {
            let (sealed, found) = (list(&before), list(&after));
            let mut files = before.clone();
            let named = differences(&sealed, &found, &[]);
            // All that goes is taken out first: a file may move to where another one was.
            for one in &named {
                let (Difference::Removed { sealed: from } | Difference::Moved { sealed: from, .. }) = one else { continue };
                prop_assert!(files.remove(sealed[*from].path).is_some());
            }
            for one in &named {
                match one {
                    Difference::Added { found: to } => {
                        let file = found[*to];
                        prop_assert!(files.insert(file.path.into(), file.text.into()).is_none());
                    }
                    Difference::Moved { sealed: from, found: to } => {
                        prop_assert_eq!(sealed[*from].text, found[*to].text);
                        prop_assert!(files.insert(found[*to].path.into(), found[*to].text.into()).is_none());
                    }
                    Difference::Altered { sealed: from, found: to } => {
                        prop_assert_eq!(sealed[*from].path, found[*to].path);
                        let was = files.insert(found[*to].path.into(), found[*to].text.into());
                        prop_assert_ne!(was.as_deref(), Some(found[*to].text));
                    }
                    Difference::LeftOut { .. } | Difference::Removed { .. } => {}
                }
            }
            prop_assert_eq!(files, after);
        }

        /// GRD-1; mutant `a-seal-again-is-a-version`. Law: to seal the same twice changes nothing.
        #[test]
        fn the_same_has_no_difference(files in files()) {
            let list = list(&files);
            prop_assert_eq!(differences(&list, &list, &[]), []);
        }
    }

    #[test]
    fn a_sealed_file_that_is_left_out_is_not_removed() {
        let sealed = [File {
            path: "a",
            text: "x",
        }];
        assert_eq!(
            differences(&sealed, &[], &["b", "a"]),
            [Difference::LeftOut {
                sealed: 0,
                left_out: 1
            }]
        );
    }
}
