//! Values that do not match their `format`; `e2e/values.txt` has many more.

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
        #[crd(format = "byte", default = "not base64")]
        pub byte: String,
        #[crd(format = "email", example = "ann")]
        pub email: String,
        #[crd(format = "hostname", enum = ["localhost", "my_host"])]
        pub hostname: String,
        #[crd(items(format = "cidr"), default = ["10.0.0.0/8", "10.0.0.1"])]
        pub cidr: Vec<String>,
        #[crd(format = "mac", default = "00:00:5e:00:53")]
        pub mac: String,
        #[crd(format = "uri", default = "example.com")]
        pub uri: String,
        #[crd(format = "duration", default = "soon")]
        pub duration: String,
        #[crd(format = "date", default = "2026-02-30")]
        pub date: String,
    }
}
