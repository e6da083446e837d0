//! CEL rules with syntax errors, reserved words or literals out of range.

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
        validation(rule = "self.size = 1"),
        validation(rule = "self.size & 1"),
        validation(rule = "self.size # 1"),
        validation(rule = "self.name == ‘a’"),
        validation(rule = "self.`name == 'a'"),
        validation(rule = "self.`name` == 'a'"),
        validation(rule = "self.name == '\\d'"),
        validation(rule = "self.size < 99999999999999999999"),
        validation(rule = "self.size < 9223372036854775808"),
        validation(rule = "self.names.all(n, n == n, n, n)"),
        validation(rule = "self.names.all(n, n, true)"),
        validation(rule = "self.names.all(self.name, true)"),
        validation(rule = "has(self)"),
        validation(rule = "self.size <"),
        validation(rule = "self.size name"),
        validation(rule = "self.size )"),
        validation(rule = "self.size 'a'"),
        validation(rule = "self.'a'"),
        validation(rule = "self.in == 1"),
        validation(rule = "package == 1"),
        validation(rule = "self.true == 1"),
        validation(rule = "namespace == 1"),
        validation(rule = "self.size > 0 | true"),
        validation(rule = "self.size > 0;"),
        validation(rule = "self.size > 0 ; self.name == 'a'"),
        validation(rule = "self.size := 1"),
        validation(rule = "self.size += 1"),
        validation(rule = "Widget{1: 2} == self"),
        validation(rule = "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((true")
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
