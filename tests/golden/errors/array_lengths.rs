//! Arrays whose length cannot be determined from the source.

pub mod v1 {
    use genclient::prelude::*;

    const COMPUTED: usize = size();
    const CIRCLE: usize = OTHER;
    const OTHER: usize = CIRCLE;

    #[genclient]
    #[group = "example.com"]
    pub struct Row {
        pub metadata: ObjectMeta,
        pub computed: [u8; COMPUTED],
        pub circle: [u8; CIRCLE],
        pub missing: [u8; MISSING],
        pub negative: [u8; 1 - 2],
        pub parameter: Few<Size, { size() }>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Size {
        pub size: u8,
    }

    const fn size() -> usize {
        if cfg!(windows) { 3 } else { 4 }
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Few<T, const N: usize> {
        pub items: [T; N],
    }
}
