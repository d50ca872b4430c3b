//! Vocabulary of predicates: the built-in list, and the records by which this agent extends it (docs/format/claims.md 5).

use counterfoil_claims::{Cardinality, Identifier, Vocabulary};
use counterfoil_exchange::trust::LocalRecord;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::when;

impl Memory {
    /// Records that a predicate holds one value or many at a time. It counts for all claims, kept or to come, from now on, until
    /// the next record of the predicate; spellings with hyphens, underscores and spaces are one predicate.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a name that is empty or too long, and for [`Cardinality::Unknown`].
    pub async fn set_predicate(
        &self,
        named: &str,
        cardinality: Cardinality,
    ) -> Result<Report, Error> {
        let predicate = Identifier::new("predicate", named)?;
        if cardinality == Cardinality::Unknown {
            return Err(Error::input(
                "a predicate is set to one value or to many",
                "name one of them",
            ));
        }
        let folded = predicate.folded();
        let record = LocalRecord::Predicate {
            predicate,
            cardinality,
        };
        self.open_records().await?.keep(record).await?;
        let set = object()
            .with("predicate", folded)
            .with("cardinality", cardinality.name());
        Report::new(&set)
    }

    /// Lists the predicates of which it is known how many values they hold: those of this agent's records, and the built-in ones.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn predicates(&self) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.must_exist()?;
        let settings = self.claim_settings().await?;
        let decided: Vec<_> = settings.vocabulary.decisions(u64::MAX).collect();
        let is_decided = |name: &str| decided.iter().any(|(decided, ..)| *decided == name);
        let own = decided.iter().map(|(name, since_us, cardinality)| {
            object()
                .with("predicate", *name)
                .with("cardinality", cardinality.name())
                .with("by", "record")
                .with_some("since", Some(when::rfc3339(*since_us)))
        });
        let built_in = Vocabulary::built_in().iter();
        let built_in = built_in.filter(|name| !is_decided(name)).map(|name| {
            object()
                .with("predicate", *name)
                .with("cardinality", Cardinality::Many.name())
                .with("by", "built_in")
                .with_some("since", None::<String>)
        });
        let predicates: Vec<_> = own.chain(built_in).collect();
        Report::new(&object().with("predicates", predicates))
    }
}
