//! JSON objects that are only written: members in the order in which they are added.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// JSON object with its members in the order in which they are added.
#[derive(Debug)]
pub struct Object<M>(M);

/// The members before, the name of one more, and its value.
type Member<M, T> = (M, &'static str, Option<T>);

/// Starts an object without members.
pub const fn object() -> Object<()> {
    Object(())
}

impl<M> Object<M> {
    /// Adds a member.
    pub fn with<T: Serialize>(self, name: &'static str, value: T) -> Object<Member<M, T>> {
        self.with_some(name, Some(value))
    }

    /// Adds a member that is left out where there is no value.
    pub fn with_some<T: Serialize>(
        self,
        name: &'static str,
        value: Option<T>,
    ) -> Object<Member<M, T>> {
        Object((self.0, name, value))
    }
}

trait Members {
    fn write<S: SerializeMap>(&self, map: &mut S) -> Result<(), S::Error>;
}

impl Members for () {
    fn write<S: SerializeMap>(&self, _: &mut S) -> Result<(), S::Error> {
        Ok(())
    }
}

impl<M: Members, T: Serialize> Members for Member<M, T> {
    fn write<S: SerializeMap>(&self, map: &mut S) -> Result<(), S::Error> {
        self.0.write(map)?;
        let value = self.2.as_ref();
        value.map_or(Ok(()), |value| map.serialize_entry(self.1, value))
    }
}

impl<M: Members> Serialize for Object<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write(&mut map)?;
        map.end()
    }
}
