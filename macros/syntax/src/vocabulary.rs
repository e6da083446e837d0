//! Closed sets of names: a type for each set and a constant for each name.
//!
//! A reader that asks for a name by its constant cannot misspell it, and one set's names are not
//! those of another.

/// Declares the type of a set, its names as associated constants, and `ALL`, the list of them.
macro_rules! vocabulary {
    (
        $(#[$type_attr:meta])*
        struct $Name:ident;
        $(#[$all_attr:meta])* const ALL;
        $(const $CONSTANT:ident = $text:literal;)+
    ) => {
        $(#[$type_attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $Name(&'static str);

        impl $Name {
            $(#[$all_attr])*
            pub(crate) const ALL: &[Self] = &[$(Self::$CONSTANT),+];

            $(pub(crate) const $CONSTANT: Self = Self($text);)+

            /// The name as it is written.
            pub(crate) const fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0)
            }
        }

        /// Compares with an identifier: `path.is_ident(&name)`.
        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                self.0
            }
        }
    };
}

pub(crate) use vocabulary;
