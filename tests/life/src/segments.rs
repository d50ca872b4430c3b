//! Segments and manifests that differ from the archived ones are refused, and nothing of them is used.

use counterfoil_capsule::Document;
use counterfoil_capsule::documents::ArchiveManifest;
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::canonical;

use crate::LifeRig;
use crate::archive::{SUFFIX, get, old, restore};
use crate::support::{Rig, assert_refused, block_on};
use counterfoil_life::port::{Select, Table, Value};
use counterfoil_life::{Backend as _, Life as _, read_manifest, read_segment};

/// Receipts of segments in the index.
static RECEIPT: Table = Table {
    name: "receipt",
    columns: &["idx", "name", "manifest", "count", "first", "last"],
    key: 1,
};

const MANIFEST_SUFFIX: &str = ".manifest.json";

type Change = fn(&mut Vec<String>);

/// Changes to the lines of a segment.
const CHANGES: [(&str, Change); 5] = [
    ("reordered", |lines| lines.swap(2, 3)),
    ("one line twice", |lines| lines.push(lines[0].clone())),
    ("one line less", |lines| drop(lines.pop())),
    ("no line", |lines| lines.clear()),
    ("cut in a line", |lines| lines[12].truncate(99)),
];

/// Writes a segment over those that are there, lines changed by `change`.
fn forge<F: LifeRig>(rig: &Rig<'_, F>, name: &str, change: impl FnOnce(&mut Vec<String>)) {
    let path = rig.archive().join(name);
    let text = zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    change(&mut lines);
    std::fs::write(
        &path,
        zstd::encode_all(lines.concat().as_bytes(), 0).unwrap(),
    )
    .unwrap();
}

#[track_caller]
fn is_refused<F: LifeRig>(rig: &Rig<'_, F>, name: &str, why: &str) {
    assert_refused!(restore(rig, &[name]), StoreError::SegmentRefused { .. });
    assert!(
        matches!(get(rig, "w-3"), Err(StoreError::Archived { .. })),
        "{why}"
    );
}

/// Adversarial case D55. A segment that was swapped, cut, reordered or added to is refused, and
/// nothing of it is restored.
/// (C9)
pub(crate) fn a_segment_that_was_changed_is_refused<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    let path = rig.archive().join(&name);
    let good = std::fs::read(&path).unwrap();
    let other = {
        let other = old(factory);
        let name = other.archives().name.clone();
        std::fs::read(other.archive().join(name)).unwrap()
    };
    std::fs::write(&path, other).unwrap();
    is_refused(&rig, &name, "swapped");
    std::fs::write(&path, &good[..good.len() - 9]).unwrap();
    is_refused(&rig, &name, "cut");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    std::fs::write(&path, flipped).unwrap();
    is_refused(&rig, &name, "a bit");
    for (what, change) in CHANGES {
        std::fs::write(&path, &good).unwrap();
        forge(&rig, &name, change);
        is_refused(&rig, &name, what);
    }
    std::fs::remove_file(&path).unwrap();
    is_refused(&rig, &name, "absent");
    std::fs::write(&path, &good).unwrap();
    assert_eq!(restore(&rig, &[&name]).unwrap()[0].restored, 13);
}

/// Adversarial case D55, behind the hash of the file: lines, their order and their number are
/// compared by themselves.
pub(crate) fn lines_are_compared_apart_from_the_file<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    let manifest = read_manifest(&rig.archive(), &name).unwrap();
    assert_eq!(read_segment(&rig.archive(), &manifest).unwrap().len(), 13);
    let good = std::fs::read(rig.archive().join(&name)).unwrap();
    for (_, change) in CHANGES {
        std::fs::write(rig.archive().join(&name), &good).unwrap();
        forge(&rig, &name, change);
        let forged = std::fs::read(rig.archive().join(&name)).unwrap();
        let mut believed = manifest.to_value();
        let hash = Blake3Hash::from_bytes(*blake3::hash(&forged).as_bytes());
        believed["file_hash"] = hash.to_string().into();
        let believed = canonical(&believed).unwrap();
        let believed = ArchiveManifest::from_json(believed.as_bytes()).unwrap();
        assert_refused!(
            read_segment(&rig.archive(), &believed),
            StoreError::SegmentRefused { .. }
        );
    }
}

/// Adversarial case D56. A manifest with right hashes is worth nothing without a receipt in the
/// log; nor is a row of the derived table that names it.
pub(crate) fn a_manifest_without_a_receipt_is_refused<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    let other = old(factory);
    let forged = other.archives().name.clone();
    let beside = |name: &str| format!("{}{MANIFEST_SUFFIX}", name.trim_end_matches(SUFFIX));
    for file in [forged.clone(), beside(&forged)] {
        std::fs::copy(other.archive().join(&file), rig.archive().join(&file)).unwrap();
    }
    is_refused(&rig, &forged, "no receipt");
    let manifest = std::fs::read(rig.archive().join(beside(&forged))).unwrap();
    let manifest = ArchiveManifest::from_json(&manifest).unwrap().hash();
    let named = forged.clone();
    let point_elsewhere = rig.store.write(move |unit| {
        let txn = unit.txn();
        let mut found = None;
        txn.select(&Select::all(&RECEIPT), &mut |row| {
            found = Some(row);
            Ok(false)
        })?;
        let mut row = found.unwrap();
        row[1] = Value::Text(named);
        row[2] = Value::Blob(manifest.as_bytes().to_vec());
        txn.update(&RECEIPT, &row)
    });
    block_on(point_elsewhere).unwrap();
    is_refused(&rig, &forged, "a derived row alone");
    block_on(rig.store.rebuild()).unwrap();
    assert_eq!(restore(&rig, &[&name]).unwrap()[0].restored, 13);
}

/// A name that would be looked for in another folder is refused before a file is touched, and so
/// is one that is no plain file: a pipe would never end.
pub(crate) fn names_and_files_of_another_kind_are_refused<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    let digits = "0123456789abcdef";
    for wrong in [
        "../x".to_owned(),
        format!("../archive/{name}"),
        format!("segment-{digits}/../../x"),
        format!("segment-{}", digits.to_uppercase()),
        "segment-".to_owned(),
        String::new(),
    ] {
        let refused = restore(&rig, &[&wrong]).unwrap_err().to_string();
        assert!(refused.contains("no name of a segment"), "{refused}");
        let discarded = block_on(rig.store.discard_segment(rig.archive(), &wrong));
        assert!(discarded.is_err(), "{wrong}");
    }
    let path = rig.archive().join(&name);
    let good = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    is_refused(&rig, &name, "a folder");
    std::fs::remove_dir(&path).unwrap();
    #[cfg(unix)]
    {
        let away = rig.folder.join("away");
        std::fs::write(&away, &good).unwrap();
        std::os::unix::fs::symlink(&away, &path).unwrap();
        is_refused(&rig, &name, "a link");
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if made.is_ok_and(|status| status.success()) {
            is_refused(&rig, &name, "a pipe");
            std::fs::remove_file(&path).unwrap();
        }
    }
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    is_refused(&rig, &name, "a terabyte");
    std::fs::write(&path, &good).unwrap();
    assert_eq!(restore(&rig, &[&name]).unwrap()[0].restored, 13);
}
