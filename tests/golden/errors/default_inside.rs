pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Nest {
        pub metadata: ObjectMeta,
        pub spec: NestSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct NestSpec {
        #[crd(default = {})]
        pub inner: Inner,
        #[crd(default = {}, min_properties = 1)]
        pub few: Few,
        #[crd(pattern = "(?é$")]
        pub odd: String,
        #[crd(format = "date-time", default = "2026-01-31T12é:000Z")]
        pub when: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        #[crd(required, default = 3)]
        pub a: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Few {
        #[crd(default = 3)]
        pub a: i32,
    }
}
