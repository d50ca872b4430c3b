//! Dates by plain counting (docs/format/claims.md 1): `2020`, `2020-03`, `2020-03-15` and RFC 3339.

/// Microseconds since 1970, UTC.
pub type Micros = i64;

/// A day.
pub const DAY: Micros = 86_400_000_000;

/// What a date covers: `[begin, end)`; an instant covers nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granule {
    /// The first instant of it.
    pub begin: Micros,
    /// The first instant after it.
    pub end: Micros,
    /// Whether it is a month or a year.
    pub coarse: bool,
}

impl Granule {
    /// An instant.
    #[must_use]
    pub const fn instant(at: Micros) -> Self {
        Self {
            begin: at,
            end: at,
            coarse: false,
        }
    }

    /// Whether it covers `at`.
    #[must_use]
    pub const fn covers(&self, at: Micros) -> bool {
        self.begin <= at && at < self.end
    }

    /// Reads a date, or `@` and the microseconds since 1970; `None` for what is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if let Some(at) = text.strip_prefix('@') {
            return at.parse().ok().map(Self::instant);
        }
        if let Some((date, time)) = text.split_once('T') {
            return instant(date, time).map(Self::instant);
        }
        let parts: Vec<&str> = text.split('-').collect();
        let (begin, end, coarse) = match parts.as_slice() {
            [year] => {
                let year = number(year, 4)?;
                (day_number(year, 1, 1)?, day_number(year + 1, 1, 1)?, true)
            }
            [year, month] => {
                let (year, month) = (number(year, 4)?, number(month, 2)?);
                let next = if month == 12 {
                    day_number(year + 1, 1, 1)?
                } else {
                    day_number(year, month + 1, 1)?
                };
                (day_number(year, month, 1)?, next, true)
            }
            [year, month, day] => {
                let day = day_number(number(year, 4)?, number(month, 2)?, number(day, 2)?)?;
                (day, day + 1, false)
            }
            _ => return None,
        };
        Some(Self {
            begin: begin * DAY,
            end: end * DAY,
            coarse,
        })
    }
}

/// A number of so many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let all = text.bytes().all(|byte| byte.is_ascii_digit());
    (all && text.len() == digits)
        .then(|| text.parse().ok())
        .flatten()
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970; year 10,000 only as the end of 9999.
fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    let fits = (1..=10_000).contains(&year) && (1..=12).contains(&month);
    if !fits || day < 1 || day > days_of(year, month) {
        return None;
    }
    let before = |year: i64| {
        let whole = year - 1;
        365 * whole + whole / 4 - whole / 100 + whole / 400
    };
    let months: i64 = (1..month).map(|earlier| days_of(year, earlier)).sum();
    Some(before(year) - before(1970) + months + day - 1)
}

fn instant(date: &str, time: &str) -> Option<Micros> {
    let day = Granule::read(date).filter(|granule| granule.end - granule.begin == DAY)?;
    let (clock, offset) = match time.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (clock, zone) = time.split_at(at);
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let minutes = number(hours, 2)? * 60 + number(minutes, 2)?;
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            (clock, sign * minutes * 60_000_000)
        }
    };
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let parts: Option<Vec<i64>> = whole.split(':').map(|part| number(part, 2)).collect();
    let [hours, minutes, seconds] = *parts?.as_slice() else {
        return None;
    };
    let fraction: i64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    let seconds = (hours * 60 + minutes) * 60 + seconds;
    Some(day.begin + seconds * 1_000_000 + fraction - offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with what `date -u` says of them.
    #[test]
    fn dates_cover_what_they_name() {
        let day = Granule::read("2020-03-15").unwrap();
        assert_eq!(day.begin, 1_584_230_400_000_000);
        assert_eq!(day.end - day.begin, DAY);
        let year = Granule::read("2024").unwrap();
        assert_eq!((year.end - year.begin) / DAY, 366);
        let month = Granule::read("1969-12").unwrap();
        assert_eq!((month.end, month.coarse), (0, true));
        let instant = Granule::read("2020-03-15T02:00:00.5+02:00").unwrap();
        assert_eq!(instant, Granule::instant(1_584_230_400_000_000 + 500_000));
        assert_eq!(
            Granule::read("0001").unwrap().begin,
            -62_135_596_800_000_000
        );
        for wrong in [
            "",
            "20",
            "2020-13",
            "2021-02-29",
            "2020-1",
            "2020-03-15T12",
            "10000",
        ] {
            assert_eq!(Granule::read(wrong), None, "{wrong}");
        }
    }
}
