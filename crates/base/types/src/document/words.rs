//! Closed enums that are one word each.

/// Makes an enum of words: `ALL`, `name()`, `FromStr`, `Display`, and one JSON string in documents.
///
/// ```
/// counterfoil_types::words! {
///     /// Age class of a belief.
///     #[derive(PartialOrd, Ord)]
///     pub enum Freshness {
///         /// Confirmed lately.
///         Fresh = "fresh",
///         /// Not confirmed for long.
///         Aging = "aging_unconfirmed",
///     }
/// }
/// assert_eq!(Freshness::Aging.name(), "aging_unconfirmed");
/// assert_eq!("fresh".parse(), Ok(Freshness::Fresh));
/// assert_eq!(Freshness::ALL.len(), 2);
/// ```
/// `Debug`, `Clone`, `Copy`, `PartialEq`, `Eq`, `Serialize` and `Deserialize` are derived; the crate that uses the macro
/// depends on `serde`.
#[macro_export]
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $visibility enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in order.
            $visibility const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word for it.
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::document::FormError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .into_iter()
                    .find(|it| it.name() == word)
                    .ok_or_else(|| $crate::document::FormError::word(word, &Self::ALL.map(Self::name)))
            }
        }
    )+};
}

/// Gives an enum with fields one word for each variant: a constant with all of them, and a function.
///
/// ```
/// enum Refusal {
///     NotFound(u64),
///     Busy { retry_after_s: u32 },
/// }
/// counterfoil_types::variant_words! {
///     /// Codes of all, in order.
///     CODES;
///     /// Stable code.
///     code of Refusal { NotFound = "not_found", Busy = "busy" }
/// }
/// assert_eq!(Refusal::Busy { retry_after_s: 1 }.code(), Refusal::CODES[1]);
/// ```
#[macro_export]
macro_rules! variant_words {
    (
        $(#[$all_meta:meta])* $all:ident;
        $(#[$meta:meta])* $word:ident of $name:ident {
            $($variant:ident = $text:literal),+ $(,)?
        }
    ) => {
        impl $name {
            $(#[$all_meta])*
            pub const $all: [&'static str; [$($text),+].len()] = [$($text),+];

            $(#[$meta])*
            pub const fn $word(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $text,)+
                }
            }
        }
    };
}
