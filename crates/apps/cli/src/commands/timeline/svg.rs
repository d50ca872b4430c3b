//! A timeline as SVG: one file with nothing outside of it, readable in black and white.

use counterfoil::{Timeline, TimelineLine};
use counterfoil_claims::belief::{ClaimState, HistoryEntry};
use counterfoil_claims::time::Window;
use counterfoil_verify::terminal;

use super::scale::Scale;
use super::text::of_line;
use counterfoil::text as telling;

/// Widths and heights in pixels.
const WIDTH: u32 = 1000;
const LEFT: u32 = 230;
const RIGHT: u32 = 24;
const TOP: u32 = 88;
const ROW: u32 = 24;
const BAR: u32 = 14;
const GAP: u32 = 14;
const LEGEND: u32 = 56;
/// Width of the drawing.
const SPAN: u32 = WIDTH - LEFT - RIGHT;
/// The most characters of a label.
const LABEL: usize = 28;
/// Number of characters of labels that fit on the axis.
const ROOM: usize = 84;

const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:12px;fill:#1f2933}\
.title{font-size:18px;font-weight:600}.note,.tick{fill:#52606d;font-size:11px}.predicate{font-weight:600}\
.grid{stroke:#e4e7eb}.now{stroke:#b83280;stroke-dasharray:4 3}.nowlabel{fill:#b83280;font-size:11px}\
.external{fill:#2f6f9f}.inferred{fill:#fff;stroke:#2f6f9f;stroke-dasharray:3 2}\
.apart{fill:#fff;stroke:#9aa5b1;stroke-dasharray:2 2}.contested{fill:url(#hatch);stroke:#c05621}";

/// The whole document.
pub(super) fn draw(timeline: &Timeline) -> String {
    let scale = Scale::of(timeline);
    let mut body = String::new();
    let mut top = TOP;
    for line in &timeline.lines {
        top = draw_line(&mut body, scale, line, top);
    }
    let bottom = top;
    let height = bottom + LEGEND;
    let mut svg = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">{}</title>\n<style>{STYLE}</style>\n\
         <defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fbd9c0\"/>\
         <rect width=\"2.5\" height=\"6\" fill=\"#c05621\"/></pattern></defs>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escaped(&format!("Timeline: {}", telling::name(&timeline.subject)))
    );
    let title = format!(
        "<text class=\"title\" x=\"16\" y=\"30\">{}</text>\n\
         <text class=\"note\" x=\"16\" y=\"50\">{}</text>\n",
        escaped(&telling::name(&timeline.subject)),
        escaped(&format!(
            "when each claim holds, as known {} UTC",
            telling::recorded(timeline.as_of_us)
        )),
    );
    svg.push_str(&title);
    svg.push_str(&axis(scale, timeline, bottom));
    svg.push_str(&body);
    let y = bottom + 20;
    let entries = [
        ("external", "said from outside"),
        ("inferred", "said by a model"),
        ("contested", "contested"),
        ("apart", "denied or in quarantine"),
    ];
    for (x, (class, told)) in (0..).map(|at| 16 + at * 190).zip(entries) {
        svg += &format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"26\" height=\"{BAR}\"/>\
             <text x=\"{}\" y=\"{}\">{told}</text>\n",
            x + 34,
            y + 11
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The lines of the dates, and of the present.
fn axis(scale: Scale, timeline: &Timeline, bottom: u32) -> String {
    let mut drawn = String::new();
    let top = TOP - 10;
    for tick in scale.ticks(ROOM) {
        let x = LEFT + scale.place(tick.at, SPAN);
        drawn += &format!(
            "<line class=\"grid\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\"/>\
                 <text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            top - 6,
            escaped(&tick.label)
        );
    }
    if scale.shows(timeline.now()) {
        let x = LEFT + scale.place(timeline.now(), SPAN);
        drawn += &format!(
            "<line class=\"now\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\"/>\
                 <text class=\"nowlabel\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">as known</text>\n",
            bottom + 12
        );
    }
    drawn
}

/// Draws the claims of a predicate from `top` on, and gives the place below them.
fn draw_line(drawn: &mut String, scale: Scale, line: &TimelineLine, top: u32) -> u32 {
    *drawn += &format!(
        "<text class=\"predicate\" x=\"16\" y=\"{}\">{}</text>\n",
        top + 12,
        label(&of_line(line))
    );
    let contested = line.contested();
    let mut y = top + 20;
    for entry in &line.claims {
        claim(drawn, scale, &contested, entry, y);
        y += ROW;
    }
    if line.left_out > 0 {
        *drawn += &format!(
            "<text class=\"note\" x=\"28\" y=\"{}\">{} older claims are not drawn</text>\n",
            y + 11,
            line.left_out
        );
        y += ROW;
    }
    y + GAP
}

fn claim(drawn: &mut String, scale: Scale, contested: &[Window], entry: &HistoryEntry, y: u32) {
    let value = telling::claimed(&entry.claim, telling::VALUE);
    let state = entry.state.name();
    let told = format!(
        "{value}: {state}, {}, said by {}, recorded {}",
        telling::window(entry.window),
        telling::provenance(entry.claim.provenance()),
        telling::recorded(entry.claim.stamp().micros()),
    );
    *drawn += &format!(
        "<g><title>{}</title><text x=\"28\" y=\"{}\">{}</text>",
        escaped(&told),
        y + 11,
        label(&value)
    );
    let apart = matches!(
        entry.state,
        ClaimState::Quarantined | ClaimState::Denied | ClaimState::Retracted
    );
    let external = entry.claim.provenance().is_external();
    if entry.window.is_empty() {
        *drawn += &format!(
            "<text class=\"note\" x=\"{LEFT}\" y=\"{}\">{state}: nothing of it is left</text>",
            y + 11
        );
    } else {
        let class = match (apart, external) {
            (true, _) => "apart",
            (false, true) => "external",
            (false, false) => "inferred",
        };
        bar(drawn, scale, entry.window, class, y);
        if external && !apart {
            let contested = contested.iter();
            let shared = contested.map(|contested| common(*contested, entry.window));
            for window in shared.filter(|window| !window.is_empty()) {
                bar(drawn, scale, window, "contested", y);
            }
        }
    }
    drawn.push_str("</g>\n");
}

/// A bar; an open end is an arrow at the edge.
fn bar(drawn: &mut String, scale: Scale, window: Window, class: &str, y: u32) {
    let (from, to) = scale.span(window, SPAN);
    let (from, to) = (LEFT + from, LEFT + to.max(from + 2));
    let (middle, bottom) = (y + BAR / 2, y + BAR);
    let mut points = format!("{from},{y} {to},{y}");
    if window.end.is_none() {
        points += &format!(" {},{middle}", to + 8);
    }
    points += &format!(" {to},{bottom} {from},{bottom}");
    if window.start.is_none() {
        points += &format!(" {},{middle}", from - 8);
    }
    *drawn += &format!("<polygon class=\"{class}\" points=\"{points}\"/>");
}

/// Intersection of two windows.
fn common(one: Window, other: Window) -> Window {
    let end = match (one.end, other.end) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    Window {
        start: one.start.max(other.start),
        end,
    }
}

/// A label that fits beside the drawing.
fn label(text: &str) -> String {
    let cut: String = text.chars().take(LABEL).collect();
    let more = text.chars().nth(LABEL).map_or("", |_| "…");
    escaped(&format!("{cut}{more}"))
}

/// Text as XML 1.0 takes it: no markup, and no character that it forbids.
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => shown.push('\u{fffd}'),
            letter if letter.is_control() => {
                shown.push_str(&terminal::plain(&letter.to_string(), 1))
            }
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escaped("<a href='x'>&\"\u{0}\u{ffff}"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\\u{0}\u{fffd}"
        );
    }

    #[test]
    fn windows_have_in_common_what_both_hold() {
        let window = |start, end| Window { start, end };
        let (open, some) = (window(None, None), window(Some(1), Some(5)));
        assert_eq!(common(open, some), some);
        assert_eq!(common(some, open), some);
        assert_eq!(
            common(window(Some(3), None), some),
            window(Some(3), Some(5))
        );
        assert!(common(window(Some(7), None), some).is_empty());
    }
}
