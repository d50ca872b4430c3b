//! A memory that is bound to a scope: what it remembers is in the scope, and it reaches nothing else (decision 0067).

use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{StoreError, VersionRow};
use counterfoil_types::{Scope, WorldId};

use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::recall::RecallOptions;
use crate::versions::{content, find, stored, unknown};

impl Memory {
    /// The same memory, bound to `scope` beside the scope that this value is bound to.
    ///
    /// What it remembers and imports gets the pairs of the scope. It recalls, lists, shows, changes, forgets, erases, exports and
    /// proposes the memories in the scope alone, and states and believes facts there; of one outside it says what it says of one that is
    /// not there. Calls about the store as a whole, about keys and about other agents are refused with [`ErrorKind::Refused`].
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when this value is bound to a scope with another value of one of the keys.
    pub fn scoped(&self, scope: &Scope) -> Result<Self, Error> {
        Ok(self.bound_to(self.joined(scope)?))
    }

    /// The memory without the bound.
    pub(crate) fn whole(&self) -> Self {
        self.bound_to(Scope::new())
    }

    /// Refuses all that is not done in a scope.
    pub(crate) fn must_be_unbound(&self) -> Result<(), Error> {
        match self.scope().is_empty() {
            true => Ok(()),
            false => Err(Error::refused(
                format_args!(
                    "this is not done in a scope, and the memory is bound to {}",
                    self.scope()
                ),
                "ask whoever opened it without a scope",
            )),
        }
    }

    /// The scope with the pairs of the one that this value is bound to.
    pub(crate) fn joined(&self, scope: &Scope) -> Result<Scope, Error> {
        let joined = self.scope().merged(scope);
        joined.map_err(|error| Error::new(ErrorKind::Input, error))
    }

    /// Options with the scope that this value is bound to.
    pub(crate) fn within(&self, options: &RecallOptions) -> Result<RecallOptions, Error> {
        Ok(RecallOptions {
            scope: self.joined(&options.scope)?,
            ..options.clone()
        })
    }

    /// The whole memory and the whole id, once it is known that the memory of this id, or of this beginning of one, is in the scope.
    /// One that is outside is refused as one that is not there. The index is not trusted: what is sealed in the memory counts.
    pub(crate) async fn reaching(&self, id: &str) -> Result<(Self, String), Error> {
        let whole = self.whole();
        if self.scope().is_empty() {
            return Ok((whole, id.to_owned()));
        }
        whole.must_exist()?;
        let store = whole.reader()?;
        let found = find((&store, self.scope()), id).await?;
        let is_listed = store.is_in_scope(&found, self.scope()).await?;
        match is_listed && says_scope(&store, &found, self.scope()).await? {
            true => Ok((whole, found.to_string())),
            false => Err(unknown(id)),
        }
    }

    /// Of versions those in the scope.
    pub(crate) async fn reached(
        &self,
        store: &SqliteStore,
        versions: Vec<VersionRow>,
    ) -> Result<Vec<VersionRow>, Error> {
        if self.scope().is_empty() {
            return Ok(versions);
        }
        let mut reached = Vec::with_capacity(versions.len());
        for version in versions {
            if let Some(id) = &version.world_id
                && store.is_in_scope(id, self.scope()).await?
                && says_scope(store, id, self.scope()).await?
            {
                reached.push(version);
            }
        }
        Ok(reached)
    }
}

/// Tests whether the content of a memory has the scope. An unreadable one passes: its reader says why.
async fn says_scope(store: &SqliteStore, id: &WorldId, scope: &Scope) -> Result<bool, Error> {
    let stored = StoreError::skip_withheld(stored(store, id).await)?;
    let world = stored.as_ref().map(content).transpose()?.flatten();
    Ok(world.is_none_or(|world| Scope::of(world.data()).contains(scope)))
}

#[cfg(test)]
#[path = "scoped_tests.rs"]
pub(crate) mod tests;
