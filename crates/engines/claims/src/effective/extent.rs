//! Windows whose ends have a granularity: how two of them meet (docs/format/claims.md 3).

use crate::time::{Boundary, Micros, ValidTime, Window};

/// A window of valid time whose ends have a granularity. An end that something has cut is an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Start; `None`: open to the past.
    pub(crate) start: Option<Boundary>,
    /// End, inclusive of the period that the boundary covers; `None`: open.
    pub(crate) end: Option<Boundary>,
}

impl Extent {
    /// The own window: what `valid` says where that dates a claim, else from the stamp on.
    pub(crate) fn own(valid: Option<&ValidTime>, stamp_us: u64) -> Self {
        match valid.filter(|valid| dates(valid)) {
            Some(valid) => Self {
                start: valid.from,
                end: valid.until,
            },
            None => Self {
                start: Some(Boundary::instant(instant_of(stamp_us))),
                end: None,
            },
        }
    }

    /// The half-open window.
    pub(crate) fn window(&self) -> Window {
        Window {
            start: self.start.map(|start| start.begin()),
            end: self.end.map(|end| end.end()),
        }
    }

    /// Returns whether it holds no instant.
    pub(crate) fn is_empty(&self) -> bool {
        self.window().is_empty()
    }

    /// Returns whether it holds `at`.
    pub(crate) fn contains(&self, at: Micros) -> bool {
        self.window().contains(at)
    }

    /// The handover, if this one hands over to `later`: from that instant on, of the two, `later` holds.
    ///
    /// The claim that yields reaches beyond the granule in which it does: none makes way altogether.
    pub(crate) fn hands_over_to(&self, later: &Self) -> Option<Micros> {
        let (end, start) = (self.end?, later.start?);
        let (window, other) = (self.window(), later.window());
        let starts_before = window.start.is_none_or(|own| own < start.begin());
        let ends_after = other.end.is_some_and(|other| other < end.end());
        let within_end = start.begin() == end.begin() || covers(end, start.begin());
        let within_start = covers(start, end.begin());
        let within = (within_end && self.begins_before_its_end())
            || (within_start && later.ends_after_its_start());
        (starts_before && !ends_after && within).then(|| start.begin().max(end.begin()))
    }

    /// Returns whether it begins before the granule of its end.
    pub(crate) fn begins_before_its_end(&self) -> bool {
        match (self.start, self.end) {
            (Some(start), Some(end)) => start.begin() < end.begin(),
            _ => true,
        }
    }

    /// Returns whether it ends after the granule of its start.
    pub(crate) fn ends_after_its_start(&self) -> bool {
        match (self.start, self.end) {
            (Some(start), Some(end)) => start.end() < end.end(),
            _ => true,
        }
    }

    /// Returns whether they share an instant, and neither hands over to the other.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.window().meets(&other.window())
            && self.hands_over_to(other).is_none()
            && other.hands_over_to(self).is_none()
    }

    /// Cut at `at`. `None` when it ends before that anyway.
    pub(super) fn cut_at(self, at: Micros) -> Option<Self> {
        if self.end.is_some_and(|end| end.end() <= at) {
            return None;
        }
        let starts = self.start.map(|start| start.begin());
        if starts.is_some_and(|start| at <= start) || at == Micros::MIN {
            let nothing = Some(Boundary::instant(starts.unwrap_or(at)));
            return Some(Self {
                start: nothing,
                end: nothing,
            });
        }
        Some(Self {
            start: self.start,
            end: Some(Boundary::instant(at)),
        })
    }

    /// Returns the past before `at`.
    pub(super) const fn until(at: Micros) -> Self {
        Self {
            start: None,
            end: Some(Boundary::instant(at)),
        }
    }
}

/// A stamp as an instant of valid time.
pub(crate) fn instant_of(stamp_us: u64) -> Micros {
    Micros::try_from(stamp_us).unwrap_or(Micros::MAX)
}

/// Returns whether it dates a claim. A window that ends before it begins dates none: its claim was quarantined for it, and
/// holds from its stamp on once it is released.
pub(crate) fn dates(valid: &ValidTime) -> bool {
    valid.is_trusted() && !valid.is_incoherent()
}

/// Returns whether the granule holds `at`.
fn covers(granule: Boundary, at: Micros) -> bool {
    granule.begin() <= at && at < granule.end()
}
