//! Closed sets of names: a type for each set and a constant for each name.
//!
//! The compiler catches a misspelt constant, and names of different sets have different types.

/// Declares the type of a set, its names as associated constants, and optionally the list `ALL`.
macro_rules! vocabulary {
    (
        $(#[$type_attr:meta])*
        struct $Name:ident;
        $(#[$all_attr:meta])*
        const ALL;
        $(const $CONSTANT:ident = $text:literal;)+
    ) => {
        vocabulary! {
            $(#[$type_attr])*
            struct $Name;
            $(const $CONSTANT = $text;)+
        }

        impl $Name {
            $(#[$all_attr])*
            pub(crate) const ALL: &[Self] = &[$(Self::$CONSTANT),+];
        }
    };
    (
        $(#[$type_attr:meta])*
        struct $Name:ident;
        $(const $CONSTANT:ident = $text:literal;)+
    ) => {
        $(#[$type_attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $Name(&'static str);

        impl $Name {
            $(pub(crate) const $CONSTANT: Self = Self($text);)+

            /// Returns the name.
            pub(crate) const fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        /// For comparison with an identifier: `path.is_ident(&name)`.
        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
}

pub(crate) use vocabulary;
