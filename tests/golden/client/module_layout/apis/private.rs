pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "private.example.com"]
    pub struct Hidden {
        pub metadata: ObjectMeta,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "private.example.com"]
    #[crd(storage)]
    pub struct Hidden {
        pub metadata: ObjectMeta,
    }
}
