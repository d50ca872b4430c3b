//! Garbage collection takes capsules that were never accepted, and by its types no others
//! (capsules 4.6, C10).

use counterfoil_types::words;

const DAY_US: u64 = 86_400_000_000;

/// Time that a pending capsule is waited for, in microseconds: 30 days.
pub const PENDING_US: u64 = 30 * DAY_US;
/// Grace period before anything is removed, in microseconds: 7 days.
pub const GRACE_US: u64 = 7 * DAY_US;

words! {
    /// Reason for which a capsule is held.
    pub enum HeldClass {
        /// Something is missing that may still come.
        Pending = "pending",
        /// A check failed, which is final.
        Quarantine = "quarantine",
    }
}

/// A capsule that waits, or a refused document, without its bytes. A backend makes one of each row
/// that it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCapsule {
    /// The hash under which it is held.
    pub hash: [u8; 32],
    /// Pending or refused.
    pub class: HeldClass,
    /// Code of the missing item, or of the refusal.
    pub code: String,
    /// Source that it came from.
    pub source: String,
    /// Time of receipt, in microseconds since 1970.
    pub at_us: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// A capsule that is kept needs it.
    pub referenced: bool,
}

/// Decision of garbage collection about a held capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It goes, and leaves its hash and the reason.
    Collect,
    /// Kept: the missing item may still come.
    Waits,
    /// It may go, but not yet.
    Grace,
    /// Something that is kept needs it.
    Referenced,
}

/// The fate of something that was never accepted, at `now_us` (microseconds since 1970); no accepted capsule has one. Its
/// age is at least `older_than_us` beside the minimum: [`PENDING_US`], [`GRACE_US`]. A missing parent, an unknown key or
/// version and a future time are never a reason to go: only the time that was waited is.
pub fn fate(held: &HeldCapsule, older_than_us: u64, now_us: u64) -> Fate {
    let age = now_us.saturating_sub(held.at_us);
    let wait = match held.class {
        HeldClass::Quarantine => 0,
        HeldClass::Pending => PENDING_US,
    };
    if held.referenced {
        Fate::Referenced
    } else if age < wait {
        Fate::Waits
    } else if age < (wait + GRACE_US).max(older_than_us) {
        Fate::Grace
    } else {
        Fate::Collect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(days: u64, class: HeldClass, referenced: bool) -> Fate {
        let held = HeldCapsule {
            hash: [1; 32],
            class,
            code: "missing_parent".to_owned(),
            source: "peer".to_owned(),
            at_us: DAY_US,
            bytes: 2,
            referenced,
        };
        fate(&held, 0, (days + 1) * DAY_US)
    }

    #[test]
    fn each_class_has_its_time() {
        for (days, pending, quarantine) in [
            (0, Fate::Waits, Fate::Grace),
            (6, Fate::Waits, Fate::Grace),
            (7, Fate::Waits, Fate::Collect),
            (30, Fate::Grace, Fate::Collect),
            (37, Fate::Collect, Fate::Collect),
        ] {
            assert_eq!(after(days, HeldClass::Pending, false), pending, "{days}");
            assert_eq!(after(days, HeldClass::Quarantine, false), quarantine);
            assert_eq!(after(days, HeldClass::Pending, true), Fate::Referenced);
        }
    }
}
