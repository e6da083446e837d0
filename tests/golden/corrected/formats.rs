//! Values that match their `format`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(format = "byte", default = "bm90IGJhc2U2NA==")]
        pub byte: String,
        #[crd(format = "email", example = "ann@example.com")]
        pub email: String,
        #[crd(format = "hostname", enum = ["localhost", "myhost"])]
        pub hostname: String,
        #[crd(items(format = "cidr"), default = ["10.0.0.0/8", "10.0.0.1/32"])]
        pub cidr: Vec<String>,
        #[crd(format = "mac", default = "00:00:5e:00:53:01")]
        pub mac: String,
        #[crd(format = "uri", default = "https://example.com")]
        pub uri: String,
        #[crd(format = "duration", default = "1h")]
        pub duration: String,
        #[crd(format = "date", default = "2026-02-28")]
        pub date: String,
    }
}
