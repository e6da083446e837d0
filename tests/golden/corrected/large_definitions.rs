//! Large CRDs without descriptions (`max-desc-len = 0`), for server-side apply.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Large {
        pub metadata: ObjectMeta,
        pub spec: Six,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct TooLarge {
        pub metadata: ObjectMeta,
        pub a: Six,
        pub b: Six,
        pub c: Six,
        pub d: Six,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Six {
        pub a: Five,
        pub b: Five,
        pub c: Five,
        pub d: Five,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Five {
        pub a: Four,
        pub b: Four,
        pub c: Four,
        pub d: Four,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Four {
        pub a: Three,
        pub b: Three,
        pub c: Three,
        pub d: Three,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Three {
        pub a: Two,
        pub b: Two,
        pub c: Two,
        pub d: Two,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Two {
        pub a: One,
        pub b: One,
        pub c: One,
        pub d: One,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct One {
        /// A line of text that says what this is for, as every field of a definition should have.
        pub a: String,
        /// A line of text that says what this is for, as every field of a definition should have.
        pub b: String,
        /// A line of text that says what this is for, as every field of a definition should have.
        pub c: String,
        /// A line of text that says what this is for, as every field of a definition should have.
        pub d: String,
    }
}
