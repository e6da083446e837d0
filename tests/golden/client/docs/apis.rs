//! Doc comments: the first paragraph goes into generated code, with links as code. Everything but
//! notes for maintainers goes into the CRD.

pub mod v1 {
    use genclient::prelude::*;

    /// Holds [`PageSpec`], a [`Vec`] of [lines](PageSpec::lines) and [a site](https://example.com):
    /// `a: b`, "quotes" and `<angle>` brackets.
    /// TODO: not for users.
    /// Its `lines[0]` is [the
    /// first](PageSpec::lines).
    ///
    /// A second paragraph, with code:
    ///
    /// ```
    /// assert_eq!(1 + 1, 2);
    /// ```
    ///
    /// - item: one
    /// ---
    /// Notes for maintainers.
    #[genclient]
    #[group = "docs.example.com"]
    pub struct Page {
        pub metadata: ObjectMeta,
        /// Replaces the description of the type.
        pub spec: PageSpec,
        pub draft: Option<PageSpec>,
    }

    /** A block comment.

    Indented. */
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PageSpec {
        pub lines: Vec<String>,
        #[doc = "yes"]
        pub attribute: bool,
        /// Code is kept as it is:
        /// ```yaml
        /// ---
        /// TODO: kept
        /// ```
        /// TODO: left out
        pub code: String,
        /// Was the name.
        #[deprecated(since = "2.0.0", note = "use `lines`.")]
        pub name: String,
        #[deprecated]
        pub title: String,
    }

    /// A kind that goes away.
    #[genclient(skip_client)]
    #[group = "docs.example.com"]
    #[deprecated = "use Page"]
    pub struct Leaflet {
        pub metadata: ObjectMeta,
    }
}
