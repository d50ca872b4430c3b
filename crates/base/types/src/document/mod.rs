//! Closed JSON documents: reads a [`Value`](crate::json::Value) into the struct that is used, and names the wrong member by its JSON Pointer.
//!
//! A document is described once, by a struct with `#[derive(Serialize, Deserialize)]` and `#[serde(deny_unknown_fields)]`.
//! Its members are types that read one spelling each: [`text_form!`](crate::text_form) gives a type that spelling,
//! [`words!`](crate::words) makes closed enums, and [`List`], [`Text`], [`Line`] and [`Whole`] carry their limits.
//!
//! ```
//! use counterfoil_types::DidKey;
//! use counterfoil_types::document::{self, List, Text};
//!
//! #[derive(Debug, serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Peer {
//!     key: DidKey,
//!     #[serde(default)]
//!     addresses: Option<List<Text<64>, 1, 8>>,
//! }
//!
//! let value = serde_json::json!({
//!     "key": "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
//!     "addresses": ["https://a.example", ""],
//! });
//! let fault = document::read::<Peer>(&value).unwrap_err();
//! assert_eq!(fault.to_string(), "/addresses/1 must be a text of 1 to 64 bytes without NUL");
//! ```

mod fault;
mod form;
mod list;
mod number;
mod object;
mod reader;
#[cfg(feature = "schema")]
mod schema;
mod text;
mod words;

pub use fault::Fault;
pub use form::{FormError, base64, from_text, nullable};
pub use list::List;
pub use number::Whole;
pub use object::{Object, object};
pub use reader::{read, read_without, write};
pub use text::{Line, Text};

/// Names that the macros of this module use.
#[doc(hidden)]
pub mod __private {
    pub use alloc::borrow::Cow;

    #[cfg(feature = "schema")]
    pub use schemars;
    pub use serde;
}
