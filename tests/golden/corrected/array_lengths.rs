//! Arrays whose length can be determined from the source.

pub mod v1 {
    use genclient::prelude::*;

    const COMPUTED: usize = 3;
    const CIRCLE: usize = 3;
    const OTHER: usize = CIRCLE;
    const MISSING: usize = 3;

    #[genclient]
    #[group = "example.com"]
    pub struct Row {
        pub metadata: ObjectMeta,
        pub associated: [u8; 3],
        pub computed: [u8; COMPUTED],
        pub circle: [u8; CIRCLE],
        pub missing: [u8; MISSING],
        pub negative: [u8; 1],
        pub parameter: Few<Size, 3>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Size {
        pub size: u8,
    }

    impl Size {
        pub const MAX: usize = 3;
    }

    const fn size() -> usize {
        3
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Few<T, const N: usize> {
        pub items: [T; N],
    }
}
