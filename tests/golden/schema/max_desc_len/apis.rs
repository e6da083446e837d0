//! `max-desc-len`: truncated descriptions, which are never cut inside a UTF-8 character.

pub mod v1 {
    use genclient::prelude::*;

    /// Grüße: a description that is longer than what is asked for.
    #[genclient]
    #[group = "short.example.com"]
    pub struct Note {
        pub metadata: ObjectMeta,
        /// Äöüß words of a description, and more.
        pub text: String,
        /// Short. And then more of it.
        pub sentence: String,
        /// Donaudampfschifffahrtsgesellschaft
        pub word: String,
        /// Twenty characters ok
        pub fits: String,
    }
}
