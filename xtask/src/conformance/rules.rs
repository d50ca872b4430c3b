//! The list of rules: `# ` lines start a section, every other line is an id, a tab and what it says.

use anyhow::{Context, Result, bail, ensure};

/// Rules that stand under one heading.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) rules: Vec<Rule>,
}

/// One rule of a specification.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) text: String,
}

/// The families that are written without a hyphen: the holes of the capsule document, `C17`, the invariants of claims,
/// `I9`, and the holes of the request protocol, `R4`.
const PLAIN: [&str; 3] = ["C", "I", "R"];

pub(super) fn parse(text: &str, is_id: fn(&str) -> bool) -> Result<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("# ") {
            sections.push(Section {
                heading: heading.to_owned(),
                rules: Vec::new(),
            });
            continue;
        }
        let Some((id, says)) = line.split_once('\t') else {
            bail!("`{line}` is not an id, a tab and a text");
        };
        ensure!(
            is_id(id),
            "`{id}` is not an id of this list, such as M-8, MEM-MAINT-1, C17, I9 or E61"
        );
        let known = sections
            .iter()
            .flat_map(|section| &section.rules)
            .any(|rule| rule.id == id);
        ensure!(!known, "{id} stands there twice");
        let section = sections
            .last_mut()
            .context("the first line must be a heading")?;
        section.rules.push(Rule {
            id: id.to_owned(),
            text: says.to_owned(),
        });
    }
    Ok(sections)
}

/// `A1` to `H122`: the number of an adversarial case behind the letter of its group.
pub(super) fn is_case(text: &str) -> bool {
    text.strip_prefix(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'])
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// `M-8`, `MEM-MAINT-1`, `C17`, `I9`.
pub(super) fn is_rule(text: &str) -> bool {
    let parts = text.rsplit_once('-').or_else(|| {
        text.split_at_checked(1)
            .filter(|(family, _)| PLAIN.contains(family))
    });
    parts.is_some_and(|(family, number)| {
        !family.is_empty()
            && !number.is_empty()
            && family.chars().all(|c| c.is_ascii_uppercase() || c == '-')
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_under_their_headings() {
        let sections = parse(
            "# One\nM-1\ta\nM-2\tb\n\n# Two\nCAP-01\tc\nMEM-MAINT-1\td\nC17\te\nI9\tf\n",
            is_rule,
        )
        .unwrap();
        let counts: Vec<usize> = sections.iter().map(|section| section.rules.len()).collect();
        assert_eq!(counts, [2, 4]);
        assert_eq!(sections[1].rules[0].text, "c");
    }

    #[test]
    fn a_list_that_could_lose_a_rule_is_refused() {
        for text in [
            "M-1\ta\n",
            "# One\nM-1 a\n",
            "# One\nM1\ta\n",
            "# One\nC\ta\n",
            "# One\nCX1\ta\n",
            "# One\nM-1\ta\nM-1\tb\n",
        ] {
            assert!(parse(text, is_rule).is_err(), "{text}");
        }
    }
}
