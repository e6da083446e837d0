//! Enums that hold data.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub spec: Shape,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Shape {
        Point,
        Circle(i32),
        Square { side: i32 },
    }
}
