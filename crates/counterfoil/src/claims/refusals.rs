//! A refusal, with what to do about it: the caller's to mend, so exit 3.

use counterfoil_claims::ClaimError;
use counterfoil_types::WorldId;

use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::text::typed;
use crate::versions;

/// The provenance of what models say.
const MODEL: &str = "model_derived";
/// The most characters of an id that is none.
const NAMED: usize = 80;

/// Explains a refused claim and names the next step.
impl From<ClaimError> for Error {
    fn from(refusal: ClaimError) -> Self {
        if let Some(asked) = asked(&refusal) {
            return asked;
        }
        let cure = match &refusal {
            ClaimError::InsufficientProvenance {
                provenance: MODEL,
                reference,
            } => {
                return Error::input(
                    format_args!("a model may not assert this of {reference}"),
                    "use the channel of who says so: --channel user or first-hand",
                );
            }
            ClaimError::HandleNotFound(reference) => {
                return Error::input(
                    format_args!(
                        "{reference} waits for no verdict, and is contradicted by nothing that came from outside"
                    ),
                    "`pending` and `contested` list what is; where models alone differ, say what holds with \
                 `claim add`; what a model inferred may be denied",
                );
            }
            ClaimError::TooMany {
                what: "rivals",
                limit,
                ..
            } => {
                return Error::input(
                    format_args!(
                        "more than {limit} claims contradict it, and one verdict settles no more"
                    ),
                    "end some of them first: `counterfoil history SUBJECT PREDICATE` lists them",
                );
            }
            ClaimError::Identifier { .. } => "name it by 1 to 512 bytes of text",
            ClaimError::Value { .. } => "shorten it, or remember it and cite that with --source",
            ClaimError::Confidence(_) => "write a number from 0 to 1",
            ClaimError::TooMany { .. } => "leave some out",
            ClaimError::Twice { .. } => "name it once",
            ClaimError::Key => "choose another one",
            ClaimError::KeyReused { .. } => "choose another key for another request",
            ClaimError::OtherLine(_) => {
                "name a claim of the same subject and predicate; under another name end or deny it: `counterfoil claim end REF`"
            }
            ClaimError::Itself(reference) => {
                return Error::input(
                    format_args!("{reference} cannot take its own place or be its own evidence"),
                    "name another one",
                );
            }
            ClaimError::View(detail) => {
                return Error::place(
                    format_args!("the store could not be read ({detail})"),
                    "run `counterfoil check`",
                );
            }
            // The others say themselves what to do.
            _ => return Error::new(ErrorKind::Input, refusal.to_string()),
        };
        Error::input(refusal, cure)
    }
}

/// Asks which of several claims or readings is meant; `None` for another refusal.
fn asked(refusal: &ClaimError) -> Option<Error> {
    match refusal {
        ClaimError::Ambiguous { found: 0 } => Some(Error::input(
            "no claim is live on this line",
            "`counterfoil history SUBJECT PREDICATE` lists what was said; name a claim by its reference",
        )),
        ClaimError::Ambiguous { found } => Some(Error::input(
            format_args!("{found} claims are live on this line"),
            "name one by its reference: `counterfoil believe SUBJECT PREDICATE` lists them",
        )),
        ClaimError::SecondValue {
            subject,
            predicate,
            reference,
        } => {
            let (subject, of) = (typed(subject), typed(predicate));
            Some(Error::input(
                refusal.to_string(),
                format_args!(
                    "a change: `counterfoil claim set {subject} {of} VALUE`; a mistake: `counterfoil claim correct {reference} VALUE`; \
                     both hold: `counterfoil claim predicate {of} --many`, and say it again"
                ),
            ))
        }
        ClaimError::ManyValues { subject, predicate } => {
            let (subject, of) = (typed(subject), typed(predicate));
            Some(Error::input(
                refusal.to_string(),
                format_args!(
                    "one more: `counterfoil claim add {subject} {of} VALUE`; in the place of one: the same with `--supersedes REF`, or \
                     `counterfoil claim correct REF VALUE` where that was wrong; `counterfoil believe {subject} {of}` lists them"
                ),
            ))
        }
        _ => None,
    }
}

impl Memory {
    /// Finds the id of a memory or claim by the id itself, or by a beginning of at least 4 characters that no other id has
    /// (`mem_f7dd41d`). A text that no id begins with is returned as it is: success does not mean that the memory is here.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for the beginning of several ids, of which it names at most 10, and for a text that can be no id.
    pub async fn find_id(&self, named: &str) -> Result<WorldId, Error> {
        WorldId::new(named).map_err(|_| no_claim(named))?;
        let (store, scope) = (self.whole().any()?, self.scope());
        let found = versions::find((&store, scope), named).await?;
        match store.is_in_scope(&found, scope).await? {
            true => Ok(found),
            false => Err(no_claim(named)),
        }
    }

    /// Shortens ids of memories to beginnings that no other id has, of at least 7 digits, in their order.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn short_ids(&self, ids: &[WorldId]) -> Result<Vec<String>, Error> {
        let store = self.whole().any()?;
        let mut short = Vec::with_capacity(ids.len());
        for id in ids {
            short.push(versions::short((&store, self.scope()), id).await?);
        }
        Ok(short)
    }
}

/// Nothing has that name.
pub(super) fn no_claim(text: &str) -> Error {
    let named: String = text.chars().take(NAMED).collect();
    Error::input(
        format_args!("there is no claim \"{named}\" in this store"),
        "take a reference that `counterfoil believe` or `counterfoil claim ledger` printed",
    )
}
