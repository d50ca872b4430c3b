//! Names of a subject: records by which this agent says that two names mean one (docs/format/claims.md 1).

use counterfoil_claims::{Identifier, NameConflict};
use counterfoil_exchange::trust::LocalRecord;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::text::typed;
use crate::when;

impl Memory {
    /// Records that a name is another one of the subject `of`, or with `None` that it is no longer: from now on, for all claims, kept or to
    /// come. Nothing that is kept is rewritten.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a name that is empty or too long, for one that would make a chain or a
    /// circle of names, and for a name to be taken back that is no other one.
    pub async fn set_alias(&self, named: &str, of: Option<&str>) -> Result<Report, Error> {
        let name = Identifier::new("name", named)?;
        let of = of.map(|of| Identifier::new("subject", of)).transpose()?;
        self.must_exist()?;
        let aliases = self.read_logged_settings().await?.aliases;
        let before = aliases.main(&name, u64::MAX).clone();
        if let Some(of) = &of
            && let Some(conflict) = aliases.conflict(&name, of, u64::MAX)
        {
            return Err(refused(&name, of, &conflict));
        }
        if of.is_none() && before == name {
            return Err(Error::input(
                format_args!("{} is no other name of a subject", typed(&name)),
                "`counterfoil claim aliases` lists those that are",
            ));
        }
        let is_new = of.as_ref() != Some(&before);
        let record = LocalRecord::Alias {
            name: name.clone(),
            of: of.clone(),
        };
        if is_new {
            self.open_records().await?.keep(record).await?;
            let aliases = self.read_logged_settings().await?.aliases;
            if aliases.main(&name, u64::MAX) != of.as_ref().unwrap_or(&name) {
                return Err(Error::input(
                    "another command changed the names of one of the two at the same time, and this record says nothing",
                    "look with `counterfoil claim aliases`, and say it again",
                ));
            }
        }
        let set = object()
            .with("name", name.as_str())
            .with_some("of", of.as_ref().map(Identifier::as_str))
            .with("recorded", is_new);
        Report::new(&set)
    }

    /// Lists the names that are other ones of a subject, each with its main name and since when.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn aliases(&self) -> Result<Report, Error> {
        self.must_exist()?;
        let aliases = self.read_logged_settings().await?.aliases;
        let listed = aliases.others(u64::MAX).map(|(name, since_us, of)| {
            object()
                .with("name", name.as_str())
                .with("of", of.as_str())
                .with("since", when::rfc3339(since_us))
        });
        let listed: Vec<_> = listed.collect();
        Report::new(&object().with("aliases", listed))
    }
}

/// Refuses a name, and names the command that goes on.
fn refused(name: &Identifier, of: &Identifier, conflict: &NameConflict) -> Error {
    let is_circle = |main: &Identifier| main == name;
    let (name, of) = (typed(name), typed(of));
    match conflict {
        NameConflict::Itself => Error::input(
            format_args!("{name} is that name already"),
            "name another one of the subject",
        ),
        NameConflict::IsOther(main) if is_circle(main) => Error::input(
            format_args!("{of} is another name of {name}, and names make no circles"),
            format_args!("take that back first: `counterfoil claim alias {of} --none`"),
        ),
        NameConflict::IsOther(main) => {
            let main = typed(main);
            Error::input(
                format_args!("{of} is itself another name, of {main}, and names make no chains"),
                format_args!(
                    "`counterfoil claim alias {name} {main}`, or take that back: `counterfoil claim alias {of} --none`"
                ),
            )
        }
        NameConflict::HasOther(other) => {
            let other = typed(other);
            Error::input(
                format_args!("{other} is another name of {name}, and names make no chains"),
                format_args!(
                    "take that back: `counterfoil claim alias {other} --none`; then both may be names of {of}"
                ),
            )
        }
        NameConflict::TooMany => Error::input(
            format_args!("{of} has as many names as a subject may have"),
            "take one back: `counterfoil claim alias NAME --none`; `counterfoil claim aliases` lists them",
        ),
    }
}
