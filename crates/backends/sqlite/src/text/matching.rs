//! Words into FTS5's query language: nothing that a user writes reaches its syntax.

/// `"one" OR "two"`: any of the terms.
pub(super) fn any_of(terms: &[String]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| quoted(term)).collect();
    quoted.join(" OR ")
}

/// `{turn} : ("one")`: an expression of this module, in one column. `column` is one of ours, never
/// a user's.
pub(super) fn in_column(column: &'static str, expression: &str) -> String {
    format!("{{{column}}} : ({expression})")
}

/// A term as an FTS5 string: in double quotes, and inner ones doubled.
///
/// FTS5 reads its expression up to the first NUL, so NUL becomes a space: the tokenizer sees a
/// gap between words in either.
pub(super) fn quoted(term: &str) -> String {
    let inner = term.replace('"', "\"\"").replace('\0', " ");
    format!("\"{inner}\"")
}
