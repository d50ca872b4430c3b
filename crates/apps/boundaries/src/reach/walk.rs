//! The walk from the crates that a package names to all items that its code can name, or call on a value that it can get.
//!
//! Each type in a signature counts, also as an argument: inference makes a value of a type that has no name here, and a closure is
//! handed one. A type brings its public methods and fields, and the traits that it implements; a trait brings its methods and its
//! implementations, whose associated types have a name.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::api::{Api, Id, at};
use crate::Path;

/// Label of a function that makes evidence and is no reader of it.
pub(super) const MAKES_EVIDENCE: &str = " (makes VerificationEvidence)";
/// Functions that may return evidence: they read what a selector wrote, or copy it.
const READERS: [&str; 4] = ["clone", "deserialize", "from_json", "try_from"];
const EVIDENCE: &str = "VerificationEvidence";

/// Everything that was reached, each with the item that led to it.
pub(super) struct Reached<'a> {
    labels: BTreeMap<Id<'a>, (String, Option<Id<'a>>)>,
    order: Vec<Id<'a>>,
}

impl<'a> Reached<'a> {
    /// Walks from the crates with these package names.
    pub(super) fn from<'n>(api: &'a Api, packages: impl Iterator<Item = &'n str>) -> Self {
        let mut reached = Self {
            labels: BTreeMap::new(),
            order: Vec::new(),
        };
        let mut queue = VecDeque::new();
        for package in packages {
            queue.extend(
                api.root(&package.replace('-', "_"))
                    .map(|root| (root, None)),
            );
        }
        while let Some((id, from)) = queue.pop_front() {
            let Some(item) = api.item(id).filter(|_| !reached.labels.contains_key(&id)) else {
                continue;
            };
            let label = reached.label(api, id, item, from);
            reached.labels.insert(id, (label, from));
            reached.order.push(id);
            let children = children(api, id, item);
            queue.extend(children.into_iter().map(|child| (child, Some(id))));
        }
        reached
    }

    /// The shortest path to an item whose path ends like one of these.
    pub(super) fn path_to(&self, ends: &[&str]) -> Option<Path> {
        let is_one = |id: &&Id<'_>| {
            let label = self.labels.get(id).map_or("", |(label, _)| label);
            ends.iter().any(|end| label.ends_with(end))
        };
        self.order.iter().find(is_one).map(|id| self.path(*id))
    }

    /// The package of each crate that has an item among these, with the shortest path to one.
    pub(super) fn crates(&self) -> BTreeMap<String, Path> {
        let mut crates = BTreeMap::new();
        for id in &self.order {
            let path = || self.path(*id);
            crates.entry(id.0.replace('_', "-")).or_insert_with(path);
        }
        crates
    }

    fn path(&self, id: Id<'a>) -> Path {
        let mut labels = Vec::new();
        let mut next = Some(id);
        while let Some((label, from)) = next.and_then(|id| self.labels.get(&id)) {
            labels.push(label.clone());
            next = *from;
        }
        labels.reverse();
        labels.dedup();
        Path::of(labels)
    }

    /// The path of the item's definition, or of what holds it and its name.
    fn label(&self, api: &Api, id: Id<'a>, item: &Value, from: Option<Id<'a>>) -> String {
        let holder = from.and_then(|from| self.labels.get(&from));
        let holder = holder.map_or("", |(label, _)| label);
        let name = at(item, "/name")
            .as_str()
            .or(at(item, "/inner/use/name").as_str());
        let label = match (api.path(id), name) {
            (Some(path), _) => path,
            (None, Some(name)) => format!("{holder}::{name}"),
            // An `impl`.
            (None, None) => holder.to_owned(),
        };
        let makes = makes_evidence(
            holder,
            name.unwrap_or_default(),
            at(item, "/inner/function"),
        );
        label + if makes { MAKES_EVIDENCE } else { "" }
    }
}

/// Tests whether a function returns evidence by value, and neither reads nor copies it.
fn makes_evidence(holder: &str, name: &str, function: &Value) -> bool {
    let output = at(function, "/sig/output");
    let is_own = holder.ends_with(EVIDENCE);
    !READERS.contains(&name) && holds_evidence(output, is_own)
}

fn holds_evidence(value: &Value, is_own: bool) -> bool {
    match value {
        Value::Object(members) => {
            let path = members
                .get("path")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let own = is_own && members.get("generic").is_some_and(|name| name == "Self");
            let mut inner = members.iter().filter(|(name, _)| *name != "borrowed_ref");
            own || path.ends_with(EVIDENCE) || inner.any(|(_, value)| holds_evidence(value, is_own))
        }
        Value::Array(elements) => elements.iter().any(|one| holds_evidence(one, is_own)),
        _ => false,
    }
}

/// Items that an item leads to: what it contains as far as it is public, and what its signature names.
fn children<'a>(api: &'a Api, (name, _): Id<'a>, item: &'a Value) -> Vec<Id<'a>> {
    let Some((kind, inner)) = at(item, "/inner")
        .as_object()
        .and_then(|inner| inner.iter().next())
    else {
        return Vec::new();
    };
    let parts: Vec<&Value> = match kind.as_str() {
        "module" | "impl" => vec![at(inner, "/items")],
        "trait" => vec![at(inner, "/items"), at(inner, "/implementations")],
        "struct" => vec![
            at(inner, "/kind/plain/fields"),
            at(inner, "/kind/tuple"),
            at(inner, "/impls"),
        ],
        "union" => vec![at(inner, "/fields"), at(inner, "/impls")],
        "enum" => vec![at(inner, "/variants"), at(inner, "/impls")],
        "variant" => vec![at(inner, "/kind/struct/fields"), at(inner, "/kind/tuple")],
        "use" => vec![at(inner, "/id")],
        _ => Vec::new(),
    };
    // Members of traits, of their implementations and of variants are as visible as these.
    let is_open = kind == "trait" || kind == "variant" || !at(inner, "/trait").is_null();
    let is_derived = |item: &Value| {
        let inner = at(item, "/inner/impl");
        *at(inner, "/is_synthetic") == true || !at(inner, "/blanket_impl").is_null()
    };
    let mut children = Vec::new();
    for part in parts {
        let ids = part
            .as_array()
            .map_or(std::slice::from_ref(part), Vec::as_slice);
        for id in ids.iter().filter_map(Value::as_u64) {
            let visible = |item: &Value| {
                let is_impl = kind != "module" && !at(item, "/inner/impl").is_null();
                let of_type = is_impl || kind == "enum" || kind == "use";
                (is_open || of_type || *at(item, "/visibility") == "public") && !is_derived(item)
            };
            let home = api.home(name, id);
            children.extend(home.filter(|id| api.item(*id).is_some_and(visible)));
        }
    }
    if kind == "extern_crate" {
        // One of the two is the crate's own name.
        for name in [at(inner, "/name"), at(inner, "/rename")] {
            children.extend(name.as_str().and_then(|name| api.root(name)));
        }
    }
    if kind != "module" {
        let mut named = Vec::new();
        signature(inner, &mut named);
        children.extend(named.into_iter().filter_map(|id| api.home(name, id)));
    }
    children
}

/// The numbers of all types and traits that are named in `value`.
fn signature(value: &Value, named: &mut Vec<u64>) {
    match value {
        Value::Object(members) => {
            if members.contains_key("path") {
                named.extend(members.get("id").and_then(Value::as_u64));
            }
            members.values().for_each(|value| signature(value, named));
        }
        Value::Array(elements) => elements.iter().for_each(|one| signature(one, named)),
        _ => {}
    }
}
