//! Tables without rules, as wide as the terminal: no reference is broken, and no word but very long ones.

use std::io::{self, IsTerminal, Write};

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

/// The least characters of a word that is a reference: it is copied, and must not be cut.
const REFERENCE: usize = 32;
/// The most characters of a word that its column is kept wide enough for.
const WORD: usize = 16;
/// Mark between the rows, for the references of a row.
const BELOW: char = '\u{1}';

/// Writes a table. Where it is wider than the terminal, references stand below their rows.
pub(crate) fn write_table(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let wide = usize::from(table.width().unwrap_or(u16::MAX));
    let widths = table.column_max_content_widths();
    let unbroken: usize = widths.iter().map(|width| usize::from(*width) + 2).sum();
    if matches!(table.content_arrangement(), ContentArrangement::Disabled) || unbroken <= wide {
        return write_lines(out, table.lines());
    }
    let is_reference = |word: String| {
        let is_id = ["mem_", "world-"].iter().any(|it| word.starts_with(it));
        is_id && !word.contains(' ') && word.chars().count() > REFERENCE
    };
    let holds_references = |column: &usize| {
        let cells = table.row_iter().map(|row| row.cell_iter().nth(*column));
        let mut words = cells.map(|cell| cell.map(Cell::content).unwrap_or_default());
        !table.is_empty() && words.all(is_reference)
    };
    let columns = 0..table.column_iter().count();
    let references: Vec<usize> = columns.filter(holds_references).collect();
    let mut narrow = Table::new();
    narrow
        .load_style(table.style())
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(
            table
                .header()
                .map(|row| others(row, &references))
                .unwrap_or_default(),
        );
    if let Some(width) = table.width() {
        narrow.set_width(width);
    }
    let rows = table.row_iter().map(|row| others(row, &references));
    narrow.add_rows(rows);
    // Each column stays wide enough for its words, the very long ones aside.
    let longest = |row: &Row| -> Vec<usize> {
        let words = |cell: &Cell| {
            let content = cell.content();
            let words = content.split(' ').map(|word| word.chars().count());
            words.max().unwrap_or(0).min(WORD)
        };
        row.cell_iter().map(words).collect()
    };
    let mut least: Vec<usize> = narrow.header().map(longest).unwrap_or_default();
    for row in narrow.row_iter() {
        for (least, found) in least.iter_mut().zip(longest(row)) {
            *least = found.max(*least);
        }
    }
    for (column, least) in narrow.column_iter_mut().zip(least) {
        let width = u16::try_from(least + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
    }
    if references.is_empty() {
        return write_lines(out, narrow.lines());
    }
    narrow.style_mut().row_separator.fill = Some(BELOW);
    let mut below = table.row_iter();
    for line in narrow.lines() {
        if line.contains(BELOW) {
            write_references(out, below.next(), &references)?;
        } else {
            write_lines(out, [line].into_iter())?;
        }
    }
    below.try_for_each(|row| write_references(out, Some(row), &references))
}

/// The margin of the style goes; text of a terminal ends its lines where it ends.
fn write_lines(out: &mut dyn Write, mut lines: impl Iterator<Item = String>) -> io::Result<()> {
    lines.try_for_each(|line| {
        let line = line.strip_prefix(' ').unwrap_or(&line);
        writeln!(out, "{}", line.trim_end())
    })
}

fn write_references(out: &mut dyn Write, row: Option<&Row>, columns: &[usize]) -> io::Result<()> {
    let cells = row.into_iter().flat_map(Row::cell_iter).enumerate();
    let references = cells.filter(|(at, _)| columns.contains(at));
    references
        .map(|(_, cell)| cell.content())
        .filter(|reference| !reference.is_empty())
        .try_for_each(|reference| writeln!(out, "  {reference}"))
}

/// The cells of a row that are no references.
fn others(row: &Row, references: &[usize]) -> Vec<String> {
    let cells = row.cell_iter().enumerate();
    let others = cells.filter(|(at, _)| !references.contains(at));
    others.map(|(_, cell)| cell.content()).collect()
}

/// A table without rules, as wide as the terminal.
pub(crate) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(headings.to_vec());
    if io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(width: u16, rows: &[[&str; 3]]) -> Vec<String> {
        let mut table = table(&["value", "holds", "ref"]);
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width)
            .add_rows(rows);
        let mut out = Vec::new();
        write_table(&mut out, &table).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// A reference that was broken in two could not be copied.
    #[test]
    fn a_reference_stands_below_its_row_where_it_does_not_fit() {
        let (one, two) = (
            "world-f23150ecf7f43331f37f0c4461972b44",
            "world-cb3ae9dcf41b1b759a696d2614331329",
        );
        let rows = [
            ["Turin", "since 2011-01-01", one],
            ["Rome", "since 2028-11-01", two],
        ];
        assert_eq!(
            lines_of(40, &rows),
            [
                "value  holds",
                "Turin  since 2011-01-01",
                &format!("  {one}"),
                "Rome   since 2028-11-01",
                &format!("  {two}"),
            ]
        );
        assert_eq!(
            lines_of(80, &rows)[1],
            format!("Turin  since 2011-01-01  {one}")
        );
    }

    #[test]
    fn words_are_kept_whole_and_stand_under_their_heading() {
        let rows = [["Rui, Eva, Leo", "2019-04-01 to 2022-03-01", "the user"]];
        let lines = lines_of(34, &rows);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 34),
            "{lines:?}"
        );
        let told = lines.concat();
        for word in rows[0].iter().flat_map(|cell| cell.split(' ')) {
            assert!(told.contains(word), "{word} in {lines:?}");
        }
        let column = lines[0].find("holds").unwrap();
        assert_eq!(lines[1].find("2019-04-01"), Some(column), "{lines:?}");
        let last = lines.last().unwrap();
        assert_eq!(last.find("2022-03-01"), Some(column), "{lines:?}");
    }
}
