//! CEL rules within the cost limit of one rule, and together within the limit of a CRD.

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
        #[crd(max_items = 44, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub a: Vec<String>,
        #[crd(max_items = 44, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub b: Vec<String>,
        #[crd(max_items = 44, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub c: Vec<String>,
        #[crd(max_items = 44, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub d: Vec<String>,
        #[crd(max_items = 44, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub e: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub f: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub g: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub h: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub i: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub j: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub k: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub l: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub m: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub n: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub o: Vec<String>,
        #[crd(max_items = 440, items(max_length = 100), validation(rule = "self.all(a, self.all(b, a == b))"))]
        pub p: Vec<String>,
    }
}
