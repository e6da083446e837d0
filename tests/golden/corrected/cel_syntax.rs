//! CEL rules with valid syntax, names and literals.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(
        validation(rule = "self.size == 1"),
        validation(rule = "self.size == 1 && 1 == 1"),
        validation(rule = "self.size == 1"),
        validation(rule = "self.name == 'a'"),
        validation(rule = "self.name == 'a'"),
        validation(rule = "self.name == 'a'"),
        validation(rule = "self.name == r'\\d'"),
        validation(rule = "self.size < 9223372036854775807"),
        validation(rule = "self.size < 9223372036854775807"),
        validation(rule = "self.names.all(n, n == n)"),
        validation(rule = "self.names.all(i, n, true)"),
        validation(rule = "self.names.all(x, x > '0')"),
        validation(rule = "has(self.note)"),
        validation(rule = "self.size < 1"),
        validation(rule = "string(self.size) == self.name"),
        validation(rule = "self.size == 1"),
        validation(rule = "string(self.size) == 'a'"),
        validation(rule = "self.name == 'a'"),
        validation(rule = "self.__in__ == 1"),
        validation(rule = "self.__package__ == 1"),
        validation(rule = "self.size == 1"),
        validation(rule = "self.size == 1"),
        validation(rule = "self.size > 0 || true"),
        validation(rule = "self.size > 0"),
        validation(rule = "self.size > 0 && self.name == 'a'"),
        validation(rule = "self.size == 1"),
        validation(rule = "self.size == 2"),
        validation(rule = "true")
    )]
    pub struct WidgetSpec {
        pub size: i64,
        pub r#in: i64,
        pub package: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        #[crd(max_length = 9)]
        pub name: String,
        #[crd(max_items = 9)]
        pub names: Vec<String>,
    }
}
