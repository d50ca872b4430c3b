//! Circles: files of one crate that import each other, in whatever number of steps. A child's import of its parent does
//! not count.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::source::Source;

type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let packages: BTreeSet<&str> = sources.iter().map(|one| one.package.as_str()).collect();
    let circles = packages
        .into_iter()
        .flat_map(|package| circles(&graph(sources, package)));
    circles
        .map(|files| {
            let (first, others) = files.split_first().unwrap_or((&"", &[]));
            let text = format!(
                "forms a circle with {}; move what they share",
                others.join(", ")
            );
            Finding::new(*first, text)
        })
        .collect()
}

/// The imports between the files of one crate.
fn graph<'a>(sources: &'a [Source], package: &str) -> Graph<'a> {
    let files: Vec<&Source> = sources
        .iter()
        .filter(|one| one.package == package)
        .collect();
    let by_module: BTreeMap<&[String], &str> = files
        .iter()
        .map(|one| (one.module.as_slice(), one.path.as_str()))
        .collect();
    let target = |path: &[String]| {
        (0..=path.len())
            .rev()
            .find_map(|length| Some((path.get(..length)?, by_module.get(path.get(..length)?)?)))
            .map(|(module, file)| (module.to_vec(), *file))
    };
    files
        .iter()
        .map(|source| {
            let imported = imports(&source.code)
                .into_iter()
                .filter_map(|path| absolute(&source.module, &path, &by_module))
                .filter_map(|path| target(&path))
                .filter(|(module, _)| !source.module.starts_with(module))
                .map(|(_, file)| file);
            (source.path.as_str(), imported.collect())
        })
        .collect()
}

/// A path as it is written, from the root of its crate; `None` for one into another crate.
fn absolute(
    module: &[String],
    path: &[String],
    modules: &BTreeMap<&[String], &str>,
) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let join = |head: &[String], tail: &[String]| [head, tail].concat();
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some(join(module, rest)),
        "super" => {
            let ups = path.iter().take_while(|name| *name == "super").count();
            let head = module.get(..module.len().checked_sub(ups)?)?;
            Some(join(head, path.get(ups..)?))
        }
        _ => {
            let child = join(module, std::slice::from_ref(first));
            modules
                .contains_key(child.as_slice())
                .then(|| join(module, path))
        }
    }
}

/// Every path of a `use`, and every path elsewhere that begins at `crate` or `super`.
fn imports(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        let begin = statement.rfind("use ").filter(|at| {
            let before = statement
                .get(..*at)
                .and_then(|head| head.chars().next_back());
            before.is_none_or(|c| c.is_whitespace())
        });
        if let Some(tree) = begin.and_then(|at| statement.get(at + "use ".len()..)) {
            let tree: String = tree.replace(" as ", "@").split_whitespace().collect();
            expand("", &tree, &mut found);
        }
    }
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    for word in code.split(|c: char| !is_path(c)) {
        if word.starts_with("crate::") || word.starts_with("super::") {
            found.push(segments(word));
        }
    }
    found
}

fn expand(prefix: &str, tree: &str, found: &mut Vec<Vec<String>>) {
    let Some((head, rest)) = tree.split_once('{') else {
        found.push(segments(&format!("{prefix}{tree}")));
        return;
    };
    let prefix = format!("{prefix}{head}");
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    let (mut depth, mut part) = (0_usize, String::new());
    for c in body.chars().chain([',']) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ',' && depth == 0 {
            if !part.is_empty() {
                expand(&prefix, &part, found);
            }
            part.clear();
        } else {
            part.push(c);
        }
    }
}

fn segments(path: &str) -> Vec<String> {
    let path = path.split('@').next().unwrap_or(path);
    path.split("::")
        .filter(|name| !name.is_empty() && *name != "*")
        .map(str::to_owned)
        .collect()
}

/// Groups of files that reach each other, sorted.
fn circles<'a>(graph: &Graph<'a>) -> Vec<Vec<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&'a str>> = graph
        .keys()
        .map(|file| (*file, reach(graph, file)))
        .collect();
    let mut found: BTreeSet<Vec<&'a str>> = BTreeSet::new();
    for (file, all) in &reached {
        let circle: Vec<&'a str> = all
            .iter()
            .filter(|other| reached.get(**other).is_some_and(|back| back.contains(file)))
            .copied()
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// Every file that the imports of `file` lead to.
fn reach<'a>(graph: &Graph<'a>, file: &str) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![file]);
    while let Some(file) = next.pop() {
        for imported in graph.get(file).into_iter().flatten().copied() {
            if reached.insert(imported) {
                next.push(imported);
            }
        }
    }
    reached
}
