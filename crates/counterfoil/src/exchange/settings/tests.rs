//! Every setting is read, and whatever has no meaning is named.

use super::*;

const KEY: &str = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";

/// MRP-43, MRP-45: without a word of the host nothing is shared, and nothing fetched.
#[test]
fn nothing_is_shared_unless_it_is_said() {
    let settings = parse("").unwrap();
    assert_eq!(settings, ExchangeSettings::default());
    assert!(settings.answering.shares.is_empty());
    assert!(!settings.fetch_evidence);
    assert_eq!(settings.tiles, PublicTiles::Off);
}

#[test]
fn every_setting_is_read() {
    let text = format!(
        "[agent]\nname = \"babel\"\ndomains = [\"memory-systems\"]\ndescription = \"notes\"\n\
         [[share]]\nto = [\"{KEY}\"]\nlevel = 3\ndomains = [\"a/b\"]\nlabels = [\"friends\"]\n\
         format = \"raw\"\nmax = 7\nper_minute = 9\npredicates = [\"likes\"]\ncontinues = true\npass_on = true\nscope = \"user=kit\"\n\
         [[share]]\nto = \"*\"\nlabels = [\"public\"]\n\
         [share_claims]\npredicates = [\"lives in\"]\n\
         [limits]\nper_minute = 1\nanonymous_per_minute = 2\nanonymous_in_all = 3\nseen_per_key = 4\nseen_per_address = 8\n\
         seen_in_all = 5\nheld_mib = 6\nno_match_step_ms = 7\n\
         [trust]\nmax_hops = 3\nrequired = \"expert\"\nthreshold_ppm = 8\ndecay_ppm = 9\n\
         [freshness]\nfact_days = 1\nobservation_days = 2\ninsight_days = 3\nrelationship_days = 4\n\
         [vocabulary]\npruning = \"memory-systems\"\n[evidence]\nfetch = true\n[log]\ntiles = \"hashes\"\n"
    );
    let settings = parse(&text).unwrap();
    assert_eq!(settings.tiles, PublicTiles::Hashes);
    assert_eq!(settings.name.as_deref(), Some("babel"));
    let answering = &settings.answering;
    assert_eq!(answering.domains.len(), 1);
    assert!(answering.description.is_some());
    let [first, second] = answering.shares.as_slice() else {
        panic!("two rules");
    };
    assert_eq!(first.to, Some(vec![KEY.parse().unwrap()]));
    assert_eq!((first.level, first.format), (Level::Direct, Format::Raw));
    assert_eq!(
        (first.max, first.per_minute, first.domains.len()),
        (7, 9, 1)
    );
    assert_eq!(
        (first.predicates.as_slice(), first.continues),
        (["likes".to_owned()].as_slice(), true)
    );
    assert_eq!((second.to.as_ref(), second.continues), (None, false));
    assert!(second.predicates.is_empty());
    assert_eq!(
        (first.scope.to_string(), second.scope.to_string()),
        ("user=kit".to_owned(), String::new())
    );
    assert_eq!(
        (first.pass_on, second.pass_on),
        (PassOn::Allowed, PassOn::Refused)
    );
    assert_eq!(
        (second.level, second.format),
        (Level::Identified, Format::Attestation)
    );
    assert_eq!((second.max, second.per_minute), (5, 60));
    assert_eq!(answering.shared_predicates, ["lives in"]);
    let rates = (
        answering.per_minute,
        answering.anonymous_per_minute,
        answering.anonymous_in_all,
    );
    assert_eq!(rates, (1, 2, 3));
    assert_eq!(answering.seen_per_address, 8);
    assert_eq!((answering.quotas.per_key, answering.quotas.in_all), (4, 5));
    assert_eq!(
        (answering.held_bytes, answering.no_match_step_us),
        (6 << 20, 7000)
    );
    let trust = settings.trust;
    assert_eq!((trust.max_hops, trust.required), (3, Competence::Expert));
    assert_eq!((trust.threshold_ppm, trust.decay_ppm), (8, 9));
    assert_eq!(settings.freshness.relationship_days, 4);
    assert_eq!(settings.vocabulary.len(), 1);
    assert!(settings.fetch_evidence);
}

#[test]
fn what_has_no_meaning_is_named() {
    are_refused([
        ("colour = 1", "`colour`"),
        ("[colours]", "`colours`"),
        ("[agent]\nname = \"\"", "`agent.name`"),
        ("[limits]\nper_minute = -1", "`limits.per_minute`"),
        ("[limits]\nper-minute = 1", "`limits.per-minute`"),
        ("[trust]\nmax_hops = 4", "`trust.max_hops`"),
        ("[trust]\nrequired = \"some\"", "`trust.required`"),
        ("[freshness]\nfact_days = 0", "`freshness.fact_days`"),
        ("[freshness]\nevent_days = 9", "`freshness.event_days`"),
        ("[vocabulary]\nPruning = \"a\"", "`vocabulary.Pruning`"),
        ("[vocabulary]\npruning = \"A\"", "`vocabulary.pruning`"),
        ("[evidence]\nfetch = 1", "`evidence.fetch`"),
        (
            "[share_claims]\npredicates = 1",
            "`share_claims.predicates`",
        ),
        ("\n[agent\n", "line 2"),
    ]);
}

#[test]
fn a_rule_that_has_no_meaning_is_named() {
    let rule = "[[share]]\nto = \"*\"\nlabels = [\"a\"]\n";
    are_refused([
        ("share = 1".to_owned(), "`share`"),
        ("share = [1]".to_owned(), "`share`"),
        (
            "[[share]]\nto = \"*\"".to_owned(),
            "`share.labels` is missing or names no label",
        ),
        (
            "[[share]]\nlabels = [\"a\"]".to_owned(),
            "`share.to` is missing",
        ),
        (
            "[[share]]\nlabels = [\"a\"]\nto = \"ann\"".to_owned(),
            "`share.to`",
        ),
        (
            "[[share]]\nlabels = [\"a\"]\nto = [\"ann\"]".to_owned(),
            "`share.to`",
        ),
        (
            "[[share]]\nlabels = \"a\"\nto = \"*\"".to_owned(),
            "`share.labels`",
        ),
        (
            "[[share]]\nlabels = [\"\"]\nto = \"*\"".to_owned(),
            "`share.labels`",
        ),
        (format!("{rule}level = 4"), "`share.level`"),
        (format!("{rule}max = 0"), "`share.max`"),
        (format!("{rule}max = 101"), "`share.max`"),
        (format!("{rule}format = \"xml\""), "`share.format`"),
        (format!("{rule}domains = [\"A B\"]"), "`share.domains`"),
        (format!("{rule}predicates = [\"\"]"), "`share.predicates`"),
        (format!("{rule}scope = \"\""), "`share.scope`"),
        (format!("{rule}scope = \"kit\""), "`share.scope`"),
        (format!("{rule}scope = [\"user=kit\"]"), "`share.scope`"),
        (format!("{rule}continues = 1"), "`share.continues`"),
        (format!("{rule}who = 1"), "`share.who`"),
    ]);
}

fn are_refused<const N: usize>(cases: [(impl AsRef<str>, &str); N]) {
    for (text, named) in cases {
        let text = text.as_ref();
        let wrong = parse(text).unwrap_err();
        assert!(wrong.what.contains(named), "{text:?}: {wrong:?}");
        assert!(!wrong.cure.is_empty());
    }
}
