//! What the asker wants done with an answer, as it is written down with the exchange.

use serde::{Deserialize, Serialize};

use super::Keeping;
use crate::PeerError;

/// What the asker wants done with an answer. What it demands stands in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) keeping: Keeping,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    keeping: Word,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Nothing,
    Attested,
    AlsoRaw,
}

impl Terms {
    pub(super) fn write(self) -> Result<String, PeerError> {
        let keeping = match self.keeping {
            Keeping::Nothing => Word::Nothing,
            Keeping::Attested => Word::Attested,
            Keeping::AlsoRaw => Word::AlsoRaw,
        };
        serde_json::to_string(&Wire { keeping }).map_err(|_| PeerError::Bug("terms without JSON"))
    }

    pub(super) fn read(text: &str) -> Result<Self, PeerError> {
        let wire: Wire =
            serde_json::from_str(text).map_err(|_| PeerError::Kept { what: "terms" })?;
        Ok(Self {
            keeping: match wire.keeping {
                Word::Nothing => Keeping::Nothing,
                Word::Attested => Keeping::Attested,
                Word::AlsoRaw => Keeping::AlsoRaw,
            },
        })
    }
}
