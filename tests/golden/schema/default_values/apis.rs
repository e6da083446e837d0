//! Defaults from functions: the return value is evaluated from source.

pub mod values {
    use super::v1::Policy;

    pub const REPLICAS: i32 = 3;
    pub static GREETING: &str = "hello";

    pub fn replicas() -> i32 {
        REPLICAS
    }

    pub fn policy() -> Policy {
        Policy::IfNotPresent
    }
}

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    use super::values;
    use super::values::policy as usual_policy;

    #[genclient]
    #[group = "values.example.com"]
    pub struct Deploy {
        pub metadata: ObjectMeta,
        pub spec: DeploySpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct DeploySpec {
        #[serde(default = "values::replicas")]
        pub replicas: i32,
        #[serde(default = "usual_policy")]
        pub policy: Policy,
        #[serde(default = "some")]
        pub some: Option<String>,
        #[serde(default = "none")]
        pub none: Option<String>,
        #[serde(default = "negative")]
        pub negative: i64,
        #[serde(default = "Limits::usual")]
        pub limits: Limits,
        #[serde(default = "Limits::default")]
        pub standard: Limits,
        #[serde(default = "Default::default")]
        pub derived: Policy,
        #[serde(default = "Vec::new")]
        pub list: Vec<String>,
        #[serde(default = "BTreeMap::new")]
        pub map: BTreeMap<String, String>,
        #[serde(default = "ports")]
        pub ports: Vec<Port>,
        #[serde(default = "action")]
        pub action: Action,
        #[serde(default = "tagged")]
        pub tagged: Tagged,
        #[serde(default = "greeting")]
        pub greeting: String,
        #[serde(default = "greatest")]
        pub greatest: u8,
        #[serde(default = "nested")]
        pub nested: Nested,
        #[serde(default = "letter")]
        pub letter: char,
        #[serde(default = "share")]
        pub share: f64,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Policy {
        Always,
        #[default]
        Never,
        IfNotPresent,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Limits {
        pub max_cpu: i32,
        #[serde(rename = "mem")]
        pub memory: Option<String>,
        #[serde(skip)]
        pub seen: bool,
    }

    impl Limits {
        const CPU: i32 = 2;

        fn usual() -> Self {
            Self {
                max_cpu: Self::CPU,
                memory: Some("1Gi".into()),
                seen: true,
            }
        }
    }

    impl Default for Limits {
        fn default() -> Self {
            Limits {
                max_cpu: 1,
                ..Limits::usual()
            }
        }
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Port(pub u16);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Action {
        Wait {},
        Run { command: Vec<String> },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", rename_all = "camelCase")]
    pub enum Tagged {
        PlainText,
        Inner(Limits),
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct Nested {
        pub count: i32,
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        pub policy: Policy,
        #[serde(flatten)]
        pub inner: Inner,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub flag: bool,
    }

    fn some() -> Option<String> {
        Some("yes".to_owned())
    }

    fn none() -> Option<String> {
        None
    }

    fn negative() -> i64 {
        -5
    }

    fn ports() -> Vec<Port> {
        vec![Port(80), Port(443)]
    }

    fn action() -> Action {
        Action::Run {
            command: vec!["true".into()],
        }
    }

    fn tagged() -> Tagged {
        Tagged::Inner(Limits::default())
    }

    fn greeting() -> String {
        String::from(values::GREETING)
    }

    fn greatest() -> u8 {
        u8::MAX
    }

    fn nested() -> Nested {
        Nested {
            count: 4,
            note: Some("".to_owned()),
            ..Default::default()
        }
    }

    fn letter() -> char {
        'x'
    }

    fn share() -> f64 {
        0.5
    }
}
