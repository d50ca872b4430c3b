//! Windows, handover and overlap (docs/format/claims.md 3).

use crate::calendar::{Granule, Micros};

/// When a claim holds, with the granules of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) start: Option<Micros>,
    /// That of the boundary from which it holds.
    pub(crate) start_granule: Option<Granule>,
    pub(crate) end: Option<Micros>,
    /// That of the boundary until which it holds.
    pub(crate) end_granule: Option<Granule>,
}

impl Extent {
    pub(crate) fn contains(&self, at: Micros) -> bool {
        self.start.is_none_or(|start| start <= at) && self.end.is_none_or(|end| at < end)
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.start, self.end), (Some(start), Some(end)) if start >= end)
    }

    /// When this one hands over to `later`, if it does.
    pub(crate) fn hands_over(&self, later: &Self) -> Option<Micros> {
        let starts_before = match (self.start, later.start) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(its)) => mine < its,
        };
        let ends_in_time = match (self.end, later.end) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(mine), Some(its)) => mine <= its,
        };
        if !starts_before || !ends_in_time {
            return None;
        }
        let (my_end, its_start) = (self.end_granule?, later.start_granule?);
        // Nobody makes way altogether: who yields reaches beyond the granule in which it does.
        let i_stay = self.start.is_none_or(|start| start < my_end.begin);
        let it_stays = later.end.is_none_or(|end| its_start.end < end);
        let in_my_end = my_end.covers(its_start.begin) || my_end.begin == its_start.begin;
        let in_its_start = its_start.covers(my_end.begin);
        let changes = (in_my_end && i_stay) || (in_its_start && it_stays);
        changes.then(|| its_start.begin.max(my_end.begin))
    }

    pub(crate) fn shares_an_instant(&self, other: &Self) -> bool {
        let start = self.start.max(other.start);
        let end = match (self.end, other.end) {
            (Some(mine), Some(its)) => Some(mine.min(its)),
            (mine, its) => mine.or(its),
        };
        let apart = matches!((start, end), (Some(start), Some(end)) if start >= end);
        !apart && !self.is_empty() && !other.is_empty()
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.shares_an_instant(other)
            && self.hands_over(other).is_none()
            && other.hands_over(self).is_none()
    }
}
