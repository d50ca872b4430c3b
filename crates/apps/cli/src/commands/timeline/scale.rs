//! The axis: which time is drawn, where an instant lies on it, and what its ticks are called.

use counterfoil::Timeline;
use counterfoil_claims::time::{Micros, Window};
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

const HOUR_US: i64 = 3_600_000_000;
const DAY_US: i64 = 24 * HOUR_US;
/// Number of free characters between two labels.
const BETWEEN: usize = 3;
/// The first moment of the year 1, and the first after the year 9999: no boundary lies outside of them.
const FIRST: Micros = -62_135_596_800_000_000;
const LAST: Micros = 253_402_300_800_000_000;

/// The time that is drawn, `[first, last]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scale {
    first: Micros,
    last: Micros,
}

/// A labelled place on the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tick {
    pub(super) at: Micros,
    pub(super) label: String,
}

impl Scale {
    /// All that is drawn with a margin; and the present, where something is open.
    pub(super) fn of(timeline: &Timeline) -> Self {
        let windows = timeline.lines.iter().flat_map(|line| &line.claims);
        let windows: Vec<Window> = windows.map(|entry| entry.window).collect();
        let windows = windows.iter().filter(|window| !window.is_empty());
        let is_open = windows.clone().any(|window| window.end.is_none());
        let ends = windows.flat_map(|window| [window.start, window.end]);
        let ends = ends.flatten().chain(is_open.then_some(timeline.now()));
        let first = ends.clone().min().unwrap_or(timeline.now());
        Self::around(first, ends.max().unwrap_or(timeline.now()))
    }

    fn around(first: Micros, last: Micros) -> Self {
        let (first, last) = (first.clamp(FIRST, LAST), last.clamp(FIRST, LAST));
        let margin = (last.saturating_sub(first) / 20).max(HOUR_US);
        Self {
            first: first.saturating_sub(margin).max(FIRST),
            last: last.saturating_add(margin).min(LAST),
        }
    }

    /// Returns true if an instant is drawn.
    pub(super) fn shows(self, at: Micros) -> bool {
        (self.first..=self.last).contains(&at)
    }

    /// Position of an instant, 0 to `width`.
    pub(super) fn place(self, at: Micros, width: u32) -> u32 {
        let at = at.clamp(self.first, self.last);
        let (from, length) = (
            i128::from(at) - i128::from(self.first),
            (i128::from(self.last) - i128::from(self.first)).max(1),
        );
        u32::try_from(from * i128::from(width) / length).unwrap_or(width)
    }

    /// Start and end of a window, 0 to `width`.
    pub(super) fn span(self, window: Window, width: u32) -> (u32, u32) {
        let start = window.start.map_or(0, |at| self.place(at, width));
        let end = window.end.map_or(width, |at| self.place(at, width));
        (start, end)
    }

    /// Ticks at round dates, as many as have their labels beside each other in `room` characters.
    pub(super) fn ticks(self, room: usize) -> Vec<Tick> {
        let years = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
        [15, 60, 180, 360, 720]
            .into_iter()
            .map(|minutes| self.even(minutes * 60_000_000, "%m-%d %H:%M", room))
            .chain([1, 2, 5, 10].map(|days| self.even(days * DAY_US, "%Y-%m-%d", room)))
            .chain([1, 3, 6].map(|months| self.months(months, "%Y-%m", room)))
            .chain(years.map(|years| self.months(years * 12, "%Y", room)))
            .flatten()
            .next()
            .unwrap_or_default()
    }

    /// Ticks at multiples of `step`; `None` when there are too many.
    fn even(self, step: i64, pattern: &str, room: usize) -> Option<Vec<Tick>> {
        let first = self.first.div_euclid(step).checked_add(1)?;
        let places = std::iter::successors(first.checked_mul(step), |at| at.checked_add(step));
        self.fitting(step, places, pattern, room)
    }

    /// Ticks at months whose number is a multiple of `step`; `None` when there are too many.
    fn months(self, step: i64, pattern: &str, room: usize) -> Option<Vec<Tick>> {
        let (least, most) = (
            Timestamp::MIN.as_microsecond(),
            Timestamp::MAX.as_microsecond(),
        );
        let from = Timestamp::from_microsecond(self.first.clamp(least, most))
            .map_or(Date::ZERO, |at| at.to_zoned(TimeZone::UTC).date());
        let number = i64::from(from.year()) * 12 + i64::from(from.month()) - 1;
        let first = number.div_euclid(step) * step;
        let numbers = std::iter::successors(Some(first), |number| number.checked_add(step));
        let places = numbers.map_while(month).skip_while(|at| *at < self.first);
        self.fitting(step * 28 * DAY_US, places, pattern, room)
    }

    /// Ticks at these places, at least `step` apart; `None` when there is none or their labels have no room.
    fn fitting(
        self,
        step: i64,
        places: impl Iterator<Item = Micros>,
        pattern: &str,
        room: usize,
    ) -> Option<Vec<Tick>> {
        let length = self.last.saturating_sub(self.first);
        if length / step > i64::try_from(room).unwrap_or(i64::MAX) {
            return None;
        }
        let places = places.take_while(|at| *at <= self.last);
        let ticks = places.filter_map(|at| {
            let label = Timestamp::from_microsecond(at).ok()?.strftime(pattern);
            let label = label.to_string();
            Some(Tick { at, label })
        });
        let ticks: Vec<Tick> = ticks.collect();
        let needed: usize = ticks.iter().map(|tick| tick.label.len() + BETWEEN).sum();
        (1..=room).contains(&needed).then_some(ticks)
    }
}

/// The first moment of a month, counted from January of the year 0; `None` beyond the calendar.
fn month(number: i64) -> Option<Micros> {
    let year = i16::try_from(number.div_euclid(12)).ok()?;
    let year = date(0, 1, 1).checked_add(i64::from(year).years()).ok()?;
    let first = year.checked_add(number.rem_euclid(12).months()).ok()?;
    let first = first.to_zoned(TimeZone::UTC).ok()?;
    Some(first.timestamp().as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Micros {
        text.parse::<Timestamp>().unwrap().as_microsecond()
    }

    fn labels(first: &str, last: &str, room: usize) -> Vec<String> {
        let scale = Scale {
            first: micros(first),
            last: micros(last),
        };
        let ticks = scale.ticks(room);
        assert!(
            ticks
                .iter()
                .all(|it| it.at >= scale.first && it.at <= scale.last)
        );
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_dates() {
        assert_eq!(
            labels("2018-12-01T00:00:00Z", "2023-03-01T00:00:00Z", 36),
            ["2019", "2020", "2021", "2022", "2023"]
        );
        assert_eq!(
            labels("2018-12-01T00:00:00Z", "2023-03-01T00:00:00Z", 20),
            ["2020", "2022"]
        );
        assert_eq!(
            labels("2022-01-20T00:00:00Z", "2022-04-20T00:00:00Z", 36),
            ["2022-02", "2022-03", "2022-04"]
        );
        assert_eq!(
            labels("2022-01-20T10:00:00Z", "2022-01-20T12:00:00Z", 30),
            ["01-20 11:00", "01-20 12:00"]
        );
        assert_eq!(
            labels("0001-01-01T00:00:00Z", "9999-12-30T00:00:00Z", 36),
            ["2000", "4000", "6000", "8000"]
        );
    }

    #[test]
    fn an_instant_lies_on_the_axis_or_at_its_edge() {
        let scale = Scale {
            first: 0,
            last: 100,
        };
        assert_eq!(
            [-5, 0, 50, 100, 900].map(|at| scale.place(at, 10)),
            [0, 0, 5, 10, 10]
        );
        let open = Window {
            start: None,
            end: Some(50),
        };
        assert_eq!(scale.span(open, 10), (0, 5));
        let all = Scale::around(i64::MIN, i64::MAX);
        assert_eq!(all.place(i64::MAX, 10), 10);
        assert!(!all.ticks(36).is_empty());
    }
}
